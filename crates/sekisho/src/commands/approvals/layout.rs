//! How text is laid out on a terminal: how wide, and how far set in.

use std::io::{self, Write};
use std::path::PathBuf;

use crate::terminal::{said_text, wrap};

/// How far what belongs to a question is set in.
pub(super) const INDENT: usize = 2;

/// How wide the page is, and what `~` stands for.
#[derive(Clone, Debug)]
pub(super) struct View {
    /// None: nobody counts columns.
    pub(super) width: Option<usize>,
    pub(super) home: Option<PathBuf>,
}

impl View {
    /// How many columns are left of an indent.
    pub(super) fn room(&self, indent: usize) -> usize {
        self.width.map_or(usize::MAX, |width| width.saturating_sub(indent).max(20))
    }
}

/// A text of several lines, set in.
pub(super) fn block(out: &mut impl Write, text: &str, view: &View) -> io::Result<()> {
    let text = said_text(text);
    for row in wrap::rows(&text, view.room(INDENT)) {
        writeln!(out, "{:INDENT$}{}", "", wrap::untabbed(text.get(row).unwrap_or("")))?;
    }
    Ok(())
}
