//! The gate: its ports, and the few things every part of it does.

use std::sync::Arc;

use jiff::{SignedDuration, Timestamp};
use sekisho_policy::{Call, Facts, Need, OnTimeout, Surroundings, Verdict, judge, needs};
use serde_json::Value;
use tokio::sync::mpsc;

use crate::access::WriteAccess;
use crate::alarm::Alarm;
use crate::ask::Ask;
use crate::asker::{Around, Asker, Session};
use crate::clock::Clock;
use crate::hub::Hub;
use crate::ids::{ApprovalId, ExecutionId, ReplicaId};
use crate::ledger::{Ending, Ledger, LedgerError, LedgerReader};
use crate::part_kinds::PartKinds;
use crate::permit::Receipt;
use crate::premises::Preview;
use crate::refusal::{Refusal, RefusalCode};
use crate::rulebook::{Rulebook, Supposed};
use crate::turns::{self, Turn, Turns};
use crate::waiting::Waiting;
use crate::weight::{structure, weight};

/// An input that weighs more than this is a heavy one: judging it may take a moment.
const HEAVY: usize = 8 << 10;
/// So is one whose lists and objects take more memory than this.
const DENSE: usize = 64 << 10;

/// So many paths are followed in no time.
const QUICK_NEEDS: usize = 64;

/// Whether judging an input may take a moment, and keeping it much memory.
pub(crate) fn is_heavy(input: &Value) -> bool {
    weight(input, HEAVY) > HEAVY || structure(input) > DENSE
}

/// What a gate is made of.
#[derive(Clone)]
pub struct Ports {
    /// Where everything is kept.
    pub ledger: Arc<dyn Ledger>,
    /// The policy in force.
    pub rulebook: Arc<Rulebook>,
    /// What is looked up about a call.
    pub preview: Arc<dyn Preview>,
    /// The time.
    pub clock: Arc<dyn Clock>,
}

/// How a gate behaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Whether questions are asked. If not, what would be one is let through; denials and the record remain.
    pub asks: bool,
    /// Seconds a question waits where neither rule nor asker says otherwise.
    pub timeout_s: u32,
    /// What this machine is called, where several share a ledger.
    pub machine: Option<String>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { asks: true, timeout_s: 120, machine: None }
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
    pub(crate) waiting: Arc<Waiting>,
    pub(crate) left: mpsc::UnboundedSender<ApprovalId>,
    /// What the keeper sleeps for.
    pub(crate) alarm: Arc<Alarm>,
    pub(crate) hub: Hub,
    pub(crate) part_kinds: PartKinds,
    /// Whose turn it is to work on a heavy input.
    inputs: Arc<Turns>,
    /// Whose turn it is to look something up for long. A queue of its own: a small call never waits for a heavy input.
    lookups: Arc<Turns>,
}

/// Why work on a call takes long.
#[derive(Clone, Copy)]
pub(crate) enum Long {
    /// Its input is heavy.
    Input,
    /// Files or directories are looked at.
    Lookup,
}

impl Long {
    pub(crate) fn of(is_heavy: bool, looks_up: bool) -> Option<Long> {
        match (is_heavy, looks_up) {
            (true, _) => Some(Long::Input),
            (false, true) => Some(Long::Lookup),
            (false, false) => None,
        }
    }
}

/// A call that is about to be judged.
struct Begun {
    policy: Arc<sekisho_policy::Policy>,
    generation: u64,
    /// This machine's files say something about it.
    here: bool,
    needs: Vec<Need>,
}

impl Begun {
    /// Whether looking things up may take long: directories are gone through, not only paths followed.
    fn takes_long(&self) -> bool {
        let is_quick = |need: &Need| matches!(need, Need::Resolve(_) | Need::Contents(_));
        self.needs.len() > QUICK_NEEDS || !self.needs.iter().all(is_quick)
    }
}

/// A verdict, and the rules it was made by.
pub struct Judged {
    /// What was decided.
    pub verdict: Verdict,
    /// What was around, facts included.
    pub around: Surroundings,
    /// Which policy.
    pub policy: Arc<sekisho_policy::Policy>,
    /// Its generation.
    pub generation: u64,
    /// When.
    pub at: Timestamp,
}

impl Gate {
    /// What the verdict on a call would be. Advisory: nothing may run on its word.
    pub fn judge(&self, ask: &Ask) -> Judged {
        self.inner.judge(&ask.call, &ask.asker, &ask.around)
    }

    /// The same by other rules than there are: to try a rule on a call before it is kept.
    pub fn judge_supposing(&self, ask: &Ask, supposed: &Supposed) -> Judged {
        self.inner.judge_by(supposed.rulebook(), &ask.call, &ask.asker, &ask.around)
    }

    /// The same as [`judge`](Gate::judge) where many ask at once: heavy inputs are judged one after the other.
    pub async fn judge_in_turn(&self, ask: &Ask) -> Result<Judged, Refusal> {
        self.inner.judge_in_turn(&ask.call, &ask.asker, &ask.around).await
    }

    /// Does some work on a call when it is its turn. Work on heavy inputs is done one at a time, and so is work that looks
    /// through directories, so that neither takes all the threads there are; other work is done at once.
    pub async fn in_turn<T>(&self, ask: &Ask, work: impl FnOnce() -> T) -> Result<T, Refusal> {
        let is_heavy = is_heavy(&ask.call.input);
        let looks_up = !is_heavy
            && self.inner.begin(&self.inner.ports.rulebook, &ask.call, &ask.asker, &ask.around).takes_long();
        let turn = self.inner.turn(Long::of(is_heavy, looks_up), &ask.asker).await?;
        Ok(turns::work(turn.as_ref(), work))
    }

