//! Reserved words. They are recognised only where a command may begin and only if unquoted.

use super::Parser;
use crate::cursor::is_meta;

const MAX_KEYWORD_LENGTH: usize = 8;

const KEYWORDS: [&str; 22] = [
    "if", "then", "elif", "else", "fi", "for", "while", "until", "do", "done", "case", "esac", "select",
    "function", "coproc", "time", "!", "{", "}", "[[", "]]", "in",
];

impl Parser<'_, '_> {
    /// The reserved word at the cursor, if there is one.
    pub(super) fn keyword(&self) -> Option<&'static str> {
        let first = self.cur.at()?;
        if !matches!(first, b'!' | b'[' | b']' | b'{' | b'}' | b'c'..=b'f' | b'i' | b's'..=b'u' | b'w') {
            return None;
        }
        let mut cursor = self.cur;
        let mut letters = [0_u8; MAX_KEYWORD_LENGTH];
        let mut length = 0;
        loop {
            match cursor.at() {
                None => break,
                // `if<(x)` is a word.
                Some(b'<' | b'>') if cursor.second() == Some(b'(') => return None,
                Some(byte) if is_meta(byte) => break,
                Some(byte) => *letters.get_mut(length)? = byte,
            }
            length += 1;
            cursor.bump();
        }
        let word = letters.get(..length)?;
        KEYWORDS.into_iter().find(|keyword| keyword.as_bytes() == word)
    }

    /// Consumes a reserved word found by [`keyword`](Self::keyword).
    pub(super) fn take(&mut self, keyword: &'static str) {
        for _ in keyword.bytes() {
            self.cur.bump();
        }
        self.operator(keyword);
    }

    /// Consumes `keyword`, or stops if it is not next.
    pub(super) fn expect_keyword(&mut self, keyword: &'static str) -> super::Parsed<()> {
        self.blanks();
        if self.keyword() != Some(keyword) {
            return Err(super::ParseStopped);
        }
        self.take(keyword);
        Ok(())
    }

    /// Whether the unquoted word `word` is next.
    pub(super) fn plain(&self, word: &str) -> bool {
        let mut cursor = self.cur;
        for byte in word.bytes() {
            if !cursor.eat(byte) {
                return false;
            }
        }
        cursor.at().is_none_or(is_meta)
    }
}
