//! The whole path of a call.
//!
//! Judge; record; permit or refuse; or else open an approval, wait, and then permit or refuse as the
//! ledger says. No other module makes a [`Permit`], and none is made before the ledger has stored the
//! reason.
//!
//! Every path has two steps: [`submit`](Gate::submit) takes a call to its permit, refusal or approval,
//! and [`redeem`](Gate::redeem) takes the answer of an approval that has ended. [`pass`](Gate::pass)
//! does both and waits in between.

use std::future::Future;

use jiff::Timestamp;
use sekisho_policy::{Call, Decision, Digest};

use crate::approval::{AbortReason, Approval, ApprovalState};
use crate::approval_machine::{ApprovalTrigger, Claim, StepOutcome};
use crate::approval_opening::{OpenedApproval, wait_until_ended};
use crate::call_request::CallRequest;
use crate::caller::{Caller, ExecutionSite, IdempotencyKey};
use crate::fair_queue;
use crate::gate::{Gate, Inner, Judgement, SlowWork, is_expensive};
use crate::ids::{ApprovalId, CallId, ExecutionId};
use crate::ledger::{Admission, AdmissionOutcome, ExecutionOutcome, SpentKey, StoredCall};
use crate::ledger_write_proof::WriteAccess;
use crate::permit::Permit;
use crate::record;
use crate::refusal::{Refusal, RefusalCode};
use crate::submission::{AllowedCall, Progress, Submission};

impl Gate {
    /// Takes a call through the gate. Returns a permit for exactly this call, possibly with an input
    /// that a human edited, or a refusal that the model can use. Dropping the future withdraws the
    /// call.
    pub fn pass(&self, request: CallRequest) -> impl Future<Output = Result<Permit, Refusal>> + Send {
        let mut request = Box::new(CallRequest {
            caller: Caller { reach: ExecutionSite::Here, ..request.caller },
            ..request
        });
        async move {
            match self.inner.pass(&mut request).await? {
                Progress::Permit(permit) => Ok(permit),
                Progress::Replayed(_) | Progress::Spent(_) | Progress::Pending(..) => {
                    Err(Refusal::new(RefusalCode::AlreadyTaken))
                }
            }
        }
    }

    /// Submits a call of a durable run, which outlives this process. It does not wait for humans; if an
    /// approval is needed, it stays open until somebody answers. Submitting the same call again, after
    /// a crash or on another replica, finds the earlier submission: at most one permit is ever given
    /// out for it.
    ///
    /// The call must have an id and name its run or conversation.
    pub fn submit(&self, request: CallRequest) -> impl Future<Output = Result<Submission, Refusal>> + Send {
        let caller = Caller { reach: ExecutionSite::Here, durable: true, ..request.caller };
        let request = Box::new(CallRequest { caller, ..request });
        async move {
            if IdempotencyKey::for_durable_call(&request.caller, &request.call).is_none() {
                return Err(Refusal::new(RefusalCode::NoCallId));
            }
            Ok(submission(self.inner.submit(&request).await?))
        }
    }

    /// Takes the answer to an approval that [`submit`](Gate::submit) returned as pending. Returns
    /// pending while it is open. If the answer no longer holds, the call is submitted again, which may
    /// open another approval.
    pub async fn redeem(&self, id: ApprovalId) -> Result<Submission, Refusal> {
        let approval = self.inner.durable_approval(id).await?;
        if approval.is_pending() {
            return Ok(Submission::Pending(id));
        }
        match self.inner.redeem(id).await? {
            Some(progress) => Ok(submission(progress)),
            None => {
                let again = self.inner.rebuild_request(&approval).await?;
                Ok(submission(self.inner.submit(&again).await?))
            }
        }
    }

    /// Waits until the approval of a durable run has ended. Dropping the future withdraws nothing.
    pub async fn wait_until_ended(&self, id: ApprovalId) -> Result<(), Refusal> {
        let inner = &self.inner;
        let deadline = inner.durable_approval(id).await?.fate.deadline;
        let waiter = inner.waiting.wait(id, deadline, inner.departures.clone());
        // It may have ended before the waiter was registered.
        if !inner.approval(id).await?.is_pending() {
            return Ok(());
        }
        wait_until_ended(waiter).await
    }
}

