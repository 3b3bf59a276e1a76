//! Calls as they were judged: a line of the log, the call it is about, and the question that came of it.

use std::collections::HashSet;

use sekisho_gate::ledger::PastCall;
use sekisho_gate::{ApprovalId, CallId};
use sekisho_policy::{Call, Decision, Facts, IdClaim};
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::approvals::requested_call;
use crate::encoding::{from_micros, parsed};
use crate::transaction_error::{TransactionError, TransactionResult};

/// What is read of one.
pub(crate) struct PastCallRow {
    /// Its line's place in the order of time: moment, writer, number.
    pub(crate) place: (i64, Uuid, i64),
    pub(crate) decision: Option<String>,
    pub(crate) body: String,
    pub(crate) call_id: Uuid,
    /// The call without its input, its names as they were claimed.
    pub(crate) call: Call,
    pub(crate) input: String,
    /// As they were found; none of a call that was kept before they were.
    pub(crate) facts: Option<String>,
    pub(crate) credential: String,
    pub(crate) approval: Option<Uuid>,
    /// What was asked, which says whose names were proven.
    pub(crate) asked: Option<String>,
}

/// A name that nothing says was proven.
pub(crate) fn claimed(name: Option<String>) -> Option<IdClaim> {
    name.map(IdClaim::claimed)
}

impl PastCallRow {
    fn into_past(self) -> TransactionResult<PastCall> {
        let id = CallId(self.call_id);
        let decision = self.decision.as_deref().unwrap_or("none");
        let decision = [Decision::Allow, Decision::Confirm, Decision::Deny]
            .into_iter()
            .find(|known| known.name() == decision)
            .ok_or_else(|| {
                TransactionError::inconsistent(format!("call `{id}` was decided as `{decision}`"))
            })?;
        let call = match &self.asked {
            Some(asked) => requested_call(asked, &self.input)?,
            None => Call { input: parsed(&self.input, "the call's input")?, ..self.call },
        };
        Ok(PastCall {
            id,
            at: from_micros(self.place.0)?,
            call,
            credential: self.credential,
            decision,
            facts: match &self.facts {
                Some(facts) => parsed(facts, "the call's facts")?,
                None => facts(&self.body),
            },
            approval: self.approval.map(ApprovalId),
        })
    }
}

/// The facts in a line, for calls that were kept without theirs. What was masked may not be readable: unknown never allows.
fn facts(body: &str) -> Facts {
    let body: Map<String, Value> = serde_json::from_str(body).unwrap_or_default();
    let facts = body.get("facts").cloned().map(serde_json::from_value);
    facts.and_then(Result::ok).unwrap_or_default()
}

/// The newest of them, each call once.
pub(crate) fn newest(mut rows: Vec<PastCallRow>, limit: usize) -> TransactionResult<Vec<PastCall>> {
    rows.sort_by_key(|row| std::cmp::Reverse(row.place));
    let mut seen = HashSet::new();
    let once = rows.into_iter().filter(|row| seen.insert(row.call_id));
    once.take(limit).map(PastCallRow::into_past).collect()
}
