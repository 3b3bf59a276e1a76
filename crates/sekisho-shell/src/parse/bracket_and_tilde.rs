//! Brackets and tildes.

use super::Parser;
use super::word_builder::WordBuilder;
use crate::cursor::is_meta;
use crate::word::Piece;

/// How many bytes to search for the end of a bracket expression.
const BRACKET_LIMIT: usize = 64;

impl Parser<'_, '_> {
    /// `[…]` as one piece, if its end is near and nothing in it is special.
    pub(super) fn bracket(&mut self, draft: &mut WordBuilder) {
        let start = self.cur.pos();
        // Braces come first: a comma in `{[a,b]}` separates the braces, not the bracket.
        match self.bracket_length().filter(|_| !draft.in_braces()) {
            Some(length) => {
                let text = self.cur.slice(start, start + length).to_owned();
                draft.piece(Piece::Glob(text));
                self.cur.jump_raw(start + length);
                self.cur.settle();
            }
            None => {
                draft.open_bracket();
                self.cur.bump();
            }
        }
    }

    fn bracket_length(&self) -> Option<usize> {
        let mut at = 1;
        if matches!(self.cur.raw(at), Some(b'!' | b'^')) {
            at += 1;
        }
        let first = at;
        while at < BRACKET_LIMIT {
            match self.cur.raw(at)? {
                b']' if at > first => return Some(at + 1),
                b'[' if matches!(self.cur.raw(at + 1), Some(b':' | b'.' | b'=')) => {
                    let kind = self.cur.raw(at + 1);
                    at += 2;
                    while at < BRACKET_LIMIT
                        && !(self.cur.raw(at) == kind && self.cur.raw(at + 1) == Some(b']'))
                    {
                        if !self.cur.raw(at)?.is_ascii_alphanumeric() {
                            return None;
                        }
                        at += 1;
                    }
                    at += 2;
                }
                b'\'' | b'"' | b'\\' | b'$' | b'`' | b'{' | b'}' | b'~' => return None,
                byte if is_meta(byte) => return None,
                _ => at += 1,
            }
        }
        None
    }

    /// `~` or `~name` where bash would expand it. In a value it also ends at `:`.
    pub(super) fn tilde(&mut self, draft: &mut WordBuilder, value: bool) {
        self.cur.bump();
        let mut ahead = self.cur;
        let mut name = String::new();
        while let Some(byte) = ahead.at() {
            if !(byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'+' | b'-')) {
                break;
            }
            name.push(char::from(byte));
            ahead.bump();
        }
        match ahead.at() {
            // A quote or an expansion in the name keeps the tilde literal, but not in zsh.
            Some(b'\'' | b'"' | b'\\' | b'$' | b'`') => {
                draft.piece(Piece::Unknown { quoted: false });
                return;
            }
            Some(b'<' | b'>') if ahead.second() == Some(b'(') => {
                draft.piece(Piece::Unknown { quoted: false })
            }
            None | Some(b'/') => draft.piece(Piece::Tilde(name)),
            Some(b':') if value => draft.piece(Piece::Tilde(name)),
            Some(byte) if is_meta(byte) => draft.piece(Piece::Tilde(name)),
            Some(_) => draft.piece(Piece::Unknown { quoted: false }),
        }
        self.cur = ahead;
    }
}
