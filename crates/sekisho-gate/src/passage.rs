//! The whole way of a call, on one page.
//!
//! Judge; record; let through or turn back; or ask, wait, and then let through or turn back what the record says. There is
//! no other place that makes a [`Permit`], and none is made before the ledger has kept why.

use std::future::Future;
use std::sync::Arc;

use jiff::Timestamp;
use sekisho_policy::tools::ToolKind;
use sekisho_policy::{Call, CallTool, Decision, Fact, Facts, Need, OnTimeout};
use serde_json::Value;

use crate::answer::{Behavior, By};
use crate::approval::{Approval, Asked, Fate, State, Why};
use crate::ask::{Ask, Patience};
use crate::asker::{Around, Asker, Reach};
use crate::display;
use crate::gate::{Gate, Inner, Judged, is_heavy};
use crate::ids::{ApprovalId, CallId, ExecutionId};
use crate::ledger::{Admission, Ending, KeptCall, LedgerError, Opened, Opening};
use crate::machine::{Claim, Happening, Said};
use crate::permit::Permit;
use crate::premises::FileNow;
use crate::proposals::propose;
use crate::record;
use crate::refusal::{Refusal, RefusalCode};
use crate::turns;
use crate::waiting::{Waiter, Woken};
use sekisho_policy::Digest;

/// What a remote caller is told: its call may run.
#[derive(Clone, Debug, PartialEq)]
pub struct Told {
    /// The call, with the input it may run with.
    pub call: Call,
    /// The input, where a human changed it.
    pub updated_input: Option<Value>,
    /// The execution's row in the ledger.
    pub execution: ExecutionId,
    /// The question that let it through, if one did.
    pub approval: Option<ApprovalId>,
}

/// How far a remote caller came that does not wait.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "one lives at a time, and is taken apart at once")]
pub enum Begun {
    /// Its call may run.
    Told(Told),
    /// Humans are asked; asking again under the same key comes by for the answer.
    Asked(ApprovalId),
}

/// The end of a passage that was let through, or of one that does not wait.
enum Through {
    Permit {
        permit: Permit,
        /// A human changed the input.
        edited: bool,
    },
    /// A remote caller reads its answer again.
    Again(Told),
    /// The question is open, and nobody waits for it here.
    Open(ApprovalId),
}

impl Gate {
    /// Takes a call through the gate. It comes back with a permit for exactly this call, perhaps with an input a human
    /// changed, or with a refusal the model can use. Dropping the future is going away.
    pub fn pass(&self, ask: Ask) -> impl Future<Output = Result<Permit, Refusal>> + Send {
        let mut ask = Box::new(Ask { asker: Asker { reach: Reach::Here, ..ask.asker }, ..ask });
        async move {
            match self.inner.passage(&mut ask, true).await? {
                Through::Permit { permit, .. } => Ok(permit),
                Through::Again(_) | Through::Open(_) => Err(Refusal::of(RefusalCode::AlreadyTaken)),
            }
        }
    }

    /// The same for a caller that runs its calls elsewhere: it is told the answer, which spends it.
    pub fn tell(&self, ask: Ask) -> impl Future<Output = Result<Told, Refusal>> + Send {
        let mut ask = Box::new(Ask { asker: Asker { reach: Reach::Remote, ..ask.asker }, ..ask });
        async move {
            match begun(self.inner.passage(&mut ask, true).await?) {
                Begun::Told(told) => Ok(told),
                Begun::Asked(_) => Err(Refusal::of(RefusalCode::Closing)),
            }
        }
    }

    /// The same for a caller that does not wait but comes by again: the question stays open without it, until its time is
    /// up. Asking again under the same key takes the answer, which spends it.
    pub fn begin(&self, ask: Ask) -> impl Future<Output = Result<Begun, Refusal>> + Send {
        let asker = Asker { reach: Reach::Remote, durable: true, ..ask.asker };
        let on_timeout = ask.patience.on_timeout.or(Some(OnTimeout::Deny));
        let patience = Patience { on_timeout, ..ask.patience };
        let mut ask = Box::new(Ask { asker, patience, ..ask });
        async move { Ok(begun(self.inner.passage(&mut ask, false).await?)) }
    }
}

