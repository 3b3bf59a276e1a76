//! Single and double quotes, `$'…'`, and the bodies of here-documents.

use super::word_builder::WordBuilder;
use super::{ParseStopped, Parsed, Parser};
use crate::script::OpaqueKind;

/// What a backslash sequence in `$'…'` stands for.
enum Escape {
    Character(char),
    /// Kept as written, backslash included.
    Nothing,
    /// A control character, a byte that is not a character, or a form that differs between bash versions.
    Doubtful,
}

impl Parser<'_, '_> {
    pub(super) fn single_quoted(&mut self, draft: &mut WordBuilder) -> Parsed<()> {
        draft.mark();
        self.cur.bump_raw();
        let start = self.cur.pos();
        let Some(end) = self.cur.find(b'\'') else { return Err(ParseStopped) };
        draft.push_str(self.cur.slice(start, end));
        self.cur.jump_raw(end);
        self.cur.bump();
        Ok(())
    }

    pub(super) fn double_quoted(&mut self, draft: &mut WordBuilder) -> Parsed<()> {
        draft.mark();
        self.cur.bump();
        self.quoted(draft, Some(b'"'))?;
        self.expect(b'"')
    }

    /// Text in which only `$`, backticks and some backslashes are special, up to `end` or the end of the text.
    pub(super) fn quoted(&mut self, draft: &mut WordBuilder, end: Option<u8>) -> Parsed<()> {
        loop {
            self.cur.run(|byte| matches!(byte, b'"' | b'\\' | b'$' | b'`'), draft.literal());
            match self.cur.at() {
                None => return if end.is_none() { Ok(()) } else { Err(ParseStopped) },
                at if at == end => return Ok(()),
                Some(b'$') => self.dollar(draft, true)?,
                Some(b'`') => self.backticks(draft, true)?,
                Some(b'\\') => {
                    self.cur.bump_raw();
                    match self.cur.at() {
                        Some(byte @ (b'$' | b'`' | b'\\')) => {
                            draft.push(char::from(byte));
                            self.cur.bump();
                        }
                        Some(b'"') if end == Some(b'"') => {
                            draft.push('"');
                            self.cur.bump();
                        }
                        _ => draft.push('\\'),
                    }
                    self.cur.settle();
                }
                Some(byte) => {
                    draft.push(char::from(byte));
                    self.cur.bump();
                }
            }
        }
    }

    /// `$'…'`. The dollar sign has been consumed.
    pub(super) fn ansi_quoted(&mut self, draft: &mut WordBuilder) -> Parsed<()> {
        let start = self.cur.pos().saturating_sub(1);
        draft.mark();
        self.cur.bump_raw();
        let mut doubtful = false;
        loop {
            let from = self.cur.pos();
            match self.cur.at() {
                None => return Err(ParseStopped),
                Some(b'\'') => break,
                Some(b'\\') => {
                    self.cur.bump_raw();
                    match self.escape() {
                        Escape::Character(character) => draft.push(character),
                        Escape::Nothing => draft.push('\\'),
                        Escape::Doubtful => doubtful = true,
                    }
                }
                Some(_) => {
                    let rest = self.cur.slice(from, self.cur.text().len());
                    let length =
                        rest.bytes().position(|byte| matches!(byte, b'\'' | b'\\')).unwrap_or(rest.len());
                    draft.push_str(self.cur.slice(from, from + length));
                    self.cur.jump_raw(from + length);
                }
            }
        }
        self.cur.bump();
        if doubtful {
            self.mark_uncertain(start, OpaqueKind::HiddenCharacter);
        }
        Ok(())
    }

    /// The sequence after a backslash in `$'…'`.
    fn escape(&mut self) -> Escape {
        let Some(byte) = self.cur.at() else { return Escape::Nothing };
        let character = match byte {
            b'n' => '\n',
            b't' => '\t',
            b'\\' | b'\'' | b'"' | b'?' => char::from(byte),
            b'0'..=b'7' => return self.number(8, 3),
            b'x' if self.cur.raw(1) == Some(b'{') => return Escape::Doubtful,
            b'x' => return self.number_behind(2),
            b'u' => return self.number_behind(4),
            b'U' => return self.number_behind(8),
            b'a' | b'b' | b'e' | b'E' | b'f' | b'r' | b'v' => {
                self.cur.bump_raw();
                return Escape::Doubtful;
            }
            // The letter after `\c` may itself be a quote: versions differ from here on. Of other sequences bash keeps the
            // backslash, and zsh does not.
            _ => return Escape::Doubtful,
        };
        self.cur.bump_raw();
        Escape::Character(character)
    }

    fn number_behind(&mut self, digits: usize) -> Escape {
        if !self.cur.raw(1).is_some_and(|byte| byte.is_ascii_hexdigit()) {
            return Escape::Doubtful;
        }
        self.cur.bump_raw();
        self.number(16, digits)
    }

    /// A code of at most `digits` digits. Only ASCII is the same in every locale.
    fn number(&mut self, radix: u32, digits: usize) -> Escape {
        let mut code: u32 = 0;
        for _ in 0..digits {
            let Some(digit) = self.cur.at().and_then(|byte| char::from(byte).to_digit(radix)) else { break };
            code = code.saturating_mul(radix).saturating_add(digit);
            self.cur.bump_raw();
        }
        match u8::try_from(code).map(char::from) {
            Ok(character @ (' '..='~' | '\n' | '\t')) => Escape::Character(character),
            _ => Escape::Doubtful,
        }
    }
}
