//! A word while it is being parsed.

use crate::brace_expansion::{self, BraceMark, BraceSign};
use crate::cursor::is_name;
use crate::word::{Piece, Span, Word};

/// What braces mean at the position of a word.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum BraceMode {
    /// Arguments and `for` lists: expanded.
    Expand,
    /// Values of assignments and here-strings: ordinary characters.
    Keep,
    /// Redirect targets, and words that look like assignments: bash's rules differ by builtin.
    Unknown,
}

/// A word under construction.
#[derive(Clone, Default)]
pub(super) struct WordBuilder {
    start: usize,
    pieces: Vec<Piece>,
    /// Literal text not yet added to the pieces.
    text: String,
    /// Something was quoted, escaped or expanded.
    marked: bool,
    /// Offset in `text` of the value of an assignment, once `name=` has been read.
    value_at: Option<usize>,
    /// The name in `name[…]=`.
    subscripted: Option<String>,
    braces: Vec<BraceMark>,
    open_braces: usize,
    /// Set when a `[` was read that does not begin a simple pattern: whether it may still be closed.
    bracket: Option<bool>,
}

impl WordBuilder {
    pub(super) fn new(start: usize) -> WordBuilder {
        WordBuilder { start, ..WordBuilder::default() }
    }

    pub(super) fn start(&self) -> usize {
        self.start
    }

    /// Whether there was no word at all.
    pub(super) fn is_absent(&self) -> bool {
        !self.marked && self.text.is_empty() && self.pieces.is_empty()
    }

