//! `for`, `select`, `while`, `until` and `case`.

use super::word_builder::BraceMode;
use super::{ParseStopped, Parsed, Parser, WORD};
use crate::budget::cost_of_word;
use crate::cursor::is_name;
use crate::script::{Assignment, OpaqueKind, ScriptItem};
use crate::word::{Piece, Span, Word};

impl Parser<'_, '_> {
    pub(super) fn repeat(&mut self, keyword: &'static str) -> Parsed<()> {
        let outer = self.enter(self.place, true)?;
        self.take(keyword);
        self.commands()?;
        self.do_done()?;
        self.leave(outer);
        self.redirects()
    }

    fn do_done(&mut self) -> Parsed<()> {
        self.expect_keyword("do")?;
        self.commands()?;
        self.expect_keyword("done")
    }

    /// The body of `for` and `select`: `do … done`, or a group.
    fn body(&mut self) -> Parsed<()> {
        self.blanks();
        if self.keyword() != Some("{") {
            return self.do_done();
        }
        self.take("{");
        self.commands()?;
        self.expect_keyword("}")
    }

    pub(super) fn select(&mut self) -> Parsed<()> {
        let start = self.cur.pos();
        self.mark_opaque(start, OpaqueKind::Construct);
        self.for_each("select")
    }

    pub(super) fn for_loop(&mut self) -> Parsed<()> {
        let mut ahead = self.cur;
        for _ in "for".bytes() {
            ahead.bump();
        }
        while ahead.at().is_some_and(crate::cursor::is_blank) {
            ahead.bump();
        }
        if ahead.at() == Some(b'(') { self.for_arithmetic() } else { self.for_each("for") }
    }

    /// `for ((…;…;…))`
    fn for_arithmetic(&mut self) -> Parsed<()> {
        let start = self.cur.pos();
        let outer = self.enter(self.place, true)?;
        self.take("for");
        self.blanks();
        self.expect(b'(')?;
        self.expect(b'(')?;
        self.arithmetic(b')', true)?;
        self.mark_opaque(start, OpaqueKind::Arithmetic);
        self.blanks();
        self.cur.eat(b';');
        self.newlines()?;
        self.body()?;
        self.leave(outer);
        self.redirects()
    }

    fn for_each(&mut self, keyword: &'static str) -> Parsed<()> {
        let outer = self.enter(self.place, true)?;
        self.take(keyword);
        self.blanks();
        let start = self.cur.pos();
        let draft = self.word(false)?;
        if !draft.is_plain() || !is_name(draft.text()) {
            return Err(ParseStopped);
        }
        let name = draft.text().to_owned();
        let name_span = self.span(start);
        self.blanks();
        if self.cur.at() == Some(b';') {
            self.cur.bump();
            self.newlines()?;
            self.loop_variable(&name, unknown(name_span))?;
        } else {
            self.newlines()?;
            if self.keyword() == Some("in") {
                self.take("in");
                self.loop_words(&name)?;
            } else {
                self.loop_variable(&name, unknown(name_span))?;
            }
        }
        self.body()?;
        self.leave(outer);
        self.redirects()
    }

    fn loop_words(&mut self, name: &str) -> Parsed<()> {
        loop {
            self.blanks();
            match self.cur.at() {
                Some(b';') => {
                    self.cur.bump();
                    self.newlines()?;
                    return Ok(());
                }
                Some(b'\n') => {
                    self.newlines()?;
                    return Ok(());
                }
                _ => {}
            }
            let draft = self.word(false)?;
            if draft.is_absent() {
                return Err(ParseStopped);
            }
            let mut words = Vec::new();
            let span = self.span(draft.start());
            draft.finish(span, BraceMode::Expand, &mut words);
            for word in words {
                self.loop_variable(name, word)?;
            }
        }
    }

    fn loop_variable(&mut self, name: &str, value: Word) -> Parsed<()> {
        self.cost(WORD + name.len() + cost_of_word(&value))?;
        let index = self.out.script.assignments.len();
        let assignment = Assignment { span: value.span, name: name.to_owned(), value, temporary: false };
        self.out.script.assignments.push(assignment);
        self.shape(ScriptItem::Assignment(index));
        Ok(())
    }

    pub(super) fn case(&mut self) -> Parsed<()> {
        let outer = self.enter(self.place, true)?;
        self.take("case");
        self.blanks();
        let draft = self.word(false)?;
        self.note_compared(&draft)?;
        if draft.is_absent() {
            return Err(ParseStopped);
        }
        self.newlines()?;
        self.expect_keyword("in")?;
        loop {
            self.newlines()?;
            if self.keyword() == Some("esac") {
                break;
            }
            self.patterns()?;
            self.list()?;
            self.blanks();
            if self.cur.at() != Some(b';') {
                break;
            }
            self.branch_end()?;
        }
        self.expect_keyword("esac")?;
        self.leave(outer);
        self.redirects()
    }

    /// `[(] pattern [| pattern]… )`
    fn patterns(&mut self) -> Parsed<()> {
        self.cur.eat(b'(');
        loop {
            self.blanks();
            let draft = self.word(false)?;
            self.note_compared(&draft)?;
            if draft.is_absent() {
                return Err(ParseStopped);
            }
            self.blanks();
            match self.cur.at() {
                Some(b'|') => self.cur.bump(),
                Some(b')') => {
                    self.cur.bump();
                    self.operator(")");
                    return Ok(());
                }
                _ => return Err(ParseStopped),
            }
        }
    }

    /// `;;`, `;&` or `;;&`
    fn branch_end(&mut self) -> Parsed<()> {
        self.expect(b';')?;
        let operator = if self.cur.eat(b'&') {
            ";&"
        } else {
            self.expect(b';')?;
            if self.cur.eat(b'&') { ";;&" } else { ";;" }
        };
        self.operator(operator);
        Ok(())
    }
}

fn unknown(span: Span) -> Word {
    Word { span, pieces: vec![Piece::Unknown { quoted: false }] }
}
