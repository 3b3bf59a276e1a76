//! Forgetting raw inputs, some at a time.
//!
//! A raw input stands in `calls`, in `tool_executions` beside what the tool gave, and in a question: in what was shown of
//! it, and in the answer that changed it. All of them go together. What may still run keeps everything.
//!
//! What stays of questions is masked between two transactions: the second one forgets what has not changed since.

use jiff::Timestamp;
use sekisho_gate::CallId;
use sekisho_gate::approval_machine::REREAD_WINDOW;

use crate::approvals::{MaskedPurge, PurgeCandidate, StoredApproval};
use crate::encoding::micros_up;
use crate::input_schemas::SchemaTable;
use crate::transaction::TableFuture;
use crate::transaction_error::TransactionResult;

/// How many calls one transaction forgets.
const AT_ONCE: usize = 500;

/// Operations on everything that holds raw inputs.
pub(crate) trait PurgeTables: SchemaTable {
    /// Calls that ended before a moment and can be forgotten, the earliest first.
    fn purgeable(&self, before: i64, limit: usize) -> impl TableFuture<Vec<CallId>>;

    /// The questions about a call, as they are kept.
    fn questions(&self, call: CallId) -> impl TableFuture<Vec<StoredApproval>>;

    /// Forgets a call's input wherever it is.
    fn purge(&self, purged: &MaskedPurge) -> impl TableFuture<()>;
}

/// The next calls to forget of those that ended before a moment, with their questions as they are kept. Forgets old schemas
/// as well.
pub(crate) async fn find_purgeable(
    tables: &mut impl PurgeTables,
    before: Timestamp,
) -> TransactionResult<Vec<PurgeCandidate>> {
    let before = micros_up(still_read(before));
    tables.forget_schemas(before).await?;
    let mut found = Vec::new();
    for call in tables.purgeable(before, AT_ONCE).await? {
        found.push(PurgeCandidate { call, questions: tables.questions(call).await? });
    }
    Ok(found)
}

/// Forgets those of some calls that are still to be forgotten and whose questions have not changed. How many.
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

/// An asker far away may read an answer again for a while, and runs what is in it.
fn still_read(before: Timestamp) -> Timestamp {
    before.checked_sub(REREAD_WINDOW).unwrap_or(Timestamp::MIN)
}
