//! Width and indentation of text on a terminal.

use std::io::{self, Write};
use std::path::PathBuf;

use crate::terminal::{ensure_visible_lines, wrap};

/// Indentation of what belongs to a question.
pub(super) const INDENT: usize = 2;

/// Page width, and the directory shown as `~`.
#[derive(Clone, Debug)]
pub(super) struct PageLayout {
    /// `None`: unlimited.
    pub(super) width: Option<usize>,
    pub(super) home: Option<PathBuf>,
}

impl PageLayout {
    /// Columns left after an indent.
    pub(super) fn text_width(&self, indent: usize) -> usize {
        self.width.map_or(usize::MAX, |width| width.saturating_sub(indent).max(20))
    }
}

/// Writes a text of several lines, indented.
pub(super) fn write_indented(out: &mut impl Write, text: &str, view: &PageLayout) -> io::Result<()> {
    let text = ensure_visible_lines(text);
    for row in wrap::wrap_rows(&text, view.text_width(INDENT)) {
        writeln!(out, "{:INDENT$}{}", "", wrap::expand_tabs(text.get(row).unwrap_or("")))?;
    }
    Ok(())
}
