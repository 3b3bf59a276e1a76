//! Brace expansion, done only where the result is small and certain.

use crate::word::Piece;

/// An unquoted brace or comma in a word.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BraceMark {
    /// Index of the piece that contains it.
    pub(crate) piece: usize,
    /// Byte offset in that piece's text.
    pub(crate) offset: usize,
    pub(crate) sign: BraceSign,
}

/// `{`, `,` inside braces, or `}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BraceSign {
    /// `{`
    Open,
    /// `,`
    Comma,
    /// `}`
    Close,
}

/// The result of expanding the braces of a word.
pub(crate) enum BraceExpansion {
    /// The braces are ordinary characters.
    None,
    Words(Vec<Vec<Piece>>),
    /// Too many words, or the result is not certain.
    Unknown,
}

/// The largest number of words an expansion may produce.
const WORD_LIMIT: usize = 64;
/// The deepest nesting of braces that is expanded.
const DEPTH_LIMIT: usize = 6;

/// Expands the braces in `pieces`. With `doubtful`, a possible expansion is [`BraceExpansion::Unknown`].
pub(crate) fn expand(pieces: &[Piece], marks: &[BraceMark], doubtful: bool, quoted: bool) -> BraceExpansion {
    let comma = marks.iter().any(|mark| mark.sign == BraceSign::Comma);
    let closed = marks.iter().any(|mark| mark.sign == BraceSign::Close);
    let ranges = pieces.iter().any(|piece| matches!(piece, Piece::Literal(text) if text.contains("..")));
    if !closed || !(comma || ranges || hold_computed(pieces, marks)) {
        return BraceExpansion::None;
    }
    // Bash expands tildes after braces, so an alternative that begins with a tilde is not certain.
    let certain = !doubtful
        && pieces.iter().enumerate().all(|(index, piece)| match piece {
            Piece::Literal(text) => !text.contains('~'),
            Piece::Glob(_) => true,
            Piece::Tilde(_) => index == 0,
            _ => false,
        });
    if !certain {
        return BraceExpansion::Unknown;
    }
    let tokens = tokens(pieces, marks);
    let mut rest = tokens.as_slice();
    match sequence(&mut rest, 0) {
        Some(mut words) if rest.is_empty() => {
            // Bash drops an empty word unless part of it was quoted.
            if !quoted {
                words.retain(|word| !word.is_empty());
            }
            // Zsh takes `=ls` for the path of a program.
            let is_program = |word: &Vec<Piece>| matches!(word.first(), Some(Piece::Literal(text)) if text.starts_with('=') && text.len() > 1);
            let whole = !words.is_empty() && words.iter().all(|word| !word.is_empty() && !is_program(word));
            if whole { BraceExpansion::Words(words) } else { BraceExpansion::Unknown }
        }
        _ => BraceExpansion::Unknown,
    }
}

/// Whether braces hold a computed piece. Bash keeps them; zsh takes what it becomes for a range such as `a..z`.
fn hold_computed(pieces: &[Piece], marks: &[BraceMark]) -> bool {
    let is_mark = |sign: BraceSign, is_beside: &dyn Fn(usize) -> bool| {
        marks.iter().any(|mark| mark.sign == sign && is_beside(mark.piece))
    };
    pieces.iter().enumerate().any(|(index, piece)| {
        !matches!(piece, Piece::Literal(_) | Piece::Glob(_) | Piece::Tilde(_))
            && is_mark(BraceSign::Open, &|at| at < index)
            && is_mark(BraceSign::Close, &|at| at > index)
    })
}

enum Token<'p> {
    Text(&'p str),
    Piece(&'p Piece),
    Sign(BraceSign),
}

fn tokens<'p>(pieces: &'p [Piece], marks: &[BraceMark]) -> Vec<Token<'p>> {
    let mut tokens = Vec::new();
    let mut marks = marks.iter().peekable();
    for (index, piece) in pieces.iter().enumerate() {
        let Piece::Literal(text) = piece else {
            tokens.push(Token::Piece(piece));
            continue;
        };
        let mut from = 0;
        while let Some(mark) = marks.next_if(|mark| mark.piece == index) {
            if let Some(before) = text.get(from..mark.offset).filter(|before| !before.is_empty()) {
                tokens.push(Token::Text(before));
            }
            tokens.push(Token::Sign(mark.sign));
            from = mark.offset + 1;
        }
        if let Some(after) = text.get(from..).filter(|after| !after.is_empty()) {
            tokens.push(Token::Text(after));
        }
    }
    tokens
}

