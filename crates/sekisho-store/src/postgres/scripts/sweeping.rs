//! A look at the clock.
//!
//! One look ends a bounded number of questions, so that nobody waits long behind it; the next moment it then gives is one
//! that has already come. What another process is ending at the same time is left to it.

use jiff::Timestamp;
use sekisho_gate::ledger::{LEASE_S, RETURN_S, Swept};
use sekisho_gate::machine::Happening;
use sekisho_gate::{ApprovalId, ReplicaId};

use super::super::page::Page;
use super::stepping::happen;
use super::{Script, tables};
use crate::encoding::{from_micros, micros, seconds};
use crate::fault::Scripted;

/// How many questions one look expires, and how many it takes for abandoned.
const AT_ONCE: usize = 1000;
/// A replica that holds nothing and was not seen for this long is forgotten.
const FORGET_S: i64 = 24 * 60 * 60;

/// A look at the clock.
pub(in crate::postgres) struct Sweep {
    pub(in crate::postgres) replica: ReplicaId,
    pub(in crate::postgres) at: Timestamp,
}

impl Script for Sweep {
    type Given = Swept;

    async fn run(&self, page: &mut Page<'_>) -> Scripted<Swept> {
        let now = micros(self.at);
        tables::approvals::see(&page.db, self.replica, now).await?;
        tables::rules::delete_ended(&page.db, now).await?;
        tables::approvals::forget_replicas(&page.db, now.saturating_sub(seconds(FORGET_S))).await?;

        let mut ended = Vec::new();
        for id in tables::approvals::due(&page.db, now, AT_ONCE).await? {
            end(page, id, &Happening::TimePassed, self.at, &mut ended).await?;
        }
        let lost = now.saturating_sub(seconds(RETURN_S));
        for id in tables::approvals::abandoned(&page.db, lost, AT_ONCE).await? {
            end(page, id, &Happening::Left, self.at, &mut ended).await?;
        }
        let next = self.next(page, now).await?;
        Ok(Swept { ended, next, pending: tables::approvals::any_pending(&page.db).await? })
    }
}

impl Sweep {
    /// The next moment at which a question can end.
    async fn next(&self, page: &Page<'_>, now: i64) -> Scripted<Option<Timestamp>> {
        let deadline = tables::approvals::next_deadline(&page.db).await?;
        let abandoned = tables::approvals::first_lost(&page.db, now.saturating_sub(seconds(LEASE_S)))
            .await?
            .map(|seen| seen.saturating_add(seconds(RETURN_S)));
        deadline.into_iter().chain(abandoned).min().map(from_micros).transpose()
    }
}

async fn end(
    page: &mut Page<'_>,
    id: ApprovalId,
    happening: &Happening,
    at: Timestamp,
    ended: &mut Vec<ApprovalId>,
) -> Scripted<()> {
    let Some(before) = tables::approvals::take(&page.db, id).await? else { return Ok(()) };
    // While this one waited for the question, somebody may have come back for it.
    let lost = micros(at).saturating_sub(seconds(RETURN_S));
    if *happening == Happening::Left && tables::approvals::held_after(&page.db, id, lost).await? {
        return Ok(());
    }
    if happen(page, &before, happening, at).await?.changed {
        ended.push(id);
    }
    Ok(())
}
