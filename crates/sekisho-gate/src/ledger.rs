//! The ledger port, which a store implements: approvals, calls, executions and events.
//!
//! A write is atomic and durable when it returns. No call is permitted without a write.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use jiff::{SignedDuration, Timestamp};
use sekisho_policy::{Call, Decision, Facts};
use serde_json::Value;

use crate::approval::Approval;
use crate::approval_machine::{ApprovalTrigger, Claim, Step, StepOutcome};
use crate::caller::{Caller, ExecutionSite, IdempotencyKey};
use crate::ids::{ApprovalId, CallId, ExecutionId, ReplicaId};
use crate::input_schema::InputSchema;
use crate::ledger_write_proof::WriteAccess;
use crate::record::{Event, Record};
use sekisho_policy::Digest;

pub use crate::execution_outcome::{ExecutionOutcome, ProgramExit};

/// A boxed future. Not bound to any runtime.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// The future of a ledger operation.
pub type LedgerFuture<'a, T> = BoxFuture<'a, Result<T, LedgerError>>;

/// Reads verdicts, approvals, answers and events. Needs no write access.
pub trait LedgerReader: Send + Sync {
    /// Reads one approval.
    fn approval(&self, id: ApprovalId) -> LedgerFuture<'_, Option<Approval>>;

    /// Reads one execution.
    fn execution(&self, id: ExecutionId) -> LedgerFuture<'_, Option<Execution>>;

    /// The newest execution of a call, by the id its caller gave it.
    fn latest_execution(&self, call: CallReference) -> LedgerFuture<'_, Option<ExecutionId>>;

    /// The JSON Schema, named by an approval, of a tool's input.
    fn input_schema(&self, tool: String, version: Digest) -> LedgerFuture<'_, Option<Value>>;

    /// Pending approvals after the given one, oldest first.
    fn pending(&self, after: Option<ApprovalId>, limit: usize) -> LedgerFuture<'_, Vec<Approval>>;

    /// Approvals that match a query, newest first.
    fn approvals(&self, query: ApprovalQuery) -> LedgerFuture<'_, Vec<Approval>>;

    /// The newest calls whose raw input has not been purged, as they were judged, newest first. For trying
    /// rules on past calls.
    fn past_calls(&self, limit: usize) -> LedgerFuture<'_, Vec<PastCall>>;

    /// All pending approvals, and the number of the last event they reflect.
    fn snapshot(&self) -> LedgerFuture<'_, Snapshot>;

    /// Events after the given one, in order. Empty if there are none yet.
    fn events(&self, after: u64, limit: usize) -> LedgerFuture<'_, Vec<Event>>;

    /// The number of the last event, updated as it grows. Includes events of other replicas.
    fn head(&self) -> tokio::sync::watch::Receiver<u64>;
}

/// Stores verdicts, approvals, answers and events. Every write takes the gate's [`WriteAccess`].
pub trait Ledger: LedgerReader {
    /// Records a call that runs or is refused without an approval. A call whose durable key was spent
    /// ([`IdempotencyKey::for_durable_call`]) is not recorded again, and a call with an earlier
    /// approval takes that answer. [`match_spent_key`] and [`match_earlier_answer`] decide, inside the
    /// transaction.
    fn admit(&self, access: &WriteAccess, admission: Admission) -> LedgerFuture<'_, AdmissionOutcome>;

    /// Opens an approval, or finds an earlier one: [`match_open_request`] decides, inside the
    /// transaction. A spent durable key takes precedence.
    fn open(&self, access: &WriteAccess, opening: NewApproval) -> LedgerFuture<'_, OpenOutcome>;

    /// Applies a trigger to an approval with [`Approval::step`], inside the transaction. `None` if
    /// there is no such approval.
    ///
    /// An accepted claim to run writes the first row of the execution as well. If the call's durable
    /// key was spent on another execution, the claim becomes void instead.
    fn step(
        &self,
        access: &WriteAccess,
        id: ApprovalId,
        trigger: ApprovalTrigger,
        at: Timestamp,
    ) -> LedgerFuture<'_, Option<Step>>;

    /// Reports that this replica no longer has a waiter for an approval. If no other live replica has one,
    /// applies [`ApprovalTrigger::WaitersLeft`].
    fn leave(
        &self,
        access: &WriteAccess,
        id: ApprovalId,
        replica: ReplicaId,
        at: Timestamp,
    ) -> LedgerFuture<'_, Option<Step>>;

    /// Marks a replica as alive, and ends approvals that expired or whose replicas were lost.
    fn sweep(
        &self,
        access: &WriteAccess,
        replica: ReplicaId,
        at: Timestamp,
    ) -> LedgerFuture<'_, SweepOutcome>;

