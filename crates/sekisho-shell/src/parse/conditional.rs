//! `[[ … ]]`.

use super::word_builder::{BraceMode, WordBuilder};
use super::{ParseStopped, Parsed, Parser, WORD};
use crate::budget::cost_of_word;
use crate::script::OpaqueKind;

impl Parser<'_, '_> {
    pub(super) fn conditional(&mut self) -> Parsed<()> {
        self.nest()?;
        self.take("[[");
        self.tests()?;
        self.expect_keyword("]]")?;
        self.unnest();
        self.redirects()
    }

    /// Tests joined by `&&` and `||`.
    fn tests(&mut self) -> Parsed<()> {
        loop {
            self.test()?;
            self.newlines()?;
            match (self.cur.at(), self.cur.second()) {
                (Some(b'&'), Some(b'&')) | (Some(b'|'), Some(b'|')) => {
                    self.cur.bump();
                    self.cur.bump();
                }
                _ => return Ok(()),
            }
        }
    }

    fn test(&mut self) -> Parsed<()> {
        self.newlines()?;
        while self.plain("!") {
            self.cur.bump();
            self.newlines()?;
        }
        if self.cur.at() == Some(b'(') {
            self.nest()?;
            self.cur.bump();
            self.tests()?;
            self.expect(b')')?;
            self.unnest();
            return Ok(());
        }
        let start = self.cur.pos();
        let first = self.operand()?;
        if first.is_plain() && is_unary(first.text()) {
            self.blanks();
            let operand = self.operand()?;
            // Zsh evaluates the number of a descriptor.
            let is_evaluated = first.text() == "-t" && !is_number(&operand);
            if is_evaluated || matches!(first.text(), "-v" | "-R") {
                self.mark_opaque(start, OpaqueKind::Conditional);
            }
            return Ok(());
        }
        self.blanks();
        self.comparison(start, &first)
    }

    /// The operator and second operand of a binary test. Nothing if the test ends here.
    fn comparison(&mut self, start: usize, first: &WordBuilder) -> Parsed<()> {
        match self.cur.at() {
            Some(b'<' | b'>') if self.cur.second() != Some(b'(') => {
                self.cur.bump();
                self.blanks();
                self.operand()?;
                return Ok(());
            }
            None | Some(b'\n' | b')' | b'&' | b'|') => return Ok(()),
            _ if self.keyword() == Some("]]") => return Ok(()),
            _ => {}
        }
        let operator = self.operand()?;
        if !operator.is_plain() {
            return Err(ParseStopped);
        }
        self.blanks();
        match operator.text() {
            "=" | "==" | "!=" | "-nt" | "-ot" | "-ef" => {
                self.operand()?;
                Ok(())
            }
            "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge" => {
                let second = self.operand()?;
                if !(is_number(first) && is_number(&second)) {
                    self.mark_opaque(start, OpaqueKind::Conditional);
                }
                Ok(())
            }
            // After `=~` bash reads parentheses and bars as part of the word.
            "=~" => {
                let pattern = self.operand()?;
                if !pattern.is_plain() {
                    self.mark_uncertain(start, OpaqueKind::Conditional);
                }
                Ok(())
            }
            _ => Err(ParseStopped),
        }
    }

    /// Notes a word whose value a test or `case` reveals.
    pub(super) fn note_compared(&mut self, draft: &WordBuilder) -> Parsed<()> {
        if draft.is_plain() || draft.is_absent() {
            return Ok(());
        }
        let word = draft.clone().single(self.span(draft.start()), BraceMode::Keep);
        self.cost(WORD + cost_of_word(&word))?;
        self.out.script.compared.push(word);
        Ok(())
    }

    fn operand(&mut self) -> Parsed<WordBuilder> {
        let draft = self.word(false)?;
        self.note_compared(&draft)?;
        let ends = draft.is_plain() && draft.text() == "]]";
        if draft.is_absent() || ends || self.cur.at() == Some(b'(') { Err(ParseStopped) } else { Ok(draft) }
    }
}

fn is_unary(text: &str) -> bool {
    match text.as_bytes() {
        [b'-', letter] => b"abcdefghknoprstuvwxzGLNORS".contains(letter),
        _ => false,
    }
}

/// Digits only. Anything else is a name or an expression.
fn is_number(draft: &WordBuilder) -> bool {
    let digits = draft.text().strip_prefix('-').unwrap_or(draft.text());
    draft.is_plain() && !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}
