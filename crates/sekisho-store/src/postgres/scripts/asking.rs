//! Asking, and going away again.

use jiff::Timestamp;
use sekisho_gate::approval::Approval;
use sekisho_gate::ledger::{KeptCall, LEASE_S, Opened, Opening, joining};
use sekisho_gate::machine::{Happening, Said, Step};
use sekisho_gate::record::Entry;
use sekisho_gate::{ApprovalId, ReplicaId};

use super::super::db::Db;
use super::super::page::Page;
use super::stepping::happen;
use super::{Script, lock_of, lock_of_key, tables};
use crate::fault::{Fault, Scripted};
use crate::rows::{CallRow, micros, seconds};

/// A question is asked.
pub(in crate::postgres) struct Open(pub(in crate::postgres) Opening);

/// A replica has no waiter for a question any more.
pub(in crate::postgres) struct Leave {
    pub(in crate::postgres) id: ApprovalId,
    pub(in crate::postgres) replica: ReplicaId,
    pub(in crate::postgres) at: Timestamp,
}

impl Script for Open {
    type Given = Opened;

    /// Whoever asks under the same key comes after: exactly one of them is new.
    fn locks(&self) -> Option<i64> {
        self.0.approval.asked.key().map(|key| lock_of_key(&key))
    }

    fn lines(&self) -> Vec<Entry> {
        vec![self.0.record.entry.clone()]
    }

    async fn run(&self, page: &mut Page<'_>) -> Scripted<Opened> {
        let opening = &self.0;
        let approval = &opening.approval;
        let at = approval.asked.at;
        if !approval.is_pending() {
            return Err(Fault::wrong(format!(
                "question `{}` is not pending and cannot be asked",
                approval.id
            )));
        }
        if let Some(key) = approval.asked.once()
            && let Some(spent) = tables::executions::spent(&page.db, &key).await?
        {
            return Ok(Opened::Spent(spent));
        }
        tables::approvals::see(&page.db, opening.replica, micros(at)).await?;
        let latest = match approval.asked.key() {
            Some(key) => tables::approvals::take_latest(&page.db, &key).await?,
            None => None,
        };
        // Nobody may have looked at the clock since; what has expired cannot be joined.
        let latest = match latest {
            Some(latest) => Some(happen(page, &latest, &Happening::TimePassed, at).await?.approval),
            None => None,
        };
        let opened = joining(latest, opening);
        match &opened {
            Opened::New => ask(page, opening).await?,
            Opened::Joined(joined) => hold(&page.db, joined, opening.replica).await?,
            Opened::Answered(_) | Opened::Conflict(_) | Opened::Spent(_) => {}
        }
        Ok(opened)
    }
}

async fn ask(page: &mut Page<'_>, opening: &Opening) -> Scripted<()> {
    let approval = &opening.approval;
    let asked = &approval.asked;
    let kept = KeptCall {
        id: asked.call_id,
        call: asked.call.clone(),
        digest: asked.digest,
        asker: asked.asker.clone(),
        facts: asked.verdict.facts.clone(),
    };
    tables::calls::insert(&page.db, &[CallRow::new(&kept, asked.at, false)?]).await?;
    tables::approvals::insert(&page.db, approval).await?;
    if let Some(schema) = &opening.schema {
        tables::schemas::keep(&page.db, &asked.call.tool, schema, micros(asked.at)).await?;
    }
    hold(&page.db, approval, opening.replica).await?;
    page.append(&opening.record)
}

/// Who waits matters only for questions that end with their asker.
async fn hold(db: &Db<'_>, approval: &Approval, replica: ReplicaId) -> Scripted<()> {
    if approval.outlives_asker() { Ok(()) } else { tables::approvals::hold(db, approval.id, replica).await }
}

impl Script for Leave {
    type Given = Option<Step>;

    fn locks(&self) -> Option<i64> {
        Some(lock_of(self.id.0))
    }

    async fn run(&self, page: &mut Page<'_>) -> Scripted<Option<Step>> {
        let Some(approval) = tables::approvals::take(&page.db, self.id).await? else { return Ok(None) };
        tables::approvals::release(&page.db, self.id, self.replica).await?;
        let alive = micros(self.at).saturating_sub(seconds(LEASE_S));
        if tables::approvals::held_after(&page.db, self.id, alive).await? {
            return Ok(Some(Step { approval, changed: false, said: Said::Nothing }));
        }
        happen(page, &approval, &Happening::Left, self.at).await.map(Some)
    }
}
