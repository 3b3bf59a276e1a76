//! A sub-agent that would be made or started, beside its parent.

use std::io::{self, Write};

use sekisho_gate::display::{DelegationItem, DelegationRow};

use crate::commands::approvals::page_layout::{INDENT, PageLayout, write_indented};
use crate::terminal::{ensure_visible, style, wrap};

pub(super) fn write(
    out: &mut impl Write,
    (agent, parent): (&str, &str),
    (prompt, task): (&str, Option<&str>),
    rows: &[DelegationRow],
    view: &PageLayout,
) -> io::Result<()> {
    let (strong, faint) = (style::STRONG, style::FAINT);
    let (agent, parent) = (ensure_visible(agent), ensure_visible(parent));
    writeln!(out, "{:INDENT$}sub-agent {strong}{agent}{strong:#} of {strong}{parent}{strong:#}", "")?;
    if let Some(task) = task {
        writeln!(out, "{:INDENT$}{faint}task{faint:#}", "")?;
        write_indented(out, task, view)?;
    }
    writeln!(out, "{:INDENT$}{faint}system prompt{faint:#}", "")?;
    write_indented(out, prompt, view)?;
    for row in rows {
        let name = match row.item {
            DelegationItem::Model => "model".to_owned(),
            DelegationItem::Workspace => "workspace".to_owned(),
            DelegationItem::Tool => format!("tool {}", ensure_visible(&row.name)),
            DelegationItem::Limit => format!("limit {}", ensure_visible(&row.name)),
        };
        let value = |value: &Option<String>| match value.as_deref() {
            None => "no".to_owned(),
            Some("") => "yes".to_owned(),
            Some(text) => ensure_visible(text).into_owned(),
        };
        let line = match row.agent == row.parent {
            true => format!("{name}: {}, as its parent", value(&row.agent)),
            false => format!("{name}: {}; its parent: {}", value(&row.agent), value(&row.parent)),
        };
        for line in wrap::wrap_words(&line, view.text_width(INDENT)) {
            writeln!(out, "{:INDENT$}{line}", "")?;
        }
    }
    Ok(())
}