    /// Records that a permitted call is about to run here, with its audit record. Returns `false`, and
    /// writes nothing, if no execution with that id waits to begin.
    fn begin(
        &self,
        access: &WriteAccess,
        execution: ExecutionId,
        start: ExecutionStart,
    ) -> LedgerFuture<'_, bool>;

    /// Records how an execution ended. Returns `false` if no execution with that id is running.
    fn finish(
        &self,
        access: &WriteAccess,
        execution: ExecutionId,
        outcome: ExecutionOutcome,
    ) -> LedgerFuture<'_, bool>;

    /// Ends an execution that was recorded and never permitted. Its durable key is free again, and the
    /// answer that allowed it becomes void ([`ApprovalTrigger::Retracted`]).
    fn retract(
        &self,
        access: &WriteAccess,
        execution: ExecutionId,
        outcome: ExecutionOutcome,
    ) -> LedgerFuture<'_, bool>;

    /// Appends other records to the audit log.
    fn append_records(&self, access: &WriteAccess, records: Vec<Record>) -> LedgerFuture<'_, ()>;
}

/// Which approvals to list. All set fields must match.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ApprovalQuery {
    /// The state: `pending`, `approved`, `denied`, `expired` or `aborted`.
    pub state: Option<String>,
    /// The credential of the caller.
    pub credential: Option<String>,
    /// Opened at this time or later.
    pub since: Option<Timestamp>,
    /// Opened before this approval; for paging.
    pub before: Option<ApprovalId>,
    /// The maximum number; 0 means 100.
    pub limit: usize,
    /// Stop reading after the approval that brings the total memory above this many bytes
    /// ([`ApprovalRequest::memory_size`]).
    ///
    /// [`ApprovalRequest::memory_size`]: crate::approval::ApprovalRequest::memory_size
    pub max_bytes: Option<usize>,
}

impl ApprovalQuery {
    /// The memory limit of this query, to apply while reading.
    pub fn memory_allowance(&self) -> MemoryAllowance {
        MemoryAllowance { left: self.max_bytes }
    }
}

/// The memory that further approvals may take. Without a limit, nothing is counted.
#[derive(Clone, Copy, Debug)]
pub struct MemoryAllowance {
    left: Option<usize>,
}

impl MemoryAllowance {
    /// Counts one approval. Returns `false` if it exceeded what was left; stop reading in that case.
    pub fn consume(&mut self, approval: &Approval) -> bool {
        let Some(left) = self.left else { return true };
        let rest = left.checked_sub(approval.asked.memory_size());
        self.left = Some(rest.unwrap_or_default());
        rest.is_some()
    }
}

/// A past call with its verdict.
#[derive(Clone, Debug, PartialEq)]
pub struct PastCall {
    /// Its id.
    pub id: CallId,
    /// When it was judged.
    pub at: Timestamp,
    /// The call. Whether its names were proven is known only if it had an approval; otherwise they
    /// count as claimed.
    pub call: Call,
    /// The credential of the caller.
    pub credential: String,
    /// The decision at that time.
    pub decision: Decision,
    /// The facts used at that time.
    pub facts: Facts,
    /// The approval it led to, if any.
    pub approval: Option<ApprovalId>,
}

/// An answer that was not taken within this time no longer applies, unless a durable run waits for it.
pub const UNCLAIMED_TTL: SignedDuration = SignedDuration::from_hours(24);
/// How long the waiters of a lost replica have to reconnect, in seconds.
pub const RECONNECT_GRACE_S: i64 = 30;
/// A replica that has not renewed its lease for this many seconds is lost.
pub const REPLICA_LEASE_S: i64 = 5;

/// A call that needs no approval.
#[derive(Clone, Debug)]
pub struct Admission {
    /// When it was judged.
    pub at: Timestamp,
    /// The call.
    pub call: StoredCall,
    /// The execution to start, if the call runs.
    pub execution: Option<ExecutionId>,
    /// The audit record.
    pub record: Record,
}

impl Admission {
    /// The key by which to find the call's latest approval, if the call would run.
    pub fn idempotency_key(&self) -> Option<IdempotencyKey> {
        self.execution.and_then(|_| IdempotencyKey::for_call(&self.call.asker, &self.call.call))
    }

    /// The durable key of the call, if any. The execution spends it.
    pub fn durable_key(&self) -> Option<IdempotencyKey> {
        IdempotencyKey::for_durable_call(&self.call.asker, &self.call.call)
    }
}

/// The result of an admission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdmissionOutcome {
    /// It was recorded.
    New,
    /// Its durable key had been spent. Nothing was written.
    Spent(SpentKey),
    /// The call has an approval, whose answer takes precedence over rules. Nothing was written.
    Answered(ApprovalId),
    /// Its durable key belongs to an approval of a different call. Nothing was written.
    Conflict(ApprovalId),
}

