//! Groups, subshells, conditions, functions and coprocesses.

use super::{ParseStopped, Parsed, Parser};
use crate::cursor::is_meta;
use crate::script::{CommandOrigin, OpaqueKind, ScriptItem};

impl Parser<'_, '_> {
    pub(super) fn subshell(&mut self) -> Parsed<()> {
        let outer = self.enter(self.place, false)?;
        self.cur.bump();
        self.operator("(");
        self.commands()?;
        self.expect(b')')?;
        self.operator(")");
        self.leave(outer);
        self.redirects()
    }

    pub(super) fn group(&mut self) -> Parsed<()> {
        let outer = self.enter(self.place, true)?;
        self.take("{");
        self.commands()?;
        self.expect_keyword("}")?;
        self.leave(outer);
        self.redirects()
    }

    pub(super) fn condition(&mut self) -> Parsed<()> {
        let outer = self.enter(self.place, true)?;
        self.take("if");
        self.commands()?;
        self.expect_keyword("then")?;
        self.commands()?;
        loop {
            self.blanks();
            match self.keyword() {
                Some("elif") => {
                    self.take("elif");
                    self.commands()?;
                    self.expect_keyword("then")?;
                    self.commands()?;
                }
                Some("else") => {
                    self.take("else");
                    self.commands()?;
                    self.expect_keyword("fi")?;
                    break;
                }
                Some("fi") => {
                    self.take("fi");
                    break;
                }
                _ => return Err(ParseStopped),
            }
        }
        self.leave(outer);
        self.redirects()
    }

    /// The redirects after a compound command.
    pub(super) fn redirects(&mut self) -> Parsed<()> {
        loop {
            self.blanks();
            let before = self.out.script.commands.len();
            let start = self.cur.pos();
            let Some(index) = self.redirect_here()? else { break };
            if self.out.script.commands.len() > before {
                // These run before the compound command's own commands, which are already listed.
                self.mark_opaque(start, OpaqueKind::Redirect);
            }
            self.shape(ScriptItem::Redirect(index));
        }
        Ok(())
    }

    /// The redirect that begins here, including its descriptor, if there is one.
    fn redirect_here(&mut self) -> Parsed<Option<usize>> {
        let start = self.cur.pos();
        let mut ahead = self.cur;
        let braced = ahead.eat(b'{');
        while ahead.at().is_some_and(|byte| byte.is_ascii_digit() || braced && !is_meta(byte)) {
            ahead.bump();
        }
        let operator = match (ahead.at(), ahead.second()) {
            (Some(b'<' | b'>'), Some(b'(')) => false,
            (Some(b'<' | b'>'), _) => true,
            (Some(b'&'), Some(b'>')) => ahead.pos() == start,
            _ => false,
        };
        if !operator {
            return Ok(None);
        }
        if braced {
            self.mark_opaque(start, OpaqueKind::Redirect);
        }
        self.cur = ahead;
        self.redirect(start).map(Some)
    }

    /// `function name [()] body`
    pub(super) fn function(&mut self) -> Parsed<()> {
        let start = self.cur.pos();
        self.take("function");
        self.blanks();
        self.word(false)?;
        self.blanks();
        if self.cur.at() == Some(b'(') && self.cur.second() != Some(b'(') {
            self.cur.bump();
            self.blanks();
            self.expect(b')')?;
        }
        self.function_body(start)
    }

    /// The body of a function whose name and parentheses have been read.
    pub(super) fn function_body(&mut self, start: usize) -> Parsed<()> {
        self.mark_opaque(start, OpaqueKind::Function);
        self.newlines()?;
        let compound = self.cur.at() == Some(b'(')
            || matches!(
                self.keyword(),
                Some("{" | "[[" | "if" | "for" | "while" | "until" | "case" | "select")
            );
        if !compound {
            return Err(ParseStopped);
        }
        let outer = self.enter(CommandOrigin::Function, true)?;
        self.command()?;
        self.leave(outer);
        Ok(())
    }

    /// `coproc [NAME] command`. Whether the first word is the name depends on what follows it. It is opaque
    /// either way.
    pub(super) fn coprocess(&mut self) -> Parsed<()> {
        let start = self.cur.pos();
        self.take("coproc");
        self.mark_uncertain(start, OpaqueKind::Construct);
        self.blanks();
        self.skip_coprocess_name();
        let outer = self.enter(self.place, false)?;
        self.command()?;
        self.leave(outer);
        Ok(())
    }

    /// A name is possible only before a compound command.
    fn skip_coprocess_name(&mut self) {
        let before = self.cur;
        let mut name = String::new();
        self.cur.run(|byte| !(byte.is_ascii_alphanumeric() || byte == b'_'), &mut name);
        self.blanks();
        let is_compound = self.cur.at() == Some(b'(') || self.keyword().is_some();
        if name.is_empty() || !is_compound {
            self.cur = before;
        }
    }
}
