//! Reads a shell command: its words, its quoted texts, and where operators and substitutions are.
//!
//! Where bash and this scanner could disagree about quotes, every possible position from there on counts
//! as syntax.

use std::ops::Range;

use memchr::{memchr, memmem};

use super::byte_scan::{at, before, part, run, starts};
use super::command_parts::{CommandWord, QuoteKind, QuotedText, ShellScan, WordRole};
use super::text_runners;

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

/// Reads the command that begins at `from`.
pub(super) fn scan(bytes: &[u8], from: usize) -> ShellScan {
    Scanner::new(bytes, from).scan().found
}

/// Marks every position that could be syntax.
pub(super) fn mark(bytes: &[u8], range: Range<usize>, cuts: &mut Vec<usize>) {
    cuts.extend(range.filter(|here| is_syntax(bytes, *here)));
}

/// A part of a command that ends at a closing sign.
enum Nested {
    /// `"…"`, and where its text begins that has not been noted.
    Quotes(usize),
    /// `$(…)`, with the number of parentheses open in it, whether a program's name follows it, and the
    /// simple command around it.
    Command { open: usize, is_first_after: bool, around: usize },
}

struct HereDocument {
    end: Vec<u8>,
    is_quoted: bool,
    strips_tabs: bool,
    command: usize,
}

/// Words that open and close a part of a command.
const OPENING: [&[u8]; 7] = [b"if", b"while", b"until", b"for", b"select", b"case", b"{"];
const CLOSING: [&[u8]; 4] = [b"fi", b"done", b"esac", b"}"];

struct Scanner<'b> {
    bytes: &'b [u8],
    here: usize,
    found: ShellScan,
    nested: Vec<Nested>,
    documents: Vec<HereDocument>,
    /// Where the current word starts.
    word: Option<usize>,
    /// The current simple command.
    command: usize,
    /// Whether the next word names a program.
    is_first: bool,
    /// Whether nothing of the command has been read.
    is_new: bool,
    /// Whether a `|` precedes the next word.
    is_after_pipe: bool,
    /// What the next word is for.
    role: WordRole,
    /// Whether `<<` may be arithmetic.
    has_arithmetic: bool,
    /// Whether a `)` may belong to a `case`.
    has_case: bool,
    /// Whether there is a condition, a pattern or an index: `[[`, `a[1]`.
    has_brackets: bool,
    /// How many parentheses are open at the outermost level, and how many `if`, `do` and `{`.
    open: usize,
    open_words: usize,
}

