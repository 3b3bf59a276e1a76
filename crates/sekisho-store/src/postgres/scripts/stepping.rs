//! One step of one question.

use jiff::Timestamp;
use sekisho_gate::ApprovalId;
use sekisho_gate::approval::Approval;
use sekisho_gate::asker::Key;
use sekisho_gate::ledger::{execution_of, void_where_spent};
use sekisho_gate::machine::{Claim, Happening, Step};
use sekisho_gate::record::{Entry, stepped};

use super::super::db::Db;
use super::super::page::Page;
use super::{Script, lock_of, tables};
use crate::fault::Scripted;
use crate::rows::{CallRow, ExecutionRow, edited_call, micros};

/// Something happens to a question.
pub(in crate::postgres) struct Take {
    pub(in crate::postgres) id: ApprovalId,
    pub(in crate::postgres) happening: Happening,
    pub(in crate::postgres) at: Timestamp,
}

impl Script for Take {
    type Given = Option<Step>;

    fn locks(&self) -> Option<i64> {
        Some(lock_of(self.id.0))
    }

    const READS_AHEAD: bool = true;

    /// As far as they can be told from the question alone.
    async fn read_ahead(&self, db: &Db<'_>) -> Scripted<Vec<Entry>> {
        let Some(before) = tables::approvals::by_id(db, self.id).await? else { return Ok(Vec::new()) };
        let after = before.step(&self.happening, self.at).approval;
        Ok(stepped(&before, &after, self.at).into_iter().map(|record| record.entry).collect())
    }

    async fn run(&self, page: &mut Page<'_>) -> Scripted<Option<Step>> {
        let Some(before) = tables::approvals::take(&page.db, self.id).await? else { return Ok(None) };
        happen(page, &before, &self.happening, self.at).await.map(Some)
    }
}

/// Lets something happen to a question that was just read and locked, and writes all that follows from it.
pub(super) async fn happen(
    page: &mut Page<'_>,
    before: &Approval,
    happening: &Happening,
    at: Timestamp,
) -> Scripted<Step> {
    let happening = match is_spent(page, before, happening).await? {
        true => &void_where_spent(happening.clone()),
        false => happening,
    };
    let step = before.step(happening, at);
    if !step.changed {
        return Ok(step);
    }
    let after = &step.approval;
    tables::approvals::update(&page.db, after.id, &before.fate, &after.fate).await?;
    if !after.is_pending() {
        tables::approvals::release_all(&page.db, after.id).await?;
    }
    if let Some(edited) = edited_call(before, after) {
        tables::calls::insert(&page.db, &[CallRow::new(&edited, at, false)?]).await?;
    }
    if let Some((execution, tool, input)) = execution_of(happening, &step) {
        let call = (after.call_id_to_run(), &after.asked.call, &after.asked.asker);
        let row = ExecutionRow::new(execution, call, (&tool, &input), Some(after.id), at)?;
        tables::executions::start(&page.db, &[row]).await?;
    }
    if after.is_over() {
        tables::calls::end(&page.db, after.asked.call_id, micros(at)).await?;
        tables::calls::end(&page.db, after.call_id_to_run(), micros(at)).await?;
    }
    for record in stepped(before, after, at) {
        page.append(&record)?;
    }
    Ok(step)
}

/// Whether a claim to run the call comes after its durable key was spent elsewhere.
async fn is_spent(page: &Page<'_>, before: &Approval, happening: &Happening) -> Scripted<bool> {
    let claims = matches!(happening, Happening::Claimed(Claim::Run(_))) && before.fate.claimed.is_none();
    match Key::once(&before.asked.asker, &before.asked.call).filter(|_| claims) {
        Some(key) => Ok(tables::executions::spent(&page.db, &key).await?.is_some()),
        None => Ok(false),
    }
}
