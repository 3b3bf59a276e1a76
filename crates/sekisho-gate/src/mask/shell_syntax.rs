//! The positions in a shell command where something else than a value begins.
//!
//! A detector decides by the text around a value where it ends, and a caller chooses that text. So
//! whatever a detector finds in a command is cut before the first such position: a mask never hides an
//! operator, a substitution or the next word. Where bash and this scanner could disagree about quotes,
//! every possible position from there on counts.

use std::ops::Range;

use memchr::{memchr, memmem};

use super::byte_scan::{at, before, part, run, starts};
use super::text_runners::{self, CommandWord};

/// The syntax of one command.
pub(super) struct ShellSyntax {
    /// The positions, in order.
    cuts: Vec<usize>,
    /// Where here-documents start that are not run.
    documents: Vec<usize>,
}

impl ShellSyntax {
    /// Reads a command. `runs_text`: quoted text is run too.
    pub(super) fn of(bytes: &[u8], from: usize, runs_text: bool) -> ShellSyntax {
        let mut scanner = Scanner::new(bytes, from, runs_text).scan();
        scanner.cuts.sort_unstable();
        ShellSyntax { cuts: scanner.cuts, documents: scanner.bodies }
    }

    /// Whether a command begins at this position, so that a program's name stands there.
    pub(super) fn begins_command(&self, bytes: &[u8], start: usize) -> bool {
        let left = part(bytes, 0, start);
        let blanks = left.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let Some(sign) = (start - blanks).checked_sub(1) else { return false };
        let is_sign = match at(bytes, sign) {
            b';' | b'|' | b'&' | b'`' => true,
            b'(' => before(bytes, sign) == b'$',
            b'\n' => self.documents.binary_search(&(sign + 1)).is_err(),
            _ => false,
        };
        is_sign && self.cuts.binary_search(&sign).is_ok()
    }

    /// The range up to the first position of syntax inside it.
    pub(super) fn cut(&self, range: Range<usize>) -> Range<usize> {
        let next = self.cuts.partition_point(|cut| *cut < range.start);
        let end = self.cuts.get(next).map_or(range.end, |cut| range.end.min(*cut));
        range.start..end
    }
}

/// Whether a command runs quoted text, as `eval` does.
pub(super) fn runs_text(bytes: &[u8], from: usize) -> bool {
    let scanner = Scanner::new(bytes, from, false).scan();
    // Another command may run what a here-document wrote.
    (scanner.has_documents && scanner.commands > 1) || text_runners::any(bytes, &scanner.words)
}

/// The words of a command that name its programs.
pub(super) fn programs(bytes: &[u8], from: usize) -> impl Iterator<Item = Range<usize>> {
    let words = Scanner::new(bytes, from, false).scan().words;
    words.into_iter().filter(|word| word.is_first).map(|word| word.range)
}

/// Whether a command contains `esac`, which may stand on two joined lines.
fn has_case(bytes: &[u8]) -> bool {
    let is_in = |bytes: &[u8]| memmem::find(bytes, b"esac").is_some();
    is_in(bytes) || (memmem::find(bytes, b"\\\n").is_some() && is_in(&joined_lines(bytes)))
}

fn joined_lines(bytes: &[u8]) -> Vec<u8> {
    let mut joined = Vec::with_capacity(bytes.len());
    for byte in bytes {
        if *byte == b'\n' && joined.last() == Some(&b'\\') {
            joined.pop();
        } else {
            joined.push(*byte);
        }
    }
    joined
}

/// Whether a command is continued at this position by an operator, a blank or a substitution.
fn is_syntax(bytes: &[u8], here: usize) -> bool {
    match at(bytes, here) {
        b' ' | b'\t' | b'\n' | b';' | b'|' | b'&' | b'<' | b'>' | b'(' | b')' | b'`' => true,
        b'$' => at(bytes, here + 1) == b'(',
        _ => false,
    }
}

/// A part of a command that ends at a closing sign.
enum Nested {
    /// `"…"`, and where it opens.
    Quotes(usize),
    /// `$(…)`, with the number of parentheses open in it, and whether a program's name follows it.
    Command { open: usize, is_first_after: bool },
}

struct HereDocument {
    end: Vec<u8>,
    is_quoted: bool,
    strips_tabs: bool,
}

struct Scanner<'b> {
    bytes: &'b [u8],
    here: usize,
    runs_text: bool,
    cuts: Vec<usize>,
    words: Vec<CommandWord>,
    nested: Vec<Nested>,
    documents: Vec<HereDocument>,
    /// Where the bodies of here-documents start that are not run.
    bodies: Vec<usize>,
    /// Where the current word starts.
    word: Option<usize>,
    /// Whether the next word names a program.
    is_first: bool,
    /// Whether the next word begins a command, and how many commands there are so far.
    is_new: bool,
    commands: usize,
    has_documents: bool,
    /// Whether the next word is the target of a redirect.
    is_target: bool,
    /// Whether `<<` may be arithmetic.
    has_arithmetic: bool,
    /// Whether a `)` may belong to a `case`.
    has_case: bool,
    /// Whether there is a condition, a pattern or an index: `[[`, `a[1]`.
    has_brackets: bool,
    /// How many parentheses are open at the outermost level.
    open: usize,
}

