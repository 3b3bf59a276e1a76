//! What the ledger holds, and helpers its operations share.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use sekisho_gate::approval::{Approval, ApprovalRequest};
use sekisho_gate::approval_machine::{ApprovalTrigger, Claim, Step};
use sekisho_gate::audit::masked_event;
use sekisho_gate::caller::{Caller, IdempotencyKey};
use sekisho_gate::ledger::{
    CallReference, LedgerError, RECONNECT_GRACE_S, REPLICA_LEASE_S, SpentKey, StoredCall, execution_to_start,
    void_if_spent,
};
use sekisho_gate::record::{self, AuditEntry, Event, EventPayload, Record};
use sekisho_gate::rule_store::StoredRule;
use sekisho_gate::token_store::{SecretHash, SignInLink, Token};
use sekisho_gate::{ApprovalId, CallId, Digest, ExecutionId, ReplicaId};
use sekisho_policy::Call;
use sekisho_tools::run_storage::Todo;
use serde_json::Value;
use uuid::Uuid;

use super::audit_chains::MemoryAuditLog;
use crate::inspect::{CallRow, ExecutionRow};

/// All data. Maps are ordered, so that a run can be repeated exactly.
#[derive(Default)]
pub(super) struct State {
    pub(super) calls: BTreeMap<CallId, CallRow>,
    pub(super) approvals: BTreeMap<ApprovalId, Approval>,
    /// The approvals in the order they were opened.
    pub(super) asked: Vec<ApprovalId>,
    /// The latest approval under a key.
    pub(super) latest: BTreeMap<IdempotencyKey, ApprovalId>,
    pub(super) holds: BTreeMap<ApprovalId, BTreeSet<ReplicaId>>,
    pub(super) seen: BTreeMap<ReplicaId, Timestamp>,
    pub(super) executions: BTreeMap<ExecutionId, ExecutionRow>,
    pub(super) entries: Vec<AuditEntry>,
    pub(super) events: Vec<Event>,
    pub(super) rules: Vec<StoredRule>,
    pub(super) revision: u64,
    /// The entries again, chained.
    log: MemoryAuditLog,
    /// When each call ended.
    pub(super) ended: BTreeMap<CallId, Timestamp>,
    /// The calls that end with an execution.
    pub(super) ends: BTreeMap<ExecutionId, Vec<CallId>>,
    /// The call of each execution, by the id its caller gave it; empty if it gave none.
    pub(super) names: BTreeMap<ExecutionId, CallReference>,
    /// What durable keys were spent on.
    pub(super) spent: BTreeMap<IdempotencyKey, SpentKey>,
    /// Schemas of inputs by tool and version, with when they were last used.
    pub(super) schemas: BTreeMap<(String, Digest), (Value, Timestamp)>,
    /// The calls whose input was purged.
    pub(super) purged: BTreeSet<CallId>,
    /// The calls that needed no approval.
    pub(super) admitted: BTreeMap<CallId, StoredCall>,
    /// The tokens in creation order, with their holders' notification settings.
    pub(super) tokens: Vec<(Token, Option<Value>)>,
    pub(super) links: BTreeMap<SecretHash, SignInLink>,
    /// The to-do lists of runs, with when they were written.
    pub(super) todos: BTreeMap<Uuid, (Vec<Todo>, Timestamp)>,
    /// The outputs of runs by run and id, with when they were stored.
    pub(super) outputs: BTreeMap<(Uuid, Uuid), (String, Timestamp)>,
}

impl State {
    /// The number of the last event.
    pub(super) fn head(&self) -> u64 {
        self.events.last().map_or(0, |event| event.seq)
    }

    pub(super) fn write(&mut self, record: Record) {
        let at = record.entry.at;
        self.log.write(record.entry.clone());
        let change = match &record.event {
            Some(EventPayload::Part { .. }) => {
                let row = self.log().rows.last();
                row.and_then(|row| masked_event(&record, row)).map(Cow::into_owned)
            }
            change => change.clone(),
        };
        self.entries.push(record.entry);
        if let Some(change) = change {
            let seq = self.head() + 1;
            self.events.push(Event { seq, at, change });
        }
    }

    /// The audit log, with all entries chained.
    pub(super) fn log(&mut self) -> &mut MemoryAuditLog {
        self.log.catch_up();
        &mut self.log
    }

    pub(super) fn pending(&self) -> impl Iterator<Item = &Approval> {
        self.asked.iter().filter_map(|id| self.approvals.get(id)).filter(|approval| approval.is_pending())
    }

    pub(super) fn saw(&mut self, replica: ReplicaId, at: Timestamp) {
        let seen = self.seen.entry(replica).or_insert(at);
        *seen = at.max(*seen);
    }

    /// Fails if the approval or its call already exists.
    pub(super) fn is_new(&self, approval: &Approval) -> Result<(), LedgerError> {
        if self.approvals.contains_key(&approval.id) || self.calls.contains_key(&approval.asked.call_id) {
            return Err(LedgerError::permanent(format!("approval `{}` already exists", approval.id)));
        }
        Ok(())
    }