/// What a durable key was spent on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpentKey {
    /// The execution.
    pub execution: ExecutionId,
    /// The digest of the call as submitted.
    pub digest: Digest,
}

/// A call, by the id its caller gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallReference {
    /// The caller's credential.
    pub credential: String,
    /// The run, if the call names one.
    pub run_id: Option<String>,
    /// The call's own id.
    pub call_id: String,
}

impl CallReference {
    /// The reference to a call. None if the call has no id.
    pub fn of(credential: &str, call: &Call) -> Option<CallReference> {
        let call_id = call.call_id.clone()?;
        Some(CallReference { credential: credential.to_owned(), run_id: call.run_id.clone(), call_id })
    }
}

/// One run of one tool, as stored.
#[derive(Clone, Debug, PartialEq)]
pub struct Execution {
    /// Its id.
    pub id: ExecutionId,
    /// The credential of the caller.
    pub credential: String,
    /// The tool.
    pub tool: String,
    /// The approval that allowed it, if any.
    pub approval: Option<ApprovalId>,
    /// When it was allowed to start.
    pub started_at: Timestamp,
    /// When a tool of this program began to run it. None for calls that others run. An execution that began
    /// and has no outcome is running, or was cut off before it could report.
    pub began_at: Option<Timestamp>,
    /// The sandbox level of its programs. None if it starts none, or others run it.
    pub sandbox: Option<String>,
    /// How it ended. None if it is running or nobody reported the end. The output is deleted when the
    /// call's input is purged.
    pub outcome: Option<ExecutionOutcome>,
}

/// A permitted call that is about to run here.
#[derive(Clone, Debug)]
pub struct ExecutionStart {
    /// When it begins.
    pub at: Timestamp,
    /// The sandbox level of its programs. None if it starts none.
    pub sandbox: Option<String>,
    /// The audit record. The `input` in its body is stored with the execution, masked.
    pub record: Record,
}

/// A call with its raw input, as stored.
#[derive(Clone, Debug)]
pub struct StoredCall {
    /// Its id.
    pub id: CallId,
    /// The call.
    pub call: Call,
    /// Its digest.
    pub digest: Digest,
    /// Who submitted the call.
    pub asker: Caller,
    /// The facts looked up to judge it. They may repeat names from the input.
    pub facts: Facts,
}

/// An approval to open.
#[derive(Clone, Debug)]
pub struct NewApproval {
    /// The approval, pending.
    pub approval: Approval,
    /// The replica whose caller waits.
    pub replica: ReplicaId,
    /// The schema of the tool's input, stored by tool and version.
    pub schema: Option<InputSchema>,
    /// The audit record.
    pub record: Record,
}

/// The result of opening an approval.
#[derive(Clone, Debug, PartialEq)]
pub enum OpenOutcome {
    /// The approval is new.
    New,
    /// An equal approval is open.
    Joined(Approval),
    /// An equal approval was answered, and the answer was not taken yet or may be read again.
    Answered(Approval),
    /// An approval with the same key has a different input.
    Conflict(Approval),
    /// The durable key had been spent. Nothing was written.
    Spent(SpentKey),
}

/// Compares a request with the latest approval under its key. Stores call this inside the transaction.
pub fn match_open_request(latest: Option<Approval>, opening: &NewApproval) -> OpenOutcome {
    let asked = &opening.approval.asked;
    let Some(latest) = latest else { return OpenOutcome::New };
    let asking = RequestMatch { call: &asked.call, digest: asked.digest, asker: &asked.asker, at: asked.at };
    match asking.meets(&latest) {
        KeyMatch::Open => OpenOutcome::Joined(latest),
        KeyMatch::Answered => OpenOutcome::Answered(latest),
        KeyMatch::OtherOpen | KeyMatch::OtherAnswered => OpenOutcome::Conflict(latest),
        KeyMatch::Nothing => OpenOutcome::New,
    }
}

/// Compares a call with the execution that its durable key was spent on. A call that ran before is found,
/// even if it would be refused now. A different call under the same key is found only if it would run; if
/// it is refused, the refusal is recorded. Stores call this inside the transaction. `None` if the call may
/// be admitted.
pub fn match_spent_key(spent: SpentKey, admission: &Admission) -> Option<AdmissionOutcome> {
    let runs = admission.execution.is_some();
    (runs || spent.digest == admission.call.digest).then_some(AdmissionOutcome::Spent(spent))
}

