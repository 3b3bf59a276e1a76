//! The gate: its ports, and what all its parts share.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use sekisho_policy::{
    Call, Decision, FactQuery, Facts, IdClaim, JudgeContext, OnTimeout, Policy, Verdict, judge,
    required_facts,
};
use serde_json::Value;
use tokio::sync::mpsc;

use crate::call_request::CallRequest;
use crate::caller::{Caller, CallerEnvironment, Session};
use crate::clock::Clock;
use crate::event_buffer::EventBuffer;
use crate::fair_queue::{self, FairQueue, QueueSlot};
use crate::host_ports::HostLookup;
use crate::ids::{ApprovalId, ExecutionId, ReplicaId};
use crate::ledger::{ExecutionOutcome, Ledger, LedgerError, LedgerReader};
use crate::ledger_write_proof::WriteAccess;
use crate::memory_size::{json_size, structure_size};
use crate::permit::Receipt;
use crate::refusal::{Refusal, RefusalCode};
use crate::registered_record_kinds::ComponentKinds;
use crate::rulebook::{Rulebook, TrialRulebook};
use crate::timer::Timer;
use crate::waiters::Waiters;

/// An input with more JSON bytes than this is expensive: judging it may take long.
const EXPENSIVE_INPUT: usize = 8 << 10;
/// So is an input whose lists and objects take more memory than this, in bytes.
const EXPENSIVE_STRUCTURE: usize = 64 << 10;

/// Looking up this many paths is cheap.
const CHEAP_LOOKUPS: usize = 64;

/// Whether an input may take long to judge and much memory to hold.
pub(crate) fn is_expensive(input: &Value) -> bool {
    json_size(input, EXPENSIVE_INPUT) > EXPENSIVE_INPUT || structure_size(input) > EXPENSIVE_STRUCTURE
}

/// The ports of a gate.
#[derive(Clone)]
pub struct Ports {
    /// Stores approvals, calls, executions and events.
    pub ledger: Arc<dyn Ledger>,
    /// The current rules.
    pub rulebook: Arc<Rulebook>,
    /// Looks up facts and files.
    pub lookup: Arc<dyn HostLookup>,
    /// The clock.
    pub clock: Arc<dyn Clock>,
}

/// The settings of a gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Whether confirms open an approval. If not, such calls are allowed; denies and the audit log
    /// stay.
    pub confirmations: bool,
    /// The timeout of an approval in seconds, unless the rule or the caller sets one.
    pub timeout_s: u32,
    /// The name of this machine, if several share a ledger.
    pub machine: Option<String>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { confirmations: true, timeout_s: 120, machine: None }
    }
}

/// The checkpoint. Cheap to clone; all clones are the same gate.
#[derive(Clone)]
pub struct Gate {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) ports: Ports,
    pub(crate) settings: Settings,
    pub(crate) replica: ReplicaId,
    pub(crate) waiting: Arc<Waiters>,
    pub(crate) departures: mpsc::UnboundedSender<ApprovalId>,
    /// Wakes the background task.
    pub(crate) timer: Arc<Timer>,
    pub(crate) event_buffer: EventBuffer,
    pub(crate) component_kinds: ComponentKinds,
    /// Queue for work on expensive inputs.
    input_queue: Arc<FairQueue>,
    /// Queue for slow lookups. Separate, so that a small call never waits for an expensive input.
    lookup_queue: Arc<FairQueue>,
}

/// Why work on a call takes long.
#[derive(Clone, Copy)]
pub(crate) enum SlowWork {
    /// The input is expensive.
    Input,
    /// Files are read or directories are searched.
    Lookup,
}

impl SlowWork {
    pub(crate) fn of(is_expensive: bool, looks_up: bool) -> Option<SlowWork> {
        match (is_expensive, looks_up) {
            (true, _) => Some(SlowWork::Input),
            (false, true) => Some(SlowWork::Lookup),
            (false, false) => None,
        }
    }
}

/// A call that is about to be judged.
struct PreparedJudgement {
    policy: Arc<sekisho_policy::Policy>,
    generation: u64,
    /// Whether this machine's files apply to the call.
    here: bool,
    queries: Vec<FactQuery>,
    /// The call as each agent above a sub-agent would make it, and that agent's own policy.
    above: Vec<(Call, Arc<Policy>)>,
}

impl PreparedJudgement {
    /// Whether the lookup may take long: it searches directories and does not only resolve paths.
    fn takes_long(&self) -> bool {
        let is_quick = |need: &FactQuery| matches!(need, FactQuery::Resolve(_) | FactQuery::Contents(_));
        self.queries.len() > CHEAP_LOOKUPS || !self.queries.iter().all(is_quick)
    }
}

/// A verdict, and what it is based on.
pub struct Judgement {
    /// The verdict itself.
    pub verdict: Verdict,
    /// The context of the judgement, with the facts.
    pub environment: JudgeContext,
    /// The policy that judged.
    pub policy: Arc<sekisho_policy::Policy>,
    /// The generation of the policy.
    pub generation: u64,
    /// When it was judged.
    pub at: Timestamp,
}

