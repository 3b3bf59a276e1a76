//! The text as it is displayed and matched: insignificant blanks are folded.

use crate::cursor::{Cursor, is_blank, is_meta};

/// Trims `text` and folds each run of unquoted blanks to one space. Quoted blanks, comments and
/// here-documents stay as they are. A newline between commands stays a newline, without blanks around it.
/// Line continuations are removed.
pub fn normalise(text: &str) -> String {
    let mut fold =
        Fold { cursor: Cursor::new(text, 0), out: String::with_capacity(text.len()), gap: Gap::None };
    while fold.step() {}
    fold.out
}

/// The blanks between the last character written and the next.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    None,
    Blank,
    Newline,
}

struct Fold<'t> {
    cursor: Cursor<'t>,
    out: String,
    gap: Gap,
}

impl Fold<'_> {
    fn step(&mut self) -> bool {
        let Some(byte) = self.cursor.at() else { return false };
        let start = self.cursor.pos();
        match byte {
            b' ' | b'\t' => {
                self.gap = self.gap.max(Gap::Blank);
                self.cursor.bump();
                return true;
            }
            b'\n' => {
                self.gap = Gap::Newline;
                self.cursor.bump();
                return true;
            }
            b'#' if self.word_begins() => self.pass_comment(),
            b'<' if self.cursor.second() == Some(b'<') => return self.here(),
            b'\'' => self.pass_quote(b'\''),
            b'"' => self.pass_quote(b'"'),
            b'`' => self.pass_quote(b'`'),
            b'\\' => {
                self.cursor.bump_raw();
                let next = self.cursor.slice(self.cursor.pos(), self.cursor.text().len()).chars().next();
                self.cursor.jump_raw(self.cursor.pos() + next.map_or(0, char::len_utf8));
            }
            _ => {
                let mut run = String::new();
                let special = |byte| is_meta(byte) || matches!(byte, b'\'' | b'"' | b'`' | b'\\' | b'#');
                self.cursor.run(special, &mut run);
                if run.is_empty() {
                    self.cursor.bump_raw();
                } else {
                    self.write(&run);
                    return true;
                }
            }
        }
        let text = self.cursor.slice(start, self.cursor.pos());
        self.write(text);
        self.cursor.settle();
        true
    }

    /// The body of a here-document cannot be distinguished from commands without parsing, so everything from
    /// its line on is kept.
    fn here(&mut self) -> bool {
        self.cursor.bump();
        self.cursor.bump();
        self.write("<<");
        if self.cursor.eat(b'<') {
            self.write("<");
            return true;
        }
        let rest = self.cursor.slice(self.cursor.pos(), self.cursor.text().len());
        let rest = rest.trim_end_matches([' ', '\t', '\n']);
        self.write(rest);
        false
    }

    fn word_begins(&self) -> bool {
        self.gap != Gap::None || self.out.bytes().last().is_none_or(|byte| is_meta(byte) || is_blank(byte))
    }

    fn pass_comment(&mut self) {
        let end = self.cursor.find(b'\n').unwrap_or(self.cursor.text().len());
        let comment = self.cursor.slice(self.cursor.pos(), end).trim_end_matches([' ', '\t']);
        self.cursor.jump_raw(self.cursor.pos() + comment.len());
    }

    /// Skips past the closing quote, or to the end. A substitution inside double quotes has its own quotes.
    fn pass_quote(&mut self, quote: u8) {
        let mut open = vec![quote];
        self.cursor.bump_raw();
        while let (Some(byte), Some(inside)) = (self.cursor.at(), open.last().copied()) {
            self.cursor.bump_raw();
            match (inside, byte) {
                (b'\'', b'\'') | (b'"', b'"') | (b'`', b'`') | (b'(', b')') => drop(open.pop()),
                (b'\'', _) => {}
                (_, b'\\') => self.cursor.bump_raw(),
                (b'"', b'$') if self.cursor.at() == Some(b'(') => {
                    self.cursor.bump_raw();
                    open.push(b'(');
                }
                (b'(', b'\'' | b'"' | b'(') => open.push(byte),
                _ => {}
            }
        }
    }

    fn write(&mut self, text: &str) {
        if !self.out.is_empty() {
            match self.gap {
                Gap::None => {}
                Gap::Blank => self.out.push(' '),
                Gap::Newline => self.out.push('\n'),
            }
        }
        self.gap = Gap::None;
        self.out.push_str(text);
    }
}
