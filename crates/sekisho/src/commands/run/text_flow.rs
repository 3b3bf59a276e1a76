//! Wraps a text that arrives in pieces. A word is held back until it is complete.

use crate::terminal::{columns, ensure_visible};

const TAB: usize = 4;

/// A text that is being written.
#[derive(Debug)]
pub(super) struct TextFlow {
    /// None: lines are not wrapped.
    width: Option<usize>,
    column: usize,
    spaces: usize,
    word: String,
}

impl TextFlow {
    pub(super) fn new(width: Option<usize>) -> TextFlow {
        TextFlow { width, column: 0, spaces: 0, word: String::new() }
    }

    /// What to print for a further piece.
    pub(super) fn add(&mut self, piece: &str) -> String {
        let mut out = String::new();
        for c in piece.chars() {
            match c {
                '\n' => {
                    self.end_word(&mut out);
                    out.push('\n');
                    (self.column, self.spaces) = (0, 0);
                }
                ' ' | '\t' => {
                    self.end_word(&mut out);
                    self.spaces += if c == '\t' { TAB } else { 1 };
                }
                c => self.word.push(c),
            }
        }
        out
    }

    /// What to print at the end of the text. The next one begins on a new line.
    pub(super) fn end(&mut self) -> String {
        let mut out = String::new();
        self.end_word(&mut out);
        if self.column > 0 {
            out.push('\n');
        }
        (self.column, self.spaces) = (0, 0);
        out
    }

    fn end_word(&mut self, out: &mut String) {
        if self.word.is_empty() {
            return;
        }
        let word = std::mem::take(&mut self.word);
        let word = ensure_visible(&word);
        let length = columns(&word);
        let too_long = |width| self.column > 0 && self.column + self.spaces + length > width;
        if self.width.is_some_and(too_long) {
            out.push('\n');
            (self.column, self.spaces) = (0, 0);
        }
        let spaces = std::mem::take(&mut self.spaces);
        out.push_str(&" ".repeat(spaces));
        out.push_str(&word);
        self.column += spaces + length;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flow(width: usize, pieces: &[&str]) -> String {
        let mut flow = TextFlow::new(Some(width));
        let mut out: String = pieces.iter().map(|piece| flow.add(piece)).collect();
        out.push_str(&flow.end());
        out
    }

    #[test]
    fn words_wrap_wherever_pieces_end() {
        assert_eq!(flow(11, &["one two three"]), "one two\nthree\n");
        assert_eq!(flow(11, &["on", "e tw", "o th", "ree"]), "one two\nthree\n");
        assert_eq!(flow(80, &["a\n\n    indented\n"]), "a\n\n    indented\n");
        assert_eq!(flow(5, &["", " "]), "");
        assert_eq!(flow(4, &["longword x"]), "longword\nx\n");
    }

    #[test]
    fn hiding_characters_are_escaped() {
        assert_eq!(flow(80, &["a\u{1b}[31m b\u{202e}c"]), "a\\u{1b}[31m b\\u{202e}c\n");
    }
}