impl<'b> Scanner<'b> {
    fn new(bytes: &'b [u8], from: usize, runs_text: bool) -> Scanner<'b> {
        Scanner {
            bytes,
            here: from,
            runs_text,
            cuts: Vec::new(),
            words: Vec::new(),
            nested: Vec::new(),
            documents: Vec::new(),
            bodies: Vec::new(),
            word: None,
            is_first: true,
            is_new: true,
            commands: 0,
            has_documents: false,
            is_target: false,
            has_arithmetic: false,
            has_case: has_case(bytes),
            has_brackets: false,
            open: 0,
        }
    }

    fn scan(mut self) -> Scanner<'b> {
        while self.here < self.bytes.len() {
            let read = match self.nested.last() {
                Some(Nested::Quotes(_)) => self.in_quotes(),
                Some(Nested::Command { .. }) | None => self.in_command(),
            };
            if read.is_none() {
                self.give_up();
                return self;
            }
        }
        self.end_word(self.here);
        let open = self.nested.iter().find_map(|nested| match nested {
            Nested::Quotes(open) => Some(*open),
            Nested::Command { .. } => None,
        });
        if let Some(open) = open {
            self.mark(open..self.bytes.len());
        }
        self
    }

    /// From here on every possible position counts, and every word may be a program.
    fn give_up(&mut self) {
        let from = self.word.take().unwrap_or(self.here).min(self.here);
        self.mark(self.here..self.bytes.len());
        self.plain_words(from..self.bytes.len());
        self.has_documents |= memmem::find(self.bytes, b"<<").is_some();
        self.commands += 2;
    }

    /// The next word begins a command.
    fn begin_command(&mut self) {
        (self.is_first, self.is_new, self.is_target) = (true, true, false);
    }

    /// Reads one step of a command. `None`: bash may read what follows in another way.
    fn in_command(&mut self) -> Option<()> {
        let byte = at(self.bytes, self.here);
        match byte {
            b' ' | b'\t' | b'\n' | b';' | b'|' | b'&' | b'<' | b'>' | b'(' | b')' => self.operator(byte),
            b'#' if self.is_doubtful_sign() => None,
            b'\'' | b'"' if self.is_doubtful_quote() => None,
            // A joined line. Operators may be joined too.
            b'\\' if at(self.bytes, self.here + 1) == b'\n' && self.word.is_none() => {
                let is_after_blank = matches!(before(self.bytes, self.here), b' ' | b'\t' | b'\n');
                self.here += 2;
                is_after_blank.then_some(())
            }
            b'#' if self.word.is_none() => {
                let end = run(self.bytes, self.here, self.bytes.len(), |byte| byte != b'\n');
                self.mark(self.here..end);
                self.here = end;
                Some(())
            }
            _ => {
                self.word.get_or_insert(self.here);
                self.in_word(byte)
            }
        }
    }

    /// Whether a `#` here may begin a comment or belong to a word. Only at the outermost level of a
    /// command without patterns, conditions and arithmetic is it clear.
    fn is_doubtful_sign(&self) -> bool {
        if self.word.is_some() {
            return self.has_case;
        }
        let is_inside = !self.nested.is_empty() || self.open > 0;
        let is_after_word = before(self.bytes, self.here) == b')';
        is_inside || is_after_word || self.has_case || self.has_arithmetic || self.has_brackets
    }

    /// Whether a quote here may be an ordinary character.
    fn is_doubtful_quote(&self) -> bool {
        let is_inside = !self.nested.is_empty() || self.open > 0;
        is_inside && (self.has_arithmetic || self.has_case)
    }

    fn in_word(&mut self, byte: u8) -> Option<()> {
        match byte {
            b'\\' => self.here += 2,
            b'\'' => {
                let inside = self.here + 1;
                let close = inside + memchr(b'\'', self.bytes.get(inside..)?)?;
                self.quoted(inside..close);
                self.here = close + 1;
            }
            b'"' => {
                self.nested.push(Nested::Quotes(self.here));
                self.here += 1;
            }
            b'$' if at(self.bytes, self.here + 1) == b'\'' => return self.escaped_quotes(),
            b'$' => return self.expansion(),
            b'`' => return self.backticks(),
            b'[' => {
                self.has_brackets |= self.word != Some(self.here) || at(self.bytes, self.here + 1) == b'[';
                self.here += 1;
            }
            _ => self.here += 1,
        }
        Some(())
    }