/// The words a run of tokens expands to, up to a comma or `}` that belongs to the caller. `None`: not
/// certain.
fn sequence(rest: &mut &[Token<'_>], depth: usize) -> Option<Vec<Vec<Piece>>> {
    let mut words: Vec<Vec<Piece>> = vec![Vec::new()];
    while let Some((token, after)) = rest.split_first() {
        match token {
            Token::Text(text) => {
                for word in &mut words {
                    append(word, Piece::Literal((*text).to_owned()));
                }
                *rest = after;
            }
            Token::Piece(piece) => {
                for word in &mut words {
                    append(word, (*piece).clone());
                }
                *rest = after;
            }
            Token::Sign(BraceSign::Open) => {
                *rest = after;
                let choices = group(rest, depth + 1)?;
                words = product(&words, &choices)?;
            }
            Token::Sign(BraceSign::Comma | BraceSign::Close) => return (depth > 0).then_some(words),
        }
    }
    (depth == 0).then_some(words)
}

/// The alternatives between braces. The `{` has been consumed.
fn group(rest: &mut &[Token<'_>], depth: usize) -> Option<Vec<Vec<Piece>>> {
    if depth > DEPTH_LIMIT {
        return None;
    }
    match *rest {
        [Token::Sign(BraceSign::Close), after @ ..] => {
            *rest = after;
            return Some(vec![vec![Piece::Literal("{}".to_owned())]]);
        }
        [Token::Text(text), Token::Sign(BraceSign::Close), after @ ..] => {
            *rest = after;
            return if text.contains("..") {
                range(text)
            } else {
                Some(vec![vec![Piece::Literal(format!("{{{text}}}"))]])
            };
        }
        _ => {}
    }
    let mut choices = Vec::new();
    let mut commas = 0;
    loop {
        choices.extend(sequence(rest, depth)?);
        if choices.len() > WORD_LIMIT {
            return None;
        }
        let (sign, after) = rest.split_first()?;
        *rest = after;
        match sign {
            Token::Sign(BraceSign::Comma) => commas += 1,
            Token::Sign(BraceSign::Close) => return (commas > 0).then_some(choices),
            _ => return None,
        }
    }
}

/// `1..5` or `a..e`.
fn range(text: &str) -> Option<Vec<Vec<Piece>>> {
    let (from, to) = text.split_once("..")?;
    let words = |texts: Vec<String>| Some(texts.into_iter().map(|text| vec![Piece::Literal(text)]).collect());
    if let (Some(from), Some(to)) = (number(from), number(to)) {
        if from.abs_diff(to) >= WORD_LIMIT as u64 {
            return None;
        }
        let ascending = from.min(to)..=from.max(to);
        return words(if from <= to {
            ascending.map(|n| n.to_string()).collect()
        } else {
            ascending.rev().map(|n| n.to_string()).collect()
        });
    }
    match (from.as_bytes(), to.as_bytes()) {
        ([from], [to]) if from.is_ascii_lowercase() && to.is_ascii_lowercase() && from <= to => {
            words((*from..=*to).map(|letter| char::from(letter).to_string()).collect())
        }
        _ => None,
    }
}

/// A small number without leading zeros, because a leading zero pads the other numbers.
fn number(text: &str) -> Option<i64> {
    let plain = text.len() <= 6 && !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let padded = text.len() > 1 && text.starts_with('0');
    if plain && !padded { text.parse().ok() } else { None }
}

fn product(words: &[Vec<Piece>], choices: &[Vec<Piece>]) -> Option<Vec<Vec<Piece>>> {
    if words.len().saturating_mul(choices.len()) > WORD_LIMIT {
        return None;
    }
    let mut all = Vec::with_capacity(words.len() * choices.len());
    for word in words {
        for choice in choices {
            let mut joined = word.clone();
            for piece in choice {
                append(&mut joined, piece.clone());
            }
            all.push(joined);
        }
    }
    Some(all)
}

/// Appends a piece and merges adjacent literals.
fn append(word: &mut Vec<Piece>, piece: Piece) {
    match (word.last_mut(), piece) {
        (Some(Piece::Literal(before)), Piece::Literal(text)) => before.push_str(&text),
        (_, piece) => word.push(piece),
    }
}
