//! Reserved words, recognised only where a command may begin and only when nothing in them is quoted.

use super::Parser;
use crate::cursor::is_meta;

const LONGEST: usize = 8;

const KEYWORDS: [&str; 22] = [
    "if", "then", "elif", "else", "fi", "for", "while", "until", "do", "done", "case", "esac", "select",
    "function", "coproc", "time", "!", "{", "}", "[[", "]]", "in",
];

impl Parser<'_, '_> {
    /// The reserved word that stands here, if one does.
    pub(super) fn keyword(&self) -> Option<&'static str> {
        let first = self.cur.at()?;
        if !matches!(first, b'!' | b'[' | b']' | b'{' | b'}' | b'c'..=b'f' | b'i' | b's'..=b'u' | b'w') {
            return None;
        }
        let mut cursor = self.cur;
        let mut letters = [0_u8; LONGEST];
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

    /// Takes a reserved word found by [`keyword`](Self::keyword).
    pub(super) fn take(&mut self, keyword: &'static str) {
        for _ in keyword.bytes() {
            self.cur.bump();
        }
        self.operator(keyword);
    }

    /// Takes `keyword` where it must stand.
    pub(super) fn expect_keyword(&mut self, keyword: &'static str) -> super::Parsed<()> {
        self.blanks();
        if self.keyword() != Some(keyword) {
            return Err(super::ParseStopped);
        }
        self.take(keyword);
        Ok(())
    }

    /// Whether the plain word `word` stands here.
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
