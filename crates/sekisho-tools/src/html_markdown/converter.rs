//! Walks the tree of a page and writes Markdown.

use url::Url;

use super::code_text::{flat_text, raw_text};
use super::element::Element;
use super::link_target::LinkBase;
use super::markdown_writer::{Format, MarkdownWriter, Separation};
use super::page::{Incomplete, Page, Stopped, Work};
use super::table::Table;
use super::table_shapes::TableShapes;
use super::tree::{NodeId, Step, Tree};
use super::visibility::Visibility;

/// The largest Markdown in bytes.
const MAX_OUTPUT: usize = 16 << 20;
/// The most that is shown of one hidden element, in bytes.
const MAX_HIDDEN: usize = 1000;
/// The same of an element that is only possibly hidden: that may be most of the page.
const MAX_POSSIBLY_HIDDEN: usize = 100_000;
/// The longest title in bytes.
const MAX_TITLE: usize = 1000;
/// How many steps are made between two looks at the clock.
const CHECK_EVERY: u64 = 1 << 14;

/// What the text in a closed `details` begins with. It ends with a `]`.
const COLLAPSED: &str = "[collapsed:";

const HEADINGS: [&str; 6] = ["# ", "## ", "### ", "#### ", "##### ", "###### "];

/// A list that is being written.
#[derive(Clone, Copy, Debug)]
struct OpenList {
    is_ordered: bool,
    next: u64,
    is_empty: bool,
}

/// Writes one page.
pub(super) struct Converter<'t> {
    tree: &'t Tree,
    links: LinkBase,
    shapes: TableShapes,
    writer: MarkdownWriter,
    lists: Vec<OpenList>,
    /// For each enclosing link: whether it has an address.
    open_links: Vec<bool>,
    table: Option<Table>,
    title: Option<String>,
    steps: u64,
}

/// Whether the children of an element are walked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Children {
    Walk,
    Skip,
}