    /// Records how a permitted call ended.
    pub async fn finished(&self, receipt: Receipt, ending: Ending) -> Result<(), LedgerError> {
        self.inner.ports.ledger.finish(&WriteAccess::GATE, receipt.execution, ending).await.map(|_| ())
    }

    /// Records how a call ended that was let through for a remote caller. `false`: none is running under that id.
    pub async fn reported(&self, execution: ExecutionId, ending: Ending) -> Result<bool, LedgerError> {
        self.inner.ports.ledger.finish(&WriteAccess::GATE, execution, ending).await
    }

    /// Lets nobody wait any more. Pending questions stay open for the next start.
    pub fn close(&self) {
        self.inner.waiting.close();
        self.inner.inputs.close();
        self.inner.lookups.close();
    }

    /// How many questions somebody in this process waits for.
    pub fn waiting(&self) -> usize {
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
            left,
            alarm: Arc::default(),
            hub: Hub::default(),
            part_kinds: PartKinds::default(),
            inputs: Arc::default(),
            lookups: Arc::default(),
        }
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.ports.clock.now()
    }

    /// Waits for the turn to do work that takes long; at once where it does not. Nobody waits for anything else meanwhile.
    pub(crate) async fn turn(&self, long: Option<Long>, asker: &Asker) -> Result<Option<Turn>, Refusal> {
        let turns = match long {
            None => return Ok(None),
            Some(Long::Input) => &self.inputs,
            Some(Long::Lookup) => &self.lookups,
        };
        let turn = turns.take(&asker.credential).await;
        turn.map(Some).ok_or_else(|| Refusal::of(RefusalCode::Closing))
    }

    /// Judges when it is this call's turn.
    pub(crate) async fn judge_in_turn(
        &self,
        call: &Call,
        asker: &Asker,
        around: &Around,
    ) -> Result<Judged, Refusal> {
        let mut turn = self.turn(Long::of(is_heavy(&call.input), false), asker).await?;
        let begun = turns::work(turn.as_ref(), || self.begin(&self.ports.rulebook, call, asker, around));
        if turn.is_none() {
            turn = self.turn(Long::of(false, begun.takes_long()), asker).await?;
        }
        Ok(turns::work(turn.as_ref(), || self.conclude(begun, call, around)))
    }

    /// Judges by the policy in force, with the facts it asks for.
    pub(crate) fn judge(&self, call: &Call, asker: &Asker, around: &Around) -> Judged {
        self.judge_by(&self.ports.rulebook, call, asker, around)
    }

    fn judge_by(&self, rulebook: &Rulebook, call: &Call, asker: &Asker, around: &Around) -> Judged {
        self.conclude(self.begin(rulebook, call, asker, around), call, around)
    }

    /// Finds out which facts judging takes. Nothing is looked up.
    fn begin(&self, rulebook: &Rulebook, call: &Call, asker: &Asker, around: &Around) -> Begun {
        let session = Session::of(asker, call);
        let here = self.is_here(around);
        let cwd = call.cwd.as_deref().filter(|_| here);
        let nowhere = Around { held_to: around.held_to.clone(), ..Around::default() };
        let in_force = rulebook.in_force(if here { around } else { &nowhere }, cwd, session.as_ref());
        let needs = if here { needs(&in_force.policy, call) } else { Vec::new() };
        Begun { policy: in_force.policy, generation: in_force.generation, here, needs }
    }

    /// Looks the facts up and judges.
    fn conclude(&self, begun: Begun, call: &Call, around: &Around) -> Judged {
        let Begun { policy, generation, here, needs } = begun;
        let at = self.now();
        let facts = match here {
            true => {
                let (root, home) = (around.root.as_deref(), around.home.as_deref());
                self.ports.preview.facts(&policy, &needs, root, home)
            }
            false => Facts::default(),
        };
        let around = Surroundings {
            now: at,
            root: around.root.clone().filter(|_| here),
            home: around.home.clone().filter(|_| here),
            can_confirm: !around.nobody_answers,
            facts,
        };
        let verdict = judge(&policy, call, &around);
        Judged { verdict, around, policy, generation, at }
    }

    /// Whether this machine's files say anything about a call.
    pub(crate) fn is_here(&self, around: &Around) -> bool {
        !around.elsewhere && self.is_ours(around)
    }

    /// Whether the gate of this machine is the one to let a call through: not where it runs beside another gate.
    pub(crate) fn is_ours(&self, around: &Around) -> bool {
        around.machine.is_none() || around.machine == self.settings.machine
    }

    /// When a question ends unanswered. The asker's word goes before the rule's, and that before the default; parked
    /// questions and those of durable runs have no end.
    pub(crate) fn deadline(&self, ask: &Ask, judged: &Judged) -> Option<Timestamp> {
        let wait = judged.verdict.wait;
        let on_timeout = ask.patience.on_timeout.or(wait.on_timeout);
        let parked = match on_timeout {
            Some(on_timeout) => on_timeout == OnTimeout::Park,
            None => ask.asker.durable,
        };
        let seconds = ask.patience.timeout_s.or(wait.timeout_s).unwrap_or(self.settings.timeout_s);
        let span = SignedDuration::from_secs(i64::from(seconds));
        (!parked).then(|| judged.at.checked_add(span).unwrap_or(Timestamp::MAX))
    }
}
