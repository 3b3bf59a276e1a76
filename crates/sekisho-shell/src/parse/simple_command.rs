//! Simple commands.

use super::word_builder::BraceMode;
use super::{COMMAND, ParseStopped, Parsed, Parser, REDIRECT, WORD};
use crate::budget::cost_of_words;
use crate::cursor::{is_meta, is_name};
use crate::script::{Assignment, Command, OpaqueKind, ScriptItem};
use crate::word::{Piece, Span, Word};

/// The parts of a simple command found so far.
#[derive(Default)]
struct SimpleCommandParts {
    words: Vec<Word>,
    assignments: Vec<usize>,
    redirects: Vec<usize>,
    /// The program name contains braces.
    braces: bool,
    /// The program accepts assignments as arguments.
    declares: bool,
}

impl Parser<'_, '_> {
    pub(super) fn simple(&mut self) -> Parsed<()> {
        let start = self.cur.pos();
        let mut end = start;
        let mut parts = SimpleCommandParts::default();
        loop {
            self.blanks();
            match (self.cur.at(), self.cur.second()) {
                (Some(b'&'), Some(b'>')) => self.own_redirect(&mut parts, self.cur.pos())?,
                (Some(b'<' | b'>'), Some(b'(')) => self.argument(&mut parts)?,
                (Some(b'<' | b'>'), _) => self.own_redirect(&mut parts, self.cur.pos())?,
                (Some(b'('), _) => return self.function_by_parentheses(start, &parts),
                (Some(byte), _) if !is_meta(byte) => self.argument(&mut parts)?,
                _ => break,
            }
            end = self.cur.pos();
        }
        let span = self.fixed.unwrap_or_else(|| crate::hidden_characters::span(start, end));
        self.conclude(span, parts)
    }

    fn own_redirect(&mut self, parts: &mut SimpleCommandParts, start: usize) -> Parsed<()> {
        let index = self.redirect(start)?;
        parts.redirects.push(index);
        self.cost(REDIRECT + self.cur.pos().saturating_sub(start))
    }

    /// A word, an assignment, or the descriptor of a redirect.
    fn argument(&mut self, parts: &mut SimpleCommandParts) -> Parsed<()> {
        let start = self.cur.pos();
        let first = parts.words.is_empty();
        let draft = self.word(first || parts.declares)?;
        if draft.is_plain() && matches!(self.cur.at(), Some(b'<' | b'>')) {
            if draft.text().bytes().all(|byte| byte.is_ascii_digit()) {
                return self.own_redirect(parts, start);
            }
            if let Some(name) = descriptor_name(draft.text()) {
                self.mark_opaque(start, OpaqueKind::Redirect);
                let name = name.to_owned();
                self.own_redirect(parts, start)?;
                self.named_descriptor(name, start);
                return Ok(());
            }
        }
        if self.cur.at() == Some(b'(') && draft.awaits_value() {
            self.array(start)?;
            let span = self.span(start);
            if first {
                let (name, _) = draft.assignment(span);
                self.assign(parts, span, name, Word { span, pieces: vec![Piece::Unknown { quoted: false }] });
            } else {
                parts.words.push(Word { span, pieces: vec![Piece::Unknown { quoted: false }] });
            }
            return Ok(());
        }
        let span = self.span(start);
        if first && draft.is_assignment() {
            let (name, value) = draft.assignment(span);
            self.assign(parts, span, name, value);
            return Ok(());
        }
        if first {
            parts.braces = draft.has_braces();
            parts.declares = draft.is_plain() && declares(draft.text());
        }
        let before = parts.words.len();
        draft.finish(span, BraceMode::Expand, &mut parts.words);
        // Brace expansion can copy a word many times.
        let new = parts.words.get(before..).unwrap_or_default();
        self.cost(cost_of_words(new))
    }

    fn assign(&mut self, parts: &mut SimpleCommandParts, span: Span, name: String, value: Word) {
        self.out.spend(WORD + self.cur.pos().saturating_sub(span.start as usize));
        parts.assignments.push(self.out.script.assignments.len());
        self.out.script.assignments.push(Assignment { span, name, value, temporary: false });
    }

    /// `{name}>` stores the descriptor's number.
    fn named_descriptor(&mut self, name: String, start: usize) {
        let span = self.span(start);
        let value = Word { span, pieces: vec![Piece::Unknown { quoted: true }] };
        self.out.script.assignments.push(Assignment { span, name, value, temporary: false });
    }

    /// `name () body`
    fn function_by_parentheses(&mut self, start: usize, parts: &SimpleCommandParts) -> Parsed<()> {
        if parts.words.len() != 1 || !parts.assignments.is_empty() || !parts.redirects.is_empty() {
            return Err(ParseStopped);
        }
        self.cur.bump();
        self.blanks();
        self.expect(b')')?;
        self.function_body(start)
    }

    fn conclude(&mut self, span: Span, parts: SimpleCommandParts) -> Parsed<()> {
        let SimpleCommandParts { words, assignments, redirects, braces, .. } = parts;
        self.cost(COMMAND)?;
        let Some(name) = words.first() else {
            if assignments.is_empty() && redirects.is_empty() {
                return Err(ParseStopped);
            }
            for index in assignments {
                self.shape(ScriptItem::Assignment(index));
            }
            for index in redirects {
                self.shape(ScriptItem::Redirect(index));
            }
            return Ok(());
        };
        if braces || name.literal().is_none() {
            let span = name.span;
            self.out.script.opaque.push(crate::script::OpaquePart { span, kind: OpaqueKind::ComputedName });
        }
        for index in &assignments {
            if let Some(assignment) = self.out.script.assignments.get_mut(*index) {
                assignment.temporary = true;
            }
        }
        self.shape(ScriptItem::Command(self.out.script.commands.len()));
        for index in &redirects {
            self.shape(ScriptItem::Redirect(*index));
        }
        let (place, depth, keeps_directory) = (self.place, self.depth, self.keeps_directory);
        let command = Command { span, words, assignments, redirects, origin: place, depth, keeps_directory };
        self.out.script.commands.push(command);
        Ok(())
    }
}

/// The name in `{name}`, which may be an array element.
fn descriptor_name(text: &str) -> Option<&str> {
    let inner = text.strip_prefix('{')?.strip_suffix('}')?;
    let name = inner.split('[').next()?;
    is_name(name).then_some(name)
}

/// Whether bash reads arguments of `program` as assignments, including subscripts and arrays.
fn declares(program: &str) -> bool {
    matches!(program, "alias" | "declare" | "eval" | "export" | "let" | "local" | "readonly" | "typeset")
}
