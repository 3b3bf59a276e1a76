//! Where everything is kept: the port a store fills.
//!
//! A write either happened whole, and is durable when it returns, or it did not happen. Without it nothing is permitted.

use std::fmt;
use std::future::Future;
use std::pin::Pin;

use jiff::{SignedDuration, Timestamp};
use sekisho_policy::{Call, Decision, Facts};
use serde_json::Value;

use crate::access::WriteAccess;
use crate::approval::Approval;
use crate::asker::{Asker, Key, Reach};
use crate::ids::{ApprovalId, CallId, ExecutionId, ReplicaId};
use crate::input_schema::InputSchema;
use crate::machine::{Claim, Happening, Said, Step};
use crate::record::{Event, Record};
use sekisho_policy::Digest;

pub use crate::ending::Ending;

/// Something that will be there later. Not bound to any runtime.
pub type Later<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What a ledger operation gives.
pub type Kept<'a, T> = Later<'a, Result<T, LedgerError>>;

/// Reads verdicts, questions, answers and events. Everybody may.
pub trait LedgerReader: Send + Sync {
    /// One question.
    fn approval(&self, id: ApprovalId) -> Kept<'_, Option<Approval>>;

    /// One execution.
    fn execution(&self, id: ExecutionId) -> Kept<'_, Option<Execution>>;

    /// The newest execution of a call, by the id its caller gave it.
    fn latest_execution(&self, call: CallName) -> Kept<'_, Option<ExecutionId>>;

    /// The JSON Schema of a tool's input that a question named.
    fn input_schema(&self, tool: String, version: Digest) -> Kept<'_, Option<Value>>;

    /// Pending questions in the order they were asked, after one of them.
    fn pending(&self, after: Option<ApprovalId>, limit: usize) -> Kept<'_, Vec<Approval>>;

    /// Questions that fit, newest first.
    fn approvals(&self, query: ApprovalQuery) -> Kept<'_, Vec<Approval>>;

    /// The newest calls whose raw input was not purged yet, newest first, as they were judged: for trying rules on the past.
    fn past(&self, limit: usize) -> Kept<'_, Vec<Past>>;

    /// All pending questions, and the last event they reflect.
    fn snapshot(&self) -> Kept<'_, Snapshot>;

    /// Events after one of them, in order. An empty answer means there are none yet.
    fn events(&self, after: u64, limit: usize) -> Kept<'_, Vec<Event>>;

    /// The number of the last event, as it grows. Other replicas' events count as well.
    fn head(&self) -> tokio::sync::watch::Receiver<u64>;
}

/// Keeps verdicts, questions, answers and events. Every write takes the gate's [`WriteAccess`].
pub trait Ledger: LedgerReader {
    /// Records a call that runs, or is turned back, without a question. A call whose durable key was spent
    /// ([`Key::once`]) is not recorded again, and one that was asked about takes that answer: [`spent_before`] and
    /// [`answered_before`] say so, inside the transaction.
    fn admit(&self, access: &WriteAccess, admission: Admission) -> Kept<'_, Admitted>;

    /// Asks a question, or finds that it was asked before: [`joining`] says which, inside the transaction. A durable key that
    /// was spent comes before that.
    fn open(&self, access: &WriteAccess, opening: Opening) -> Kept<'_, Opened>;

    /// Takes one step with a question: [`Approval::step`] inside the transaction. `None`: there is no such question.
    ///
    /// When a claim to run it is taken, the execution's first row is written with it. Where the durable key of the call was
    /// spent on another execution, the claim is void instead.
    fn step(
        &self,
        access: &WriteAccess,
        id: ApprovalId,
        happening: Happening,
        at: Timestamp,
    ) -> Kept<'_, Option<Step>>;

    /// A replica has no waiter for a question any more. If no other live one has, [`Happening::Left`] happens.
    fn leave(
        &self,
        access: &WriteAccess,
        id: ApprovalId,
        replica: ReplicaId,
        at: Timestamp,
    ) -> Kept<'_, Option<Step>>;

