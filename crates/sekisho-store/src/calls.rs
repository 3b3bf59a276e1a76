//! Calls as rows of `calls`.

use jiff::Timestamp;
use sekisho_gate::CallId;
use sekisho_gate::ledger::StoredCall;

use crate::encoding::{json, micros};
use crate::transaction::TableFuture;
use crate::transaction_error::TransactionResult;

/// A row of `calls`.
pub(crate) struct CallRow<'a> {
    pub(crate) kept: &'a StoredCall,
    pub(crate) input: String,
    pub(crate) facts: String,
    pub(crate) created_at: i64,
    pub(crate) ended_at: Option<i64>,
}

impl<'a> CallRow<'a> {
    /// A call made at a time. A call that neither runs nor needs an approval has ended at once.
    pub(crate) fn new(kept: &'a StoredCall, at: Timestamp, ended: bool) -> TransactionResult<CallRow<'a>> {
        let input = json(&kept.call.input, "the call's input")?;
        let facts = json(&kept.facts, "the call's facts")?;
        Ok(CallRow { kept, input, facts, created_at: micros(at), ended_at: ended.then(|| micros(at)) })
    }
}

/// Operations on `calls`.
pub(crate) trait CallTable {
    fn insert_call(&self, row: &CallRow<'_>) -> impl TableFuture<()>;

    /// Marks a call as ended, unless it already is.
    fn end_call(&self, id: CallId, at: i64) -> impl TableFuture<()>;
}
