//! One step of one question.

use jiff::Timestamp;
use rusqlite::Connection;
use sekisho_gate::ApprovalId;
use sekisho_gate::approval::Approval;
use sekisho_gate::asker::Key;
use sekisho_gate::ledger::{execution_of, void_where_spent};
use sekisho_gate::machine::{Claim, Happening, Step};
use sekisho_gate::record::{Entry, stepped};

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

/// The lines that a step will be, as far as can be told from the question alone.
pub(in crate::sqlite) fn step_ahead(
    db: &Connection,
    id: ApprovalId,
    happening: &Happening,
    at: Timestamp,
) -> Scripted<Vec<Entry>> {
    let Some(before) = tables::approvals::by_id(db, id)? else { return Ok(Vec::new()) };
    let after = before.step(happening, at).approval;
    Ok(stepped(&before, &after, at).into_iter().map(|record| record.entry).collect())
}

/// Lets something happen to a question that was just read, and writes all that follows from it.
pub(super) fn take(pen: &Pen<'_>, before: &Approval, happening: &Happening, at: Timestamp) -> Scripted<Step> {
    let happening = match is_spent(pen, before, happening)? {
        true => &void_where_spent(happening.clone()),
        false => happening,
    };
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
        let call = (after.call_id_to_run(), &after.asked.call, &after.asked.asker);
        let row = ExecutionRow::new(execution, call, (&tool, &input), Some(after.id), at)?;
        tables::executions::start(pen, &row)?;
    }
    if after.is_over() {
        tables::calls::end(pen, after.asked.call_id, micros(at))?;
        tables::calls::end(pen, after.call_id_to_run(), micros(at))?;
    }
    for record in stepped(before, after, at) {
        pen.append(&record)?;
    }
    Ok(step)
}

/// Whether a claim to run the call comes after its durable key was spent elsewhere.
fn is_spent(pen: &Pen<'_>, before: &Approval, happening: &Happening) -> Scripted<bool> {
    let claims = matches!(happening, Happening::Claimed(Claim::Run(_))) && before.fate.claimed.is_none();
    match Key::once(&before.asked.asker, &before.asked.call).filter(|_| claims) {
        Some(key) => Ok(tables::executions::spent(pen, &key)?.is_some()),
        None => Ok(false),
    }
}