    pub(super) fn keep_call(&mut self, call: CallRow) -> Result<(), LedgerError> {
        if self.calls.contains_key(&call.id) {
            return Err(LedgerError::permanent(format!("call `{}` already exists", call.id)));
        }
        self.calls.insert(call.id, call);
        Ok(())
    }

    pub(super) fn start(&mut self, execution: ExecutionRow) -> Result<(), LedgerError> {
        if self.executions.contains_key(&execution.id) {
            return Err(LedgerError::permanent(format!("execution `{}` already exists", execution.id)));
        }
        self.executions.insert(execution.id, execution);
        Ok(())
    }

    /// Records whose call an execution is, and that its durable key is spent.
    pub(super) fn began(&mut self, execution: ExecutionId, asker: &Caller, call: &Call, digest: Digest) {
        let credential = asker.credential.clone();
        let unnamed = CallReference { credential, run_id: call.run_id.clone(), call_id: String::new() };
        let name = CallReference::of(&asker.credential, call).unwrap_or(unnamed);
        self.names.insert(execution, name);
        if let Some(key) = IdempotencyKey::for_durable_call(asker, call) {
            self.spent.insert(key, SpentKey { execution, digest });
        }
    }

    /// Applies a trigger and writes everything that follows from it.
    pub(super) fn step(
        &mut self,
        id: ApprovalId,
        trigger: &ApprovalTrigger,
        at: Timestamp,
    ) -> Result<Option<Step>, LedgerError> {
        let Some(before) = self.approvals.get(&id).cloned() else { return Ok(None) };
        let claims =
            matches!(trigger, ApprovalTrigger::Claimed(Claim::Run(_))) && before.fate.claimed.is_none();
        let spent =
            before.asked.durable_key().filter(|_| claims).is_some_and(|key| self.spent.contains_key(&key));
        let trigger = if spent { &void_if_spent(trigger.clone()) } else { trigger };
        let step = before.step(trigger, at);
        if !step.changed {
            return Ok(Some(step));
        }
        if let Some((execution, tool)) = execution_to_start(trigger, &step) {
            self.start(ExecutionRow::permitted(execution, tool, Some(id), at))?;
            self.ends.insert(execution, calls_of(&step.approval));
            let asked = &step.approval.asked;
            self.began(execution, &asked.asker, &asked.call, asked.digest);
        }
        if let Some(call) = edited_call(&before, &step.approval) {
            self.keep_call(call)?;
        }
        if step.approval.is_finished() {
            self.end(&calls_of(&step.approval), at);
        }
        self.approvals.insert(id, step.approval.clone());
        for record in record::step_records(&before, &step.approval, at) {
            self.write(record);
        }
        if !step.approval.is_pending() {
            self.holds.remove(&id);
        }
        Ok(Some(step))
    }

    pub(super) fn end(&mut self, calls: &[CallId], at: Timestamp) {
        for call in calls {
            self.ended.entry(*call).or_insert(at);
        }
    }

    /// Whether a live replica has a waiter for an approval.
    pub(super) fn is_held(&self, id: ApprovalId, at: Timestamp) -> bool {
        let lease = SignedDuration::from_secs(REPLICA_LEASE_S);
        self.seen_holders(id).any(|seen| at.duration_since(seen) < lease)
    }

    /// When an approval counts as abandoned unless a holder of it is seen; `None` if it outlives its caller.
    pub(super) fn abandoned_at(&self, approval: &Approval) -> Option<Timestamp> {
        let seen = self.seen_holders(approval.id).max().unwrap_or(approval.asked.at);
        let until = seen.saturating_add(SignedDuration::from_secs(RECONNECT_GRACE_S)).ok();
        until.filter(|_| !approval.outlives_caller())
    }

    fn seen_holders(&self, id: ApprovalId) -> impl Iterator<Item = Timestamp> {
        let holders = self.holds.get(&id).into_iter().flatten();
        holders.filter_map(|replica| self.seen.get(replica).copied())
    }
}

/// The call an approval is about, and the edited call that replaced it.
fn calls_of(approval: &Approval) -> Vec<CallId> {
    let edited = approval.fate.state.answered().and_then(|answered| answered.edited.as_ref());
    [approval.asked.call_id].into_iter().chain(edited.map(|edited| edited.call_id)).collect()
}

pub(super) fn asked_call(asked: &ApprovalRequest) -> CallRow {
    CallRow {
        id: asked.call_id,
        tool: asked.call.tool.clone(),
        input: asked.call.input.clone(),
        digest: asked.digest,
    }
}

/// The edited call, if this step took an answer that edited the input. Stored even if a rule denies it,
/// because the audit log names it.
fn edited_call(before: &Approval, after: &Approval) -> Option<CallRow> {
    let answered = after.fate.state.answered().filter(|_| before.is_pending())?;
    let edited = answered.edited.as_ref()?;
    let input = answered.answer.updated_input.clone()?;
    Some(CallRow { id: edited.call_id, tool: after.asked.call.tool.clone(), input, digest: edited.digest })
}
