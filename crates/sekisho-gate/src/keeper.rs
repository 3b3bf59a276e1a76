//! What runs beside the gate: one loop that minds the clock, those who leave, what happens on other replicas, and changed
//! rules. However many questions are open, it is one task and one timer.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Weak};

use jiff::{SignedDuration, Timestamp};
use sekisho_policy::Decision;
use tokio::sync::{mpsc, watch};

use crate::access::WriteAccess;
use crate::alarm::Alarm;
use crate::clock::Clock;
use crate::gate::{Gate, Inner, Ports, Settings, is_heavy};
use crate::hub::Changed;
use crate::ids::ApprovalId;
use crate::ledger::{LedgerError, Swept};
use crate::machine::Happening;
use crate::record::Change;
use crate::turns;
use crate::waiting::Woken;

/// While something is pending the ledger hears from this replica this often: well inside the lease.
const BEAT: SignedDuration = SignedDuration::from_secs(2);
/// After a failure the ledger is tried again this soon.
const RETRY: SignedDuration = SignedDuration::from_millis(500);
/// How much is read at once.
const PAGE: usize = 256;

/// The gate's other half. Nothing expires, and nobody's leaving is noticed, while it does not run.
#[must_use = "a gate without its keeper never lets time pass"]
pub struct Keeper {
    inner: Weak<Inner>,
    leaving: mpsc::UnboundedReceiver<ApprovalId>,
    /// Those who left and could not be written down yet.
    left: BTreeSet<ApprovalId>,
    /// The last event that was read.
    seen: Option<u64>,
    /// The rules that everything pending was judged by.
    judged: Option<u64>,
    swept: bool,
    clock: Arc<dyn Clock>,
    alarm: Arc<Alarm>,
}

/// What the keeper woke up for.
enum Cause {
    Left(ApprovalId),
    Events,
    Rules,
    Time,
    Closed,
}

impl Gate {
    /// A gate, and the keeper that must run beside it: it minds time, rule changes and those who leave.
    pub fn new(ports: Ports, settings: Settings) -> (Gate, Keeper) {
        let (left, leaving) = mpsc::unbounded_channel();
        let inner = Arc::new(Inner::new(ports, settings, left));
        let keeper = Keeper::new(&inner, leaving);
        (Gate { inner }, keeper)
    }

    /// Writes to the ledger, to see whether it takes it.
    pub async fn try_to_write(&self) -> Result<(), LedgerError> {
        self.inner.sweep(self.inner.now()).await.map(drop)
    }
}

impl Keeper {
    fn new(inner: &Arc<Inner>, leaving: mpsc::UnboundedReceiver<ApprovalId>) -> Keeper {
        Keeper {
            inner: Arc::downgrade(inner),
            leaving,
            left: BTreeSet::new(),
            seen: None,
            judged: None,
            swept: false,
            clock: Arc::clone(&inner.ports.clock),
            alarm: Arc::clone(&inner.alarm),
        }
    }

    /// Runs until the last gate handle is gone. A ledger that fails is tried again until it is back.
    pub async fn run(mut self) {
        let Some(inner) = self.inner.upgrade() else { return };
        let rulebook = Arc::clone(&inner.ports.rulebook);
        let clock = Arc::clone(&self.clock);
        let head = inner.ports.ledger.head();
        let rules = rulebook.changed();
        // What fails here is read again by following; until then nothing is allowed.
        let _ = rulebook.refresh(inner.now()).await;
        drop(inner);
        tokio::select! {
            biased;
            () = self.mind(head, rules) => {}
            () = rulebook.follow(&*clock) => {}
        }
    }

    async fn mind(&mut self, mut head: watch::Receiver<u64>, mut rules: watch::Receiver<u64>) {
        loop {
            // Held only while there is something to do: when the last gate handle goes, the loop ends.
            let Some(inner) = self.inner.upgrade() else { return };
            let failed = self.round(&inner, &mut head, &mut rules).await.err();
            if let Some(error) = &failed {
                let now = inner.now();
                inner.waiting.wake_due(now, &Woken::NotRecorded(error.to_string()));
                self.alarm.set(Some(add(now, RETRY)));
            }
            drop(inner);
            match self.cause(&mut head, &mut rules, failed.is_some()).await {
                Cause::Left(id) => {
                    self.left.insert(id);
                }
                Cause::Events | Cause::Rules | Cause::Time => {}
                Cause::Closed => return,
            }
        }
    }

    /// Sleeps until there is something to do. After a failure the ledger's own news wait for the next try.
    async fn cause(
        &mut self,
        head: &mut watch::Receiver<u64>,
        rules: &mut watch::Receiver<u64>,
        failed: bool,
    ) -> Cause {
        tokio::select! {
            biased;
            left = self.leaving.recv() => left.map_or(Cause::Closed, Cause::Left),
            changed = head.changed(), if !failed => changed.map_or(Cause::Closed, |()| Cause::Events),
            changed = rules.changed(), if !failed => changed.map_or(Cause::Closed, |()| Cause::Rules),
            () = self.alarm.rings(&*self.clock) => Cause::Time,
        }
    }

    /// Everything there is to do now, in the order that loses nothing.
    async fn round(
        &mut self,
        inner: &Inner,
        head: &mut watch::Receiver<u64>,
        rules: &mut watch::Receiver<u64>,
    ) -> Result<(), LedgerError> {
        head.borrow_and_update();
        self.read_events(inner).await?;
        while let Ok(id) = self.leaving.try_recv() {
            self.left.insert(id);
        }
        self.let_go(inner).await?;
        rules.borrow_and_update();
        self.follow_rules(inner).await?;
        self.mind_time(inner).await
    }

