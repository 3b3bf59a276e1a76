//! The task of one run: starts effects, applies what came of them, and stores each step.

use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use sekisho_gate::ledger::LedgerError;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::effects::{AskedState, RunCall};
use super::live_conversation::LiveConversation;
use super::shared_parts::SharedParts;
use super::watchers::{LivePiece, Progress};
use crate::machine::{Chunk, Effect, Phase, RunEvent, RunState, Step};
use crate::runs::{RunRequest, StoredRun, StoredStep};

/// How long a run waits when the store fails, at first and at most.
const FIRST_PAUSE: Duration = Duration::from_millis(200);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// Drives a run until nothing is left to do, or another replica owns it. While the store fails, it tries again.
pub(super) async fn drive(
    inner: &Arc<SharedParts>,
    id: Uuid,
    mut told: mpsc::Receiver<()>,
    tell: &mpsc::Sender<()>,
) {
    let mut pause = FIRST_PAUSE;
    loop {
        if let Err(Stopped::StoreFailed) = drive_once(inner, id, &mut told).await {
            tokio::time::sleep(pause).await;
            pause = LONGEST_PAUSE.min(pause * 2);
            continue;
        }
        let mut active = inner.active();
        let is_own = active.get(&id).is_some_and(|task| task.same_channel(tell));
        // Somebody may have told this task something after it ended.
        if is_own && told.try_recv().is_ok() {
            continue;
        }
        if is_own {
            active.remove(&id);
        }
        return;
    }
}

async fn drive_once(
    inner: &Arc<SharedParts>,
    id: Uuid,
    told: &mut mpsc::Receiver<()>,
) -> Result<(), Stopped> {
    let run = inner.runs.run(id).await?.filter(|run| run.owner == Some(inner.owner));
    let run = run.ok_or(Stopped::Lost)?;
    let mut task = RunTask {
        inner: Arc::clone(inner),
        run,
        conversation: LiveConversation::default(),
        effects: Vec::new(),
        under_way: JoinSet::new(),
    };
    task.go_on(told).await
}

/// Why a run is no longer driven here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stopped {
    /// Another replica owns it, or it was deleted.
    Lost,
    /// A step could not be stored, so nothing further may happen.
    StoreFailed,
}

impl From<LedgerError> for Stopped {
    fn from(_: LedgerError) -> Stopped {
        Stopped::StoreFailed
    }
}

/// Sleeps until a time has come, or for ever.
async fn sleep_until(inner: &SharedParts, moment: Option<Timestamp>) {
    match moment {
        Some(moment) => inner.gate.clock().sleep_until(moment).await,
        None => std::future::pending().await,
    }
}

struct RunTask {
    inner: Arc<SharedParts>,
    run: StoredRun,
    conversation: LiveConversation,
    /// What is under way, and how to cancel it.
    effects: Vec<(Effect, CancellationToken)>,
    under_way: JoinSet<(Effect, RunEvent)>,
}

impl RunTask {
    async fn go_on(&mut self, told: &mut mpsc::Receiver<()>) -> Result<(), Stopped> {
        self.fulfil_requests().await?;
        let inner = Arc::clone(&self.inner);
        loop {
            let deadline = self.deadline();
            if deadline.is_some_and(|deadline| inner.gate.clock().now() >= deadline) {
                self.apply(RunEvent::TimeUp, None).await?;
            }
            if self.run.state.phase == Phase::Model
                && let Err(error) = self.conversation.load(&inner, &self.run).await
            {
                self.apply(RunEvent::ModelFailed(error), None).await?;
            }
            self.start_effects();
            if self.under_way.is_empty() {
                return Ok(());
            }
            tokio::select! {
                Some(ended) = self.under_way.join_next() => {
                    // A task that panicked leaves its effect to be started again by the next driver.
                    let Ok((effect, event)) = ended else { return Ok(()) };
                    self.effects.retain(|(other, _)| *other != effect);
                    self.apply(event, None).await?;
                }
                Some(()) = told.recv() => self.fulfil_requests().await?,
                // The next turn ends the run.
                () = sleep_until(&inner, deadline) => {}
            }
        }
    }

    /// When the time of the run is over. None if it has no limit, or the run has ended.
    fn deadline(&self) -> Option<Timestamp> {
        let seconds = self.run.state.limits.max_seconds.filter(|_| !self.run.state.has_ended())?;
        let span = SignedDuration::from_secs(i64::try_from(seconds).unwrap_or(i64::MAX));
        Some(self.run.created_at.saturating_add(span).unwrap_or(Timestamp::MAX))
    }

    /// Starts what the state asks for and is not under way, and cancels what it no longer asks for.
    fn start_effects(&mut self) {
        let wanted = self.run.state.effects();
        for (effect, cancellation) in &self.effects {
            if !wanted.contains(effect) {
                cancellation.cancel();
            }
        }
        for effect in wanted {
            if self.effects.iter().any(|(other, _)| *other == effect) {
                continue;
            }
            let cancellation = CancellationToken::new();
            self.effects.push((effect.clone(), cancellation.clone()));
            self.start(effect, cancellation);
        }
    }

