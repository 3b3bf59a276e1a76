//! Forgetting raw inputs, some at a time.
//!
//! A raw input stands in `calls`, in `tool_executions` beside what the tool gave, and in a question: in what was shown of
//! it, and in the answer that changed it. All of them go together. What may still run keeps everything.

use jiff::Timestamp;
use sekisho_gate::CallId;
use sekisho_gate::machine::REREAD;
use sekisho_gate::mask::Masks;

use crate::encoding::micros_up;
use crate::fault::Scripted;
use crate::schemas::SchemaTable;
use crate::transaction::{Given, Transaction};

/// How many calls one transaction forgets.
const AT_ONCE: usize = 500;

/// Operations on everything that holds raw inputs.
pub(crate) trait PurgeTables: SchemaTable + Transaction {
    /// Calls that ended before a moment and can be forgotten, the earliest first.
    fn purgeable(&self, before: i64, limit: usize) -> impl Given<Vec<CallId>>;

    /// Forgets a call's input wherever it is.
    fn purge(&self, call: CallId, masks: &Masks) -> impl Given<()>;
}

/// Forgets calls that ended before a moment. How many; none when there are no more.
pub(crate) async fn purge_some(tables: &mut impl PurgeTables, before: Timestamp) -> Scripted<u64> {
    // An asker far away may read an answer again for a while, and runs what is in it.
    let before = micros_up(before.checked_sub(REREAD).unwrap_or(Timestamp::MIN));
    let masks = tables.seal().masks;
    tables.forget_schemas(before).await?;
    let calls = tables.purgeable(before, AT_ONCE).await?;
    for call in &calls {
        tables.purge(*call, &masks).await?;
    }
    Ok(calls.len() as u64)
}
