//! The whole way of a call, on one page.
//!
//! Judge; record; let through or turn back; or ask, wait, and then let through or turn back what the record says. There is
//! no other place that makes a [`Permit`], and none is made before the ledger has kept why.
//!
//! Two steps make up every way: [`submit`](Gate::submit) takes a call to its permit, its refusal or its question, and
//! [`redeem`](Gate::redeem) takes the answer of a question that has ended. [`pass`](Gate::pass) is both with the waiting in between.

use std::future::Future;

use jiff::Timestamp;
use sekisho_policy::{Decision, Digest};

use crate::access::WriteAccess;
use crate::approval::{Approval, State, Why};
use crate::ask::Ask;
use crate::asker::{Asker, Key, Reach};
use crate::gate::{Gate, Inner, Judged, Long, is_heavy};
use crate::ids::{ApprovalId, CallId, ExecutionId};
use crate::ledger::{Admission, Admitted, Ending, KeptCall, Spent};
use crate::machine::{Claim, Happening, Said};
use crate::permit::Permit;
use crate::question::{Put, woken};
use crate::record;
use crate::refusal::{Refusal, RefusalCode};
use crate::submission::{Progress, Submission, Told};
use crate::turns;

impl Gate {
    /// Takes a call through the gate. It comes back with a permit for exactly this call, perhaps with an input a human
    /// changed, or with a refusal the model can use. Dropping the future withdraws the call.
    pub fn pass(&self, ask: Ask) -> impl Future<Output = Result<Permit, Refusal>> + Send {
        let mut ask = Box::new(Ask { asker: Asker { reach: Reach::Here, ..ask.asker }, ..ask });
        async move {
            match self.inner.pass(&mut ask).await? {
                Progress::Permit { permit, .. } => Ok(permit),
                Progress::Again(_) | Progress::Spent(_) | Progress::Pending(..) => {
                    Err(Refusal::of(RefusalCode::AlreadyTaken))
                }
            }
        }
    }

    /// Submits a call of a durable run, which outlives this process. It does not wait for humans, and the question it may
    /// become stays open until somebody answers. Submitting the same call again, after a crash or on another replica,
    /// finds what was begun: at most one permit is ever given out for it.
    ///
    /// The call must have an id and name its run or conversation.
    pub fn submit(&self, ask: Ask) -> impl Future<Output = Result<Submission, Refusal>> + Send {
        let asker = Asker { reach: Reach::Here, durable: true, ..ask.asker };
        let ask = Box::new(Ask { asker, ..ask });
        async move {
            if Key::once(&ask.asker, &ask.call).is_none() {
                return Err(Refusal::of(RefusalCode::NoCallId));
            }
            Ok(submission(self.inner.submit(&ask).await?))
        }
    }

    /// Takes the answer to a question that [`submit`](Gate::submit) gave as pending. While it is open it is pending still; an
    /// answer that no longer holds is submitted anew, which may make another question.
    pub async fn redeem(&self, id: ApprovalId) -> Result<Submission, Refusal> {
        let approval = self.inner.durable_question(id).await?;
        if approval.is_pending() {
            return Ok(Submission::Pending(id));
        }
        match self.inner.redeem(id).await? {
            Some(progress) => Ok(submission(progress)),
            None => {
                let again = self.inner.asked_again(&approval).await?;
                Ok(submission(self.inner.submit(&again).await?))
            }
        }
    }

    /// Waits until the question of a durable run has ended. Dropping the future withdraws nothing.
    pub async fn ended(&self, id: ApprovalId) -> Result<(), Refusal> {
        let inner = &self.inner;
        let deadline = inner.durable_question(id).await?.fate.deadline;
        let waiter = inner.waiting.wait(id, deadline, inner.left.clone());
        // It may have ended before the waiter was in the table.
        if !inner.approval(id).await?.is_pending() {
            return Ok(());
        }
        woken(waiter).await
    }
}

fn submission(progress: Progress) -> Submission {
    match progress {
        Progress::Permit { permit, .. } => Submission::Permit(permit),
        Progress::Again(Told { execution, .. }) | Progress::Spent(execution) => Submission::Spent(execution),
        Progress::Pending(id, _) => Submission::Pending(id),
    }
}

impl Inner {
    /// The way of a caller that waits. Tens of thousands may wait here at once, so what is only needed before and after the
    /// wait is boxed.
    pub(crate) async fn pass(&self, ask: &mut Ask) -> Result<Progress, Refusal> {
        let digest = Box::pin(self.digest(ask)).await?;
        loop {
            let (id, waiter) = match Box::pin(self.submit_as(ask, digest)).await? {
                Progress::Pending(id, waiter) => (id, waiter),
                progress => return Ok(progress),
            };
            self.wait(ask, waiter).await?;
            if let Some(progress) = Box::pin(self.redeem(id)).await? {
                return Ok(progress);
            }
            Box::pin(self.recall(ask, digest, id)).await?;
        }
    }

