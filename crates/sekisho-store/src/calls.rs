//! Calls.

use jiff::Timestamp;
use sekisho_gate::ledger::KeptCall;

use crate::encoding::{json, micros};
use crate::fault::Scripted;

/// A row of `calls`.
pub(crate) struct CallRow<'a> {
    pub(crate) kept: &'a KeptCall,
    pub(crate) input: String,
    pub(crate) facts: String,
    pub(crate) created_at: i64,
    pub(crate) ended_at: Option<i64>,
}

impl<'a> CallRow<'a> {
    /// A call made at a moment. One that neither runs nor asks has ended with it.
    pub(crate) fn new(kept: &'a KeptCall, at: Timestamp, ended: bool) -> Scripted<CallRow<'a>> {
        let input = json(&kept.call.input, "the call's input")?;
        let facts = json(&kept.facts, "the call's facts")?;
        Ok(CallRow { kept, input, facts, created_at: micros(at), ended_at: ended.then(|| micros(at)) })
    }
}