impl Inner {
    // Tens of thousands may wait here at once, so what is only needed before and after the wait is boxed.
    async fn passage(&self, ask: &mut Ask, waits: bool) -> Result<Through, Refusal> {
        let digest = Digest::of(&ask.call).map_err(|why| Refusal::with(RefusalCode::InputNotExact, why))?;
        loop {
            let judged = Box::pin(self.judge_in_turn(&ask.call, &ask.asker, &ask.around)).await?;
            let judged = Box::new(judged);
            let through = match judged.verdict.decision {
                Decision::Deny => return Err(Box::pin(self.turn_back(ask, digest, &judged)).await?),
                Decision::Allow => Box::pin(self.let_through(ask, digest, &judged)).await?,
                Decision::Confirm if !self.settings.asks && !ask.insists => {
                    Box::pin(self.let_through(ask, digest, &judged)).await?
                }
                Decision::Confirm => match self.ask_and_wait(ask, digest, judged, waits).await? {
                    (approval, true) => match Box::pin(self.take(approval)).await? {
                        None => Box::pin(self.recall(ask, digest, approval)).await?,
                        through => through,
                    },
                    (approval, false) => Some(Through::Open(approval)),
                },
            };
            // Nothing came of it where the world changed in between: then the call is judged anew.
            if let Some(through) = through {
                return Ok(through);
            }
        }
    }

    /// A call that needs no question: recorded, then permitted.
    async fn let_through(
        &self,
        ask: &Ask,
        digest: Digest,
        judged: &Judged,
    ) -> Result<Option<Through>, Refusal> {
        let execution = ExecutionId::new(judged.at);
        self.admit(ask, digest, judged, Some(execution)).await?;
        if self.ports.rulebook.generation() != judged.generation {
            let again = self.judge_in_turn(&ask.call, &ask.asker, &ask.around).await?;
            if again.verdict.decision > judged.verdict.decision {
                self.not_run(execution, again.at).await?;
                return Ok(None);
            }
        }
        let permit = Permit::new(ask.call.clone(), digest, execution, None);
        Ok(Some(Through::Permit { permit, edited: false }))
    }

    /// Ends an execution that was recorded and then not permitted.
    async fn not_run(&self, execution: ExecutionId, at: Timestamp) -> Result<(), Refusal> {
        let output = Some("not run: the rules changed".into());
        let ending = Ending { at, is_error: true, output, duration_ms: None };
        self.ports.ledger.finish(execution, ending).await.map(drop).map_err(not_recorded)
    }

    /// A call that may not run: recorded, then refused.
    async fn turn_back(&self, ask: &Ask, digest: Digest, judged: &Judged) -> Result<Refusal, Refusal> {
        self.admit(ask, digest, judged, None).await?;
        Ok(Refusal::by_verdict(&judged.verdict))
    }

    async fn admit(
        &self,
        ask: &Ask,
        digest: Digest,
        judged: &Judged,
        execution: Option<ExecutionId>,
    ) -> Result<(), Refusal> {
        let id = CallId::new(judged.at);
        let record = record::judged(judged.at, (id, &ask.call), &ask.asker, &judged.verdict, execution);
        let facts = judged.verdict.facts.clone();
        let call = KeptCall { id, call: ask.call.clone(), digest, asker: ask.asker.clone(), facts };
        let admission = Admission { at: judged.at, call, execution, record };
        self.ports.ledger.admit(admission).await.map_err(not_recorded)
    }

    /// Puts the question, and waits until it has ended; whether it has.
    async fn ask_and_wait(
        &self,
        ask: &mut Ask,
        digest: Digest,
        judged: Box<Judged>,
        waits: bool,
    ) -> Result<(ApprovalId, bool), Refusal> {
        let (id, waiter) = Box::pin(self.put(ask, digest, judged)).await?;
        let Some(mut waiter) = waiter else { return Ok((id, true)) };
        if !waits {
            return Ok((id, false));
        }
        ask.held = None;
        // The ledger has it: waiting may take hours, and many may wait.
        if is_heavy(&ask.call.input) {
            ask.call.input = Value::Null;
        }
        match waiter.woken().await {
            Woken::Resolved => Ok((id, true)),
            Woken::NotRecorded(why) => Err(Refusal::with(RefusalCode::NotRecorded, why)),
            Woken::Closing => Err(Refusal::of(RefusalCode::Closing)),
        }
    }

    /// Has the input again that was not kept while waiting: the call is to be judged anew.
    async fn recall(
        &self,
        ask: &mut Ask,
        digest: Digest,
        id: ApprovalId,
    ) -> Result<Option<Through>, Refusal> {
        if ask.call.input.is_null() {
            let found = self.ports.ledger.approval(id).await.map_err(not_recorded)?;
            ask.call.input = found.map(|approval| approval.asked.call.input.clone()).unwrap_or_default();
        }
        match Digest::of(&ask.call) {
            Ok(again) if again == digest => Ok(None),
            _ => Err(Refusal::with(RefusalCode::NotRecorded, "the input of the call is gone")),
        }
    }

