//! Expansions that begin with a dollar sign, a backtick or `<(`.

use super::constant_arithmetic::constant;
use super::word_builder::WordBuilder;
use super::{PIECE, ParseStopped, Parsed, Parser};
use crate::cursor::{Cursor, begins_name, continues_name};
use crate::script::{Assignment, CommandOrigin, OpaqueKind};
use crate::word::{Piece, Word};

impl Parser<'_, '_> {
    /// Parses an expansion at a `$`.
    pub(super) fn dollar(&mut self, draft: &mut WordBuilder, quoted: bool) -> Parsed<()> {
        let start = self.cur.pos();
        self.cost(PIECE)?;
        self.cur.bump();
        match self.cur.at() {
            Some(b'(') if self.cur.second() == Some(b'(') => {
                self.cur.bump();
                self.cur.bump();
                self.arithmetic_expansion(draft, start, b')', quoted)
            }
            Some(b'(') => {
                draft.piece(Piece::Substitution { quoted });
                self.parenthesised()?;
                Ok(())
            }
            Some(b'[') => {
                self.cur.bump();
                self.arithmetic_expansion(draft, start, b']', quoted)
            }
            Some(b'{') => {
                self.nest()?;
                self.cur.bump();
                self.parameter(draft, start, quoted)?;
                self.unnest();
                Ok(())
            }
            Some(b'\'') if !quoted => self.ansi_quoted(draft),
            Some(b'"') if !quoted => {
                // Zsh keeps the dollar sign.
                self.mark_opaque(start, OpaqueKind::Expansion);
                self.double_quoted(draft)
            }
            Some(byte) if begins_name(byte) => {
                let name = self.name();
                let piece = self.parameter_piece(start, Piece::Variable { name, quoted }, quoted);
                draft.piece(piece);
                Ok(())
            }
            // When parsing, bash takes the second dollar for the beginning of a substitution; when expanding,
            // it does not.
            Some(b'$') if matches!(self.cur.second(), Some(b'(' | b'{' | b'[')) => Err(ParseStopped),
            Some(byte) if byte.is_ascii_digit() || b"#?$@*-!".contains(&byte) => {
                self.special_parameter(draft, start, byte, quoted);
                Ok(())
            }
            _ if self.is_flagged_parameter() || draft.is_in_braces() && !quoted => {
                self.mark_opaque(start, OpaqueKind::Expansion);
                draft.piece(Piece::Unknown { quoted: false });
                Ok(())
            }
            _ => {
                draft.mark();
                draft.push('$');
                Ok(())
            }
        }
    }

    fn special_parameter(&mut self, draft: &mut WordBuilder, start: usize, byte: u8, quoted: bool) {
        if byte == b'#' && self.names_after_count() {
            self.mark_opaque(start, OpaqueKind::Expansion);
        }
        self.cur.bump();
        let (piece, quoted) = match byte {
            // Numbers, which never split and are never empty.
            b'#' | b'?' | b'$' => {
                (Piece::Variable { name: char::from(byte).to_string(), quoted: true }, true)
            }
            _ => {
                let quoted = quoted && byte != b'@';
                (Piece::Unknown { quoted }, quoted)
            }
        };
        let piece = self.parameter_piece(start, piece, quoted);
        draft.piece(piece);
    }

    fn name(&mut self) -> String {
        let mut name = String::new();
        while let Some(byte) = self.cur.at().filter(|byte| continues_name(*byte)) {
            name.push(char::from(byte));
            self.cur.bump();
        }
        name
    }

    fn arithmetic_expansion(
        &mut self,
        draft: &mut WordBuilder,
        start: usize,
        close: u8,
        quoted: bool,
    ) -> Parsed<()> {
        self.nest()?;
        let known = self.arithmetic(close, close == b')')?;
        self.unnest();
        if !known {
            self.mark_opaque(start, OpaqueKind::Arithmetic);
        }
        let inside = self
            .cur
            .slice(start, self.cur.pos())
            .strip_prefix("$((")
            .and_then(|text| text.strip_suffix("))"));
        match inside.filter(|_| known).and_then(constant) {
            Some(number) => {
                draft.mark();
                number.to_string().chars().for_each(|digit| draft.push(digit));
            }
            None => draft.piece(Piece::Unknown { quoted }),
        }
        Ok(())
    }

