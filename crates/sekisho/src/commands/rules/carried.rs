//! The report of what an import or an export did with each entry.

use std::io::{self, Write};

use anstyle::Style;
use sekisho_adapters::carry::How;

use crate::terminal::{style, visible};

/// One entry: where it stands, what it says, what it became.
pub(super) struct Line<'a> {
    pub(super) how: How,
    /// It held something back that is not held back any more.
    pub(super) lost: bool,
    pub(super) at: String,
    pub(super) said: &'a str,
    pub(super) became: Vec<String>,
    pub(super) why: &'a str,
}

fn colour(line: &Line<'_>) -> Style {
    match line.how {
        _ if line.lost => style::DENY,
        How::Exact => style::ALLOW,
        How::Narrower | How::Wider | How::Asked => style::CONFIRM,
        How::Dropped => style::DENY,
    }
}

pub(super) fn write(out: &mut impl Write, lines: &[Line<'_>]) -> io::Result<()> {
    let faint = style::FAINT;
    for line in lines {
        let (colour, word) = (colour(line), line.how.name());
        writeln!(out, "{colour}{word:<12}{colour:#} {}  {faint}{}{faint:#}", visible(line.said), line.at)?;
        for became in &line.became {
            writeln!(out, "{:<12} {faint}→{faint:#} {}", "", visible(became))?;
        }
        if !line.why.is_empty() {
            writeln!(out, "{:<12} {faint}{}{faint:#}", "", visible(line.why))?;
        }
    }
    Ok(())
}

/// How many of each kind, in words.
pub(super) fn summary(lines: &[Line<'_>]) -> String {
    let kinds = [How::Exact, How::Narrower, How::Wider, How::Asked, How::Dropped];
    let counted = kinds.iter().filter_map(|kind| {
        let count = lines.iter().filter(|line| line.how == *kind).count();
        (count > 0).then(|| format!("{count} {}", kind.name()))
    });
    counted.collect::<Vec<_>>().join(", ")
}