impl<'b> Scanner<'b> {
    fn new(bytes: &'b [u8], from: usize) -> Scanner<'b> {
        let found = ShellScan { pipelines: vec![0], is_compound: vec![false], ..ShellScan::default() };
        Scanner {
            bytes,
            here: from,
            found,
            nested: Vec::new(),
            documents: Vec::new(),
            word: None,
            command: 0,
            is_first: true,
            is_new: true,
            is_after_pipe: false,
            role: WordRole::Argument,
            has_arithmetic: false,
            has_case: has_case(bytes),
            has_brackets: false,
            open: 0,
            open_words: 0,
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
        if let Some(open) = self.open_quotes() {
            self.mark(open..self.bytes.len());
        }
        self
    }

    /// Where the outermost open quotes begin.
    fn open_quotes(&self) -> Option<usize> {
        self.nested.iter().find_map(|nested| match nested {
            Nested::Quotes(open) => Some(*open),
            Nested::Command { .. } => None,
        })
    }

    /// From here on every possible position counts, and every word may be a program. All commands may
    /// belong together.
    fn give_up(&mut self) {
        let from = self.word.take().unwrap_or(self.here).min(self.here);
        let unread = self.open_quotes().unwrap_or(self.here).min(self.here);
        self.mark(unread..self.bytes.len());
        self.plain_words(from..self.bytes.len());
        self.found.pipelines.fill(0);
        self.found.is_compound = vec![true];
    }

    /// The next word begins a simple command, of a new pipeline unless it is inside something.
    fn begin_command(&mut self, ends_pipeline: bool) {
        (self.is_first, self.is_new, self.role) = (true, true, WordRole::Argument);
        let is_inside = !self.nested.is_empty() || self.open > 0 || self.open_words > 0 || self.has_case;
        let pipelines = &mut self.found.pipelines;
        let last = pipelines.last().copied().unwrap_or_default();
        let pipeline = if ends_pipeline && !is_inside { last + 1 } else { last };
        if pipeline > last {
            self.found.is_compound.push(self.has_case);
        }
        self.command = pipelines.len();
        pipelines.push(pipeline);
    }

    /// The current pipeline has parts.
    fn note_compound(&mut self) {
        if let Some(last) = self.found.is_compound.last_mut() {
            *last = true;
        }
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
            b'\\' => {
                let next = at(self.bytes, self.here + 1);
                if next != b'\n' && (is_syntax(self.bytes, self.here + 1) || next == b'$') {
                    self.text(self.here..self.here + 2, QuoteKind::Backslash);
                }
                self.here += 2;
            }
            b'\'' => {
                let inside = self.here + 1;
                let close = inside + memchr(b'\'', self.bytes.get(inside..)?)?;
                self.text(inside..close, QuoteKind::Quotes);
                self.here = close + 1;
            }
            b'"' => {
                self.here += 1;
                self.nested.push(Nested::Quotes(self.here));
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
            b'\\' => self.here += 2,
            b'"' => {
                self.end_quotes();
                self.nested.pop();
                self.here += 1;
            }
            b'$' if at(self.bytes, self.here + 1) == b'(' && self.has_case => return None,
            b'$' => return self.expansion(),
            b'`' => return self.backticks(),
            _ => self.here += 1,
        }
        Some(())
    }

    /// Notes the text of the current quotes up to here.
    fn end_quotes(&mut self) {
        if let Some(Nested::Quotes(from)) = self.nested.last() {
            self.text(*from..self.here, QuoteKind::Quotes);
        }
    }

    fn operator(&mut self, byte: u8) -> Option<()> {
        self.found.cuts.push(self.here);
        let word = self.word.unwrap_or(self.here)..self.here;
        self.end_word(self.here);
        let previous = before(self.bytes, self.here);
        self.here += 1;
        let next = at(self.bytes, self.here);
        match byte {
            b'\n' => {
                self.begin_command(!self.is_after_pipe);
                return self.here_documents();
            }
            b'<' if starts(self.bytes, self.here, b"<<") => {
                self.here += 2;
                self.begin_redirect(WordRole::Input);
            }
            b'<' if next == b'<' => {
                self.is_new = false;
                return self.here_document(word);
            }
            b'<' => self.begin_redirect(WordRole::Source),
            b'>' => self.begin_redirect(WordRole::Target),
            // `>&1`, `&>x`, `>|x`
            b'&' if matches!(previous, b'<' | b'>') || next == b'>' => {}
            b'|' if previous == b'>' => {}
            b'|' => {
                let is_pipe = previous != b'|' && next != b'|';
                self.begin_command(!is_pipe);
                self.is_after_pipe = is_pipe;
            }
            b'&' if previous == b'|' => {}
            b';' | b'&' => self.begin_command(true),
            b'(' => {
                self.note_compound();
                self.begin_command(false);
                self.has_arithmetic |= next == b'(';
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

    fn begin_redirect(&mut self, role: WordRole) {
        (self.is_new, self.role) = (false, role);
    }

    fn close(&mut self) {
        self.begin_command(false);
        match self.nested.last_mut() {
            Some(Nested::Command { open: 0, is_first_after, around }) => {
                (self.is_first, self.command) = (*is_first_after, *around);
                self.nested.pop();
                self.word = Some(self.here);
                if let Some(Nested::Quotes(from)) = self.nested.last_mut() {
                    *from = self.here;
                }
            }
            Some(Nested::Command { open, .. }) => *open -= 1,
            _ => self.open = self.open.saturating_sub(1),
        }
    }

    /// `$(…)`, `${…}`, `$x`
    fn expansion(&mut self) -> Option<()> {
        match at(self.bytes, self.here + 1) {
            b'(' => {
                self.end_quotes();
                self.found.cuts.push(self.here);
                self.has_arithmetic |= at(self.bytes, self.here + 2) == b'(';
                self.end_word(self.here + 2);
                let (is_first_after, around) = (self.is_first, self.command);
                self.nested.push(Nested::Command { open: 0, is_first_after, around });
                self.note_compound();
                self.begin_command(false);
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
        self.note_compound();
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
                b'\\' => close += 2,
                _ => return None,
            }
        }
        self.text(self.here + 2..close, QuoteKind::Escapes);
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
        let strips_tabs = dash > self.here + 1;
        self.documents.push(HereDocument { end, is_quoted, strips_tabs, command: self.command });
        self.here = here;
        Some(())
    }

    /// The bodies of the here-documents of the line that ended.
    fn here_documents(&mut self) -> Option<()> {
        for document in std::mem::take(&mut self.documents) {
            let start = self.here;
            let (end, next) = document.end_in(self.bytes, start)?;
            let range = start..end;
            self.found.texts.push(QuotedText { range, command: document.command, kind: QuoteKind::Document });
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

    fn text(&mut self, range: Range<usize>, kind: QuoteKind) {
        let range = range.start..range.end.min(self.bytes.len());
        if !range.is_empty() {
            self.found.texts.push(QuotedText { range, command: self.command, kind });
        }
    }

    fn mark(&mut self, range: Range<usize>) {
        mark(self.bytes, range, &mut self.found.cuts);
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
                let (command, role) = (self.command, WordRole::Argument);
                self.found.words.push(CommandWord { range: here..end, is_first: false, command, role });
            }
            here = end + 1;
        }
    }

    fn end_word(&mut self, end: usize) {
        let Some(start) = self.word.take().filter(|start| *start < end) else { return };
        let role = std::mem::replace(&mut self.role, WordRole::Argument);
        let is_new = std::mem::take(&mut self.is_new);
        self.is_after_pipe = false;
        let range = start..end.min(self.bytes.len());
        let text = part(self.bytes, start, range.end);
        let is_first = self.is_first && role == WordRole::Argument;
        if is_first {
            self.is_first = text_runners::precedes_program(text);
        }
        if OPENING.contains(&text) && (is_first || text == b"{") {
            self.open_words += 1;
            self.note_compound();
        } else if is_new && CLOSING.contains(&text) {
            self.open_words = self.open_words.saturating_sub(1);
        }
        self.found.words.push(CommandWord { range, is_first, command: self.command, role });
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