    /// `<(…)` or `>(…)`
    pub(super) fn process(&mut self, draft: &mut WordBuilder) -> Parsed<()> {
        self.cur.bump();
        let runs = self.parenthesised()?;
        // An empty process substitution is no word at all.
        draft.piece(if runs { Piece::Process } else { Piece::Unknown { quoted: false } });
        Ok(())
    }

    /// `(…)` after `$`, `<` or `>`: its commands are parsed by the same parser in the same pass. Returns
    /// whether there are any.
    fn parenthesised(&mut self) -> Parsed<bool> {
        let start = self.cur.pos();
        let outer = self.enter(CommandOrigin::Substitution, false)?;
        let (here_documents, operators) = (self.out.here_documents, self.out.operators);
        self.cur.bump();
        self.parens += 1;
        let pending = std::mem::take(&mut self.pending);
        let runs = self.in_substitution(start, |parser| {
            let runs = parser.list()?;
            parser.expect(b')')?;
            Ok(runs)
        })?;
        // The body of a here-document left open here follows the closing parenthesis.
        if !self.pending.is_empty() {
            return Err(ParseStopped);
        }
        // Bash prints what it has parsed and parses it again when it runs it. If a here-document occurs
        // together with anything but its own command, the two can differ.
        if self.out.here_documents > here_documents && self.out.operators > operators {
            self.mark_uncertain(start, OpaqueKind::Redirect);
        }
        self.pending = pending;
        self.parens -= 1;
        self.leave(outer);
        Ok(runs)
    }

    /// A backtick substitution: the text inside is unescaped once and parsed separately.
    pub(super) fn backticks(&mut self, draft: &mut WordBuilder, quoted: bool) -> Parsed<()> {
        let start = self.cur.pos();
        self.cur.bump_raw();
        let mut inner = String::new();
        let mut doubtful = false;
        loop {
            let from = self.cur.pos();
            let rest = self.cur.slice(from, self.cur.text().len());
            let Some(length) = rest.bytes().position(|byte| matches!(byte, b'`' | b'\\')) else {
                return Err(ParseStopped);
            };
            inner.push_str(self.cur.slice(from, from + length));
            self.cur.jump_raw(from + length);
            if self.cur.at() == Some(b'`') {
                break;
            }
            // In double quotes, and before a newline, bash removes backslashes in more than one pass.
            doubtful |= quoted;
            self.cur.bump_raw();
            match self.cur.at() {
                Some(byte @ (b'`' | b'\\' | b'$')) => {
                    inner.push(char::from(byte));
                    self.cur.bump_raw();
                }
                other => {
                    doubtful |= other.is_none_or(|byte| byte == b'\n');
                    inner.push('\\');
                }
            }
        }
        self.cur.bump();
        draft.piece(Piece::Substitution { quoted });
        if doubtful {
            self.mark_uncertain(start, OpaqueKind::Expansion);
        }
        self.work(inner.len())?;
        let outer = self.enter(CommandOrigin::Substitution, false)?;
        let span = self.span(start);
        self.in_substitution(start, |parser| parser.reread(&inner, span, |inside| inside.program()))?;
        self.leave(outer);
        Ok(())
    }

    /// Parses `text`, which is not a literal part of the original, with `read`. All its spans are `span`.
    pub(super) fn reread<T>(
        &mut self,
        text: &str,
        span: crate::word::Span,
        read: impl FnOnce(&mut Parser<'_, '_>) -> Parsed<T>,
    ) -> Parsed<T> {
        let mut parser = Parser {
            cur: Cursor::new(text, 0),
            out: &mut *self.out,
            fixed: Some(span),
            place: self.place,
            depth: self.depth,
            keeps_directory: self.keeps_directory,
            parens: 0,
            pending: Vec::new(),
        };
        read(&mut parser)
    }