    /// Judges a call and records it; then it is let through, turned back, or asked about.
    pub(crate) async fn submit(&self, ask: &Ask) -> Result<Progress, Refusal> {
        let digest = self.digest(ask).await?;
        self.submit_as(ask, digest).await
    }

    /// What an answer binds to. Of a heavy input it takes a moment.
    async fn digest(&self, ask: &Ask) -> Result<Digest, Refusal> {
        let turn = self.turn(Long::of(is_heavy(&ask.call.input), false), &ask.asker).await?;
        turns::work(turn.as_ref(), || digest_of(ask))
    }

    async fn submit_as(&self, ask: &Ask, digest: Digest) -> Result<Progress, Refusal> {
        loop {
            let judged = Box::pin(self.judge_in_turn(&ask.call, &ask.asker, &ask.around)).await?;
            let judged = Box::new(judged);
            let asks = self.settings.asks || ask.insists;
            let progress = match judged.verdict.decision {
                Decision::Deny => return Box::pin(self.turn_back(ask, digest, &judged)).await,
                Decision::Confirm if asks => match Box::pin(self.put(ask, digest, judged)).await? {
                    Put::Open(id, waiter) => Some(Progress::Pending(id, waiter)),
                    Put::Ended(id) => Box::pin(self.redeem(id)).await?,
                    Put::Spent(spent) => Some(again(spent, digest)?),
                },
                Decision::Allow | Decision::Confirm => {
                    Box::pin(self.let_through(ask, digest, &judged)).await?
                }
            };
            // Nothing came of it where the world changed in between: then the call is judged anew.
            if let Some(progress) = progress {
                return Ok(progress);
            }
        }
    }

    /// A call that may not run: recorded, then refused. One that ran before is found: a no would say that it never did.
    async fn turn_back(&self, ask: &Ask, digest: Digest, judged: &Judged) -> Result<Progress, Refusal> {
        match self.admit(ask, digest, judged, None).await? {
            Admitted::Spent(spent) => again(spent, digest),
            Admitted::New | Admitted::Answered(_) | Admitted::Conflict(_) => {
                Err(Refusal::by_verdict(&judged.verdict))
            }
        }
    }

    /// A call that needs no question: recorded, then permitted.
    async fn let_through(
        &self,
        ask: &Ask,
        digest: Digest,
        judged: &Judged,
    ) -> Result<Option<Progress>, Refusal> {
        let execution = ExecutionId::new(judged.at);
        match self.admit(ask, digest, judged, Some(execution)).await? {
            Admitted::New => {}
            Admitted::Spent(spent) => return again(spent, digest).map(Some),
            // What a human said to this call goes before a rule that came later.
            Admitted::Answered(id) => return Box::pin(self.redeem(id)).await,
            Admitted::Conflict(_) => return Err(Refusal::of(RefusalCode::OtherInput)),
        }
        if self.ports.rulebook.generation() != judged.generation {
            let now = self.judge_in_turn(&ask.call, &ask.asker, &ask.around).await?;
            if now.verdict.decision > judged.verdict.decision {
                self.retract(execution, now.at).await?;
                return Ok(None);
            }
        }
        let permit = Permit::new(ask.call.clone(), digest, execution, None);
        Ok(Some(Progress::Permit { permit, edited: false }))
    }

    async fn admit(
        &self,
        ask: &Ask,
        digest: Digest,
        judged: &Judged,
        execution: Option<ExecutionId>,
    ) -> Result<Admitted, Refusal> {
        let id = CallId::new(judged.at);
        let record = record::judged(judged.at, (id, &ask.call), &ask.asker, &judged.verdict, execution);
        let facts = judged.verdict.facts.clone();
        let call = KeptCall { id, call: ask.call.clone(), digest, asker: ask.asker.clone(), facts };
        let admission = Admission { at: judged.at, call, execution, record };
        self.ports.ledger.admit(&WriteAccess::GATE, admission).await.map_err(Refusal::not_recorded)
    }

