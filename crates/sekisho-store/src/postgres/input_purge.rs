//! Purges raw inputs.

use jiff::Timestamp;
use sekisho_gate::CallId;
use serde_json::Value;

use super::connection::PgConnection;
use super::open_transaction::OpenTransaction;
use super::transaction_impl::operations;
use super::write_operation::{PRUNING, WriteOperation};
use crate::approvals::{MaskedPurge, PurgeCandidate, StoredApproval};
use crate::encoding::{parsed, saturating_column};
use crate::input_purge::{PurgeTables, find_purgeable, purge_some};
use crate::transaction_error::TransactionResult;

const RAW_INPUT: &str = "SELECT input FROM calls WHERE id = $1";

/// A call's input; `None` if there is no such call or its input was purged.
pub(crate) async fn raw_input(db: &PgConnection<'_>, call: CallId) -> TransactionResult<Option<Value>> {
    let Some(row) = db.row(RAW_INPUT, &[&call.0]).await? else { return Ok(None) };
    let text: Option<&str> = row.try_get(0)?;
    text.map(|text| parsed(text, "the call's input")).transpose()
}

/// Calls that ended before a time and still have their input. Calls that may still run are excluded, whatever
/// else the row says.
const PURGEABLE: &str = "SELECT c.id FROM calls c \
    WHERE c.ended_at < $1 AND c.ended_at IS NOT NULL AND c.input IS NOT NULL AND NOT EXISTS (\
        SELECT 1 FROM approvals a WHERE a.call = c.id \
        AND (a.state = 'pending' OR (a.state = 'approved' AND a.claimed_at IS NULL))) \
    ORDER BY c.ended_at LIMIT $2 FOR UPDATE SKIP LOCKED";

/// Calls that ended before a time and can be purged, earliest first.
pub(crate) async fn purgeable(
    db: &PgConnection<'_>,
    before: i64,
    limit: usize,
) -> TransactionResult<Vec<CallId>> {
    let rows = db.rows(PURGEABLE, &[&before, &saturating_column(limit)]).await?;
    rows.iter().map(|row| Ok(CallId(row.try_get(0)?))).collect()
}

const QUESTIONS_OF: &str = "SELECT id, asked, fate FROM approvals WHERE call = $1 FOR UPDATE";

/// The approvals of a call, as stored.
pub(crate) async fn questions(db: &PgConnection<'_>, call: CallId) -> TransactionResult<Vec<StoredApproval>> {
    let rows = db.rows(QUESTIONS_OF, &[&call.0]).await?;
    let questions = rows
        .iter()
        .map(|row| Ok(StoredApproval { id: row.try_get(0)?, asked: row.try_get(1)?, fate: row.try_get(2)? }));
    questions.collect()
}

const PURGE_CALL: &str = "UPDATE calls SET input = NULL, facts = NULL WHERE id = $1";

const PURGE_EXECUTIONS: &str = "UPDATE tool_executions SET input = 'null', output = NULL WHERE call = $1";

const PURGE_QUESTION: &str = "UPDATE approvals SET asked = $2, fate = $3 WHERE id = $1";

/// Removes every copy of a call's input.
pub(crate) async fn purge(db: &PgConnection<'_>, purged: &MaskedPurge) -> TransactionResult<()> {
    db.run(PURGE_CALL, &[&purged.call.0]).await?;
    db.run(PURGE_EXECUTIONS, &[&purged.call.0]).await?;
    for question in purged.masked() {
        db.run(PURGE_QUESTION, &[&question.id, &question.asked, &question.fate]).await?;
    }
    Ok(())
}

operations! {
    impl PurgeTables for OpenTransaction<'_> {
        purgeable(before: i64, limit: usize) -> Vec<CallId> = purgeable;
        questions(call: CallId) -> Vec<StoredApproval> = questions;
        input_of(call: CallId) -> Option<Value> = raw_input;
        purge(purged: &MaskedPurge) -> () = purge;
    }
}

/// Finds the next calls to purge among those that ended before a time.
pub(super) struct FindPurgeable(pub(super) Timestamp);

impl WriteOperation for FindPurgeable {
    type Outcome = Vec<PurgeCandidate>;

    fn locks(&self) -> Option<i64> {
        Some(PRUNING)
    }

    async fn run(&self, tx: &mut OpenTransaction<'_>) -> TransactionResult<Vec<PurgeCandidate>> {
        find_purgeable(tx, self.0).await
    }
}

/// Purges calls whose approvals were masked.
pub(super) struct PurgeSome {
    pub(super) before: Timestamp,
    pub(super) masked: Vec<MaskedPurge>,
}

impl WriteOperation for PurgeSome {
    type Outcome = u64;

    fn locks(&self) -> Option<i64> {
        Some(PRUNING)
    }

    async fn run(&self, tx: &mut OpenTransaction<'_>) -> TransactionResult<u64> {
        purge_some(tx, self.before, &self.masked).await
    }
}
