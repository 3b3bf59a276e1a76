//! Where words and expansions end in a shell text, with all that may be nested in them.

/// How deep quotes and substitutions are followed.
const MAX_DEPTH: usize = 32;

/// What ends a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// A blank or an operator.
    Word,
    Parenthesis,
    Brace,
    DoubleQuote,
    Backtick,
}

/// Quotes and substitutions are nested too deep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooDeep;

/// The length of the word at the start of a text. A word that does not end takes the rest of the text.
pub(super) fn word_length(text: &str) -> Result<usize, TooDeep> {
    Ok(scan(text, End::Word, 0)?.unwrap_or(text.len()))
}

/// The length up to the end of a part whose opening is before the text. `None` if it does not end.
pub(super) fn length_until(text: &str, end: End) -> Option<usize> {
    scan(text, end, 0).ok()?
}

/// Whether a character ends a word.
pub(super) fn is_delimiter(c: char) -> bool {
    c.is_whitespace() || matches!(c, ';' | '&' | '|' | '(' | ')' | '<' | '>')
}

fn scan(text: &str, end: End, depth: usize) -> Result<Option<usize>, TooDeep> {
    if depth > MAX_DEPTH {
        return Err(TooDeep);
    }
    let (mut at, mut open, mut previous) = (0, 0_usize, ' ');
    let mut documents: Vec<String> = Vec::new();
    while let Some(rest) = text.get(at..)
        && let Some(c) = rest.chars().next()
    {
        match (end, c) {
            (End::Word, c) if is_delimiter(c) && !opens_in_word(rest, previous) => return Ok(Some(at)),
            (End::DoubleQuote, '"') | (End::Backtick, '`') | (End::Brace, '}') => return Ok(Some(at)),
            (End::Parenthesis, ')') if open == 0 => return Ok(Some(at)),
            (End::Parenthesis, ')') => open -= 1,
            (End::Parenthesis, '(') => open += 1,
            (End::Parenthesis, '<')
                if previous != '<' && rest.starts_with("<<") && !rest.starts_with("<<<") =>
            {
                documents.push(delimiter(rest));
            }
            _ => {}
        }
        at += match c {
            '\n' if !documents.is_empty() => documents_length(rest, &mut documents),
            '#' if end == End::Parenthesis && previous.is_whitespace() => {
                rest.find('\n').unwrap_or(rest.len())
            }
            c => match part_length(rest, c, (end, previous), depth)? {
                Some(length) => length,
                None => return Ok(None),
            },
        };
        previous = c;
    }
    Ok((end == End::Word).then_some(text.len()))
}

/// The length of a character, or of the quotes or the expansion that it opens.
fn part_length(
    rest: &str,
    c: char,
    (end, previous): (End, char),
    depth: usize,
) -> Result<Option<usize>, TooDeep> {
    let nested = |from: usize, end: End| {
        let inner = scan(rest.get(from..).unwrap_or_default(), end, depth + 1)?;
        Ok(inner.map(|length| length + from + 1))
    };
    let in_quotes = end == End::DoubleQuote;
    Ok(match c {
        '\\' => Some(1 + rest.chars().nth(1).map_or(0, char::len_utf8)),
        _ if end == End::Backtick => Some(c.len_utf8()),
        '\'' if !in_quotes && previous == '$' => escaped_length(rest),
        '\'' if !in_quotes => rest.get(1..).and_then(|rest| rest.find('\'')).map(|length| length + 2),
        '"' => return nested(1, End::DoubleQuote),
        '`' => return nested(1, End::Backtick),
        '$' if rest.starts_with("$(") => return nested(2, End::Parenthesis),
        '$' if rest.starts_with("${") => return nested(2, End::Brace),
        '(' if end == End::Word => return nested(1, End::Parenthesis),
        '<' | '>' if end == End::Word => return nested(2, End::Parenthesis),
        c => Some(c.len_utf8()),
    })
}

/// `<(…)`, `>(…)`, `@(…)` and `name=(…)` belong to a word.
fn opens_in_word(rest: &str, previous: char) -> bool {
    rest.starts_with("<(")
        || rest.starts_with(">(")
        || rest.starts_with('(') && matches!(previous, '@' | '?' | '*' | '+' | '!' | '=')
}

/// The length of `'…'` in which quotes may be escaped.
pub(super) fn escaped_length(rest: &str) -> Option<usize> {
    let mut is_escaped = true;
    for (at, c) in rest.char_indices() {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '\'' => return Some(at + 1),
            _ => {}
        }
    }
    None
}

/// The end of a here-document, as `<<` names it.
fn delimiter(rest: &str) -> String {
    let word = rest.trim_start_matches(['<', '-', ' ']);
    let length = word.find(is_delimiter).unwrap_or(word.len());
    word.get(..length).unwrap_or_default().replace(['\'', '"', '\\'], "")
}

/// The length of the here-documents behind a line break.
fn documents_length(rest: &str, ends: &mut Vec<String>) -> usize {
    let mut length = 1;
    for end in ends.drain(..) {
        while let Some(left) = rest.get(length..).filter(|left| !left.is_empty()) {
            let line = left.split('\n').next().unwrap_or_default();
            length += line.len() + usize::from(line.len() < left.len());
            if line.trim_start_matches('\t') == end {
                break;
            }
        }
    }
    length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_end_behind_what_they_contain() {
        for (text, expected) in [
            ("a b", 1),
            ("'a b'c d", 6),
            ("\"$(echo ')' \"x\")\" b", 17),
            ("a=(b c) d", 7),
            ("$(cat <<'E'\nit's )\nE\n) b", 22),
            ("${a:-${b} c};", 12),
            ("<(a b) c", 6),
            ("$'a\\'b' c", 7),
            ("`a b`;", 5),
            ("a>b", 1),
            ("'a", 2),
            ("", 0),
        ] {
            assert_eq!(word_length(text), Ok(expected), "{text}");
        }
        assert_eq!(word_length(&"$(".repeat(10_000)), Err(TooDeep));
    }
}
