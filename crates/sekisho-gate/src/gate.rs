//! The gate: its ports, and the few things every part of it does.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use sekisho_policy::{Call, Facts, FactQuery, OnTimeout, JudgeContext, Verdict, judge, required_facts};
use serde_json::Value;
use tokio::sync::mpsc;

use crate::write_access::WriteAccess;
use crate::timer::Timer;
use crate::call_request::CallRequest;
use crate::caller::{CallerEnvironment, Caller, Session};
use crate::clock::Clock;
use crate::event_buffer::EventBuffer;
use crate::ids::{ApprovalId, ExecutionId, ReplicaId};
use crate::ledger::{ExecutionOutcome, Ledger, LedgerError, LedgerReader};
use crate::component_kinds::ComponentKinds;
use crate::permit::Receipt;
use crate::file_ports::HostLookup;
use crate::refusal::{Refusal, RefusalCode};
use crate::rulebook::{Rulebook, TrialRulebook};
use crate::fair_queue::{self, QueueSlot, FairQueue};
use crate::waiters::Waiters;
use crate::memory_size::{structure_size, json_size};

/// An input that weighs more than this is a heavy one: judging it may take a moment.
const EXPENSIVE_INPUT: usize = 8 << 10;
/// So is one whose lists and objects take more memory than this.
const EXPENSIVE_STRUCTURE: usize = 64 << 10;

/// So many paths are followed in no time.
const CHEAP_LOOKUPS: usize = 64;

/// Whether judging an input may take a moment, and keeping it much memory.
pub(crate) fn is_expensive(input: &Value) -> bool {
    json_size(input, EXPENSIVE_INPUT) > EXPENSIVE_INPUT || structure_size(input) > EXPENSIVE_STRUCTURE
}

/// What a gate is made of.
#[derive(Clone)]
pub struct Ports {
    /// Where everything is kept.
    pub ledger: Arc<dyn Ledger>,
    /// The policy in force.
    pub rulebook: Arc<Rulebook>,
    /// What is looked up about a call.
    pub lookup: Arc<dyn HostLookup>,
    /// The time.
    pub clock: Arc<dyn Clock>,
}

/// How a gate behaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Whether questions are asked. If not, what would be one is let through; denials and the record remain.
    pub confirmations: bool,
    /// Seconds a question waits where neither rule nor asker says otherwise.
    pub timeout_s: u32,
    /// What this machine is called, where several share a ledger.
    pub machine: Option<String>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { confirmations: true, timeout_s: 120, machine: None }
    }
}

/// The checkpoint. Cheap to clone; all clones are one gate.
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
    /// What the keeper sleeps for.
    pub(crate) alarm: Arc<Timer>,
    pub(crate) hub: EventBuffer,
    pub(crate) component_kinds: ComponentKinds,
    /// Whose turn it is to judge something heavy.
    turns: Arc<FairQueue>,
}

/// A call that is about to be judged.
struct PreparedJudgement {
    policy: Arc<sekisho_policy::Policy>,
    generation: u64,
    /// This machine's files say something about it.
    here: bool,
    needs: Vec<FactQuery>,
}

impl PreparedJudgement {
    /// Whether looking things up may take long: directories are gone through, not only paths followed.
    fn takes_long(&self) -> bool {
        let is_quick = |need: &FactQuery| matches!(need, FactQuery::Resolve(_) | FactQuery::Contents(_));
        self.needs.len() > CHEAP_LOOKUPS || !self.needs.iter().all(is_quick)
    }
}

/// A verdict, and the rules it was made by.
pub struct Judgement {
    /// What was decided.
    pub verdict: Verdict,
    /// What was around, facts included.
    pub environment: JudgeContext,
    /// Which policy.
    pub policy: Arc<sekisho_policy::Policy>,
    /// Its generation.
    pub generation: u64,
    /// When.
    pub at: Timestamp,
}

impl Gate {
    /// What the verdict on a call would be. Advisory: nothing may run on its word.
    pub fn judge(&self, ask: &CallRequest) -> Judgement {
        self.inner.judge(&ask.call, &ask.caller, &ask.environment)
    }

    /// The same by other rules than there are: to try a rule on a call before it is kept.
    pub fn judge_with_trial(&self, ask: &CallRequest, supposed: &TrialRulebook) -> Judgement {
        self.inner.judge_by(supposed.rulebook(), &ask.call, &ask.caller, &ask.environment)
    }

    /// The same as [`judge`](Gate::judge) where many ask at once: heavy inputs are judged one after the other.
    pub async fn judge_queued(&self, ask: &CallRequest) -> Result<Judgement, Refusal> {
        self.inner.judge_in_turn(&ask.call, &ask.caller, &ask.environment).await
    }

    /// Does some work on a call when it is its turn. Work on heavy inputs, and work that looks through directories, is done
    /// one at a time, so that it never takes all the threads there are; other work at once.
    pub async fn run_queued<T>(&self, ask: &CallRequest, work: impl FnOnce() -> T) -> Result<T, Refusal> {
        let takes_long = is_expensive(&ask.call.input)
            || self.inner.begin(&self.inner.ports.rulebook, &ask.call, &ask.caller, &ask.environment).takes_long();
        let turn = self.inner.turn(takes_long, &ask.caller).await?;
        Ok(fair_queue::run_in_slot(turn.as_ref(), work))
    }

    /// Records how a permitted call ended.
    pub async fn record_outcome(&self, receipt: Receipt, ending: ExecutionOutcome) -> Result<(), LedgerError> {
        self.inner.ports.ledger.finish(&WriteAccess::GATE, receipt.execution, ending).await.map(|_| ())
    }