    /// Marks a replica as alive, ends what has expired and what was abandoned by lost replicas.
    fn sweep(&self, access: &WriteAccess, replica: ReplicaId, at: Timestamp) -> Kept<'_, Swept>;

    /// Records how an execution ended. `false`: there is none that is running under that id.
    fn finish(&self, access: &WriteAccess, execution: ExecutionId, ending: Ending) -> Kept<'_, bool>;

    /// The same for an execution that was recorded and never permitted: its durable key is free again, and the answer that
    /// let it through is void ([`Happening::Retracted`]).
    fn retract(&self, access: &WriteAccess, execution: ExecutionId, ending: Ending) -> Kept<'_, bool>;

    /// Puts something else on the record.
    fn note(&self, access: &WriteAccess, records: Vec<Record>) -> Kept<'_, ()>;
}

/// Which questions to list. Everything given must fit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ApprovalQuery {
    /// In this state: `pending`, `approved`, `denied`, `expired` or `aborted`.
    pub state: Option<String>,
    /// Asked by this credential.
    pub credential: Option<String>,
    /// Asked at this moment or later.
    pub since: Option<Timestamp>,
    /// Asked before this one: to turn the page.
    pub before: Option<ApprovalId>,
    /// How many at most; 0 means 100.
    pub limit: usize,
    /// Reading ends with the question with which all that were read take more memory than this ([`Asked::weight`]).
    ///
    /// [`Asked::weight`]: crate::approval::Asked::weight
    pub heaviest: Option<usize>,
}

impl ApprovalQuery {
    /// Weighs questions while they are read.
    pub fn scale(&self) -> Scale {
        Scale { left: self.heaviest }
    }
}

/// What questions may still take of the memory that is given for them. Without an end, nothing is weighed.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    left: Option<usize>,
}

impl Scale {
    /// Weighs one more; `false`: it was more than there is left, and no other is to be read.
    pub fn takes(&mut self, approval: &Approval) -> bool {
        let Some(left) = self.left else { return true };
        let rest = left.checked_sub(approval.asked.weight());
        self.left = Some(rest.unwrap_or_default());
        rest.is_some()
    }
}

/// A call as it was judged once.
#[derive(Clone, Debug, PartialEq)]
pub struct Past {
    /// Its id.
    pub id: CallId,
    /// When it was judged.
    pub at: Timestamp,
    /// The call. Names that were proven then are told apart only where a question was asked; otherwise they are claimed.
    pub call: Call,
    /// Who asked.
    pub credential: String,
    /// What was decided then.
    pub decision: Decision,
    /// The facts that were used then.
    pub facts: Facts,
    /// The question it became, if it did.
    pub approval: Option<ApprovalId>,
}

/// An answer that nobody took for this long is an answer to something else by now, unless a durable run waits for it.
pub const UNCLAIMED: SignedDuration = SignedDuration::from_hours(24);
/// A lost replica's waiters get this long to come back.
pub const RETURN_S: i64 = 30;
/// A replica that was not heard of for this long is lost.
pub const LEASE_S: i64 = 5;

/// A call that needs no question.
#[derive(Clone, Debug)]
pub struct Admission {
    /// When.
    pub at: Timestamp,
    /// The call.
    pub call: KeptCall,
    /// Its first row, if it runs.
    pub execution: Option<ExecutionId>,
    /// What goes on the record.
    pub record: Record,
}

impl Admission {
    /// What the latest question about it is found by, where it would run.
    pub fn key(&self) -> Option<Key> {
        self.execution.and_then(|_| Key::of(&self.call.asker, &self.call.call))
    }

    /// The durable key of its call, if it has one. Its execution spends it.
    pub fn once(&self) -> Option<Key> {
        Key::once(&self.call.asker, &self.call.call)
    }
}

/// How an admission was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admitted {
    /// It is on the record.
    New,
    /// Its durable key was spent before. Nothing was written.
    Spent(Spent),
    /// It was asked about before, and that answer goes before any rule. Nothing was written.
    Answered(ApprovalId),
    /// Its durable key belongs to a question about another call. Nothing was written.
    Conflict(ApprovalId),
}

