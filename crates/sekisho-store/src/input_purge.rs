//! Purges raw inputs in batches.
//!
//! A raw input is stored in `calls`, in `tool_executions` beside the tool's output, and in an approval: in
//! what was displayed, and in an answer that edited it. All copies are purged together. Calls that may still
//! run keep everything.
//!
//! Approvals are masked between two transactions. The second purges only those that have not changed in
//! between.

use jiff::Timestamp;
use sekisho_gate::CallId;
use sekisho_gate::approval_machine::REREAD_WINDOW;
use serde_json::Value;

use crate::approvals::{MaskedPurge, PurgeCandidate, StoredApproval};
use crate::encoding::micros_up;
use crate::input_schemas::SchemaTable;
use crate::run_storage::{RunTables, forget_unused};
use crate::transaction::TableFuture;
use crate::transaction_error::TransactionResult;

/// How many calls one transaction purges.
const AT_ONCE: usize = 500;

/// Operations on all tables that hold raw inputs.
pub(crate) trait PurgeTables: SchemaTable + RunTables {
    /// Calls that ended before a time and can be purged, earliest first.
    fn purgeable(&self, before: i64, limit: usize) -> impl TableFuture<Vec<CallId>>;

    /// The approvals of a call, as stored.
    fn questions(&self, call: CallId) -> impl TableFuture<Vec<StoredApproval>>;

    /// The input of a call, if it has one.
    fn input_of(&self, call: CallId) -> impl TableFuture<Option<Value>>;

    /// Removes every copy of a call's input.
    fn purge(&self, purged: &MaskedPurge) -> impl TableFuture<()>;
}

/// The next calls to purge among those that ended before a time, with their approvals as stored. Deletes old
/// schemas and unused data of runs too.
pub(crate) async fn find_purgeable(
    tables: &mut impl PurgeTables,
    before: Timestamp,
) -> TransactionResult<Vec<PurgeCandidate>> {
    let before = micros_up(still_read(before));
    tables.forget_schemas(before).await?;
    forget_unused(tables, before).await?;
    let mut found = Vec::new();
    for call in tables.purgeable(before, AT_ONCE).await? {
        let questions = tables.questions(call).await?;
        let input = if questions.is_empty() { None } else { tables.input_of(call).await? };
        found.push(PurgeCandidate { call, input, questions });
    }
    Ok(found)
}

/// Purges those of the given calls that are still due and whose approvals have not changed. Returns how many.
pub(crate) async fn purge_some(
    tables: &mut impl PurgeTables,
    before: Timestamp,
    masked: &[MaskedPurge],
) -> TransactionResult<u64> {
    let calls = tables.purgeable(micros_up(still_read(before)), AT_ONCE).await?;
    let mut forgotten = 0;
    for purged in masked.iter().filter(|purged| calls.contains(&purged.call)) {
        if purged.is_of(&tables.questions(purged.call).await?) {
            tables.purge(purged).await?;
            forgotten += 1;
        }
    }
    Ok(forgotten)
}

/// A remote caller may read an answer again for a while, and runs the input in it.
pub(crate) fn still_read(before: Timestamp) -> Timestamp {
    before.checked_sub(REREAD_WINDOW).unwrap_or(Timestamp::MIN)
}
