//! How text is laid out on a terminal: how wide, and how far set in.

use std::io::{self, Write};
use std::path::PathBuf;

use crate::terminal::{ensure_visible_lines, wrap};

/// How far what belongs to a question is set in.
pub(super) const INDENT: usize = 2;

/// How wide the page is, and what `~` stands for.
#[derive(Clone, Debug)]
pub(super) struct PageLayout {
    /// None: nobody counts columns.
    pub(super) width: Option<usize>,
    pub(super) home: Option<PathBuf>,
}

impl PageLayout {
    /// How many columns are left of an indent.
    pub(super) fn text_width(&self, indent: usize) -> usize {
        self.width.map_or(usize::MAX, |width| width.saturating_sub(indent).max(20))
    }
}

/// A text of several lines, set in.
pub(super) fn write_indented(out: &mut impl Write, text: &str, view: &PageLayout) -> io::Result<()> {
    let text = ensure_visible_lines(text);
    for row in wrap::wrap_rows(&text, view.text_width(INDENT)) {
        writeln!(out, "{:INDENT$}{}", "", wrap::expand_tabs(text.get(row).unwrap_or("")))?;
    }
    Ok(())
}
