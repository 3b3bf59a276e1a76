//! Writes Markdown: blocks, lines with their prefixes, and emphasis that begins and ends at words.

use super::code_text::is_space;
use super::markdown_escape::{WordPlace, push_escaped};

/// How many nested quotations and lists get a prefix. Deeper ones look as if they were at this depth.
const MAX_PREFIXES: usize = 16;

/// What separates the next text from the last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Separation {
    #[default]
    None,
    /// A new line.
    Line,
    /// An empty line.
    Blank,
}

/// Markup inside a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Format {
    Strong,
    Emphasis,
    Deleted,
    /// A link with its address.
    Link(String),
}

impl Format {
    fn opening(&self) -> &str {
        match self {
            Format::Strong => "**",
            Format::Emphasis => "*",
            Format::Deleted => "~~",
            Format::Link(_) => "[",
        }
    }

    fn push_closing(&self, out: &mut String) {
        match self {
            Format::Link(address) => {
                out.push_str("](");
                out.push_str(address);
                out.push(')');
            }
            other => out.push_str(other.opening()),
        }
    }

    fn is_same_kind(&self, other: &Format) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }
}

/// Whether the opening mark of a format is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    /// It is written before the next text.
    Waiting,
    Written,
    /// It was written, and is not written again.
    Ended,
}

#[derive(Clone, Debug)]
struct OpenFormat {
    format: Format,
    mark: Mark,
    /// How many nested elements have asked for the same format.
    nested: usize,
}

/// What the lines of a quotation or a list item begin with.
#[derive(Clone, Debug)]
struct Prefix {
    /// On the first line.
    first: Option<&'static str>,
    /// The number before `first`, in ordered lists.
    number: Option<u64>,
    /// On the other lines.
    rest: &'static str,
    /// Whether a line with this prefix has been written.
    is_begun: bool,
}

/// Writes Markdown.
#[derive(Debug, Default)]
pub(super) struct MarkdownWriter {
    out: String,
    prefixes: Vec<Prefix>,
    /// Prefixes beyond the limit, which are not written.
    deeper: usize,
    separation: Separation,
    has_space: bool,
    /// A new line inside a table cell comes before the next text.
    has_break: bool,
    /// The page breaks the line here, inside a block.
    is_hard_break: bool,
    /// A mark at the beginning of the next line, for headings.
    mark: Option<&'static str>,
    formats: Vec<OpenFormat>,
    /// How many enclosing elements require everything to be on one line.
    single_line: usize,
    /// The text around the table cell that is being written.
    around_cell: Option<Box<MarkdownWriter>>,
}

impl MarkdownWriter {
    /// The bytes so far, with those around the cell that is being written.
    pub(super) fn len(&self) -> usize {
        self.out.len() + self.around_cell.as_ref().map_or(0, |around| around.len())
    }

    /// The Markdown.
    pub(super) fn finish(mut self) -> String {
        self.close_formats();
        self.out
    }

    /// Ends the current block.
    pub(super) fn separate(&mut self, separation: Separation) {
        if self.single_line > 0 {
            self.has_space = true;
            self.has_break = self.around_cell.is_some() && !self.out.is_empty();
            return;
        }
        // Nothing separates the mark of a list item from its first text.
        let is_item_empty = self.prefixes.last().is_some_and(|prefix| prefix.first.is_some());
        if !is_item_empty {
            self.separation = self.separation.max(separation);
        }
        self.has_space = false;
        self.close_formats();
    }

    /// Ends the current list item with a single line break, even if an empty line was requested.
    pub(super) fn separate_item(&mut self) {
        if self.single_line == 0 && self.separation == Separation::Blank {
            self.separation = Separation::Line;
        }
        self.separate(Separation::Line);
    }

    /// Writes text, with white space collapsed and markup escaped.
    pub(super) fn text(&mut self, text: &str) {
        let mut words = text.split(is_space).peekable();
        while let Some(word) = words.next() {
            if !word.is_empty() {
                let starts_line = self.begin_formatted();
                let place = WordPlace { starts_line, is_in_cell: self.around_cell.is_some() };
                push_escaped(&mut self.out, word, place);
            }
            if words.peek().is_some() {
                self.has_space = true;
            }
        }
    }

    /// Writes Markdown that is complete in itself, such as an image.
    pub(super) fn inline(&mut self, markdown: &str) {
        self.begin_formatted();
        match self.around_cell.is_some() {
            true => self.out.push_str(&markdown.replace('|', "\\|")),
            false => self.out.push_str(markdown),
        }
    }

    /// Breaks the line inside a block.
    pub(super) fn line_break(&mut self) {
        if self.is_hard_break && self.separation == Separation::Line {
            // Two breaks are a paragraph.
            self.separate(Separation::Blank);
        } else if self.out.is_empty() || self.separation > Separation::None {
            self.has_space = true;
        } else if self.single_line > 0 {
            self.separate(Separation::Line);
        } else {
            (self.separation, self.is_hard_break) = (Separation::Line, true);
        }
    }

    /// Writes a line as it is.
    pub(super) fn line(&mut self, line: &str) {
        self.separate(Separation::Line);
        self.begin();
        self.out.push_str(line);
        self.separate(Separation::Line);
    }

