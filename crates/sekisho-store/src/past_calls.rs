//! Past calls: an audit entry, its call, and the approval that followed, if any.

use std::collections::HashSet;

use sekisho_gate::ledger::PastCall;
use sekisho_gate::{ApprovalId, CallId};
use sekisho_policy::{Call, Decision, Facts, IdClaim};
use serde_json::{Map, Value};
use uuid::Uuid;

use crate::approvals::requested_call;
use crate::encoding::{from_micros, parsed};
use crate::transaction_error::{TransactionError, TransactionResult};

/// The columns of one past call.
pub(crate) struct PastCallRow {
    /// Position of its audit entry in time order: time, writer, sequence number.
    pub(crate) place: (i64, Uuid, i64),
    pub(crate) decision: Option<String>,
    pub(crate) body: String,
    pub(crate) call_id: Uuid,
    /// The call without its input; its ids are claims.
    pub(crate) call: Call,
    pub(crate) input: String,
    /// The facts it was judged with. `None` for a call stored by a version that did not keep facts.
    pub(crate) facts: Option<String>,
    pub(crate) credential: String,
    pub(crate) approval: Option<Uuid>,
    /// The approval request, which says whose ids were proven.
    pub(crate) asked: Option<String>,
}

/// An id that is not known to be proven.
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
                TransactionError::inconsistent(format!("call `{id}` has the unknown decision `{decision}`"))
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

/// The facts in an audit entry, for calls stored without their own. If masking made them unreadable they
/// count as unknown, and unknown never allows.
fn facts(body: &str) -> Facts {
    let body: Map<String, Value> = serde_json::from_str(body).unwrap_or_default();
    let facts = body.get("facts").cloned().map(serde_json::from_value);
    facts.and_then(Result::ok).unwrap_or_default()
}

/// The newest past calls, each call once.
pub(crate) fn newest(mut rows: Vec<PastCallRow>, limit: usize) -> TransactionResult<Vec<PastCall>> {
    rows.sort_by_key(|row| std::cmp::Reverse(row.place));
    let mut seen = HashSet::new();
    let once = rows.into_iter().filter(|row| seen.insert(row.call_id));
    once.take(limit).map(PastCallRow::into_past).collect()
}
