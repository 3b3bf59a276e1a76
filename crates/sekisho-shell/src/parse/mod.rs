//! The parser: bash's program grammar and words, in one pass over the bytes.
//!
//! It is a recursive descent without backtracking. Where bash itself would look ahead without limit or read a
//! part twice (`((` that turns out to be two subshells, `$(cat <<E)` whose body follows later), the parser
//! stops, and [`lenient_search`](crate::lenient_search) searches the text for names. There are three degrees
//! of doubt:
//! - [`Parser::mark_opaque`]: the structure is certain, its effect is not;
//! - [`Parser::mark_uncertain`]: bash may read the structure differently, so the text is also searched
//!   leniently;
//! - [`ParseStopped`]: not bash, or not a form that is parsed here; nothing after this point is trusted.

mod arithmetic;
mod bracket_and_tilde;
mod command_list;
mod compound_command;
mod conditional;
mod constant_arithmetic;
mod expansion;
mod here_document;
mod keyword;
mod loops_and_case;
mod pending_here_document;
mod quote;
mod redirect;
mod simple_command;
mod word_builder;
mod words;
mod zsh;

use crate::budget::Budget;
use crate::cursor::{Cursor, is_blank};
use crate::hidden_characters;
use crate::lenient_search;
use crate::script::{CommandOrigin, OpaqueKind, OpaquePart, Script, ScriptItem, Substitution};
use crate::word::Span;
use pending_here_document::PendingHereDocument;

/// The deepest nesting of constructs that is parsed.
pub const DEPTH_LIMIT: u16 = 32;

/// How many bytes may be reread per byte of text: backticks and here-documents are reread at each level.
const WORK_PER_BYTE: usize = 2 * DEPTH_LIMIT as usize;

/// The cost of keeping each kind of part.
const COMMAND: usize = 256;
const WORD: usize = 96;
const PIECE: usize = 96;
const REDIRECT: usize = 192;
const SUBSTITUTION: usize = 96;
const OPERATOR: usize = 24;
const OPAQUE: usize = 16;

/// The cost per byte of a lenient search. A word of one letter is kept as a word, twice.
const LENIENT_PER_BYTE: usize = 64;

/// Everything `text` could run, write or assign, and which parts of it cannot be known. Never fails.
pub fn analyse(text: &str) -> Script {
    analyse_within(text, &Budget::new(usize::MAX))
}

/// Like [`analyse`], with bounded work. If the budget is used up, the result is what was found so far.
pub fn analyse_within(text: &str, budget: &Budget) -> Script {
    let work_limit = text.len().saturating_mul(WORK_PER_BYTE);
    let mut out = ParseOutput { work_limit, left: budget.left(), ..ParseOutput::default() };
    hidden_characters::mark_hidden_characters(text, &mut out.script.opaque);
    let mut parser = Parser {
        cur: Cursor::new(text, 0),
        out: &mut out,
        fixed: None,
        place: CommandOrigin::Plain,
        depth: 0,
        keeps_directory: true,
        parens: 0,
        pending: Vec::new(),
    };
    if parser.program().is_err() {
        parser.stopped(text.len());
    }
    // What the lenient search finds costs about as much again as the text itself.
    if out.unsure && out.spend(text.len().saturating_mul(LENIENT_PER_BYTE)) {
        lenient_search::search_commands(text, &mut out.script.commands);
    }
    if out.spent {
        budget.exhaust();
    } else {
        budget.spend(budget.left().saturating_sub(out.left));
    }
    out.script
}

/// The parser met something it does not parse.
#[derive(Debug)]
struct ParseStopped;

type Parsed<T> = Result<T, ParseStopped>;

#[derive(Default)]
struct ParseOutput {
    script: Script,
    nesting: u16,
    work: usize,
    work_limit: usize,
    /// Units left of the budget, and whether it was exceeded.
    left: usize,
    spent: bool,
    here_documents: usize,
    /// Number of operators so far, including those inside words.
    operators: usize,
    /// The structure was uncertain somewhere: also search the text leniently.
    unsure: bool,
}

impl ParseOutput {
    fn spend(&mut self, units: usize) -> bool {
        match self.left.checked_sub(units) {
            Some(left) => self.left = left,
            None => (self.left, self.spent) = (0, true),
        }
        !self.spent
    }
}

struct Parser<'t, 'o> {
    cur: Cursor<'t>,
    out: &'o mut ParseOutput,
    /// The span to report while parsing text that is not a literal part of the original, such as unescaped
    /// backticks.
    fixed: Option<Span>,
    place: CommandOrigin,
    depth: u16,
    /// Whether a change of directory here would last.
    keeps_directory: bool,
    /// How many `$(…)`, `<(…)` and `>(…)` are open.
    parens: u16,
    /// Here-documents whose bodies begin after the next newline.
    pending: Vec<PendingHereDocument>,
}

