//! Here-documents.

use super::pending_here_document::PendingHereDocument;
use super::word_builder::{BraceMode, WordBuilder};
use super::{ParseStopped, Parsed, Parser};
use crate::cursor::{Cursor, is_meta};
use crate::hidden_characters;
use crate::script::{OpaqueKind, Redirect, RedirectKind};
use crate::word::{Piece, Span, Word};

impl Parser<'_, '_> {
    /// Parses the delimiter after `<<`. The body is read at the next newline.
    pub(super) fn here_document(&mut self, start: usize, operator: String) -> Parsed<usize> {
        let (delimiter, quoted) = self.delimiter()?;
        if delimiter.is_empty() || delimiter.contains(['\n', '\t']) {
            self.mark_uncertain(start, OpaqueKind::Redirect);
        }
        let span = self.span(start);
        let redirect = self.out.script.redirects.len();
        let strip_tabs = operator.ends_with('-');
        let target = Word { span, pieces: vec![Piece::Unknown { quoted: true }] };
        self.out.script.redirects.push(Redirect { span, kind: RedirectKind::HereDocument, operator, target });
        let commands = self.out.script.commands.len();
        self.out.here_documents += 1;
        self.pending.push(PendingHereDocument {
            operator_at: start,
            redirect,
            commands,
            delimiter,
            quoted,
            strip_tabs,
        });
        Ok(redirect)
    }

    /// The delimiter with its quotes removed, and whether it had any. Nothing in it expands, so expansions
    /// are not parsed.
    fn delimiter(&mut self) -> Parsed<(String, bool)> {
        let mut draft = WordBuilder::new(self.cur.pos());
        loop {
            let special = |byte| is_meta(byte) || matches!(byte, b'\'' | b'"' | b'\\' | b'$' | b'`');
            self.cur.run(special, draft.literal());
            match self.cur.at() {
                Some(b'\'') => self.single_quoted(&mut draft)?,
                Some(b'"') => self.plain_double_quoted(&mut draft)?,
                Some(b'\\') => {
                    draft.mark();
                    self.cur.bump_raw();
                    let byte = self.cur.at().filter(u8::is_ascii_graphic).ok_or(ParseStopped)?;
                    draft.push(char::from(byte));
                    self.cur.bump();
                }
                Some(b'<' | b'>') if self.cur.second() == Some(b'(') => return Err(ParseStopped),
                Some(b'$' | b'`' | b'(') => return Err(ParseStopped),
                _ if draft.is_absent() => return Err(ParseStopped),
                _ => return Ok((draft.text().to_owned(), !draft.is_plain())),
            }
        }
    }

    fn plain_double_quoted(&mut self, draft: &mut WordBuilder) -> Parsed<()> {
        draft.mark();
        self.cur.bump_raw();
        let start = self.cur.pos();
        let end = self.cur.find(b'"').ok_or(ParseStopped)?;
        let text = self.cur.slice(start, end);
        if text.contains(['\\', '$', '`']) {
            return Err(ParseStopped);
        }
        draft.push_str(text);
        self.cur.jump_raw(end);
        self.cur.bump();
        Ok(())
    }

    /// Consumes a newline and the here-document bodies that begin after it.
    pub(super) fn newline(&mut self) -> Parsed<()> {
        if self.pending.is_empty() {
            self.cur.bump();
            return Ok(());
        }
        let newline = self.cur.pos();
        let pending = std::mem::take(&mut self.pending);
        let first = pending.first().map_or(newline, |pending| pending.operator_at);
        // Quotes or substitutions contain newlines between operator and body: the order in which bash reads
        // them is special.
        if self.cur.slice(first, newline).contains('\n') {
            return Err(ParseStopped);
        }
        self.cur.bump_raw();
        for pending in pending {
            self.here_body(&pending)?;
        }
        self.cur.settle();
        Ok(())
    }

    fn here_body(&mut self, pending: &PendingHereDocument) -> Parsed<()> {
        let start = self.cur.pos();
        let mut stripped = String::new();
        let mut continued = false;
        let mut closed = false;
        let mut end = start;
        while !closed && self.cur.at().is_some() {
            let line_start = self.cur.pos();
            let line_end = self.cur.find(b'\n').unwrap_or(self.cur.text().len());
            let mut line = self.cur.slice(line_start, line_end);
            if pending.strip_tabs {
                line = line.trim_start_matches('\t');
            }
            self.cur.jump_raw((line_end + 1).min(self.cur.text().len()));
            end = line_start;
            if line == pending.delimiter {
                closed = true;
                continue;
            }
            // Inside `$(…)` bash also ends the document at a line like `EOF)`.
            if self.parens > 0 && line.starts_with(&pending.delimiter) && line.contains(')') {
                return Err(ParseStopped);
            }
            continued |= !pending.quoted && line.ends_with('\\');
            if pending.strip_tabs {
                stripped.push_str(line);
                stripped.push('\n');
            }
            end = self.cur.pos();
        }
        if !closed || continued {
            self.mark_uncertain(pending.operator_at, OpaqueKind::Redirect);
        }
        let span = self.fixed.unwrap_or_else(|| hidden_characters::span(start, end));
        let before = self.out.script.commands.len();
        let target = self.here_word(pending, start, end, &stripped, span)?;
        // Bash expands the body before it runs the command. With other commands in between, the order would
        // be wrong.
        if self.out.script.commands.len() > before && before != pending.commands + 1 {
            self.mark_opaque(pending.operator_at, OpaqueKind::Redirect);
        }
        if let Some(redirect) = self.out.script.redirects.get_mut(pending.redirect) {
            redirect.target = target;
        }
        Ok(())
    }

    fn here_word(
        &mut self,
        pending: &PendingHereDocument,
        start: usize,
        end: usize,
        stripped: &str,
        span: Span,
    ) -> Parsed<Word> {
        let body = if pending.strip_tabs { stripped } else { self.cur.slice(start, end) };
        if pending.quoted || !body.contains(['$', '`', '\\']) {
            return Ok(Word::new(span, body));
        }
        self.work(body.len())?;
        let read = |parser: &mut Parser<'_, '_>| {
            let mut draft = WordBuilder::new(start);
            draft.mark();
            parser.quoted(&mut draft, None)?;
            Ok(draft.single(span, BraceMode::Keep))
        };
        if pending.strip_tabs {
            return self.reread(stripped, span, read);
        }
        // The same bytes, up to the end of the body.
        let after = self.cur;
        self.cur = Cursor::new(after.slice(0, end), start);
        let word = read(self)?;
        self.cur = after;
        Ok(word)
    }
}