    /// Wakes those whose questions ended, here or on another replica, and tells the listeners.
    async fn read_events(&mut self, inner: &Inner) -> Result<(), LedgerError> {
        let ledger = &inner.ports.ledger;
        let mut seen = match self.seen {
            Some(seen) => seen,
            // What happened before this start is nobody's news.
            None => {
                let seq = ledger.snapshot().await?.seq;
                inner.hub.begin(seq);
                seq
            }
        };
        loop {
            self.seen = Some(seen);
            let events = ledger.events(seen, PAGE).await?;
            let last = events.len() < PAGE;
            for event in events {
                let approval = match event.change.approval() {
                    Some(id) => readable(ledger.approval(id).await)?.flatten(),
                    None => None,
                };
                if let Change::Resolved { id, .. } = &event.change {
                    inner.waiting.wake(*id, &Woken::Resolved);
                }
                if event.change == Change::RulesChanged {
                    // Whoever hears of a change finds it in force. What fails here is read again by following.
                    let _ = inner.ports.rulebook.refresh(inner.now()).await;
                }
                seen = event.seq;
                self.seen = Some(seen);
                let heavy = approval.as_ref().is_some_and(|approval| is_heavy(&approval.asked.call.input));
                inner.hub.publish(turns::aside(heavy, || Changed::new(event, approval)));
            }
            if last {
                return Ok(());
            }
        }
    }

    /// Writes down who left, unless somebody came to wait in the meantime.
    async fn let_go(&mut self, inner: &Inner) -> Result<(), LedgerError> {
        while let Some(id) = self.left.first().copied() {
            if !inner.waiting.has(id) {
                readable(inner.ports.ledger.leave(&WriteAccess::GATE, id, inner.replica, inner.now()).await)?;
            }
            self.left.remove(&id);
        }
        Ok(())
    }

    /// After a change of rules everything pending is judged again.
    async fn follow_rules(&mut self, inner: &Inner) -> Result<(), LedgerError> {
        let generation = inner.ports.rulebook.generation();
        if self.judged == Some(generation) {
            return Ok(());
        }
        let mut after = None;
        loop {
            let page = inner.ports.ledger.pending(after, PAGE).await?;
            let Some(last) = page.last() else { break };
            after = Some(last.id);
            for approval in page {
                inner.rejudge_one(&approval).await?;
            }
        }
        self.judged = Some(generation);
        Ok(())
    }

    /// Ends what has run out, and sets the timer for what comes next.
    async fn mind_time(&mut self, inner: &Inner) -> Result<(), LedgerError> {
        let now = inner.now();
        if self.swept && self.alarm.next().is_none_or(|next| now < next) {
            return Ok(());
        }
        // Set before looking: a question that comes in meanwhile makes it earlier again.
        self.alarm.set(None);
        let swept = inner.sweep(now).await?;
        self.swept = true;
        let beat = swept.pending.then(|| add(now, BEAT));
        if let Some(next) = [swept.next, beat].into_iter().flatten().min() {
            self.alarm.at_latest(Some(next));
        }
        Ok(())
    }
}

impl Inner {
    /// Ends what has run out, and wakes those who wait for it.
    async fn sweep(&self, now: Timestamp) -> Result<Swept, LedgerError> {
        let swept = self.ports.ledger.sweep(&WriteAccess::GATE, self.replica, now).await?;
        for id in &swept.ended {
            self.waiting.wake(*id, &Woken::Resolved);
        }
        Ok(swept)
    }

    /// Judges one pending question by the rules in force.
    pub(crate) async fn rejudge(&self, id: ApprovalId) -> Result<(), LedgerError> {
        match self.ports.ledger.approval(id).await? {
            Some(approval) => self.rejudge_one(&approval).await,
            None => Ok(()),
        }
    }

    async fn rejudge_one(&self, approval: &crate::approval::Approval) -> Result<(), LedgerError> {
        let asked = &approval.asked;
        // A fault in judging one question must not end the loop that minds all the others; this one stays a question.
        let judged = catch_unwind(AssertUnwindSafe(|| self.judge(&asked.call, &asked.asker, &asked.around)));
        let Ok(judged) = judged else { return Ok(()) };
        // Another machine's gate may have rules and files that this one has not: it lets its own calls through itself.
        let loosens = judged.verdict.decision == Decision::Allow && !self.is_ours(&asked.around);
        if judged.verdict.decision != Decision::Confirm && !loosens {
            let happening = Happening::Rejudged(judged.verdict);
            let step = self.ports.ledger.step(&WriteAccess::GATE, approval.id, happening, judged.at).await?;
            if step.is_some_and(|step| step.changed) {
                self.waiting.wake(approval.id, &Woken::Resolved);
            }
        }
        Ok(())
    }
}

/// One row that cannot be read, now or ever, does not keep everyone else waiting.
fn readable<T>(read: Result<T, LedgerError>) -> Result<Option<T>, LedgerError> {
    match read {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.passing => Err(error),
        Err(_) => Ok(None),
    }
}

fn add(moment: Timestamp, span: SignedDuration) -> Timestamp {
    moment.checked_add(span).unwrap_or(Timestamp::MAX)
}