    /// Takes the answer of a question that has ended, once. `None`: it does not settle this call, which is submitted anew.
    pub(crate) async fn redeem(&self, id: ApprovalId) -> Result<Option<Progress>, Refusal> {
        let approval = self.approval(id).await?;
        match &approval.fate.state {
            // Somebody else's going away ended it, and we are still here; or we were woken for nothing.
            State::Aborted { why: Why::CallerLeft, .. } | State::Pending => return Ok(None),
            State::Approved(_) => {}
            State::Denied(_) | State::Expired { .. } | State::Aborted { .. } => {
                self.claim(id, Claim::Refusal).await?;
                return Err(Refusal::by_fate(&approval).unwrap_or_else(|| Refusal::of(RefusalCode::Denied)));
            }
        }
        if let Some(spent) = spent_on(&approval) {
            return Ok(Some(Progress::Spent(spent)));
        }
        if approval.fate.claimed.as_ref().is_some_and(|claimed| claimed.void.is_some()) {
            // It was found not to hold before: by another who waits, or by a process that died then.
            return Ok(None);
        }
        let call = approval.call_to_run();
        let judged = self.judge_in_turn(&call, &approval.asked.asker, &approval.asked.around).await?;
        if judged.verdict.decision == Decision::Deny {
            // One that was taken before is only not told again.
            self.claim(id, Claim::Void(judged.verdict.sentence())).await?;
            return Err(Refusal::by_verdict(&judged.verdict));
        }
        let void = self.no_longer_holds(&approval, &judged).filter(|_| approval.fate.claimed.is_none());
        if let Some(why) = void {
            self.claim(id, Claim::Void(why)).await?;
            return Ok(None);
        }
        let digest = Digest::of(&call).map_err(|why| Refusal::with(RefusalCode::InputNotExact, why))?;
        if digest != approval.digest_to_run() {
            return Err(Refusal::with(
                RefusalCode::NotRecorded,
                "its input is not the one that was approved",
            ));
        }
        let execution = ExecutionId::new(self.now());
        let (said, approval) = self.claim(id, Claim::Run(execution)).await?;
        let before = approval.fate.claimed.as_ref().and_then(|claimed| claimed.execution);
        match (said, before) {
            (Said::Done, Some(_)) => {
                if !self.still_holds(&approval, &judged, execution).await? {
                    return Ok(None);
                }
                let edited = digest != approval.asked.digest;
                let permit = Permit::new(call, digest, execution, Some(id));
                Ok(Some(Progress::Permit { permit, edited }))
            }
            // Its durable key was spent on another execution, which submitting it finds.
            (Said::Done, None) => Ok(None),
            (Said::Same, Some(execution)) => {
                Ok(Some(Progress::Again(Told::again(&approval, call, execution))))
            }
            _ => match spent_on(&approval) {
                Some(spent) => Ok(Some(Progress::Spent(spent))),
                None => Err(Refusal::of(RefusalCode::AlreadyTaken)),
            },
        }
    }

    /// Whether an answer still holds that was just claimed, where the rules changed in that moment. A rule that denies the
    /// call turns it back.
    async fn still_holds(
        &self,
        approval: &Approval,
        judged: &Judged,
        execution: ExecutionId,
    ) -> Result<bool, Refusal> {
        if self.ports.rulebook.generation() == judged.generation {
            return Ok(true);
        }
        let asked = &approval.asked;
        let now = self.judge_in_turn(&approval.call_to_run(), &asked.asker, &asked.around).await?;
        let denied = now.verdict.decision == Decision::Deny;
        if !denied && self.no_longer_holds(approval, &now).is_none() {
            return Ok(true);
        }
        self.retract(execution, now.at).await?;
        if denied { Err(Refusal::by_verdict(&now.verdict)) } else { Ok(false) }
    }

    async fn claim(&self, id: ApprovalId, claim: Claim) -> Result<(Said, Approval), Refusal> {
        let happening = Happening::Claimed(claim);
        let step = self
            .ports
            .ledger
            .step(&WriteAccess::GATE, id, happening, self.now())
            .await
            .map_err(Refusal::not_recorded)?;
        let step = step.ok_or_else(question_is_gone)?;
        Ok((step.said, step.approval))
    }

    /// Ends an execution that was recorded and then not permitted.
    async fn retract(&self, execution: ExecutionId, at: Timestamp) -> Result<(), Refusal> {
        let output = Some("not run: the rules changed".into());
        let ending = Ending { at, is_error: true, output, duration_ms: None };
        self.ports
            .ledger
            .retract(&WriteAccess::GATE, execution, ending)
            .await
            .map(drop)
            .map_err(Refusal::not_recorded)
    }

    async fn durable_question(&self, id: ApprovalId) -> Result<Approval, Refusal> {
        let approval = self.approval(id).await?;
        match approval.asked.once() {
            Some(_) => Ok(approval),
            None => Err(Refusal::of(RefusalCode::NoCallId)),
        }
    }

    async fn approval(&self, id: ApprovalId) -> Result<Approval, Refusal> {
        let found = self.ports.ledger.approval(id).await.map_err(Refusal::not_recorded)?;
        found.ok_or_else(question_is_gone)
    }
}

fn digest_of(ask: &Ask) -> Result<Digest, Refusal> {
    Digest::of(&ask.call).map_err(|why| Refusal::with(RefusalCode::InputNotExact, why))
}

/// A durable key that was spent before, on the same call or on another one.
fn again(spent: Spent, digest: Digest) -> Result<Progress, Refusal> {
    match spent.digest == digest {
        true => Ok(Progress::Spent(spent.execution)),
        false => Err(Refusal::of(RefusalCode::OtherInput)),
    }
}

/// The execution that the answer to a durable run's question was taken for.
fn spent_on(approval: &Approval) -> Option<ExecutionId> {
    approval.asked.once()?;
    approval.fate.claimed.as_ref()?.execution
}

fn question_is_gone() -> Refusal {
    Refusal::with(RefusalCode::NotRecorded, "the question is gone")
}