    fn in_quotes(&mut self) -> Option<()> {
        match at(self.bytes, self.here) {
            b'\\' => {
                self.quoted(self.here..self.here + 2);
                self.here += 2;
            }
            b'"' => {
                self.nested.pop();
                self.here += 1;
            }
            b'$' if at(self.bytes, self.here + 1) == b'(' && self.has_case => return None,
            b'$' => return self.expansion(),
            b'`' => return self.backticks(),
            _ => {
                self.quoted(self.here..self.here + 1);
                self.here += 1;
            }
        }
        Some(())
    }

    fn operator(&mut self, byte: u8) -> Option<()> {
        self.cuts.push(self.here);
        let word = self.word.unwrap_or(self.here)..self.here;
        self.end_word(self.here);
        self.here += 1;
        match byte {
            b'\n' => {
                self.begin_command();
                return self.here_documents();
            }
            b'<' if starts(self.bytes, self.here, b"<<") => self.here += 2,
            b'<' if at(self.bytes, self.here) == b'<' => return self.here_document(word),
            b'<' | b'>' => self.is_target = true,
            b';' | b'|' | b'&' => self.begin_command(),
            b'(' => {
                self.begin_command();
                self.has_arithmetic |= at(self.bytes, self.here) == b'(';
                match self.nested.last_mut() {
                    Some(Nested::Command { open, .. }) => *open += 1,
                    _ => self.open += 1,
                }
            }
            b')' => self.close(),
            _ => {}
        }
        Some(())
    }

    fn close(&mut self) {
        self.begin_command();
        match self.nested.last_mut() {
            Some(Nested::Command { open: 0, is_first_after }) => {
                self.is_first = *is_first_after;
                self.nested.pop();
                self.word = Some(self.here);
            }
            Some(Nested::Command { open, .. }) => *open -= 1,
            _ => self.open = self.open.saturating_sub(1),
        }
    }

    /// `$(…)`, `${…}`, `$x`
    fn expansion(&mut self) -> Option<()> {
        match at(self.bytes, self.here + 1) {
            b'(' => {
                self.cuts.push(self.here);
                self.has_arithmetic |= at(self.bytes, self.here + 2) == b'(';
                self.end_word(self.here + 2);
                self.nested.push(Nested::Command { open: 0, is_first_after: self.is_first });
                self.begin_command();
                self.commands += 1;
                self.here += 2;
            }
            b'{' => {
                let inside = self.here + 2;
                let is_odd = |byte: u8| matches!(byte, b'\'' | b'"' | b'\\' | b'$' | b'`' | b'\n' | b'<');
                let end = run(self.bytes, inside, self.bytes.len(), |byte| byte != b'}' && !is_odd(byte));
                let text = part(self.bytes, inside, end);
                if at(self.bytes, end) != b'}' || text.windows(2).any(|pair| pair == b" #") {
                    return None;
                }
                self.here = end + 1;
            }
            // An old form of arithmetic.
            b'[' => return None,
            b'\\' if at(self.bytes, self.here + 2) == b'\n' => return None,
            _ => self.here += 1,
        }
        Some(())
    }

    /// `` `…` `` ends at the next backtick, whatever quotes are between.
    fn backticks(&mut self) -> Option<()> {
        let mut close = self.here + 1;
        loop {
            close = run(self.bytes, close, self.bytes.len(), |byte| !matches!(byte, b'`' | b'\\'));
            match at(self.bytes, close) {
                b'`' => break,
                b'\\' => close += 2,
                _ => return None,
            }
        }
        self.mark(self.here..close + 1);
        self.plain_words(self.here + 1..close);
        self.commands += 1;
        self.here = close + 1;
        Some(())
    }

    /// `$'…'`: if it runs, an escape may stand for any sign.
    fn escaped_quotes(&mut self) -> Option<()> {
        let mut close = self.here + 2;
        loop {
            close = run(self.bytes, close, self.bytes.len(), |byte| !matches!(byte, b'\'' | b'\\'));
            match at(self.bytes, close) {
                b'\'' => break,
                b'\\' => {
                    if self.runs_text {
                        self.cuts.push(close);
                    }
                    close += 2;
                }
                _ => return None,
            }
        }
        self.quoted(self.here + 2..close);
        self.here = close + 1;
        Some(())
    }