fn submission(progress: Progress) -> Submission {
    match progress {
        Progress::Permit(permit) => Submission::Permit(permit),
        Progress::Replayed(AllowedCall { execution, .. }) | Progress::Spent(execution) => {
            Submission::Spent(execution)
        }
        Progress::Pending(id, _) => Submission::Pending(id),
    }
}

impl Inner {
    /// The path of a caller that waits. Tens of thousands may wait here at once, so everything needed
    /// only before and after the wait is boxed.
    pub(crate) async fn pass(&self, request: &mut CallRequest) -> Result<Progress, Refusal> {
        let digest = Box::pin(self.digest(request)).await?;
        loop {
            let (id, waiter) = match Box::pin(self.submit_with_digest(request, digest)).await? {
                Progress::Pending(id, waiter) => (id, waiter),
                progress => return Ok(progress),
            };
            self.wait(request, waiter).await?;
            if let Some(progress) = Box::pin(self.redeem(id)).await? {
                return Ok(progress);
            }
            Box::pin(self.reload_input(request, digest, id)).await?;
        }
    }

    /// Judges and records a call, then permits it, refuses it or opens an approval.
    pub(crate) async fn submit(&self, request: &CallRequest) -> Result<Progress, Refusal> {
        let digest = self.digest(request).await?;
        self.submit_with_digest(request, digest).await
    }

    /// The digest an answer is bound to. Takes a moment for large inputs.
    async fn digest(&self, request: &CallRequest) -> Result<Digest, Refusal> {
        let slow_input = SlowWork::of(is_expensive(&request.call.input), false);
        let queue_slot = self.queue_slot(slow_input, &request.caller).await?;
        fair_queue::run_in_slot(queue_slot.as_ref(), || digest_of(request))
    }

    async fn submit_with_digest(&self, request: &CallRequest, digest: Digest) -> Result<Progress, Refusal> {
        loop {
            let judgement =
                Box::pin(self.judge_in_turn(&request.call, &request.caller, &request.environment)).await?;
            let judgement = Box::new(judgement);
            let asks = self.settings.confirmations || request.always_confirm;
            let progress = match judgement.verdict.decision {
                Decision::Deny => return Box::pin(self.refuse(request, digest, &judgement)).await,
                Decision::Confirm if asks => {
                    match Box::pin(self.open_approval(request, digest, judgement)).await? {
                        OpenedApproval::Open(id, waiter) => Some(Progress::Pending(id, waiter)),
                        OpenedApproval::Ended(id) => Box::pin(self.redeem(id)).await?,
                        OpenedApproval::Spent(spent) => Some(spent_progress(spent, digest)?),
                    }
                }
                Decision::Allow | Decision::Confirm => {
                    Box::pin(self.permit(request, digest, &judgement)).await?
                }
            };
            // `None` means that rules or files changed in between: judge the call again.
            if let Some(progress) = progress {
                return Ok(progress);
            }
        }
    }

    /// Records a call that may not run, then refuses it. If the call ran before, that execution is
    /// returned instead: a refusal would claim that it never ran.
    async fn refuse(
        &self,
        request: &CallRequest,
        digest: Digest,
        judgement: &Judgement,
    ) -> Result<Progress, Refusal> {
        match self.admit(request, digest, judgement, None).await? {
            AdmissionOutcome::Spent(spent) => spent_progress(spent, digest),
            AdmissionOutcome::New | AdmissionOutcome::Answered(_) | AdmissionOutcome::Conflict(_) => {
                Err(Refusal::from_verdict(&judgement.verdict))
            }
        }
    }