    /// Puts the question, stored before anyone is told. There is nothing to wait for where it has ended already.
    async fn put(
        &self,
        ask: &Ask,
        digest: Digest,
        judged: Box<Judged>,
    ) -> Result<(ApprovalId, Option<Waiter>), Refusal> {
        let generation = judged.generation;
        // What it would do to a file is shown as a difference, whatever the size of the file.
        let writes = CallTool::of(&ask.call).is_some_and(|tool| tool.kind() == ToolKind::Write);
        let turn = self.turn(writes || is_heavy(&ask.call.input), &ask.asker).await?;
        let (approval, record) = turns::work(turn.as_ref(), || {
            let approval = self.question(ask, digest, *judged);
            let record = record::opened(&approval);
            (approval, record)
        });
        drop(turn);
        let room = ask.room.as_ref().map(|room| room.take(&approval)).transpose();
        let room = room.map_err(|why| Refusal { reason: why, ..Refusal::of(RefusalCode::NoRoom) })?;
        let (new, deadline) = (approval.id, approval.fate.deadline);
        // Waiting begins before the question is stored: who goes away in the middle has left all the same.
        let mut waiter = self.waiting.wait(new, deadline, ask.shape.clone(), self.left.clone());
        let opening = Opening { approval, replica: self.replica, record };
        let id = match self.ports.ledger.open(opening).await.map_err(not_recorded)? {
            Opened::New => {
                if let Some(room) = room {
                    room.keep();
                }
                new
            }
            Opened::Answered(approval) => return Ok((approval.id, None)),
            Opened::Conflict(_) => return Err(Refusal::of(RefusalCode::OtherInput)),
            Opened::Joined(approval) => {
                let deadline = approval.fate.deadline;
                waiter = self.waiting.wait(approval.id, deadline, ask.shape.clone(), self.left.clone());
                // It may have ended before we were in the table.
                let now = self.ports.ledger.approval(approval.id).await.map_err(not_recorded)?;
                if now.is_none_or(|approval| !approval.is_pending()) {
                    return Ok((approval.id, None));
                }
                approval.id
            }
        };
        self.alarm.at_latest(deadline);
        if self.ports.rulebook.generation() != generation {
            self.rejudge(id).await.map_err(not_recorded)?;
        }
        Ok((id, Some(waiter)))
    }

    fn question(&self, ask: &Ask, digest: Digest, judged: Judged) -> Approval {
        let deadline = self.deadline(ask, &judged);
        let shown = display::show(&ask.call, &judged.verdict, &|path| self.file(&ask.around, path));
        let proposals = propose(&judged.policy, &ask.call, &judged.around, &judged.verdict, &shown);
        let asked = Asked {
            call_id: CallId::new(judged.at),
            call: ask.call.clone(),
            digest,
            asker: ask.asker.clone(),
            around: ask.around.clone(),
            verdict: display::bounded(judged.verdict),
            shown,
            proposals,
            at: judged.at,
        };
        Approval { id: ApprovalId::new(judged.at), asked: Arc::new(asked), fate: Fate::open(deadline) }
    }

    /// Takes the answer of a question that has ended, once. `None`: it does not settle this call, which is asked anew.
    async fn take(&self, id: ApprovalId) -> Result<Option<Through>, Refusal> {
        let ledger = &self.ports.ledger;
        let found = ledger.approval(id).await.map_err(not_recorded)?;
        let approval =
            found.ok_or_else(|| Refusal::with(RefusalCode::NotRecorded, "the question is gone"))?;
        match &approval.fate.state {
            // Somebody else's going away ended it, and we are still here; or we were woken for nothing.
            State::Aborted { why: Why::CallerLeft, .. } | State::Pending => return Ok(None),
            State::Approved(_) => {}
            State::Denied(_) | State::Expired { .. } | State::Aborted { .. } => {
                self.claim(id, Claim::Refusal).await?;
                return Err(Refusal::by_fate(&approval).unwrap_or_else(|| Refusal::of(RefusalCode::Denied)));
            }
        }
        let call = approval.call_to_run();
        let judged = self.judge_in_turn(&call, &approval.asked.asker, &approval.asked.around).await?;
        if judged.verdict.decision == Decision::Deny {
            // One that was taken before is only not told again.
            self.claim(id, Claim::Void(judged.verdict.sentence())).await?;
            return Err(Refusal::by_verdict(&judged.verdict));
        }
        let void = self.no_longer(&approval, &judged).filter(|_| approval.fate.claimed.is_none());
        if let Some(why) = void {
            self.claim(id, Claim::Void(why)).await?;
            return Ok(None);
        }
        let digest = Digest::of(&call).map_err(|why| Refusal::with(RefusalCode::InputNotExact, why))?;
        let execution = ExecutionId::new(self.now());
        let (said, approval) = self.claim(id, Claim::Run(execution)).await?;
        let before = approval.fate.claimed.as_ref().and_then(|claimed| claimed.execution);
        match (said, before) {
            (Said::Done, Some(_)) => {
                if self.ports.rulebook.generation() != judged.generation {
                    let again =
                        self.judge_in_turn(&call, &approval.asked.asker, &approval.asked.around).await?;
                    if again.verdict.decision == Decision::Deny {
                        self.not_run(execution, again.at).await?;
                        return Err(Refusal::by_verdict(&again.verdict));
                    }
                }
                let edited = digest != approval.asked.digest;
                Ok(Some(Through::Permit { permit: Permit::new(call, digest, execution, Some(id)), edited }))
            }
            (Said::Same, Some(execution)) => Ok(Some(Through::Again(told(&approval, call, execution)))),
            _ => Err(Refusal::of(RefusalCode::AlreadyTaken)),
        }
    }

