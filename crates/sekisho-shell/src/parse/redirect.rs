//! Redirects.

use super::word_builder::{BraceMode, WordBuilder};
use super::{ParseStopped, Parsed, Parser};
use crate::script::{OpaqueKind, Redirect, RedirectKind};
use crate::word::Word;

/// The largest number of digits that is certainly a descriptor and not a word. For zsh more digits are a word.
const DESCRIPTOR_DIGITS: usize = 1;

impl Parser<'_, '_> {
    /// Parses a redirect whose descriptor, if any, began at `start` and has been read. Returns its index.
    pub(super) fn redirect(&mut self, start: usize) -> Parsed<usize> {
        let descriptor = self.cur.slice(start, self.cur.pos());
        if descriptor.len() > DESCRIPTOR_DIGITS && !descriptor.starts_with('{') {
            self.mark_opaque(start, OpaqueKind::Redirect);
        }
        let mut operator = String::with_capacity(3);
        operator.push_str(descriptor);
        let symbol = self.redirect_operator()?;
        operator.push_str(symbol);
        self.blanks();
        if matches!(symbol, "<<" | "<<-") {
            return self.here_document(start, operator);
        }
        let (kind, target) = self.target(symbol)?;
        self.mark_number_pattern(start, symbol, &target);
        let kind = if operator.starts_with('{') { RedirectKind::Other } else { kind };
        let index = self.out.script.redirects.len();
        self.out.script.redirects.push(Redirect { span: self.span(start), kind, operator, target });
        Ok(index)
    }

    fn redirect_operator(&mut self) -> Parsed<&'static str> {
        let first = self.cur.at();
        self.cur.bump();
        let second = self.cur.at();
        let symbol = match (first, second) {
            (Some(b'>'), Some(b'>')) => ">>",
            (Some(b'>'), Some(b'|')) => ">|",
            (Some(b'>'), Some(b'&')) => ">&",
            (Some(b'<'), Some(b'>')) => "<>",
            (Some(b'<'), Some(b'&')) => "<&",
            (Some(b'<'), Some(b'<')) => "<<",
            (Some(b'&'), Some(b'>')) => "&>",
            (Some(b'>'), _) => return Ok(">"),
            (Some(b'<'), _) => return Ok("<"),
            _ => return Err(ParseStopped),
        };
        self.cur.bump();
        match symbol {
            "<<" if self.cur.eat(b'<') => Ok("<<<"),
            "<<" if self.cur.eat(b'-') => Ok("<<-"),
            "&>" if self.cur.eat(b'>') => Ok("&>>"),
            _ => Ok(symbol),
        }
    }

    fn target(&mut self, symbol: &str) -> Parsed<(RedirectKind, Word)> {
        let duplicates = matches!(symbol, ">&" | "<&");
        let start = self.cur.pos();
        if duplicates && self.cur.at() == Some(b'-') {
            // `>&-x` closes the descriptor; `x` is the next word.
            self.cur.bump();
            return Ok((RedirectKind::Descriptor, Word::new(self.span(start), "-")));
        }
        let draft: WordBuilder = self.word(false)?;
        if draft.is_absent() {
            return Err(ParseStopped);
        }
        if duplicates && !draft.is_plain() {
            // If the result is not a number, bash expands it a second time: `>& '$(x)'` runs `x`.
            self.mark_uncertain(start, OpaqueKind::Redirect);
        }
        let span = self.span(start);
        let braces = if symbol == "<<<" { BraceMode::Keep } else { BraceMode::Unknown };
        let target = draft.single(span, braces);
        let kind = match symbol {
            "<" => RedirectKind::Read,
            "<<<" => RedirectKind::HereString,
            "<&" | ">&" => duplication(symbol, &target),
            _ => RedirectKind::Write,
        };
        Ok((kind, target))
    }
}

/// `>&1`, `>&1-`, `>&file`, `>&$x`
fn duplication(symbol: &str, target: &Word) -> RedirectKind {
    let Some(text) = target.literal() else { return RedirectKind::Other };
    let digits = text.strip_suffix('-').unwrap_or(&text);
    if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        RedirectKind::Descriptor
    } else if symbol == ">&" {
        RedirectKind::Write
    } else {
        RedirectKind::Other
    }
}