    fn start(&mut self, effect: Effect, cancellation: CancellationToken) {
        let inner = Arc::clone(&self.inner);
        let (id, settings) = (self.run.id, self.run.settings.clone());
        let call = self.call_of(&effect);
        let reply = self.run.state.replies.saturating_add(1);
        let asks = effect == Effect::AskModel;
        let state = AskedState {
            messages: if asks { self.conversation.messages() } else { Vec::new() },
            folded: usize::try_from(self.run.state.folded).unwrap_or(usize::MAX),
            budgets: self.run.budget_check(),
        };
        self.under_way.spawn(async move {
            let event = match (&effect, call) {
                (Effect::AskModel, _) => {
                    inner.watchers.tell(id, LivePiece::Asked { reply });
                    inner.ask_model(id, &settings, state, &cancellation).await
                }
                (Effect::Submit { .. }, Some(call)) => inner.submit(&call, &cancellation).await,
                (Effect::Redeem { approval, .. }, Some(call)) => {
                    inner.redeem(&call, *approval, &cancellation).await
                }
                (Effect::Await { run, edited, .. }, Some(call)) => {
                    inner.await_child(&call, *run, edited.clone(), &cancellation).await
                }
                (Effect::Withdraw(approval), _) => inner.withdraw(*approval).await,
                // The state that asked for it has the call.
                (Effect::Submit { .. } | Effect::Redeem { .. } | Effect::Await { .. }, None) => {
                    std::future::pending().await
                }
            };
            (effect, event)
        });
    }

    fn call_of(&self, effect: &Effect) -> Option<RunCall> {
        let (Effect::Submit { reply, call }
        | Effect::Redeem { reply, call, .. }
        | Effect::Await { reply, call, .. }) = effect
        else {
            return None;
        };
        let Phase::Tools { calls, .. } = &self.run.state.phase else { return None };
        Some(RunCall {
            run: self.run.id,
            settings: self.run.settings.clone(),
            reply: *reply,
            position: *call,
            call: calls.get(*call)?.call.clone(),
        })
    }

    /// Applies what somebody asked for, in order.
    async fn fulfil_requests(&mut self) -> Result<(), Stopped> {
        let requests = self.inner.runs.requests(self.inner.owner).await?;
        let id = self.run.id;
        for stored in requests.into_iter().filter(|stored| stored.run == id) {
            // A sub-agent that has ended does not go on: its parent has its result, or has ended too.
            let is_over = self.run.settings.parent.is_some() && self.run.state.has_ended();
            let event = match stored.request {
                RunRequest::Message { .. } if is_over => {
                    self.drop_request(stored.seq).await?;
                    continue;
                }
                RunRequest::Message { text } => RunEvent::Message(text),
                RunRequest::Abort { why } => RunEvent::Abort { why },
                RunRequest::Interrupt => {
                    self.interrupt_calls();
                    self.store(self.run.state.clone(), Step::default(), Some(stored.seq)).await?;
                    continue;
                }
            };
            self.apply(event, Some(stored.seq)).await?;
        }
        Ok(())
    }

    /// Fulfils a request that does not count.
    async fn drop_request(&mut self, request: u64) -> Result<(), Stopped> {
        self.store(self.run.state.clone(), Step::default(), Some(request)).await
    }

    /// Ends the tools that run. A call that waits for an approval is taken up again and goes on waiting.
    fn interrupt_calls(&self) {
        for (effect, cancellation) in &self.effects {
            if matches!(effect, Effect::Submit { .. } | Effect::Redeem { .. }) {
                cancellation.cancel();
            }
        }
    }

    /// Applies an event and stores the step. A request that changes nothing is fulfilled too.
    async fn apply(&mut self, event: RunEvent, request: Option<u64>) -> Result<(), Stopped> {
        let mut state = self.run.state.clone();
        let had_ended = state.has_ended();
        let step = match (state.handle(event), request) {
            (Some(step), _) => step,
            (None, Some(_)) => Step::default(),
            (None, None) => return Ok(()),
        };
        self.store(state, step, request).await?;
        if self.run.state.has_ended() && !had_ended {
            self.tell_children();
        }
        Ok(())
    }

    /// The store has asked the runs of sub-agents to end. Those that are driven here learn it at once.
    fn tell_children(&self) {
        let inner = Arc::clone(&self.inner);
        tokio::spawn(async move {
            // If the requests cannot be read now, the next look finds them.
            let _ = inner.look_for_requests().await;
        });
    }

    /// Stores a step, and the state after it.
    async fn store(&mut self, state: RunState, step: Step, request: Option<u64>) -> Result<(), Stopped> {
        let at = self.inner.gate.clock().now();
        let (run, version) = (self.run.id, self.run.version);
        let owner = self.inner.owner;
        let new_chunks = step.chunks.len() as u64;
        let new_messages = if self.conversation.is_loaded() { step.messages.clone() } else { Vec::new() };
        let ends = step.chunks.iter().any(|chunk| matches!(chunk, Chunk::Finished { .. }));
        let ended = ends.then(|| StoredRun { state: state.clone(), ..self.run.clone() });
        let record = ended.and_then(|ended| self.inner.host.end_record(&ended));
        let stored = StoredStep { run, owner, version, state: state.clone(), step, request, at, record };
        if !self.inner.runs.store(stored).await? {
            return Err(Stopped::Lost);
        }
        (self.run.state, self.run.version) = (state, version.saturating_add(1));
        self.conversation.follow(run, &self.run.state, new_messages);
        self.run.chunk_count = self.run.chunk_count.saturating_add(new_chunks);
        self.inner.watchers.tell(run, LivePiece::Stored(Progress::of(&self.run)));
        Ok(())
    }
}