/// The stricter of two verdicts; the first if they are equally strict.
fn stricter(one: Verdict, other: Verdict) -> Verdict {
    if other.decision > one.decision { other } else { one }
}

impl Gate {
    /// The verdict on a call. Advisory: it permits nothing.
    pub fn judge(&self, request: &CallRequest) -> Judgement {
        self.inner.judge(&request.call, &request.caller, &request.environment)
    }

    /// The same as [`judge`](Gate::judge) under load: expensive inputs go through one queue and directory
    /// searches through another, each one at a time, so that neither occupies all threads.
    pub async fn judge_queued(&self, request: &CallRequest) -> Result<Judgement, Refusal> {
        self.inner.judge_in_turn(&request.call, &request.caller, &request.environment).await
    }

    /// The same with the rules of `trial` if there are any, to try a rule on a call before it is stored.
    /// `then` is more work on the judged call, which runs before the next call's turn.
    pub async fn judge_queued_then<T>(
        &self,
        request: &CallRequest,
        trial: Option<&TrialRulebook>,
        then: impl FnOnce(&Judgement) -> T,
    ) -> Result<(Judgement, T), Refusal> {
        let rulebook = trial.map_or(&*self.inner.ports.rulebook, TrialRulebook::rulebook);
        let parts = (&request.call, &request.caller, &request.environment);
        self.inner.judge_in_turn_by(rulebook, parts, then).await
    }

    /// Records how a permitted call ended.
    pub async fn record_outcome(
        &self,
        receipt: Receipt,
        outcome: ExecutionOutcome,
    ) -> Result<(), LedgerError> {
        self.inner.ports.ledger.finish(&WriteAccess::GATE, receipt.execution, outcome).await.map(|_| ())
    }

    /// Records how a call of a remote caller ended. Returns `false` if no execution with that id is
    /// running.
    pub async fn record_remote_outcome(
        &self,
        execution: ExecutionId,
        outcome: ExecutionOutcome,
    ) -> Result<bool, LedgerError> {
        self.inner.ports.ledger.finish(&WriteAccess::GATE, execution, outcome).await
    }

    /// Wakes all waiters and accepts no more. Pending approvals stay open for the next start.
    pub fn close(&self) {
        self.inner.waiting.close();
        self.inner.input_queue.close();
        self.inner.lookup_queue.close();
    }

    /// The number of approvals that somebody in this process waits for.
    pub fn waiting_count(&self) -> usize {
        self.inner.waiting.len()
    }

    /// The ledger, read-only.
    pub fn ledger(&self) -> &dyn LedgerReader {
        &*self.inner.ports.ledger
    }

    /// The rulebook.
    pub fn rulebook(&self) -> &Rulebook {
        &self.inner.ports.rulebook
    }

    /// The clock.
    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.inner.ports.clock
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.inner.settings
    }

    /// The id of this gate among those that share its ledger. [`Gate::probe_write`] says that it is alive.
    pub fn replica(&self) -> ReplicaId {
        self.inner.replica
    }
}

impl Inner {
    pub(crate) fn new(ports: Ports, settings: Settings, left: mpsc::UnboundedSender<ApprovalId>) -> Inner {
        let replica = ReplicaId::new(ports.clock.now());
        Inner {
            ports,
            settings,
            replica,
            waiting: Arc::default(),
            departures: left,
            timer: Arc::default(),
            event_buffer: EventBuffer::default(),
            component_kinds: ComponentKinds::default(),
            input_queue: FairQueue::new(1),
            lookup_queue: FairQueue::new(1),
        }
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.ports.clock.now()
    }

    /// Waits for a slot in the queue of this kind of slow work. Returns at once if the work is not slow.
    /// Work of other kinds does not wait.
    pub(crate) async fn queue_slot(
        &self,
        slow_work: Option<SlowWork>,
        caller: &Caller,
    ) -> Result<Option<QueueSlot>, Refusal> {
        let queue = match slow_work {
            None => return Ok(None),
            Some(SlowWork::Input) => &self.input_queue,
            Some(SlowWork::Lookup) => &self.lookup_queue,
        };
        let queue_slot = queue.acquire(&caller.credential, usize::MAX).await;
        queue_slot.map(Some).map_err(|_| Refusal::new(RefusalCode::Closing))
    }

    /// Judges once this call has its queue slot, if it needs one.
    pub(crate) async fn judge_in_turn(
        &self,
        call: &Call,
        caller: &Caller,
        environment: &CallerEnvironment,
    ) -> Result<Judgement, Refusal> {
        let judged = self.judge_in_turn_by(&self.ports.rulebook, (call, caller, environment), |_| ()).await;
        judged.map(|(judgement, ())| judgement)
    }

