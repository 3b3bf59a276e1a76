//! Words: literals, quotes, and everything that expands.

use super::word_builder::WordBuilder;
use super::{PIECE, ParseStopped, Parsed, Parser};
use crate::brace_expansion::BraceSign;
use crate::cursor::is_meta;
use crate::script::OpaqueKind;
use crate::word::Piece;

/// Bytes that end a run of ordinary characters in an unquoted word.
fn is_special(byte: u8) -> bool {
    is_meta(byte)
        || matches!(byte, b'\'' | b'"' | b'\\' | b'$' | b'`' | b'*' | b'?' | b'[' | b']' | b'{' | b'}' | b',')
        || matches!(byte, b'~' | b'=' | b':')
}

impl Parser<'_, '_> {
    /// The word that begins here; absent if there is none. `subscripts`: whether `name[` begins an array
    /// element here.
    pub(super) fn word(&mut self, subscripts: bool) -> Parsed<WordBuilder> {
        let mut draft = WordBuilder::new(self.cur.pos());
        loop {
            self.cur.run(is_special, draft.literal());
            let Some(byte) = self.cur.at() else { return Ok(draft) };
            if is_meta(byte) && !matches!(byte, b'<' | b'>') {
                return Ok(draft);
            }
            self.cost(PIECE)?;
            match byte {
                b'<' | b'>' if self.cur.second() == Some(b'(') => self.process(&mut draft)?,
                _ if is_meta(byte) => return Ok(draft),
                b'\'' => self.single_quoted(&mut draft)?,
                b'"' => self.double_quoted(&mut draft)?,
                b'\\' => self.escaped(&mut draft)?,
                b'$' => self.dollar(&mut draft, false)?,
                b'`' => self.backticks(&mut draft, false)?,
                b'[' if subscripts && draft.is_plain() && crate::cursor::is_name(draft.text()) => {
                    self.subscript(&mut draft)?;
                }
                _ => self.operator_character(&mut draft, byte, subscripts),
            }
        }
    }

    /// An unquoted character with a possible special meaning: pattern, brace, tilde, assignment. `assigns`: whether an
    /// assignment may begin here.
    fn operator_character(&mut self, draft: &mut WordBuilder, byte: u8, assigns: bool) {
        match byte {
            b'[' => return self.bracket(draft),
            b'~' if draft.is_absent() => return self.tilde(draft, false),
            // Zsh expands it if what precedes it turns out to be empty.
            b'~' if draft.follows_nothing() => draft.piece(Piece::Unknown { quoted: false }),
            b'*' => draft.piece(Piece::Glob("*".to_owned())),
            b'?' => draft.piece(Piece::Glob("?".to_owned())),
            b']' => draft.close_bracket(),
            b'{' => draft.brace(BraceSign::Open, '{'),
            b'}' => {
                // Zsh ends a group here, and what follows is another command.
                if !draft.is_in_braces() {
                    self.mark_opaque(draft.start(), OpaqueKind::Construct);
                }
                draft.brace(BraceSign::Close, '}');
            }
            b',' => draft.brace(BraceSign::Comma, ','),
            b'=' if draft.is_empty() && self.is_program_path() => {
                draft.piece(Piece::Unknown { quoted: false });
            }
            b'=' => {
                let begins = draft.equals();
                self.cur.bump();
                self.value_begins(draft, begins, assigns);
                return;
            }
            b':' if draft.is_assignment() => {
                draft.push(':');
                self.cur.bump();
                self.value_begins(draft, true, assigns);
                return;
            }
            _ => draft.push(char::from(byte)),
        }
        self.cur.bump();
    }

    /// What begins after `=` or `:`: a tilde, or the path of a program in zsh.
    fn value_begins(&mut self, draft: &mut WordBuilder, expands: bool, assigns: bool) {
        if self.cur.at() == Some(b'~') {
            self.tilde_in_value(draft, expands);
        } else if expands && assigns && self.is_program_path() {
            draft.piece(Piece::Unknown { quoted: false });
            self.cur.bump();
        }
    }

    /// A tilde after `=` or `:`. After a second `=`, its meaning depends on the bash version, so it is
    /// unknown there.
    fn tilde_in_value(&mut self, draft: &mut WordBuilder, expands: bool) {
        if expands {
            self.tilde(draft, true);
        } else if draft.is_assignment() {
            draft.piece(Piece::Unknown { quoted: false });
            self.cur.bump();
        }
    }

    /// `\x`: the next character is literal.
    fn escaped(&mut self, draft: &mut WordBuilder) -> Parsed<()> {
        draft.mark();
        self.cur.bump_raw();
        let start = self.cur.pos();
        let rest = self.cur.slice(start, self.cur.text().len());
        // A backslash at the very end stays a backslash, but only if the text is not continued.
        let Some(character) = rest.chars().next() else { return Err(ParseStopped) };
        draft.push(character);
        self.cur.jump_raw(start + character.len_utf8());
        self.cur.settle();
        Ok(())
    }

    /// `name[…]`, perhaps followed by `=`. Bash reads to the matching bracket, including blanks, and
    /// evaluates the text between.
    fn subscript(&mut self, draft: &mut WordBuilder) -> Parsed<()> {
        let start = draft.start();
        let name = draft.text().to_owned();
        self.cur.bump();
        self.arithmetic(b']', false)?;
        self.mark_uncertain(start, OpaqueKind::Array);
        let mut ahead = self.cur;
        ahead.eat(b'+');
        if ahead.eat(b'=') {
            self.cur = ahead;
            draft.subscripted(name);
        } else {
            draft.piece(Piece::Glob("[".to_owned()));
            draft.piece(Piece::Unknown { quoted: false });
        }
        Ok(())
    }

    /// `name=(…)`. The name and `=` have been read.
    pub(super) fn array(&mut self, start: usize) -> Parsed<()> {
        self.cur.bump();
        loop {
            // Bash treats newlines in here as blanks, so a here-document does not begin at them.
            self.blanks();
            match self.cur.at() {
                Some(b'\n') => self.cur.bump(),
                Some(b')') => break,
                _ => {
                    if self.word(false)?.is_absent() {
                        return Err(ParseStopped);
                    }
                }
            }
        }
        self.cur.bump();
        self.mark_uncertain(start, OpaqueKind::Array);
        Ok(())
    }
}
