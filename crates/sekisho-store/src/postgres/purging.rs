//! Forgetting raw inputs.

use jiff::Timestamp;
use sekisho_gate::CallId;
use serde_json::Value;

use super::db::Db;
use super::page::Page;
use super::script::{PRUNING, Script};
use super::transaction::operations;
use crate::approvals::{KeptQuestion, Purgeable, Purged};
use crate::encoding::{bounded, parsed};
use crate::fault::Scripted;
use crate::purging::{PurgeTables, find_purgeable, purge_some};

const RAW_INPUT: &str = "SELECT input FROM calls WHERE id = $1";

/// A call's input; none where there is no such call, or no input any more.
pub(crate) async fn raw_input(db: &Db<'_>, call: CallId) -> Scripted<Option<Value>> {
    let Some(row) = db.row(RAW_INPUT, &[&call.0]).await? else { return Ok(None) };
    let text: Option<&str> = row.try_get(0)?;
    text.map(|text| parsed(text, "the call's input")).transpose()
}

/// Calls that ended before a moment and still have their input. What may still run is none of them, whatever else the
/// row says.
const PURGEABLE: &str = "SELECT c.id FROM calls c \
    WHERE c.ended_at < $1 AND c.ended_at IS NOT NULL AND c.input IS NOT NULL AND NOT EXISTS (\
        SELECT 1 FROM approvals a WHERE a.call = c.id \
        AND (a.state = 'pending' OR (a.state = 'approved' AND a.claimed_at IS NULL))) \
    ORDER BY c.ended_at LIMIT $2 FOR UPDATE SKIP LOCKED";

/// Calls that ended before a moment and can be forgotten, the earliest first.
pub(crate) async fn purgeable(db: &Db<'_>, before: i64, limit: usize) -> Scripted<Vec<CallId>> {
    let rows = db.rows(PURGEABLE, &[&before, &bounded(limit)]).await?;
    rows.iter().map(|row| Ok(CallId(row.try_get(0)?))).collect()
}

const QUESTIONS_OF: &str = "SELECT id, asked, fate FROM approvals WHERE call = $1 FOR UPDATE";

/// The questions about a call, as they are kept.
pub(crate) async fn questions(db: &Db<'_>, call: CallId) -> Scripted<Vec<KeptQuestion>> {
    let rows = db.rows(QUESTIONS_OF, &[&call.0]).await?;
    let questions = rows
        .iter()
        .map(|row| Ok(KeptQuestion { id: row.try_get(0)?, asked: row.try_get(1)?, fate: row.try_get(2)? }));
    questions.collect()
}

const PURGE_CALL: &str = "UPDATE calls SET input = NULL, facts = NULL WHERE id = $1";

const PURGE_EXECUTIONS: &str = "UPDATE tool_executions SET input = 'null', output = NULL WHERE call = $1";

const PURGE_QUESTION: &str = "UPDATE approvals SET asked = $2, fate = $3 WHERE id = $1";

/// Forgets a call's input wherever it is.
pub(crate) async fn purge(db: &Db<'_>, purged: &Purged) -> Scripted<()> {
    db.run(PURGE_CALL, &[&purged.call.0]).await?;
    db.run(PURGE_EXECUTIONS, &[&purged.call.0]).await?;
    for question in purged.masked() {
        db.run(PURGE_QUESTION, &[&question.id, &question.asked, &question.fate]).await?;
    }
    Ok(())
}

operations! {
    impl PurgeTables for Page<'_> {
        purgeable(before: i64, limit: usize) -> Vec<CallId> = purgeable;
        questions(call: CallId) -> Vec<KeptQuestion> = questions;
        purge(purged: &Purged) -> () = purge;
    }
}

/// Finds the next calls to forget of those that ended before a moment.
pub(super) struct FindPurgeable(pub(super) Timestamp);

impl Script for FindPurgeable {
    type Given = Vec<Purgeable>;

    fn locks(&self) -> Option<i64> {
        Some(PRUNING)
    }

    async fn run(&self, page: &mut Page<'_>) -> Scripted<Vec<Purgeable>> {
        find_purgeable(page, self.0).await
    }
}

/// Forgets calls whose questions were masked.
pub(super) struct PurgeSome {
    pub(super) before: Timestamp,
    pub(super) masked: Vec<Purged>,
}

impl Script for PurgeSome {
    type Given = u64;

    fn locks(&self) -> Option<i64> {
        Some(PRUNING)
    }

    async fn run(&self, page: &mut Page<'_>) -> Scripted<u64> {
        purge_some(page, self.before, &self.masked).await
    }
}
