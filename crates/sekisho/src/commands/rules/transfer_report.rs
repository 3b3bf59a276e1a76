//! Reports what an import or an export did with each entry.

use std::io::{self, Write};

use anstyle::Style;
use sekisho_adapters::foreign_rules::Exactness;

use crate::terminal::{style, visible};

/// One entry: where it is, its text, and what it became.
pub(super) struct TransferEntry<'a> {
    pub(super) how: Exactness,
    /// The entry restricted calls before and no longer does.
    pub(super) lost: bool,
    pub(super) at: String,
    pub(super) source_text: &'a str,
    pub(super) results: Vec<String>,
    pub(super) why: &'a str,
}

fn colour(line: &TransferEntry<'_>) -> Style {
    match line.how {
        _ if line.lost => style::DENY,
        Exactness::Exact => style::ALLOW,
        Exactness::Narrower | Exactness::Wider | Exactness::Confirm => style::CONFIRM,
        Exactness::Dropped => style::DENY,
    }
}

pub(super) fn write(out: &mut impl Write, lines: &[TransferEntry<'_>]) -> io::Result<()> {
    let faint = style::FAINT;
    for line in lines {
        let (colour, word) = (colour(line), line.how.name());
        writeln!(
            out,
            "{colour}{word:<12}{colour:#} {}  {faint}{}{faint:#}",
            visible(line.source_text),
            line.at
        )?;
        for became in &line.results {
            writeln!(out, "{:<12} {faint}→{faint:#} {}", "", visible(became))?;
        }
        if !line.why.is_empty() {
            writeln!(out, "{:<12} {faint}{}{faint:#}", "", visible(line.why))?;
        }
    }
    Ok(())
}

/// The number of entries by kind.
pub(super) fn summary(lines: &[TransferEntry<'_>]) -> String {
    let kinds =
        [Exactness::Exact, Exactness::Narrower, Exactness::Wider, Exactness::Confirm, Exactness::Dropped];
    let counted = kinds.iter().filter_map(|kind| {
        let count = lines.iter().filter(|line| line.how == *kind).count();
        (count > 0).then(|| format!("{count} {}", kind.name()))
    });
    counted.collect::<Vec<_>>().join(", ")
}