/// What a durable key was spent on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spent {
    /// The execution.
    pub execution: ExecutionId,
    /// The digest of the call as it was asked.
    pub digest: Digest,
}

/// A call by the id its caller gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallName {
    /// The asking credential.
    pub credential: String,
    /// The run, where the call names one.
    pub run_id: Option<String>,
    /// The call's own id.
    pub call_id: String,
}

impl CallName {
    /// The name of a call; none where it has no id.
    pub fn of(credential: &str, call: &Call) -> Option<CallName> {
        let call_id = call.call_id.clone()?;
        Some(CallName { credential: credential.to_owned(), run_id: call.run_id.clone(), call_id })
    }
}

/// One run of one tool, as the ledger has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Execution {
    /// Its id.
    pub id: ExecutionId,
    /// The credential it was let through for.
    pub credential: String,
    /// The tool.
    pub tool: String,
    /// The question that let it through, if one did.
    pub approval: Option<ApprovalId>,
    /// When it was let through.
    pub started_at: Timestamp,
    /// How it ended. None: it runs, or nobody said how it ended. The output is gone once the call's input was purged.
    pub ending: Option<Ending>,
}

/// A call with its raw input, as it is kept.
#[derive(Clone, Debug)]
pub struct KeptCall {
    /// Its id.
    pub id: CallId,
    /// The call.
    pub call: Call,
    /// Its digest.
    pub digest: Digest,
    /// Who asked.
    pub asker: Asker,
    /// What was looked up to judge it, as it was found: it may name what the input names.
    pub facts: Facts,
}

/// A question to be asked.
#[derive(Clone, Debug)]
pub struct Opening {
    /// The question, pending.
    pub approval: Approval,
    /// The replica whose caller waits.
    pub replica: ReplicaId,
    /// The schema of the tool's input, which is kept by tool and version.
    pub schema: Option<InputSchema>,
    /// What goes on the record.
    pub record: Record,
}

/// How an asking was taken.
#[derive(Clone, Debug, PartialEq)]
pub enum Opened {
    /// A new question.
    New,
    /// Somebody asked the same and is waiting.
    Joined(Approval),
    /// It was asked before and its answer was not taken yet, or may be read again.
    Answered(Approval),
    /// The same key with another input.
    Conflict(Approval),
    /// The durable key was spent before. Nothing was written.
    Spent(Spent),
}

/// How an asking stands to the latest one under its key. Stores call this inside the transaction.
pub fn joining(latest: Option<Approval>, opening: &Opening) -> Opened {
    let asked = &opening.approval.asked;
    let Some(latest) = latest else { return Opened::New };
    let asking = Asking { call: &asked.call, digest: asked.digest, asker: &asked.asker, at: asked.at };
    match asking.meets(&latest) {
        Meeting::Open => Opened::Joined(latest),
        Meeting::Answered => Opened::Answered(latest),
        Meeting::OtherOpen | Meeting::OtherAnswered => Opened::Conflict(latest),
        Meeting::Nothing => Opened::New,
    }
}

/// How a call stands to what its durable key was spent on. One that is turned back now and ran before is found; another call
/// under the key is turned back on the record. Stores call this inside the transaction. `None`: it may be admitted.
pub fn spent_before(spent: Spent, admission: &Admission) -> Option<Admitted> {
    let runs = admission.execution.is_some();
    (runs || spent.digest == admission.call.digest).then_some(Admitted::Spent(spent))
}