impl<'t> Converter<'t> {
    pub(super) fn new(tree: &'t Tree, base: &Url) -> Converter<'t> {
        Converter {
            tree,
            links: LinkBase::new(base),
            shapes: TableShapes::of(tree),
            writer: MarkdownWriter::default(),
            lists: Vec::new(),
            open_links: Vec::new(),
            table: None,
            title: None,
            steps: 0,
        }
    }

    pub(super) fn run(mut self, should_stop: &dyn Fn() -> bool) -> Result<Page, Stopped> {
        let mut incomplete = None;
        let mut walk = self.tree.walk(self.tree.root());
        while let Some(step) = walk.next() {
            self.steps += 1;
            if self.steps.is_multiple_of(CHECK_EVERY) && should_stop() {
                return Err(Stopped);
            }
            if self.writer.len() + self.table.as_ref().map_or(0, Table::len) > MAX_OUTPUT {
                incomplete = Some(Incomplete::Size);
                break;
            }
            match step {
                Step::Enter(id) => {
                    if let Some(text) = self.tree.text(id) {
                        self.writer.text(text);
                    } else if self.enter(id) == Children::Skip {
                        walk.skip_children(id);
                    }
                }
                Step::Leave(id) => self.leave(id),
            }
        }
        while self.writer.is_in_cell() {
            self.end_cell(1);
        }
        self.end_table();
        let work = Work { nodes: 0, steps: self.steps };
        Ok(Page { title: self.title, markdown: self.writer.finish(), incomplete, work })
    }

    fn enter(&mut self, id: NodeId) -> Children {
        let Some(element) = self.tree.element(id) else { return Children::Walk };
        match element {
            Element::Dropped => return Children::Skip,
            Element::Title => {
                let title = flat_text(self.tree, id, MAX_TITLE);
                self.title.get_or_insert(title);
                return Children::Skip;
            }
            Element::Base => {
                self.links.set(self.tree.attribute(id, "href").unwrap_or_default());
                return Children::Skip;
            }
            _ => {}
        }
        let visibility = self.tree.visibility(id);
        if visibility == Visibility::Collapsed {
            self.writer.separate(Separation::Blank);
            self.writer.inline(COLLAPSED);
            self.writer.text(" ");
            return Children::Walk;
        }
        if let Some(mark) = visibility.mark() {
            self.hidden(id, element, visibility, mark);
            return Children::Skip;
        }
        self.enter_inline(id, element).or_else(|| self.enter_table(id, element)).unwrap_or_else(|| {
            self.enter_block(id, element);
            if element == Element::Preformatted { Children::Skip } else { Children::Walk }
        })
    }

    fn hidden(&mut self, id: NodeId, element: Element, visibility: Visibility, mark: &str) {
        let limit = if visibility == Visibility::Unsure { MAX_POSSIBLY_HIDDEN } else { MAX_HIDDEN };
        let text = flat_text(self.tree, id, limit);
        if text.is_empty() {
            return;
        }
        let is_block = format_of(element).is_none()
            && !matches!(element, Element::Inline | Element::Code | Element::ShortQuote | Element::Reading);
        if is_block {
            self.writer.separate(Separation::Blank);
        }
        self.writer.inline(mark);
        self.writer.text(&text);
        self.writer.inline("]");
        if is_block {
            self.writer.separate(Separation::Blank);
        }
    }

    /// Handles an inline element. None if it is not one.
    fn enter_inline(&mut self, id: NodeId, element: Element) -> Option<Children> {
        match element {
            Element::Inline => {}
            Element::Link => {
                let address = self.tree.attribute(id, "href").and_then(|href| self.links.link(href));
                self.open_links.push(address.is_some());
                address.into_iter().for_each(|address| self.writer.push_format(Format::Link(address)));
            }
            Element::Strong | Element::Emphasis | Element::Deleted => {
                format_of(element).into_iter().for_each(|format| self.writer.push_format(format));
            }
            Element::Code => {
                self.code_span(&flat_text(self.tree, id, usize::MAX));
                return Some(Children::Skip);
            }
            Element::ShortQuote => self.writer.inline("\""),
            Element::Reading => self.writer.inline("("),
            Element::Image => self.image(id),
            Element::LineBreak => self.writer.line_break(),
            _ => return None,
        }
        Some(Children::Walk)
    }

    /// Handles a part of a table. None if it is none, or if the table is not written as a Markdown table.
    fn enter_table(&mut self, id: NodeId, element: Element) -> Option<Children> {
        match element {
            Element::Table
                if self.table.is_none() && self.shapes.has_data(id) && !self.writer.is_single_line() =>
            {
                self.writer.separate(Separation::Blank);
                self.table = Some(Table::default());
            }
            Element::Row => self.table.as_mut()?.begin_row(),
            Element::Cell if self.table.is_some() => self.writer.begin_cell(),
            _ => return None,
        }
        Some(Children::Walk)
    }

    fn enter_block(&mut self, id: NodeId, element: Element) {
        match element {
            Element::Heading(level) => {
                self.writer.begin_heading(HEADINGS.get(level - 1).copied().unwrap_or_default());
            }
            Element::Rule => {
                self.writer.separate(Separation::Blank);
                self.writer.line("---");
                self.writer.separate(Separation::Blank);
            }
            Element::Quote => {
                self.writer.separate(Separation::Blank);
                self.writer.push_prefix(None, None, "> ");
            }
            Element::Preformatted => self.code_block(id),
            Element::List { is_ordered } => self.begin_list(id, is_ordered),
            Element::Item => self.begin_item(),
            Element::Term => {
                self.writer.separate(Separation::Blank);
                self.writer.push_format(Format::Strong);
            }
            Element::Description => {
                self.writer.separate(Separation::Line);
                self.writer.push_prefix(Some(": "), None, "  ");
            }
            Element::Summary | Element::Caption => {
                self.writer.separate(Separation::Blank);
                self.writer.push_format(Format::Strong);
            }
            Element::Choice => self.writer.separate(Separation::Line),
            _ => self.writer.separate(Separation::Blank),
        }
    }

    fn leave(&mut self, id: NodeId) {
        let Some(element) = self.tree.element(id) else { return };
        if self.tree.visibility(id) == Visibility::Collapsed {
            self.writer.inline("]");
        }
        match element {
            Element::Inline | Element::Code | Element::Image | Element::LineBreak | Element::Rule => {}
            Element::Link => {
                // Nothing was opened for a link without an address.
                if self.open_links.pop() == Some(true) {
                    self.writer.pop_format(&Format::Link(String::new()));
                }
            }
            Element::Strong | Element::Emphasis | Element::Deleted => {
                format_of(element).iter().for_each(|format| self.writer.pop_format(format));
            }
            Element::ShortQuote => self.writer.inline("\""),
            Element::Reading => self.writer.inline(")"),
            Element::Heading(_) => self.writer.end_heading(),
            Element::Quote => {
                self.writer.separate(Separation::Blank);
                self.writer.pop_prefix();
            }
            Element::List { .. } => {
                self.lists.pop();
                let is_nested = !self.lists.is_empty();
                self.writer.separate(if is_nested { Separation::Line } else { Separation::Blank });
            }
            Element::Item => {
                self.writer.separate(Separation::Line);
                self.writer.pop_prefix();
            }
            Element::Description => {
                self.writer.separate(Separation::Line);
                self.writer.pop_prefix();
            }
            Element::Term | Element::Summary | Element::Caption => {
                self.writer.pop_format(&Format::Strong);
                let is_term = element == Element::Term;
                self.writer.separate(if is_term { Separation::Line } else { Separation::Blank });
            }
            Element::Cell if self.table.is_some() => {
                let columns =
                    self.tree.attribute(id, "colspan").and_then(|columns| columns.trim().parse().ok());
                self.end_cell(columns.unwrap_or(1));
            }
            Element::Row if self.table.is_some() => {}
            Element::Table if self.table.is_some() => self.end_table(),
            Element::Choice => self.writer.separate(Separation::Line),
            _ => self.writer.separate(Separation::Blank),
        }
    }

    fn begin_list(&mut self, id: NodeId, is_ordered: bool) {
        let is_nested = !self.lists.is_empty();
        self.writer.separate(if is_nested { Separation::Line } else { Separation::Blank });
        let start = self.tree.attribute(id, "start").and_then(|start| start.trim().parse().ok());
        let next = start.filter(|start| *start < 1_000_000_000).unwrap_or(1);
        self.lists.push(OpenList { is_ordered, next, is_empty: true });
    }

    fn begin_item(&mut self) {
        let mut outside = OpenList { is_ordered: false, next: 1, is_empty: false };
        let list = self.lists.last_mut().unwrap_or(&mut outside);
        let number = list.is_ordered.then_some(list.next);
        list.next += 1;
        match std::mem::take(&mut list.is_empty) {
            true => self.writer.separate(Separation::Line),
            false => self.writer.separate_item(),
        }
        match number {
            Some(_) => self.writer.push_prefix(Some(". "), number, "   "),
            None => self.writer.push_prefix(Some("- "), None, "  "),
        }
    }

    fn end_cell(&mut self, columns: usize) {
        let text = self.writer.end_cell();
        if let Some(table) = &mut self.table {
            table.cell(text, columns);
        }
    }

    fn end_table(&mut self) {
        let Some(table) = self.table.take() else { return };
        let lines = table.lines();
        lines.iter().for_each(|line| self.writer.line(line));
        self.writer.separate(Separation::Blank);
    }

    fn image(&mut self, id: NodeId) {
        let address = self.tree.attribute(id, "src").and_then(|source| self.links.image(source));
        let alt = self.tree.attribute(id, "alt").map(str::trim);
        // An empty `alt` means that the image is only decoration.
        if alt == Some("") || (alt.is_none() && address.is_none()) {
            return;
        }
        self.writer.inline("![");
        self.writer.text(alt.unwrap_or_default());
        self.writer.inline(&match address {
            Some(address) => format!("]({address})"),
            None => "]".into(),
        });
    }

    fn code_span(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        let fence = "`".repeat(longest_run(text) + 1);
        let space = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
        self.writer.inline(&format!("{fence}{space}{text}{space}{fence}"));
    }

    fn code_block(&mut self, id: NodeId) {
        let text = raw_text(self.tree, id);
        let text = text.trim_matches('\n');
        if self.writer.is_single_line() {
            return self.code_span(&text.split_whitespace().collect::<Vec<_>>().join(" "));
        }
        if text.trim().is_empty() {
            return;
        }
        let fence = "`".repeat(longest_run(text).max(2) + 1);
        let language = self.language(id).unwrap_or_default();
        self.writer.separate(Separation::Blank);
        self.writer.line(&format!("{fence}{language}"));
        text.lines().for_each(|line| self.writer.line(line));
        self.writer.line(&fence);
        self.writer.separate(Separation::Blank);
    }

    /// The language named by a class of the block, of the `code` element in it, or of its parent.
    fn language(&self, id: NodeId) -> Option<String> {
        let inside = self.tree.children(id).find(|child| self.tree.element(*child) == Some(Element::Code));
        let places = [Some(id), inside, self.tree.parent(id)];
        let classes = places.into_iter().flatten().filter_map(|place| self.tree.attribute(place, "class"));
        let name = classes.flat_map(str::split_whitespace).find_map(|class| {
            ["language-", "lang-", "highlight-source-"].iter().find_map(|start| class.strip_prefix(start))
        })?;
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "+-#_.".contains(c);
        (name.len() < 32 && name.chars().all(is_plain)).then(|| name.to_owned())
    }
}

fn format_of(element: Element) -> Option<Format> {
    match element {
        Element::Strong => Some(Format::Strong),
        Element::Emphasis => Some(Format::Emphasis),
        Element::Deleted => Some(Format::Deleted),
        Element::Link => Some(Format::Link(String::new())),
        _ => None,
    }
}

/// The longest run of backticks.
fn longest_run(text: &str) -> usize {
    let (mut longest, mut run) = (0, 0);
    for byte in text.bytes() {
        run = if byte == b'`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}