    async fn claim(&self, id: ApprovalId, claim: Claim) -> Result<(Said, Approval), Refusal> {
        let happening = Happening::Claimed(claim);
        let step = self.ports.ledger.step(id, happening, self.now()).await.map_err(not_recorded)?;
        let step = step.ok_or_else(|| Refusal::with(RefusalCode::NotRecorded, "the question is gone"))?;
        Ok((step.said, step.approval))
    }

    /// Why a yes does not hold any more: it was a rule's, which does not allow the call now, or what a person saw is not
    /// what would be done.
    fn no_longer(&self, approval: &Approval, now: &Judged) -> Option<String> {
        let answered = approval.fate.state.answered()?;
        if matches!(answered.by, By::Rule(_)) && now.verdict.decision != Decision::Allow {
            return Some("the rule that allowed it does not any more".into());
        }
        let then = answered.edited.as_ref().map_or(&approval.asked.verdict, |edited| &edited.verdict);
        if let Some(path) = led_elsewhere(&then.facts, &now.verdict.facts) {
            return Some(format!("`{path}` leads elsewhere than when it was shown"));
        }
        self.changed_file(approval).map(|path| format!("`{path}` has changed since it was shown"))
    }

    /// A file as it is now, where it is a file of this machine.
    fn file(&self, around: &Around, path: &str) -> FileNow {
        match self.is_here(around) {
            true => self.ports.preview.file(path),
            false => FileNow::Unshown { sha256: None, why: "it is on another machine".into() },
        }
    }

    /// A file that was shown and is no longer what it was.
    fn changed_file(&self, approval: &Approval) -> Option<String> {
        let around = &approval.asked.around;
        let changed = |path: &str, mark: &str| self.file(around, path).mark() != Some(mark);
        let shown = &approval.asked.shown.files;
        shown.iter().find(|file| changed(&file.path, &file.mark)).map(|file| file.path.clone())
    }
}

/// A path that was followed to one place then and to another now.
fn led_elsewhere(then: &Facts, now: &Facts) -> Option<String> {
    Vec::from(then.clone()).into_iter().find_map(|fact| match fact {
        (Need::Resolve(path), Fact::Resolved(to)) if now.resolved(&path) != Some(&to) => Some(path),
        _ => None,
    })
}

/// What a remote caller is told, which spends the permit.
fn begun(through: Through) -> Begun {
    match through {
        Through::Open(id) => Begun::Asked(id),
        Through::Again(told) => Begun::Told(told),
        Through::Permit { permit, edited } => {
            let approval = permit.approval();
            let (call, receipt) = permit.spend();
            let updated_input = edited.then(|| call.input.clone());
            Begun::Told(Told { call, updated_input, execution: receipt.execution(), approval })
        }
    }
}

fn told(approval: &Approval, call: Call, execution: ExecutionId) -> Told {
    let answered =
        approval.fate.state.answered().filter(|answered| answered.answer.behavior == Behavior::Allow);
    let updated_input = answered.and_then(|answered| answered.answer.updated_input.clone());
    Told { call, updated_input, execution, approval: Some(approval.id) }
}

fn not_recorded(error: LedgerError) -> Refusal {
    Refusal::with(RefusalCode::NotRecorded, error)
}