/// How a call that would run without a question stands to the latest question under its key: what a human said to this very
/// call goes before a rule that came later. Stores call this inside the transaction. `None`: it may be admitted.
pub fn answered_before(latest: &Approval, admission: &Admission) -> Option<Admitted> {
    admission.execution?;
    let kept = &admission.call;
    let asking = Asking { call: &kept.call, digest: kept.digest, asker: &kept.asker, at: admission.at };
    let once = Key::once(&kept.asker, &kept.call).is_some();
    // Nobody may have looked at the clock since.
    let latest = latest.step(&Happening::TimePassed, admission.at).approval;
    match asking.meets(&latest) {
        Meeting::Answered => Some(Admitted::Answered(latest.id)),
        Meeting::OtherOpen | Meeting::OtherAnswered if once => Some(Admitted::Conflict(latest.id)),
        Meeting::Open | Meeting::OtherOpen | Meeting::OtherAnswered | Meeting::Nothing => None,
    }
}

/// A call that is asked about, or would run.
struct Asking<'a> {
    call: &'a Call,
    digest: Digest,
    asker: &'a Asker,
    at: Timestamp,
}

/// How an asking stands to an earlier one under its key.
enum Meeting {
    /// The same is open.
    Open,
    /// Another is open.
    OtherOpen,
    /// The same was answered, and the answer is still to be taken or may be read again.
    Answered,
    /// The durable key belongs to another that was answered.
    OtherAnswered,
    /// Nothing that matters any more.
    Nothing,
}

impl Asking<'_> {
    fn meets(&self, latest: &Approval) -> Meeting {
        let once = Key::once(self.asker, self.call).is_some();
        // A question that spends no durable key lets nothing run under one.
        let spends = !once || latest.asked.once().is_some();
        let same = self.digest == latest.asked.digest && self.call.agent == latest.asked.call.agent && spends;
        if latest.is_pending() {
            return if same { Meeting::Open } else { Meeting::OtherOpen };
        }
        let Some(answered) = latest.fate.state.answered().filter(|_| spends) else { return Meeting::Nothing };
        let stale = self.at.duration_since(answered.at) > UNCLAIMED && !latest.asked.asker.durable;
        let within_reach = latest.fate.claimed.as_ref().map_or(!stale, |claimed| {
            let told_again = self.asker.reach == Reach::Remote && claimed.is_fresh(self.at);
            claimed.void.is_none() && (once || told_again)
        });
        match (within_reach, same) {
            (true, true) => Meeting::Answered,
            (true, false) if once => Meeting::OtherAnswered,
            _ => Meeting::Nothing,
        }
    }
}

/// What a look at the clock came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Swept {
    /// Questions that ended.
    pub ended: Vec<ApprovalId>,
    /// The next moment at which one can.
    pub next: Option<Timestamp>,
    /// Whether anything is pending at all.
    pub pending: bool,
}

/// All that is pending.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// The last event it reflects.
    pub seq: u64,
    /// The questions, in the order they were asked.
    pub pending: Vec<Approval>,
}

/// Why the ledger could not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerError {
    /// What happened, in one line, with the file or address it happened at.
    pub message: String,
    /// The ledger may be back soon. Otherwise something is wrong with what it holds.
    pub passing: bool,
}

impl fmt::Display for LedgerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for LedgerError {}

impl LedgerError {
    /// Something that may pass: a full disk, a lock, a lost connection.
    pub fn passing(message: impl Into<String>) -> LedgerError {
        LedgerError { message: message.into(), passing: true }
    }

    /// Something that will not pass by itself.
    pub fn lasting(message: impl Into<String>) -> LedgerError {
        LedgerError { message: message.into(), passing: false }
    }
}

/// What happens to a question whose call's durable key was spent on another execution: its yes lets nothing run.
pub fn void_where_spent(happening: Happening) -> Happening {
    match happening {
        Happening::Claimed(Claim::Run(_)) => {
            Happening::Claimed(Claim::Void("the call has run already".into()))
        }
        other => other,
    }
}

/// The execution that a step lets run, with the input it runs with. Stores write its first row.
pub fn execution_of(happening: &Happening, step: &Step) -> Option<(ExecutionId, String, Value)> {
    match happening {
        Happening::Claimed(Claim::Run(execution)) if step.changed && step.said == Said::Done => {
            let call = step.approval.call_to_run();
            Some((*execution, call.tool, call.input))
        }
        _ => None,
    }
}
