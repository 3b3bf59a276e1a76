//! Records as lines of aligned columns.

use std::io::Write;

use anstyle::Style;
use sekisho_gate::audit::ChainRow;

use super::time_format::TimeFormatter;
use crate::failure::Failure;
pub(super) use crate::terminal::ensure_visible;
use crate::terminal::{self, StyledStdout, padded, style, truncate};

/// Column widths: fitted to a terminal, unlimited elsewhere.
pub(super) struct RowTable {
    clock: TimeFormatter,
    width: Option<usize>,
    named: usize,
    tool: usize,
    agent: usize,
}

/// Maximum width of a name where the width is unlimited.
const WIDEST: usize = 40;
/// A narrower terminal has no space for the year, the agent, and kind and decision side by side.
const NARROW: usize = 110;

impl RowTable {
    pub(super) fn of_stdout() -> RowTable {
        RowTable { clock: TimeFormatter::of_stdout(), width: terminal::width(), named: 0, tool: 0, agent: 0 }
    }

    fn narrow(&self) -> bool {
        self.width.is_some_and(|width| width < NARROW)
    }

    /// Widens the columns to fit these rows. Columns never get narrower.
    pub(super) fn fit(&mut self, rows: &[ChainRow]) {
        let most = self.width.map_or(WIDEST, |width| (width / 8).min(WIDEST));
        let shown = |text: &Option<String>| terminal::columns(&ensure_visible(text.as_deref().unwrap_or("")));
        let narrow = self.narrow();
        for row in rows {
            self.named = self.named.max(name(row, narrow).len());
            self.tool = self.tool.max(shown(&row.tool).min(most));
            self.agent = self.agent.max(shown(&row.agent).min(most));
        }
    }

    pub(super) fn line(&self, out: &mut StyledStdout, row: &ChainRow) -> Result<(), Failure> {
        let (faint, colour) = (style::FAINT, decision_style(row));
        let narrow = self.narrow();
        let time = self.clock.column(row.at(), narrow);
        let named = padded(&name(row, narrow), self.named);
        let (kind, decision) =
            (ensure_visible(&row.kind), ensure_visible(row.decision.as_deref().unwrap_or("")));
        let what = match row.kind.as_str() {
            "verdict" | "question" if narrow => padded(&decision, 10),
            _ if narrow => padded(&kind, 10),
            _ => format!("{} {}", padded(&kind, 10), padded(&decision, 7)),
        };
        let mut names = String::new();
        let agent = if narrow { 0 } else { self.agent };
        for (text, width) in [(&row.tool, self.tool), (&row.agent, agent)] {
            if width > 0 {
                names.push_str(&padded(&ensure_visible(text.as_deref().unwrap_or("")), width));
                names.push(' ');
            }
        }
        let used =
            [&time, &named, &what, &names].map(|text| terminal::columns(text)).iter().sum::<usize>() + 4;
        let text = ensure_visible(&row.text);
        let text = match self.width {
            Some(width) => truncate(&text, width.saturating_sub(used).max(16)),
            None => text,
        };
        Ok(writeln!(out, "{faint}{time} {named}{faint:#}  {colour}{what}{colour:#} {names}{text}")?)
    }
}

/// The name of a row in a column, shortened on narrow terminals.
fn name(row: &ChainRow, narrow: bool) -> String {
    named(row, if narrow { 4 } else { 8 })
}

/// The name of a row on the command line: the end of its writer's id, and its number.
pub(super) fn row_reference(row: &ChainRow) -> String {
    named(row, 8)
}

fn named(row: &ChainRow, digits: usize) -> String {
    let writer = row.writer.to_string();
    let tail = writer.len().checked_sub(digits).and_then(|start| writer.get(start..)).unwrap_or(&writer);
    format!("{tail}:{}", row.seq)
}

/// The colour of a decision.
pub(super) fn decision_style(row: &ChainRow) -> Style {
    match row.decision.as_deref() {
        Some("allow") => style::ALLOW,
        Some("confirm") => style::CONFIRM,
        Some("deny") => style::DENY,
        _ => Style::new(),
    }
}