    /// `<<END`, of which the second `<` is next.
    fn here_document(&mut self, word: Range<usize>) -> Option<()> {
        // `a[1<<2]=3`, `$((1<<2))`: no here-document.
        let is_index = part(self.bytes, word.start, word.end).iter().any(|byte| matches!(byte, b'[' | b'{'));
        if is_index || self.has_arithmetic {
            return None;
        }
        let dash = run(self.bytes, self.here + 1, 1, |byte| byte == b'-');
        let start = run(self.bytes, dash, self.bytes.len(), |byte| matches!(byte, b' ' | b'\t'));
        let (mut here, mut end, mut is_quoted) = (start, Vec::new(), false);
        while here < self.bytes.len() {
            match at(self.bytes, here) {
                b' ' | b'\t' | b'\n' | b';' | b'|' | b'&' | b'<' | b'>' | b'(' | b')' => break,
                b'$' | b'`' | b'{' => return None,
                b'\\' => {
                    end.push(at(self.bytes, here + 1));
                    (here, is_quoted) = (here + 2, true);
                }
                mark @ (b'"' | b'\'') => {
                    let close = here + 1 + memchr(mark, self.bytes.get(here + 1..)?)?;
                    let inside = part(self.bytes, here + 1, close);
                    if inside.iter().any(|byte| matches!(byte, b'\\' | b'$' | b'`' | b'\n')) {
                        return None;
                    }
                    end.extend_from_slice(inside);
                    (here, is_quoted) = (close + 1, true);
                }
                byte => {
                    end.push(byte);
                    here += 1;
                }
            }
        }
        if here == start || end.contains(&b'\n') {
            return None;
        }
        self.has_documents = true;
        self.documents.push(HereDocument { end, is_quoted, strips_tabs: dash > self.here + 1 });
        self.here = here;
        Some(())
    }

    /// The bodies of the here-documents of the line that ended.
    fn here_documents(&mut self) -> Option<()> {
        for document in std::mem::take(&mut self.documents) {
            let start = self.here;
            let (end, next) = document.end_in(self.bytes, start)?;
            self.quoted(start..end);
            if !self.runs_text {
                self.bodies.push(start);
            }
            let body = part(self.bytes, start, end);
            let substitution = memmem::find(body, b"$(").into_iter().chain(memchr(b'`', body)).min();
            if let Some(first) = substitution.filter(|_| !document.is_quoted) {
                self.mark(start + first..end);
                self.plain_words(start + first..end);
            }
            self.here = next;
        }
        Some(())
    }

    /// Marks what counts in quoted text: everything if it is run, otherwise substitutions.
    fn quoted(&mut self, range: Range<usize>) {
        if self.runs_text {
            return self.mark(range);
        }
        let is_substitution = |here: &usize| match at(self.bytes, *here) {
            b'`' => true,
            b'$' => at(self.bytes, here + 1) == b'(',
            _ => false,
        };
        let found: Vec<usize> = range.filter(is_substitution).collect();
        self.cuts.extend(found);
    }

    /// Marks every position that could be syntax.
    fn mark(&mut self, range: Range<usize>) {
        let bytes = self.bytes;
        self.cuts.extend(range.filter(|here| is_syntax(bytes, *here)));
    }

    /// Adds words without regard to quotes. Each may be a program.
    fn plain_words(&mut self, range: Range<usize>) {
        let mut here = range.start;
        while here < range.end {
            let end = run(self.bytes, here, range.end - here, |byte| {
                !byte.is_ascii_whitespace()
                    && !matches!(byte, b';' | b'|' | b'&' | b'<' | b'>' | b'(' | b')' | b'`' | b'\'' | b'"')
            });
            if end > here {
                self.words.push(CommandWord { range: here..end, is_first: false });
            }
            here = end + 1;
        }
    }

    fn end_word(&mut self, end: usize) {
        let Some(start) = self.word.take().filter(|start| *start < end) else { return };
        let is_target = std::mem::take(&mut self.is_target);
        let word =
            CommandWord { range: start..end.min(self.bytes.len()), is_first: self.is_first && !is_target };
        if word.is_first {
            self.commands += usize::from(std::mem::take(&mut self.is_new));
            self.is_first = text_runners::precedes_program(part(self.bytes, start, end));
        }
        self.words.push(word);
    }
}

impl HereDocument {
    /// Where the body ends, and where the line after it starts. `None` if that is uncertain.
    fn end_in(&self, bytes: &[u8], from: usize) -> Option<(usize, usize)> {
        let mut here = from;
        while here < bytes.len() {
            let line_end = run(bytes, here, bytes.len(), |byte| byte != b'\n');
            let start =
                if self.strips_tabs { run(bytes, here, line_end - here, |byte| byte == b'\t') } else { here };
            let line = part(bytes, start, line_end);
            if line == self.end {
                return Some((here, line_end + 1));
            }
            // Bash joins a line that ends with a backslash to the next, and may end at a parenthesis.
            let joined = line.strip_suffix(b"\\").filter(|_| !self.is_quoted);
            let may_end = line.strip_prefix(self.end.as_slice()).is_some_and(|rest| rest.starts_with(b")"));
            if may_end || joined.is_some_and(|line| self.end.starts_with(line)) {
                return None;
            }
            here = line_end + 1;
        }
        None
    }
}