/// Takes a call that would run without an approval, and compares it with the latest approval under its key. A
/// human's answer to this call takes precedence over a later rule. Stores call this inside the transaction.
/// `None` if the call may be admitted.
pub fn match_earlier_answer(latest: &Approval, admission: &Admission) -> Option<AdmissionOutcome> {
    admission.execution?;
    let stored = &admission.call;
    let asking =
        RequestMatch { call: &stored.call, digest: stored.digest, asker: &stored.asker, at: admission.at };
    let once = IdempotencyKey::for_durable_call(&stored.asker, &stored.call).is_some();
    // It may have expired since the last sweep.
    let latest = latest.step(&ApprovalTrigger::TimePassed, admission.at).approval;
    match asking.meets(&latest) {
        KeyMatch::Answered => Some(AdmissionOutcome::Answered(latest.id)),
        KeyMatch::OtherOpen | KeyMatch::OtherAnswered if once => Some(AdmissionOutcome::Conflict(latest.id)),
        KeyMatch::Open | KeyMatch::OtherOpen | KeyMatch::OtherAnswered | KeyMatch::Nothing => None,
    }
}

/// A call that needs an approval, or would run.
struct RequestMatch<'a> {
    call: &'a Call,
    digest: Digest,
    asker: &'a Caller,
    at: Timestamp,
}

/// How a request relates to the latest approval under its key.
enum KeyMatch {
    /// The same call has an open approval.
    Open,
    /// A different call has an open approval.
    OtherOpen,
    /// The same call was answered, and the answer was not taken yet or may be read again.
    Answered,
    /// The durable key belongs to a different call that was answered.
    OtherAnswered,
    /// Nothing relevant.
    Nothing,
}

impl RequestMatch<'_> {
    fn meets(&self, latest: &Approval) -> KeyMatch {
        let once = IdempotencyKey::for_durable_call(self.asker, self.call).is_some();
        // An approval without a durable key cannot allow a run under one.
        let spends = !once || latest.asked.durable_key().is_some();
        let same = self.digest == latest.asked.digest && self.call.agent == latest.asked.call.agent && spends;
        if latest.is_pending() {
            return if same { KeyMatch::Open } else { KeyMatch::OtherOpen };
        }
        let Some(answered) = latest.fate.state.answered().filter(|_| spends) else {
            return KeyMatch::Nothing;
        };
        let stale = self.at.duration_since(answered.at) > UNCLAIMED_TTL && !latest.asked.asker.durable;
        let within_reach = latest.fate.claimed.as_ref().map_or(!stale, |claimed| {
            let rereadable = self.asker.reach == ExecutionSite::Remote && claimed.is_fresh(self.at);
            claimed.void.is_none() && (once || rereadable)
        });
        match (within_reach, same) {
            (true, true) => KeyMatch::Answered,
            (true, false) if once => KeyMatch::OtherAnswered,
            _ => KeyMatch::Nothing,
        }
    }
}

/// The result of a sweep.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SweepOutcome {
    /// The approvals that ended.
    pub ended: Vec<ApprovalId>,
    /// The next time at which an approval can end.
    pub next: Option<Timestamp>,
    /// Whether anything is pending.
    pub pending: bool,
}

/// Everything that is pending.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// The number of the last event it reflects.
    pub seq: u64,
    /// The pending approvals, oldest first.
    pub pending: Vec<Approval>,
}

/// Why a ledger operation failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerError {
    /// What happened, in one line, with the file or address.
    pub message: String,
    /// Whether the failure may go away by itself. If not, the stored data is wrong.
    pub transient: bool,
}

impl fmt::Display for LedgerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for LedgerError {}

impl LedgerError {
    /// A failure that may go away: a full disk, a lock, a lost connection.
    pub fn transient(message: impl Into<String>) -> LedgerError {
        LedgerError { message: message.into(), transient: true }
    }

    /// A failure that will not go away by itself.
    pub fn permanent(message: impl Into<String>) -> LedgerError {
        LedgerError { message: message.into(), transient: false }
    }
}

/// The trigger to apply if the call's durable key was spent on another execution: a claim to run
/// becomes void.
pub fn void_if_spent(trigger: ApprovalTrigger) -> ApprovalTrigger {
    match trigger {
        ApprovalTrigger::Claimed(Claim::Run(_)) => {
            ApprovalTrigger::Claimed(Claim::Void("the call has already run".into()))
        }
        other => other,
    }
}

/// The execution that a step starts, with its tool. Stores write its first row.
pub fn execution_to_start(trigger: &ApprovalTrigger, step: &Step) -> Option<(ExecutionId, String)> {
    match trigger {
        ApprovalTrigger::Claimed(Claim::Run(execution))
            if step.changed && step.outcome == StepOutcome::Changed =>
        {
            Some((*execution, step.approval.asked.call.tool.clone()))
        }
        _ => None,
    }
}
