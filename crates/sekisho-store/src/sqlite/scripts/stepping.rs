//! One step of one question.

use jiff::Timestamp;
use sekisho_gate::approval::{Approval, State};
use sekisho_gate::ledger::execution_of;
use sekisho_gate::machine::{Happening, Step};
use sekisho_gate::record::stepped;
use sekisho_gate::{ApprovalId, CallId};

use super::{Pen, tables};
use crate::fault::Scripted;
use crate::rows::{CallRow, ExecutionRow, edited_call, micros};

pub(in crate::sqlite) fn step(
    pen: &Pen<'_>,
    id: ApprovalId,
    happening: &Happening,
    at: Timestamp,
) -> Scripted<Option<Step>> {
    let Some(before) = tables::approvals::by_id(pen, id)? else { return Ok(None) };
    take(pen, &before, happening, at).map(Some)
}

/// Lets something happen to a question that was just read, and writes all that follows from it.
pub(super) fn take(pen: &Pen<'_>, before: &Approval, happening: &Happening, at: Timestamp) -> Scripted<Step> {
    let step = before.step(happening, at);
    if !step.changed {
        return Ok(step);
    }
    let after = &step.approval;
    tables::approvals::update(pen, after.id, &before.fate, &after.fate)?;
    if !after.is_pending() {
        tables::approvals::release_all(pen, after.id)?;
    }
    if let Some(edited) = edited_call(before, after) {
        tables::calls::insert(pen, &CallRow::new(&edited, at, false)?)?;
    }
    if let Some((execution, tool, input)) = execution_of(happening, &step) {
        let call = (call_that_runs(after), &after.asked.call);
        let row = ExecutionRow::new(execution, call, (&tool, &input), Some(after.id), at)?;
        tables::calls::start(pen, &row)?;
    }
    if has_ended(after) {
        tables::calls::end(pen, after.asked.call_id, micros(at))?;
        tables::calls::end(pen, call_that_runs(after), micros(at))?;
    }
    for record in stepped(before, after, at) {
        pen.append(&record)?;
    }
    Ok(step)
}

/// Where the input is kept that the question's call runs with.
fn call_that_runs(approval: &Approval) -> CallId {
    let edited = approval.fate.state.answered().and_then(|answered| answered.edited.as_ref());
    edited.map_or(approval.asked.call_id, |edited| edited.call_id)
}

/// Whether nothing more comes of the call. One that is let through ends with its execution.
fn has_ended(approval: &Approval) -> bool {
    match approval.fate.state {
        State::Pending => false,
        State::Approved(_) => {
            approval.fate.claimed.as_ref().is_some_and(|claimed| claimed.execution.is_none())
        }
        State::Denied(_) | State::Expired { .. } | State::Aborted { .. } => true,
    }
}
