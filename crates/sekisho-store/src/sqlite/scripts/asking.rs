//! Asking, and going away again.

use jiff::Timestamp;
use rusqlite::Connection;
use sekisho_gate::approval::Approval;
use sekisho_gate::ledger::{KeptCall, LEASE_S, Opened, Opening, joining};
use sekisho_gate::machine::{Happening, Said, Step};
use sekisho_gate::{ApprovalId, ReplicaId};

use super::stepping::take;
use super::tables;
use crate::fault::{Fault, Scripted};
use crate::rows::{CallRow, micros, seconds};

pub(in crate::sqlite) fn open(db: &Connection, opening: &Opening) -> Scripted<Opened> {
    let approval = &opening.approval;
    let at = approval.asked.at;
    if !approval.is_pending() {
        return Err(Fault::wrong(format!("question `{}` is not pending and cannot be asked", approval.id)));
    }
    tables::approvals::see(db, opening.replica, micros(at))?;
    let latest = match approval.asked.key() {
        Some(key) => tables::approvals::latest(db, &key)?,
        None => None,
    };
    // Nobody may have looked at the clock since; what has expired cannot be joined.
    let latest = latest.map(|latest| take(db, &latest, &Happening::TimePassed, at)).transpose()?;
    let opened = joining(latest.map(|step| step.approval), opening);
    match &opened {
        Opened::New => ask(db, opening)?,
        Opened::Joined(joined) => hold(db, joined, opening.replica)?,
        Opened::Answered(_) | Opened::Conflict(_) => {}
    }
    Ok(opened)
}

fn ask(db: &Connection, opening: &Opening) -> Scripted<()> {
    let approval = &opening.approval;
    let asked = &approval.asked;
    let kept = KeptCall {
        id: asked.call_id,
        call: asked.call.clone(),
        digest: asked.digest,
        asker: asked.asker.clone(),
    };
    tables::calls::insert(db, &CallRow::new(&kept, asked.at, false)?)?;
    tables::approvals::insert(db, approval)?;
    hold(db, approval, opening.replica)?;
    tables::record::append(db, &opening.record)
}

/// Who waits matters only for questions that end with their asker.
fn hold(db: &Connection, approval: &Approval, replica: ReplicaId) -> Scripted<()> {
    if approval.outlives_asker() { Ok(()) } else { tables::approvals::hold(db, approval.id, replica) }
}

pub(in crate::sqlite) fn leave(
    db: &Connection,
    id: ApprovalId,
    replica: ReplicaId,
    at: Timestamp,
) -> Scripted<Option<Step>> {
    let Some(approval) = tables::approvals::by_id(db, id)? else { return Ok(None) };
    tables::approvals::release(db, id, replica)?;
    if tables::approvals::held_after(db, id, micros(at).saturating_sub(seconds(LEASE_S)))? {
        return Ok(Some(Step { approval, changed: false, said: Said::Nothing }));
    }
    take(db, &approval, &Happening::Left, at).map(Some)
}
