//! Rows as lines of aligned columns.

use std::borrow::Cow;
use std::io::Write;

use anstyle::Style;
use sekisho_gate::audit::Row;

use super::moment::Clock;
use crate::failure::Failure;
use crate::terminal::{self, Out, cut, padded, style, visible};

/// How lines are laid out: fitted to a terminal, whole elsewhere.
pub(super) struct Columns {
    clock: Clock,
    width: Option<usize>,
    named: usize,
    tool: usize,
    agent: usize,
}

/// No name is given more room than this.
const WIDEST: usize = 24;
/// Below this there is no room for the year and the agent.
const NARROW: usize = 110;

impl Columns {
    pub(super) fn of_stdout() -> Columns {
        Columns { clock: Clock::of_stdout(), width: terminal::width(), named: 0, tool: 0, agent: 0 }
    }

    fn narrow(&self) -> bool {
        self.width.is_some_and(|width| width < NARROW)
    }

    /// Makes the columns wide enough for some rows. They never become narrower again.
    pub(super) fn fit(&mut self, rows: &[Row]) {
        let most = if self.narrow() { WIDEST / 2 } else { WIDEST };
        let widest = |mut before: usize, texts: &mut dyn Iterator<Item = String>| {
            for text in texts {
                before = before.max(terminal::columns(&text));
            }
            before
        };
        self.named = widest(self.named, &mut rows.iter().map(reference));
        let shown = |text: &Option<String>| said(text.as_deref().unwrap_or("")).into_owned();
        self.tool = widest(self.tool, &mut rows.iter().map(|row| shown(&row.tool))).min(most);
        self.agent = widest(self.agent, &mut rows.iter().map(|row| shown(&row.agent))).min(most);
    }

    pub(super) fn line(&self, out: &mut Out, row: &Row) -> Result<(), Failure> {
        let faint = style::FAINT;
        let column = |text: &Option<String>, width| padded(&said(text.as_deref().unwrap_or("")), width);
        let time = self.clock.column(row.at(), self.narrow());
        let mut used = terminal::columns(&time) + 2 + self.named + 2 + 11 + 8;
        let mut names = String::new();
        if self.tool > 0 {
            used += self.tool + 1;
            names.push_str(&format!("{} ", column(&row.tool, self.tool)));
        }
        if self.agent > 0 && !self.narrow() {
            used += self.agent + 1;
            names.push_str(&format!("{} ", column(&row.agent, self.agent)));
        }
        let text = said(&row.text);
        let text = match self.width {
            Some(width) => cut(&text, width.saturating_sub(used).max(16)),
            None => text,
        };
        let colour = of_decision(row);
        let decision = row.decision.as_deref().unwrap_or("");
        let named = padded(&reference(row), self.named);
        let kind = padded(&said(&row.kind), 10);
        Ok(writeln!(
            out,
            "{faint}{time}  {named}{faint:#}  {kind} {colour}{}{colour:#} {names}{text}",
            padded(&said(decision), 7)
        )?)
    }
}

/// Text out of the record. What hides was written out when it was recorded, and is not written out again; should
/// somebody have put it there since, it is.
pub(super) fn said(text: &str) -> Cow<'_, str> {
    let shown = visible(text);
    if shown.replace(r"\u{5c}u{", r"\u{") == text { Cow::Borrowed(text) } else { shown }
}

/// How a row is named on the command line: the end of its writer's id, and its number.
pub(super) fn reference(row: &Row) -> String {
    let writer = row.writer.to_string();
    let tail = writer.len().checked_sub(8).and_then(|start| writer.get(start..)).unwrap_or(&writer);
    format!("{tail}:{}", row.seq)
}

/// The colour of what was decided.
pub(super) fn of_decision(row: &Row) -> Style {
    match row.decision.as_deref() {
        Some("allow") => style::ALLOW,
        Some("confirm") => style::CONFIRM,
        Some("deny") => style::DENY,
        _ => Style::new(),
    }
}
