//! A look at the clock.
//!
//! One look ends a bounded number of questions, so that nobody waits long behind it; the next moment it then gives is one
//! that has already come.

use jiff::Timestamp;
use sekisho_gate::ledger::{LEASE_S, RETURN_S, Swept};
use sekisho_gate::machine::Happening;
use sekisho_gate::{ApprovalId, ReplicaId};

use super::stepping::step;
use super::{Pen, tables};
use crate::encoding::{from_micros, micros, seconds};
use crate::fault::Scripted;

/// How many questions one look expires, and how many it takes for abandoned.
const AT_ONCE: usize = 1000;
/// A replica that holds nothing and was not seen for this long is forgotten.
const FORGET_S: i64 = 24 * 60 * 60;

pub(in crate::sqlite) fn sweep(pen: &Pen<'_>, replica: ReplicaId, at: Timestamp) -> Scripted<Swept> {
    let now = micros(at);
    tables::approvals::see(pen, replica, now)?;
    tables::rules::delete_ended(pen, now)?;
    tables::approvals::forget_replicas(pen, now.saturating_sub(seconds(FORGET_S)))?;

    let mut ended = Vec::new();
    let due = tables::approvals::due(pen, now, AT_ONCE)?;
    end(pen, &due, &Happening::TimePassed, at, &mut ended)?;
    let lost = tables::approvals::abandoned(pen, now.saturating_sub(seconds(RETURN_S)), AT_ONCE)?;
    end(pen, &lost, &Happening::Left, at, &mut ended)?;

    let deadline = tables::approvals::next_deadline(pen)?;
    let abandoned = tables::approvals::first_lost(pen, now.saturating_sub(seconds(LEASE_S)))?
        .map(|seen| seen.saturating_add(seconds(RETURN_S)));
    let next = deadline.into_iter().chain(abandoned).min().map(from_micros).transpose()?;
    Ok(Swept { ended, next, pending: tables::approvals::any_pending(pen)? })
}

fn end(
    pen: &Pen<'_>,
    ids: &[ApprovalId],
    happening: &Happening,
    at: Timestamp,
    ended: &mut Vec<ApprovalId>,
) -> Scripted<()> {
    for id in ids {
        if step(pen, *id, happening, at)?.is_some_and(|step| step.changed) {
            ended.push(*id);
        }
    }
    Ok(())
}
