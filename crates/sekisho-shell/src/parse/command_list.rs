//! Lists and pipelines, and which kind of command begins here.

use super::{ParseStopped, Parsed, Parser};
use crate::script::OpaqueKind;

impl Parser<'_, '_> {
    /// Commands up to the first thing that cannot begin one: the end, `)`, `;;`, or a closing word. The
    /// caller checks that this is the expected terminator. Returns whether there was any command.
    pub(super) fn list(&mut self) -> Parsed<bool> {
        let mut any = false;
        self.newlines()?;
        while !self.closes() {
            any = true;
            let first = self.out.script.commands.len();
            self.and_or()?;
            self.blanks();
            let separated = match (self.cur.at(), self.cur.second()) {
                (Some(b';'), Some(b';' | b'&')) => return Ok(any),
                (Some(b';'), _) => {
                    self.cur.bump();
                    self.newlines()?;
                    !self.closes()
                }
                (Some(b'&'), Some(b'>')) => return Err(ParseStopped),
                (Some(b'&'), _) => {
                    self.cur.bump();
                    self.detach(first);
                    self.operator("&");
                    self.newlines()?;
                    false
                }
                (Some(b'\n'), _) => {
                    self.newlines()?;
                    !self.closes()
                }
                _ => return Ok(any),
            };
            if separated {
                self.operator(";");
            }
        }
        Ok(any)
    }

    /// A list with at least one command.
    pub(super) fn commands(&mut self) -> Parsed<()> {
        if self.list()? { Ok(()) } else { Err(ParseStopped) }
    }

    fn closes(&self) -> bool {
        match self.cur.at() {
            None | Some(b')' | b';' | b'&' | b'|') => {
                self.cur.at() != Some(b'&') || self.cur.second() != Some(b'>')
            }
            _ => matches!(
                self.keyword(),
                Some("then" | "elif" | "else" | "fi" | "do" | "done" | "esac" | "}" | "]]" | "in")
            ),
        }
    }

    /// Marks the commands since `first` as run in a subshell.
    fn detach(&mut self, first: usize) {
        for command in self.out.script.commands.iter_mut().skip(first) {
            command.keeps_directory = false;
        }
    }

    fn and_or(&mut self) -> Parsed<()> {
        loop {
            self.pipeline()?;
            self.blanks();
            let operator = match (self.cur.at(), self.cur.second()) {
                (Some(b'&'), Some(b'&')) => "&&",
                (Some(b'|'), Some(b'|')) => "||",
                _ => return Ok(()),
            };
            self.cur.bump();
            self.cur.bump();
            self.operator(operator);
            self.newlines()?;
        }
    }

    fn pipeline(&mut self) -> Parsed<()> {
        let first = self.out.script.commands.len();
        loop {
            self.blanks();
            match self.keyword() {
                Some("!") => self.take("!"),
                Some("time") => self.time(),
                _ => break,
            }
        }
        self.command()?;
        self.mark_joined_inputs(false);
        let mut piped = false;
        loop {
            self.blanks();
            if self.cur.at() != Some(b'|') || self.cur.second() == Some(b'|') {
                break;
            }
            self.cur.bump();
            let both = self.cur.eat(b'&');
            self.operator(if both { "|&" } else { "|" });
            self.newlines()?;
            self.command()?;
            self.mark_joined_inputs(true);
            piped = true;
        }
        if piped {
            self.detach(first);
        }
        Ok(())
    }

    fn time(&mut self) {
        if self.parens > 0 {
            // Bash prints and reparses a substitution, and loses its position after `time`.
            self.mark_uncertain(self.cur.pos(), OpaqueKind::Construct);
        }
        self.take("time");
        for option in ["-p", "--"] {
            self.blanks();
            if self.plain(option) {
                self.cur.bump();
                self.cur.bump();
            }
        }
    }

    pub(super) fn command(&mut self) -> Parsed<()> {
        self.blanks();
        if self.cur.at() == Some(b'(') {
            return if self.cur.second() == Some(b'(') { self.arithmetic_command() } else { self.subshell() };
        }
        match self.keyword() {
            // After a pipe, `time` is the program of that name.
            None | Some("time") => self.simple(),
            Some("if") => self.condition(),
            Some("while") => self.repeat("while"),
            Some("until") => self.repeat("until"),
            Some("for") => self.for_loop(),
            Some("select") => self.select(),
            Some("case") => self.case(),
            Some("{") => self.group(),
            Some("[[") => self.conditional(),
            Some("function") => self.function(),
            Some("coproc") => self.coprocess(),
            Some(_) => Err(ParseStopped),
        }
    }
}