    /// `${…}`. The brace has been consumed.
    fn parameter(&mut self, draft: &mut WordBuilder, start: usize, quoted: bool) -> Parsed<()> {
        match self.cur.at() {
            Some(byte) if begins_name(byte) => {
                let name = self.name();
                if self.cur.eat(b'}') {
                    draft.piece(Piece::Variable { name, quoted });
                    return Ok(());
                }
                let one_word = self.parameter_operator(&name, start, quoted)?;
                draft.piece(Piece::Unknown { quoted: quoted && one_word });
                Ok(())
            }
            Some(byte @ (b'@' | b'*' | b'?' | b'-' | b'$' | b'0'..=b'9')) => {
                self.cur.bump();
                while byte.is_ascii_digit() && self.cur.at().is_some_and(|byte| byte.is_ascii_digit()) {
                    self.cur.bump();
                }
                let one_word = self.cur.eat(b'}') || self.parameter_rest(start, quoted, true)?;
                // `${@…}` can become several words even in quotes.
                draft.piece(Piece::Unknown { quoted: quoted && one_word && byte != b'@' });
                Ok(())
            }
            Some(b'#') => {
                self.cur.bump();
                self.name();
                let one_word = self.cur.eat(b'}') || self.parameter_rest(start, quoted, true)?;
                draft.piece(Piece::Unknown { quoted: quoted && one_word });
                Ok(())
            }
            Some(b'!') => {
                // `${!name}` and similar forms name a variable by the value of another. `"${!a@}"` can be
                // several words.
                draft.piece(Piece::Unknown { quoted: false });
                self.parameter_rest(start, quoted, true)?;
                Ok(())
            }
            _ => Err(ParseStopped),
        }
    }

    /// The part after the name in `${name…}`. Returns whether it is one word when quoted.
    fn parameter_operator(&mut self, name: &str, start: usize, quoted: bool) -> Parsed<bool> {
        let mut ahead = self.cur;
        ahead.eat(b':');
        match (ahead.at(), self.cur.at()) {
            (Some(b'-' | b'+' | b'?'), _) => {
                ahead.bump();
                self.cur = ahead;
                self.parameter_rest(start, quoted, false)
            }
            (Some(b'='), _) => {
                ahead.bump();
                self.cur = ahead;
                let value_at = self.cur.pos();
                let one_word = self.parameter_rest(start, quoted, true)?;
                let value =
                    Word { span: self.span(value_at), pieces: vec![Piece::Unknown { quoted: false }] };
                let assignment =
                    Assignment { span: self.span(start), name: name.to_owned(), value, temporary: false };
                self.out.script.assignments.push(assignment);
                Ok(one_word)
            }
            (_, Some(b'%' | b'#' | b'/' | b'^' | b',')) => {
                self.cur.bump();
                self.parameter_rest(start, quoted, false)
            }
            (_, Some(b':' | b'@')) => self.parameter_rest(start, quoted, true),
            // `"${a[@]}"` can be several words.
            (_, Some(b'[')) => self.parameter_rest(start, quoted, true).map(|_| false),
            _ => Err(ParseStopped),
        }
    }

    /// Parses up to the closing brace, including expansions. Quotes, backslashes and braces in here follow
    /// rules that differ inside and outside double quotes, so any of them makes the structure uncertain.
    /// Returns whether the result is one word when quoted, which is false for forms like `$@`.
    fn parameter_rest(&mut self, start: usize, quoted: bool, opaque: bool) -> Parsed<bool> {
        let mut doubtful = false;
        let mut scratch = WordBuilder::new(start);
        loop {
            match self.cur.at() {
                None => return Err(ParseStopped),
                Some(b'}') => break,
                Some(b'$') => self.dollar(&mut scratch, true)?,
                Some(b'`') => {
                    doubtful = true;
                    self.backticks(&mut scratch, quoted)?;
                }
                Some(b'"') => {
                    doubtful = true;
                    self.double_quoted(&mut scratch)?;
                }
                Some(b'\'') if quoted => return Err(ParseStopped),
                Some(b'\'') => {
                    doubtful = true;
                    self.single_quoted(&mut scratch)?;
                }
                Some(b'\\') => {
                    doubtful = true;
                    self.cur.bump_raw();
                    self.cur.bump_raw();
                }
                Some(b'<' | b'>') if self.cur.second() == Some(b'(') => {
                    doubtful = true;
                    self.process(&mut scratch)?;
                }
                Some(byte) => {
                    doubtful |= matches!(byte, b'{' | b'(' | b')' | b'<' | b'>' | b';' | b'&' | b'|' | b'\n');
                    self.cur.bump();
                }
            }
        }
        self.cur.bump();
        if doubtful {
            self.mark_uncertain(start, OpaqueKind::Expansion);
        } else if opaque {
            self.mark_opaque(start, OpaqueKind::Expansion);
        }
        Ok(!scratch.splits_quoted())
    }
}