    /// Records how a call ended that was let through for a remote caller. `false`: none is running under that id.
    pub async fn record_remote_outcome(&self, execution: ExecutionId, ending: ExecutionOutcome) -> Result<bool, LedgerError> {
        self.inner.ports.ledger.finish(&WriteAccess::GATE, execution, ending).await
    }

    /// Lets nobody wait any more. Pending questions stay open for the next start.
    pub fn close(&self) {
        self.inner.waiting.close();
        self.inner.turns.close();
    }

    /// How many questions somebody in this process waits for.
    pub fn waiting_count(&self) -> usize {
        self.inner.waiting.len()
    }

    /// The ledger, for reading.
    pub fn ledger(&self) -> &dyn LedgerReader {
        &*self.inner.ports.ledger
    }

    /// The rules in force.
    pub fn rulebook(&self) -> &Rulebook {
        &self.inner.ports.rulebook
    }

    /// The time.
    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.inner.ports.clock
    }

    /// How it behaves.
    pub fn settings(&self) -> &Settings {
        &self.inner.settings
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
            alarm: Arc::default(),
            hub: EventBuffer::default(),
            component_kinds: ComponentKinds::default(),
            turns: Arc::default(),
        }
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.ports.clock.now()
    }

    /// Waits for the turn to do work that takes long; at once where it does not. Nobody waits for anything else meanwhile.
    pub(crate) async fn turn(&self, takes_long: bool, asker: &Caller) -> Result<Option<QueueSlot>, Refusal> {
        if !takes_long {
            return Ok(None);
        }
        let turn = self.turns.take(&asker.credential).await;
        turn.map(Some).ok_or_else(|| Refusal::new(RefusalCode::Closing))
    }

    /// Judges when it is this call's turn.
    pub(crate) async fn judge_in_turn(
        &self,
        call: &Call,
        asker: &Caller,
        around: &CallerEnvironment,
    ) -> Result<Judgement, Refusal> {
        let mut turn = self.turn(is_expensive(&call.input), asker).await?;
        let begun = fair_queue::run_in_slot(turn.as_ref(), || self.begin(&self.ports.rulebook, call, asker, around));
        if turn.is_none() {
            turn = self.turn(begun.takes_long(), asker).await?;
        }
        Ok(fair_queue::run_in_slot(turn.as_ref(), || self.conclude(begun, call, around)))
    }

    /// Judges by the policy in force, with the facts it asks for.
    pub(crate) fn judge(&self, call: &Call, asker: &Caller, around: &CallerEnvironment) -> Judgement {
        self.judge_by(&self.ports.rulebook, call, asker, around)
    }

    fn judge_by(&self, rulebook: &Rulebook, call: &Call, asker: &Caller, around: &CallerEnvironment) -> Judgement {
        self.conclude(self.begin(rulebook, call, asker, around), call, around)
    }

    /// Finds out which facts judging takes. Nothing is looked up.
    fn begin(&self, rulebook: &Rulebook, call: &Call, asker: &Caller, around: &CallerEnvironment) -> PreparedJudgement {
        let session = Session::of(asker, call);
        let here = self.is_this_machine(around);
        let cwd = call.cwd.as_deref().filter(|_| here);
        let nowhere = CallerEnvironment { held_to: around.held_to.clone(), ..CallerEnvironment::default() };
        let in_force = rulebook.active_policy(if here { around } else { &nowhere }, cwd, session.as_ref());
        let needs = if here { required_facts(&in_force.policy, call) } else { Vec::new() };
        PreparedJudgement { policy: in_force.policy, generation: in_force.generation, here, needs }
    }

    /// Looks the facts up and judges.
    fn conclude(&self, begun: PreparedJudgement, call: &Call, around: &CallerEnvironment) -> Judgement {
        let PreparedJudgement { policy, generation, here, needs } = begun;
        let at = self.now();
        let facts = match here {
            true => {
                let (root, home) = (around.root.as_deref(), around.home.as_deref());
                self.ports.lookup.facts(&policy, &needs, root, home)
            }
            false => Facts::default(),
        };
        let around = JudgeContext {
            now: at,
            root: around.root.clone().filter(|_| here),
            home: around.home.clone().filter(|_| here),
            can_confirm: !around.nobody_answers,
            facts,
        };
        let verdict = judge(&policy, call, &around);
        Judgement { verdict, environment: around, policy, generation, at }
    }

    /// Whether this machine's files say anything about a call.
    pub(crate) fn is_this_machine(&self, around: &CallerEnvironment) -> bool {
        !around.elsewhere && self.is_gated_here(around)
    }

    /// Whether the gate of this machine is the one to let a call through: not where it runs beside another gate.
    pub(crate) fn is_gated_here(&self, around: &CallerEnvironment) -> bool {
        around.machine.is_none() || around.machine == self.settings.machine
    }

    /// When a question ends unanswered. The asker's word goes before the rule's, and that before the default; parked
    /// questions and those of durable runs have no end.
    pub(crate) fn deadline(&self, ask: &CallRequest, judged: &Judgement) -> Option<Timestamp> {
        let wait = judged.verdict.wait;
        let on_timeout = ask.timeout.on_timeout.or(wait.on_timeout);
        let parked = match on_timeout {
            Some(on_timeout) => on_timeout == OnTimeout::Park,
            None => ask.caller.durable,
        };
        let seconds = ask.timeout.timeout_s.or(wait.timeout_s).unwrap_or(self.settings.timeout_s);
        let span = SignedDuration::from_secs(i64::from(seconds));
        (!parked).then(|| judged.at.checked_add(span).unwrap_or(Timestamp::MAX))
    }
}
