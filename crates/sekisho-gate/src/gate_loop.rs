//! The loop that runs beside the gate: expiry, departed callers, events of other replicas, and changed
//! rules. It is one task with one timer, however many approvals are open.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Weak};

use jiff::{SignedDuration, Timestamp};
use sekisho_policy::Decision;
use tokio::sync::{mpsc, watch};

use crate::approval_machine::ApprovalTrigger;
use crate::clock::Clock;
use crate::event_buffer::FeedEvent;
use crate::fair_queue;
use crate::gate::{Gate, Inner, Ports, Settings, is_expensive};
use crate::ids::ApprovalId;
use crate::ledger::{LedgerError, SweepOutcome};
use crate::ledger_write_proof::WriteAccess;
use crate::record::EventPayload;
use crate::timer::Timer;
use crate::waiters::WakeReason;

/// How often this replica renews its lease while an approval is pending. Well below the lease.
const HEARTBEAT: SignedDuration = SignedDuration::from_secs(2);
/// How long to wait after a ledger failure before the next try.
const RETRY: SignedDuration = SignedDuration::from_millis(500);
/// How many rows are read at a time.
const PAGE: usize = 256;

/// The future that must run beside the gate. Without it nothing expires and departed callers go
/// unnoticed.
#[must_use = "without its background task a gate never expires anything"]
pub struct BackgroundTask {
    inner: Weak<Inner>,
    leaving: mpsc::UnboundedReceiver<ApprovalId>,
    /// Approvals without a waiter whose departure has not been recorded yet.
    left: BTreeSet<ApprovalId>,
    /// The number of the last event read.
    seen: Option<u64>,
    /// The generation of the rules that judged everything pending.
    judged: Option<u64>,
    swept: bool,
    clock: Arc<dyn Clock>,
    timer: Arc<Timer>,
}

/// What woke the task.
enum WakeCause {
    Left(ApprovalId),
    Events,
    Rules,
    Time,
    Closed,
}

impl Gate {
    /// Makes a gate and its background task, which must run beside it: it handles expiry, rule changes
    /// and departed callers.
    pub fn new(ports: Ports, settings: Settings) -> (Gate, BackgroundTask) {
        let (left, leaving) = mpsc::unbounded_channel();
        let inner = Arc::new(Inner::new(ports, settings, left));
        let background = BackgroundTask::new(&inner, leaving);
        (Gate { inner }, background)
    }

    /// Writes to the ledger to check that it accepts writes.
    pub async fn probe_write(&self) -> Result<(), LedgerError> {
        self.inner.sweep(self.inner.now()).await.map(drop)
    }
}

impl BackgroundTask {
    fn new(inner: &Arc<Inner>, leaving: mpsc::UnboundedReceiver<ApprovalId>) -> BackgroundTask {
        BackgroundTask {
            inner: Arc::downgrade(inner),
            leaving,
            left: BTreeSet::new(),
            seen: None,
            judged: None,
            swept: false,
            clock: Arc::clone(&inner.ports.clock),
            timer: Arc::clone(&inner.timer),
        }
    }

    /// Runs until the last gate handle is dropped. If the ledger fails, retries until it works again.
    pub async fn run(mut self) {
        let Some(inner) = self.inner.upgrade() else { return };
        let rulebook = Arc::clone(&inner.ports.rulebook);
        let clock = Arc::clone(&self.clock);
        let head = inner.ports.ledger.head();
        let rules = rulebook.watch_generation();
        // If this fails, the follow loop reads the rules again; until then nothing is allowed.
        let _ = rulebook.refresh(inner.now()).await;
        drop(inner);
        tokio::select! {
            biased;
            () = self.run_loop(head, rules) => {}
            () = rulebook.run_refresh_loop(&*clock) => {}
        }
    }

    async fn run_loop(&mut self, mut head: watch::Receiver<u64>, mut rules: watch::Receiver<u64>) {
        loop {
            // Held only while there is work to do, so the loop ends when the last gate handle is
            // dropped.
            let Some(inner) = self.inner.upgrade() else { return };
            let failed = self.run_once(&inner, &mut head, &mut rules).await.err();
            if let Some(error) = &failed {
                let now = inner.now();
                inner.waiting.wake_due(now, &WakeReason::NotRecorded(error.to_string()));
                self.timer.set(Some(add(now, RETRY)));
            }
            drop(inner);
            match self.cause(&mut head, &mut rules, failed.is_some()).await {
                WakeCause::Left(id) => {
                    self.left.insert(id);
                }
                WakeCause::Events | WakeCause::Rules | WakeCause::Time => {}
                WakeCause::Closed => return,
            }
        }
    }

    /// Sleeps until there is work to do. After a failure, ledger notifications wait for the next retry.
    async fn cause(
        &mut self,
        head: &mut watch::Receiver<u64>,
        rules: &mut watch::Receiver<u64>,
        failed: bool,
    ) -> WakeCause {
        tokio::select! {
            biased;
            left = self.leaving.recv() => left.map_or(WakeCause::Closed, WakeCause::Left),
            changed = head.changed(), if !failed => changed.map_or(WakeCause::Closed, |()| WakeCause::Events),
            changed = rules.changed(), if !failed => changed.map_or(WakeCause::Closed, |()| WakeCause::Rules),
            () = self.timer.wait(&*self.clock) => WakeCause::Time,
        }
    }