    /// Records a call that needs no approval, then permits it.
    async fn permit(
        &self,
        request: &CallRequest,
        digest: Digest,
        judgement: &Judgement,
    ) -> Result<Option<Progress>, Refusal> {
        let execution = ExecutionId::new(judgement.at);
        match self.admit(request, digest, judgement, Some(execution)).await? {
            AdmissionOutcome::New => {}
            AdmissionOutcome::Spent(spent) => return spent_progress(spent, digest).map(Some),
            // A human's answer to this call takes precedence over a later rule.
            AdmissionOutcome::Answered(id) => return Box::pin(self.redeem(id)).await,
            AdmissionOutcome::Conflict(_) => return Err(Refusal::new(RefusalCode::OtherInput)),
        }
        if self.ports.rulebook.generation() != judgement.generation {
            let now = self.judge_in_turn(&request.call, &request.caller, &request.environment).await?;
            if now.verdict.decision > judgement.verdict.decision {
                self.retract(execution, now.at).await?;
                return Ok(None);
            }
        }
        let facts = judgement.verdict.facts.clone();
        let permit = Permit::new(request.call.clone(), digest, execution, None, facts);
        Ok(Some(Progress::Permit(permit)))
    }

    async fn admit(
        &self,
        request: &CallRequest,
        digest: Digest,
        judgement: &Judgement,
        execution: Option<ExecutionId>,
    ) -> Result<AdmissionOutcome, Refusal> {
        let id = CallId::new(judgement.at);
        let record = record::verdict_record(
            judgement.at,
            (id, &request.call),
            &request.caller,
            &judgement.verdict,
            execution,
        );
        let facts = judgement.verdict.facts.clone();
        let call =
            StoredCall { id, call: request.call.clone(), digest, asker: request.caller.clone(), facts };
        let admission = Admission { at: judgement.at, call, execution, record };
        self.ports.ledger.admit(&WriteAccess::GATE, admission).await.map_err(Refusal::not_recorded)
    }

    /// Takes the answer of an approval that has ended, once. `None` if it does not decide this call,
    /// which is then submitted again.
    pub(crate) async fn redeem(&self, id: ApprovalId) -> Result<Option<Progress>, Refusal> {
        let approval = self.approval(id).await?;
        match &approval.fate.state {
            // Another waiter left and the approval was aborted, but this caller is still here; or the
            // wake-up was spurious.
            ApprovalState::Aborted { why: AbortReason::CallerLeft, .. } | ApprovalState::Pending => {
                return Ok(None);
            }
            ApprovalState::Approved(_) => {}
            ApprovalState::Denied(_) | ApprovalState::Expired { .. } | ApprovalState::Aborted { .. } => {
                self.claim(id, Claim::Refusal).await?;
                return Err(
                    Refusal::from_approval(&approval).unwrap_or_else(|| Refusal::new(RefusalCode::Denied))
                );
            }
        }
        if let Some(spent) = spent_on(&approval) {
            return Ok(Some(Progress::Spent(spent)));
        }
        if approval.fate.claimed.as_ref().is_some_and(|claimed| claimed.void.is_some()) {
            // Already found void, by another waiter or by a process that died afterwards.
            return Ok(None);
        }
        let call = approval.call_to_run();
        let judgement = self.judge_in_turn(&call, &approval.asked.asker, &approval.asked.around).await?;
        if judgement.verdict.decision == Decision::Deny {
            // If the answer was taken already, this only prevents it from being read again.
            self.claim(id, Claim::Void(judgement.verdict.sentence())).await?;
            return Err(Refusal::from_verdict(&judgement.verdict));
        }
        let void = self.void_reason(&approval, &judgement).filter(|_| approval.fate.claimed.is_none());
        if let Some(why) = void {
            self.claim(id, Claim::Void(why)).await?;
            return Ok(None);
        }
        let digest = approved_digest(&approval, &call)?;
        let execution = ExecutionId::new(self.now());
        let (outcome, approval) = self.claim(id, Claim::Run(execution)).await?;
        let before = approval.fate.claimed.as_ref().and_then(|claimed| claimed.execution);
        match (outcome, before) {
            (StepOutcome::Changed, Some(_)) => {
                if !self.still_holds(&approval, &judgement, execution).await? {
                    return Ok(None);
                }
                let edited = digest != approval.asked.digest;
                let permit = Permit::new(call, digest, execution, Some(id), judgement.verdict.facts);
                Ok(Some(Progress::Permit(permit.edited(edited))))
            }
            // The durable key was spent on another execution, which submitting again will find.
            (StepOutcome::Changed, None) => Ok(None),
            (StepOutcome::Duplicate, Some(execution)) => {
                Ok(Some(Progress::Replayed(AllowedCall::replayed(&approval, call, execution))))
            }
            _ => match spent_on(&approval) {
                Some(spent) => Ok(Some(Progress::Spent(spent))),
                None => Err(Refusal::new(RefusalCode::AlreadyTaken)),
            },
        }
    }

