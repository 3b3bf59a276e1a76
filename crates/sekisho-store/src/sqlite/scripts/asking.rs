//! Asking, and going away again.

use jiff::Timestamp;
use sekisho_gate::approval::Approval;
use sekisho_gate::ledger::{KeptCall, LEASE_S, Opened, Opening, joining};
use sekisho_gate::machine::{Happening, Said, Step};
use sekisho_gate::{ApprovalId, ReplicaId};

use super::stepping::take;
use super::{Pen, tables};
use crate::calls::CallRow;
use crate::encoding::{micros, seconds};
use crate::fault::{Fault, Scripted};

pub(in crate::sqlite) fn open(pen: &Pen<'_>, opening: &Opening) -> Scripted<Opened> {
    let approval = &opening.approval;
    let at = approval.asked.at;
    if !approval.is_pending() {
        return Err(Fault::wrong(format!("question `{}` is not pending and cannot be asked", approval.id)));
    }
    if let Some(key) = approval.asked.once()
        && let Some(spent) = tables::executions::spent(pen, &key)?
    {
        return Ok(Opened::Spent(spent));
    }
    tables::approvals::see(pen, opening.replica, micros(at))?;
    let latest = match approval.asked.key() {
        Some(key) => tables::approvals::latest(pen, &key)?,
        None => None,
    };
    // Nobody may have looked at the clock since; what has expired cannot be joined.
    let latest = latest.map(|latest| take(pen, &latest, &Happening::TimePassed, at)).transpose()?;
    let opened = joining(latest.map(|step| step.approval), opening);
    match &opened {
        Opened::New => ask(pen, opening)?,
        Opened::Joined(joined) => hold(pen, joined, opening.replica)?,
        Opened::Answered(_) | Opened::Conflict(_) | Opened::Spent(_) => {}
    }
    Ok(opened)
}

fn ask(pen: &Pen<'_>, opening: &Opening) -> Scripted<()> {
    let approval = &opening.approval;
    let asked = &approval.asked;
    let kept = KeptCall {
        id: asked.call_id,
        call: asked.call.clone(),
        digest: asked.digest,
        asker: asked.asker.clone(),
        facts: asked.verdict.facts.clone(),
    };
    tables::calls::insert(pen, &CallRow::new(&kept, asked.at, false)?)?;
    tables::approvals::insert(pen, approval)?;
    if let Some(schema) = &opening.schema {
        tables::schemas::keep(pen, &asked.call.tool, schema, micros(asked.at))?;
    }
    hold(pen, approval, opening.replica)?;
    pen.append(&opening.record)
}

/// Who waits matters only for questions that end with their asker.
fn hold(pen: &Pen<'_>, approval: &Approval, replica: ReplicaId) -> Scripted<()> {
    if approval.outlives_asker() { Ok(()) } else { tables::approvals::hold(pen, approval.id, replica) }
}

pub(in crate::sqlite) fn leave(
    pen: &Pen<'_>,
    id: ApprovalId,
    replica: ReplicaId,
    at: Timestamp,
) -> Scripted<Option<Step>> {
    let Some(approval) = tables::approvals::by_id(pen, id)? else { return Ok(None) };
    tables::approvals::release(pen, id, replica)?;
    if tables::approvals::held_after(pen, id, micros(at).saturating_sub(seconds(LEASE_S)))? {
        return Ok(Some(Step { approval, changed: false, said: Said::Nothing }));
    }
    take(pen, &approval, &Happening::Left, at).map(Some)
}