    /// Does all outstanding work, in an order that loses nothing.
    async fn run_once(
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
        self.record_departures(inner).await?;
        rules.borrow_and_update();
        self.rejudge_pending(inner).await?;
        self.expire_due(inner).await
    }

    /// Wakes the waiters of approvals that ended, on this replica or another, and publishes events to
    /// feeds.
    async fn read_events(&mut self, inner: &Inner) -> Result<(), LedgerError> {
        let ledger = &inner.ports.ledger;
        let mut seen = match self.seen {
            Some(seen) => seen,
            // Events from before this start are not published.
            None => {
                let seq = ledger.snapshot().await?.seq;
                inner.event_buffer.begin(seq);
                seq
            }
        };
        loop {
            self.seen = Some(seen);
            let events = ledger.events(seen, PAGE).await?;
            let last = events.len() < PAGE;
            for event in events {
                let approval = match event.change.approval() {
                    Some(id) => skip_unreadable(ledger.approval(id).await)?.flatten(),
                    None => None,
                };
                if let EventPayload::Resolved { id, .. } = &event.change {
                    inner.waiting.wake(*id, &WakeReason::Resolved);
                }
                if event.change == EventPayload::RulesChanged {
                    // A change must be active before anybody is notified of it. If this fails, the
                    // follow loop reads the rules again.
                    let _ = inner.ports.rulebook.refresh(inner.now()).await;
                }
                seen = event.seq;
                self.seen = Some(seen);
                let is_slow =
                    approval.as_ref().is_some_and(|approval| is_expensive(&approval.asked.call.input));
                let event = fair_queue::run_blocking(is_slow, || FeedEvent::new(event, approval));
                inner.event_buffer.publish(event);
            }
            if last {
                return Ok(());
            }
        }
    }

    /// Records departed callers, unless somebody has started to wait in the meantime.
    async fn record_departures(&mut self, inner: &Inner) -> Result<(), LedgerError> {
        while let Some(id) = self.left.first().copied() {
            if !inner.waiting.has(id) {
                skip_unreadable(
                    inner.ports.ledger.leave(&WriteAccess::GATE, id, inner.replica, inner.now()).await,
                )?;
            }
            self.left.remove(&id);
        }
        Ok(())
    }

    /// Judges everything pending again after rules changed.
    async fn rejudge_pending(&mut self, inner: &Inner) -> Result<(), LedgerError> {
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

    /// Expires what is due and sets the timer for the next deadline.
    async fn expire_due(&mut self, inner: &Inner) -> Result<(), LedgerError> {
        let now = inner.now();
        if self.swept && self.timer.next().is_none_or(|next| now < next) {
            return Ok(());
        }
        // Cleared before the sweep: an approval that opens meanwhile sets it again.
        self.timer.set(None);
        let swept = inner.sweep(now).await?;
        self.swept = true;
        let beat = swept.pending.then(|| add(now, HEARTBEAT));
        if let Some(next) = [swept.next, beat].into_iter().flatten().min() {
            self.timer.set_no_later_than(Some(next));
        }
        Ok(())
    }
}

impl Inner {
    /// Expires what is due and wakes its waiters.
    async fn sweep(&self, now: Timestamp) -> Result<SweepOutcome, LedgerError> {
        let swept = self.ports.ledger.sweep(&WriteAccess::GATE, self.replica, now).await?;
        for id in &swept.ended {
            self.waiting.wake(*id, &WakeReason::Resolved);
        }
        Ok(swept)
    }

    /// Judges one pending approval by the current rules.
    pub(crate) async fn rejudge(&self, id: ApprovalId) -> Result<(), LedgerError> {
        match self.ports.ledger.approval(id).await? {
            Some(approval) => self.rejudge_one(&approval).await,
            None => Ok(()),
        }
    }

    async fn rejudge_one(&self, approval: &crate::approval::Approval) -> Result<(), LedgerError> {
        let asked = &approval.asked;
        // A panic while judging one approval must not end the loop for all others. This approval stays
        // pending.
        let judgement =
            catch_unwind(AssertUnwindSafe(|| self.judge(&asked.call, &asked.asker, &asked.around)));
        let Ok(judgement) = judgement else { return Ok(()) };
        // The gate on another machine may have rules and files that this one lacks, so that gate allows
        // its own calls.
        let loosens = judgement.verdict.decision == Decision::Allow && !self.is_gated_here(&asked.around);
        if judgement.verdict.decision != Decision::Confirm && !loosens {
            let trigger = ApprovalTrigger::Rejudged(judgement.verdict);
            let step = self.ports.ledger.step(&WriteAccess::GATE, approval.id, trigger, judgement.at).await?;
            if step.is_some_and(|step| step.changed) {
                self.waiting.wake(approval.id, &WakeReason::Resolved);
            }
        }
        Ok(())
    }
}

/// Skips a row that can never be read, so that it does not block all others.
fn skip_unreadable<T>(read: Result<T, LedgerError>) -> Result<Option<T>, LedgerError> {
    match read {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.transient => Err(error),
        Err(_) => Ok(None),
    }
}

fn add(moment: Timestamp, span: SignedDuration) -> Timestamp {
    moment.checked_add(span).unwrap_or(Timestamp::MAX)
}