    /// Whether an answer that was just claimed still holds, if the rules changed at the last moment.
    /// Otherwise the execution is retracted. If a rule denies the call, it is refused.
    async fn still_holds(
        &self,
        approval: &Approval,
        judgement: &Judgement,
        execution: ExecutionId,
    ) -> Result<bool, Refusal> {
        if self.ports.rulebook.generation() == judgement.generation {
            return Ok(true);
        }
        let asked = &approval.asked;
        let now = self.judge_in_turn(&approval.call_to_run(), &asked.asker, &asked.around).await?;
        let denied = now.verdict.decision == Decision::Deny;
        if !denied && self.void_reason(approval, &now).is_none() {
            return Ok(true);
        }
        self.retract(execution, now.at).await?;
        if denied { Err(Refusal::from_verdict(&now.verdict)) } else { Ok(false) }
    }

    async fn claim(&self, id: ApprovalId, claim: Claim) -> Result<(StepOutcome, Approval), Refusal> {
        let trigger = ApprovalTrigger::Claimed(claim);
        let step = self
            .ports
            .ledger
            .step(&WriteAccess::GATE, id, trigger, self.now())
            .await
            .map_err(Refusal::not_recorded)?;
        let step = step.ok_or_else(approval_not_found)?;
        Ok((step.outcome, step.approval))
    }

    /// Ends an execution that was recorded and then not permitted.
    async fn retract(&self, execution: ExecutionId, at: Timestamp) -> Result<(), Refusal> {
        let output = Some("not run: the rules changed".into());
        let outcome = ExecutionOutcome { at, is_error: true, output, duration_ms: None, exit: None };
        self.ports
            .ledger
            .retract(&WriteAccess::GATE, execution, outcome)
            .await
            .map(drop)
            .map_err(Refusal::not_recorded)
    }

    async fn durable_approval(&self, id: ApprovalId) -> Result<Approval, Refusal> {
        let approval = self.approval(id).await?;
        match approval.asked.durable_key() {
            Some(_) => Ok(approval),
            None => Err(Refusal::new(RefusalCode::NoCallId)),
        }
    }

    async fn approval(&self, id: ApprovalId) -> Result<Approval, Refusal> {
        let found = self.ports.ledger.approval(id).await.map_err(Refusal::not_recorded)?;
        found.ok_or_else(approval_not_found)
    }
}

fn digest_of(request: &CallRequest) -> Result<Digest, Refusal> {
    Digest::of(&request.call).map_err(|why| Refusal::with_detail(RefusalCode::InputNotExact, why))
}

/// The result for a durable key that was spent, on the same call or on another.
fn spent_progress(spent: SpentKey, digest: Digest) -> Result<Progress, Refusal> {
    match spent.digest == digest {
        true => Ok(Progress::Spent(spent.execution)),
        false => Err(Refusal::new(RefusalCode::OtherInput)),
    }
}

/// The digest of the call that would run. It must be the one that was approved: the stored input could have been changed
/// since.
fn approved_digest(approval: &Approval, call: &Call) -> Result<Digest, Refusal> {
    let digest = Digest::of(call).map_err(|why| Refusal::with_detail(RefusalCode::InputNotExact, why))?;
    if digest == approval.digest_to_run() {
        return Ok(digest);
    }
    Err(Refusal::with_detail(RefusalCode::NotRecorded, "the stored input is not the one that was approved"))
}

/// The execution that took the answer of a durable run's approval.
fn spent_on(approval: &Approval) -> Option<ExecutionId> {
    approval.asked.durable_key()?;
    approval.fate.claimed.as_ref()?.execution
}

fn approval_not_found() -> Refusal {
    Refusal::with_detail(RefusalCode::NotRecorded, "the approval no longer exists")
}