    /// Whether it is nothing so far, or quotes around nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty() && self.pieces.is_empty()
    }

    /// Whether it is inside braces, which are expanded first: in `{a,$}b` a dollar sign gets a name.
    pub(super) fn is_in_braces(&self) -> bool {
        self.open_braces > 0
    }

    /// Whether everything so far is unquoted and literal.
    pub(super) fn is_plain(&self) -> bool {
        !self.marked && self.pieces.is_empty()
    }

    /// The literal text read since the last piece.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Notes that something is quoted: the word exists even if it is empty, and is not a keyword.
    pub(super) fn mark(&mut self) {
        self.marked = true;
    }

    /// The buffer for literal text.
    pub(super) fn literal(&mut self) -> &mut String {
        &mut self.text
    }

    pub(super) fn push_str(&mut self, text: &str) {
        self.text.push_str(text);
    }

    pub(super) fn push(&mut self, character: char) {
        self.text.push(character);
    }

    pub(super) fn piece(&mut self, piece: Piece) {
        self.marked |= !matches!(piece, Piece::Glob(_));
        if let Some(closed) = &mut self.bracket {
            // The result of an unquoted expansion may close the bracket.
            *closed |= !matches!(piece, Piece::Glob(_));
        }
        self.flush();
        self.pieces.push(piece);
    }

    fn flush(&mut self) {
        if !self.text.is_empty() {
            self.pieces.push(Piece::Literal(std::mem::take(&mut self.text)));
        }
    }

    /// A `[` whose end was not found nearby: a pattern only if a `]` follows.
    pub(super) fn open_bracket(&mut self) {
        let closed = self.bracket.unwrap_or(false);
        self.piece(Piece::Glob("[".to_owned()));
        self.bracket = Some(closed);
    }

    pub(super) fn close_bracket(&mut self) {
        self.text.push(']');
        if let Some(closed) = &mut self.bracket {
            *closed = true;
        }
    }

    /// An unquoted `{`, `,` or `}`.
    pub(super) fn brace(&mut self, sign: BraceSign, character: char) {
        match sign {
            BraceSign::Open => self.open_braces += 1,
            BraceSign::Comma if self.braces.is_empty() => return self.text.push(character),
            BraceSign::Comma => {}
            BraceSign::Close => self.open_braces = self.open_braces.saturating_sub(1),
        }
        self.braces.push(BraceMark { piece: self.pieces.len(), offset: self.text.len(), sign });
        self.text.push(character);
    }

    /// An unquoted `=`: the word may be an assignment. Returns whether it now is.
    pub(super) fn equals(&mut self) -> bool {
        let assigns = self.is_plain()
            && self.value_at.is_none()
            && self.subscripted.is_none()
            && is_name(self.text.strip_suffix('+').unwrap_or(&self.text));
        self.text.push('=');
        if assigns {
            self.value_at = Some(self.text.len());
        }
        assigns
    }

    /// Whether nothing certain precedes the next character in the word or value: only quotes around nothing, and expansions
    /// that may be empty.
    pub(super) fn follows_nothing(&self) -> bool {
        let begins = |text: &str| self.is_assignment() && text.ends_with(['=', ':']);
        if !self.text.is_empty() {
            return begins(&self.text);
        }
        let certain = self.pieces.iter().rfind(|piece| matches!(piece, Piece::Literal(_) | Piece::Glob(_)));
        certain.is_none_or(|piece| matches!(piece, Piece::Literal(text) if begins(text)))
    }

    /// Whether it has the form of an assignment.
    pub(super) fn is_assignment(&self) -> bool {
        self.value_at.is_some() || self.subscripted.is_some()
    }

    /// Whether `name=` or `name+=` has just been read, and nothing more.
    pub(super) fn awaits_value(&self) -> bool {
        self.is_plain() && self.value_at == Some(self.text.len())
    }

    /// Notes that `name[…]=` has been read.
    pub(super) fn subscripted(&mut self, name: String) {
        self.text.clear();
        self.pieces.clear();
        self.subscripted = Some(name);
    }

    /// Splits an assignment into name and value.
    pub(super) fn assignment(mut self, span: Span) -> (String, Word) {
        if let Some(name) = self.subscripted.take() {
            return (name, Word { span, pieces: self.settled() });
        }
        let at = self.value_at.unwrap_or(0);
        let head = match self.pieces.first_mut() {
            Some(Piece::Literal(text)) => text,
            _ => &mut self.text,
        };
        let value = head.get(at..).unwrap_or_default().to_owned();
        let name = std::mem::replace(head, value);
        let name = name.split(['=', '+']).next().unwrap_or_default().to_owned();
        if matches!(self.pieces.first(), Some(Piece::Literal(text)) if text.is_empty()) {
            self.pieces.remove(0);
        }
        (name, Word { span, pieces: self.settled() })
    }

    /// The finished word, or several words if braces are expanded.
    pub(super) fn finish(mut self, span: Span, braces: BraceMode, words: &mut Vec<Word>) {
        let mut marks = std::mem::take(&mut self.braces);
        // After the last `}` a comma separates nothing. Before it, even a comma outside `{a}` can: `{a},b}`
        // is `a} b`.
        while marks.last().is_some_and(|mark| mark.sign == BraceSign::Comma) {
            marks.pop();
        }
        if marks.len() < 2 || braces == BraceMode::Keep {
            words.push(Word { span, pieces: self.settled() });
            return;
        }
        let mut doubtful = braces == BraceMode::Unknown || self.value_at.is_some() || self.bracket.is_some();
        doubtful |= self.marked && !marks.iter().any(|mark| mark.sign == BraceSign::Comma);
        let pieces = self.settled();
        match brace_expansion::expand(&pieces, &marks, doubtful, self.marked) {
            brace_expansion::BraceExpansion::None => words.push(Word { span, pieces }),
            brace_expansion::BraceExpansion::Words(all) => {
                words.extend(all.into_iter().map(|pieces| Word { span, pieces }))
            }
            brace_expansion::BraceExpansion::Unknown => {
                let mut kept = Vec::new();
                if let (Some(Piece::Literal(text)), Some(first)) = (pieces.first(), marks.first()) {
                    let end = if first.piece == 0 { first.offset } else { text.len() };
                    let prefix = text.get(..end).unwrap_or_default();
                    if !prefix.is_empty() {
                        kept.push(Piece::Literal(prefix.to_owned()));
                    }
                }
                kept.push(Piece::Unknown { quoted: false });
                words.push(Word { span, pieces: kept });
            }
        }
    }

    /// All pieces. A `[` that was never closed is an ordinary character.
    fn settled(&mut self) -> Vec<Piece> {
        self.flush();
        let pieces = std::mem::take(&mut self.pieces);
        if self.bracket != Some(false) {
            return pieces;
        }
        let mut merged: Vec<Piece> = Vec::with_capacity(pieces.len());
        for piece in pieces {
            let text = match piece {
                Piece::Glob(text) if text == "[" => text,
                Piece::Literal(text) => text,
                other => {
                    merged.push(other);
                    continue;
                }
            };
            match merged.last_mut() {
                Some(Piece::Literal(before)) => before.push_str(&text),
                _ => merged.push(Piece::Literal(text)),
            }
        }
        merged
    }

    /// The finished word where braces are not expanded.
    pub(super) fn single(self, span: Span, braces: BraceMode) -> Word {
        let mut words = Vec::new();
        self.finish(span, if braces == BraceMode::Expand { BraceMode::Unknown } else { braces }, &mut words);
        words.pop().unwrap_or(Word { span, pieces: vec![Piece::Unknown { quoted: false }] })
    }

    /// Whether it may contain a brace expansion. A program name with braces counts as computed.
    pub(super) fn has_braces(&self) -> bool {
        self.braces.len() > 1
    }

    /// Whether it contains something that becomes several words even in quotes.
    pub(super) fn splits_quoted(&self) -> bool {
        self.pieces.contains(&Piece::Unknown { quoted: false })
    }

    /// Whether a `{` is still open.
    pub(super) fn in_braces(&self) -> bool {
        self.open_braces > 0
    }
}