/// What an inner construct changes and restores at its end.
struct SavedContext {
    place: CommandOrigin,
    depth: u16,
    keeps: bool,
}

impl Parser<'_, '_> {
    fn program(&mut self) -> Parsed<()> {
        self.list()?;
        if self.cur.at().is_some() {
            return Err(ParseStopped);
        }
        for pending in std::mem::take(&mut self.pending) {
            // Bash ends the document at the end of the text, with a warning.
            self.mark_uncertain(pending.operator_at, OpaqueKind::Redirect);
        }
        Ok(())
    }

    fn stopped(&mut self, end: usize) {
        let start = self.cur.pos().min(end.saturating_sub(1));
        self.out
            .script
            .opaque
            .push(OpaquePart { span: hidden_characters::span(start, end), kind: OpaqueKind::Unparsed });
        self.out.unsure = true;
    }

    /// The span from `start` to the cursor.
    fn span(&self, start: usize) -> Span {
        self.fixed.unwrap_or_else(|| hidden_characters::span(start, self.cur.pos()))
    }

    fn mark_opaque(&mut self, start: usize, why: OpaqueKind) {
        let span = self.span(start);
        self.out.spend(OPAQUE);
        self.out.script.opaque.push(OpaquePart { span, kind: why });
    }

    fn mark_uncertain(&mut self, start: usize, why: OpaqueKind) {
        self.out.unsure = true;
        self.mark_opaque(start, why);
    }

    /// Enters one level of nesting. Every recursion calls this.
    fn nest(&mut self) -> Parsed<()> {
        if self.out.nesting >= DEPTH_LIMIT {
            let start = self.cur.pos();
            self.mark_uncertain(start, OpaqueKind::TooDeep);
            return Err(ParseStopped);
        }
        self.out.nesting += 1;
        Ok(())
    }

    fn unnest(&mut self) {
        self.out.nesting = self.out.nesting.saturating_sub(1);
    }

    /// Counts the cost of something that is kept.
    fn cost(&mut self, units: usize) -> Parsed<()> {
        if self.out.spend(units) { Ok(()) } else { Err(ParseStopped) }
    }

    /// Counts bytes that are reread.
    fn work(&mut self, bytes: usize) -> Parsed<()> {
        self.out.work += bytes;
        self.cost(bytes)?;
        if self.out.work > self.out.work_limit {
            let start = self.cur.pos();
            self.mark_uncertain(start, OpaqueKind::TooDeep);
            return Err(ParseStopped);
        }
        Ok(())
    }

    /// Enters a compound command.
    fn enter(&mut self, place: CommandOrigin, keeps: bool) -> Parsed<SavedContext> {
        self.nest()?;
        let outer = SavedContext { place: self.place, depth: self.depth, keeps: self.keeps_directory };
        self.place = place;
        self.depth = self.depth.saturating_add(1);
        self.keeps_directory &= keeps;
        Ok(outer)
    }

    fn leave(&mut self, outer: SavedContext) {
        self.unnest();
        self.place = outer.place;
        self.depth = outer.depth;
        self.keeps_directory = outer.keeps;
    }

    /// Parses the inside of a substitution that began at `start`, with its own item list.
    fn in_substitution<T>(&mut self, start: usize, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        let around = std::mem::take(&mut self.out.script.items);
        let read = read(self);
        let shape = std::mem::replace(&mut self.out.script.items, around);
        let span = self.span(start);
        self.out.spend(SUBSTITUTION);
        self.out.script.substitutions.push(Substitution { span, shape });
        read
    }

    fn shape(&mut self, shape: ScriptItem) {
        self.out.script.items.push(shape);
    }

    fn operator(&mut self, operator: &'static str) {
        self.out.operators += 1;
        self.out.spend(OPERATOR);
        self.shape(ScriptItem::Operator(operator));
    }

    /// Skips blanks and a comment. Call only where a token may begin: inside a word `#` is an ordinary character.
    fn blanks(&mut self) {
        while self.cur.at().is_some_and(is_blank) {
            self.cur.bump();
        }
        if self.cur.at() == Some(b'#') {
            let end = self.cur.find(b'\n').unwrap_or(self.cur.text().len());
            self.cur.jump_raw(end);
        }
    }

    /// Skips blanks, comments and newlines, reading the here-documents that begin at them.
    fn newlines(&mut self) -> Parsed<bool> {
        let mut any = false;
        loop {
            self.blanks();
            if self.cur.at() != Some(b'\n') {
                return Ok(any);
            }
            any = true;
            self.newline()?;
        }
    }

    fn expect(&mut self, byte: u8) -> Parsed<()> {
        if self.cur.eat(byte) { Ok(()) } else { Err(ParseStopped) }
    }
}

#[cfg(test)]
mod tests;