    async fn judge_in_turn_by<T>(
        &self,
        rulebook: &Rulebook,
        (call, caller, environment): (&Call, &Caller, &CallerEnvironment),
        then: impl FnOnce(&Judgement) -> T,
    ) -> Result<(Judgement, T), Refusal> {
        let slow_input = SlowWork::of(is_expensive(&call.input), false);
        let mut queue_slot = self.queue_slot(slow_input, caller).await?;
        let prepared = fair_queue::run_in_slot(queue_slot.as_ref(), || {
            self.prepare_judgement(rulebook, call, caller, environment)
        });
        if queue_slot.is_none() {
            queue_slot = self.queue_slot(SlowWork::of(false, prepared.takes_long()), caller).await?;
        }
        Ok(fair_queue::run_in_slot(queue_slot.as_ref(), || {
            let judgement = self.finish_judgement(prepared, call, environment);
            let more = then(&judgement);
            (judgement, more)
        }))
    }

    /// Judges by the active policy, with the facts it needs.
    pub(crate) fn judge(&self, call: &Call, caller: &Caller, environment: &CallerEnvironment) -> Judgement {
        let prepared = self.prepare_judgement(&self.ports.rulebook, call, caller, environment);
        self.finish_judgement(prepared, call, environment)
    }

    /// Determines which facts the judgement needs. Looks nothing up.
    fn prepare_judgement(
        &self,
        rulebook: &Rulebook,
        call: &Call,
        caller: &Caller,
        environment: &CallerEnvironment,
    ) -> PreparedJudgement {
        let session = Session::of(caller, call);
        let here = self.is_this_machine(environment);
        let cwd = call.cwd.as_deref().filter(|_| here);
        let nowhere =
            CallerEnvironment { held_to: environment.held_to.clone(), ..CallerEnvironment::default() };
        let around = if here { environment } else { &nowhere };
        let active = rulebook.active_policy(around, cwd, session.as_ref());
        let above: Vec<(Call, Arc<Policy>)> = environment
            .chain
            .iter()
            .map(|link| {
                let agent = Some(IdClaim::proven(&link.agent));
                let theirs = Call { agent, run_id: Some(link.run.clone()), ..call.clone() };
                let session = Session::of(caller, &theirs);
                let policy = rulebook.active_policy(around, cwd, session.as_ref()).policy;
                (theirs, policy)
            })
            .collect();
        let mut queries = if here { required_facts(&active.policy, call) } else { Vec::new() };
        for (theirs, policy) in above.iter().filter(|_| here) {
            queries.extend(required_facts(&active.policy, theirs));
            queries.extend(required_facts(policy, theirs));
        }
        if !above.is_empty() {
            queries.sort_unstable();
            queries.dedup();
        }
        PreparedJudgement { policy: active.policy, generation: active.generation, here, queries, above }
    }

    /// Looks up the facts and judges.
    fn finish_judgement(
        &self,
        prepared: PreparedJudgement,
        call: &Call,
        environment: &CallerEnvironment,
    ) -> Judgement {
        let PreparedJudgement { policy, generation, here, queries, above } = prepared;
        let at = self.now();
        let facts = match here {
            true => {
                let (root, home) = (environment.root.as_deref(), environment.home.as_deref());
                self.ports.lookup.facts(&policy, &queries, root, home)
            }
            false => Facts::default(),
        };
        let context = JudgeContext {
            now: at,
            root: environment.root.clone().filter(|_| here),
            home: environment.home.clone().filter(|_| here),
            can_confirm: !environment.nobody_answers,
            requires_approval: environment.requires_approval,
            facts,
        };
        let mut verdict = judge(&policy, call, &context);
        for (theirs, own_policy) in &above {
            verdict = stricter(verdict, judge(&policy, theirs, &context));
            // What a person allowed an agent for its own session is not for its sub-agents; what a person denied is.
            let own = judge(own_policy, theirs, &context);
            if own.decision == Decision::Deny {
                verdict = stricter(verdict, own);
            }
        }
        Judgement { verdict, environment: context, policy, generation, at }
    }

    /// Whether this machine's files apply to a call.
    pub(crate) fn is_this_machine(&self, environment: &CallerEnvironment) -> bool {
        !environment.elsewhere && self.is_gated_here(environment)
    }

    /// Whether this machine's gate may allow a call. Not if the call runs beside another gate.
    pub(crate) fn is_gated_here(&self, environment: &CallerEnvironment) -> bool {
        environment.machine.is_none() || environment.machine == self.settings.machine
    }

    /// When an approval expires. The caller's timeout takes precedence over the rule's, and the rule's
    /// over the default. Parked approvals and those of durable runs do not expire.
    pub(crate) fn deadline(&self, request: &CallRequest, judgement: &Judgement) -> Option<Timestamp> {
        let wait = judgement.verdict.wait;
        let on_timeout = request.timeout.on_timeout.or(wait.on_timeout);
        let parked = match on_timeout {
            Some(on_timeout) => on_timeout == OnTimeout::Park,
            None => request.caller.durable,
        };
        let seconds = request.timeout.timeout_s.or(wait.timeout_s).unwrap_or(self.settings.timeout_s);
        let span = SignedDuration::from_secs(i64::from(seconds));
        (!parked).then(|| judgement.at.checked_add(span).unwrap_or(Timestamp::MAX))
    }
}
