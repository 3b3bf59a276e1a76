//! Forgetting raw inputs.

use jiff::Timestamp;
use sekisho_gate::CallId;
use sekisho_gate::mask::Masks;
use serde_json::Value;
use uuid::Uuid;

use super::db::Db;
use super::page::Page;
use super::script::{PRUNING, Script};
use super::transaction::operations;
use crate::approvals::purged;
use crate::encoding::{bounded, parsed};
use crate::fault::Scripted;
use crate::purging::{PurgeTables, purge_some};

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

const PURGE_CALL: &str = "UPDATE calls SET input = NULL, facts = NULL WHERE id = $1";

const PURGE_EXECUTIONS: &str = "UPDATE tool_executions SET input = 'null', output = NULL WHERE call = $1";

const QUESTIONS_OF: &str = "SELECT id, asked, fate FROM approvals WHERE call = $1 FOR UPDATE";

const PURGE_QUESTION: &str = "UPDATE approvals SET asked = $2, fate = $3 WHERE id = $1";

/// Forgets a call's input wherever it is.
pub(crate) async fn purge(db: &Db<'_>, call: CallId, masks: &Masks) -> Scripted<()> {
    db.run(PURGE_CALL, &[&call.0]).await?;
    db.run(PURGE_EXECUTIONS, &[&call.0]).await?;
    for row in db.rows(QUESTIONS_OF, &[&call.0]).await? {
        let id: Uuid = row.try_get(0)?;
        let (asked, fate) = purged(row.try_get(1)?, row.try_get(2)?, masks)?;
        db.run(PURGE_QUESTION, &[&id, &asked, &fate.fate]).await?;
    }
    Ok(())
}

operations! {
    impl PurgeTables for Page<'_> {
        purgeable(before: i64, limit: usize) -> Vec<CallId> = purgeable;
        purge(call: CallId, masks: &Masks) -> () = purge;
    }
}

/// Forgets calls that ended before a moment.
pub(super) struct PurgeSome(pub(super) Timestamp);

impl Script for PurgeSome {
    type Given = u64;

    fn locks(&self) -> Option<i64> {
        Some(PRUNING)
    }

    async fn run(&self, page: &mut Page<'_>) -> Scripted<u64> {
        purge_some(page, self.0).await
    }
}