    /// The next text is a heading until [`end_heading`](Self::end_heading).
    pub(super) fn begin_heading(&mut self, mark: &'static str) {
        self.separate(Separation::Blank);
        self.mark = Some(mark).filter(|_| self.single_line == 0);
        self.single_line += 1;
    }

    pub(super) fn end_heading(&mut self) {
        self.mark = None;
        self.single_line = self.single_line.saturating_sub(1);
        self.separate(Separation::Blank);
    }

    /// Every line begins with `rest` until [`pop_prefix`](Self::pop_prefix); the first line begins with `number` and
    /// `first`.
    pub(super) fn push_prefix(
        &mut self,
        first: Option<&'static str>,
        number: Option<u64>,
        rest: &'static str,
    ) {
        if self.prefixes.len() >= MAX_PREFIXES {
            self.deeper += 1;
        } else {
            self.prefixes.push(Prefix { first, number, rest, is_begun: false });
        }
    }

    pub(super) fn pop_prefix(&mut self) {
        if self.deeper > 0 {
            self.deeper -= 1;
        } else {
            self.prefixes.pop();
        }
    }

    /// Text is formatted until [`pop_format`](Self::pop_format). A format inside the same format changes nothing.
    pub(super) fn push_format(&mut self, format: Format) {
        match self.formats.iter_mut().find(|open| open.format.is_same_kind(&format)) {
            Some(open) => open.nested += 1,
            None => self.formats.push(OpenFormat { format, mark: Mark::Waiting, nested: 0 }),
        }
    }

    pub(super) fn pop_format(&mut self, format: &Format) {
        let Some(at) = self.formats.iter().position(|open| open.format.is_same_kind(format)) else { return };
        if let Some(open) = self.formats.get_mut(at).filter(|open| open.nested > 0) {
            open.nested -= 1;
            return;
        }
        let open = self.formats.remove(at);
        if open.mark == Mark::Written {
            open.format.push_closing(&mut self.out);
        }
    }

    /// Starts a table cell. Its text is written on one line and returned by [`end_cell`](Self::end_cell).
    pub(super) fn begin_cell(&mut self) {
        let cell = MarkdownWriter { single_line: 1, ..MarkdownWriter::default() };
        let around = std::mem::replace(self, cell);
        self.around_cell = Some(Box::new(around));
    }

    /// The text of the cell.
    pub(super) fn end_cell(&mut self) -> String {
        let around = self.around_cell.take().map(|around| *around).unwrap_or_default();
        std::mem::replace(self, around).finish()
    }

    /// Whether a table cell is being written.
    pub(super) fn is_in_cell(&self) -> bool {
        self.around_cell.is_some()
    }

    /// Whether blocks cannot be written here.
    pub(super) fn is_single_line(&self) -> bool {
        self.single_line > 0
    }

    /// Writes whatever must come before the next text, with the marks of its formats. Returns whether the text starts a
    /// line.
    fn begin_formatted(&mut self) -> bool {
        let starts_line = self.begin();
        for open in self.formats.iter_mut().filter(|open| open.mark == Mark::Waiting) {
            self.out.push_str(open.format.opening());
            open.mark = Mark::Written;
        }
        starts_line
    }

    /// Writes whatever must come before the next text. Returns whether the text starts a line.
    fn begin(&mut self) -> bool {
        let starts_line = self.out.is_empty() || self.separation > Separation::None;
        if starts_line {
            self.end_last_line();
            self.push_prefixes();
        } else if self.has_break {
            self.out.push_str("<br>");
            self.push_prefixes();
        } else if self.has_space {
            self.out.push(' ');
        }
        (self.has_space, self.has_break) = (false, false);
        starts_line
    }

    fn end_last_line(&mut self) {
        let separation = std::mem::take(&mut self.separation);
        let is_hard_break = std::mem::take(&mut self.is_hard_break);
        if self.out.is_empty() {
            return;
        }
        if is_hard_break && separation == Separation::Line {
            self.out.push_str("  ");
        }
        self.out.push('\n');
        if separation == Separation::Blank {
            let before = self.out.len();
            for prefix in self.prefixes.iter().take_while(|prefix| prefix.is_begun) {
                self.out.push_str(prefix.rest);
            }
            let kept = self.out.get(before..).unwrap_or_default().trim_end().len();
            self.out.truncate(before + kept);
            self.out.push('\n');
        }
    }

    /// Writes the beginning of a line. In a table cell, the mark of a list item is written once, and the
    /// prefixes of further lines are not.
    fn push_prefixes(&mut self) {
        let is_in_cell = self.around_cell.is_some();
        for prefix in &mut self.prefixes {
            let rest = if is_in_cell { "" } else { prefix.rest };
            if let Some(number) = prefix.number.take() {
                self.out.push_str(&number.to_string());
            }
            self.out.push_str(prefix.first.take().unwrap_or(rest));
            prefix.is_begun = true;
        }
        self.out.push_str(self.mark.take().unwrap_or_default());
    }

    /// Writes the closing marks at the end of a block. Emphasis begins again with the next text; a link does not, or
    /// its address would be written again for every block.
    fn close_formats(&mut self) {
        for open in self.formats.iter_mut().rev().filter(|open| open.mark == Mark::Written) {
            open.format.push_closing(&mut self.out);
            open.mark = match open.format {
                Format::Link(_) => Mark::Ended,
                _ => Mark::Waiting,
            };
        }
    }
}
