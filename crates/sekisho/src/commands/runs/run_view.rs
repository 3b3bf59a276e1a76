//! A run as the terminal shows it.

use std::io::Write;

use anstyle::Style;
use sekisho_server::wire::run::{RunStatusName, RunView};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::{StyledStdout, ensure_visible_lines, style, visible};

pub(in crate::commands) fn status_name(status: RunStatusName) -> (&'static str, Style) {
    match status {
        RunStatusName::Running => ("running", Style::new()),
        RunStatusName::Suspended => ("suspended", style::CONFIRM),
        RunStatusName::Completed => ("completed", style::ALLOW),
        RunStatusName::Failed => ("failed", style::DENY),
        RunStatusName::Aborted => ("aborted", style::DENY),
    }
}

/// Why a run ended, if that says more than its status.
pub(super) fn end_note(run: &RunView) -> String {
    let reason = run.finish_reason.as_deref().filter(|reason| !["stop", "aborted", "error"].contains(reason));
    let notes = [reason, run.error.as_deref()];
    notes.into_iter().flatten().map(|note| visible(note).into_owned()).collect::<Vec<_>>().join(": ")
}

/// Writes what a run waits for, and its output. The exit code says whether it needs an answer.
pub(super) fn write_outcome(out: &mut StyledStdout, run: &RunView) -> Result<Exit, Failure> {
    if let Some(output) = run.output.as_deref().filter(|output| !output.is_empty()) {
        writeln!(out, "{}", ensure_visible_lines(output))?;
    }
    for call in &run.pending {
        let confirm = style::CONFIRM;
        let (name, args) = (visible(&call.tool_name), call.args.to_string());
        writeln!(
            out,
            "{confirm}waits for an approval{confirm:#}  {}  {name} {}",
            visible(&call.tool_call_id),
            visible(&args)
        )?;
    }
    Ok(match run.status {
        RunStatusName::Suspended => Exit::NeedsConfirmation,
        RunStatusName::Failed => Exit::Failure,
        RunStatusName::Running | RunStatusName::Completed | RunStatusName::Aborted => Exit::Ok,
    })
}
