//! Opening an approval for a call, and waiting for it. It is stored before anyone is notified.

use std::sync::Arc;

use sekisho_policy::tools::ToolKind;
use sekisho_policy::{CallTool, Digest, OnTimeout};
use serde_json::Value;

use crate::approval::{Approval, ApprovalProgress, ApprovalRequest};
use crate::call_request::{CallRequest, TimeoutOverrides};
use crate::display;
use crate::fair_queue;
use crate::gate::{Inner, Judgement, SlowWork, is_expensive};
use crate::ids::{ApprovalId, CallId};
use crate::input_schema::InputSchema;
use crate::ledger::{NewApproval, OpenOutcome, SpentKey};
use crate::ledger_write_proof::WriteAccess;
use crate::proposals::propose;
use crate::record;
use crate::refusal::{Refusal, RefusalCode};
use crate::waiters::{Waiter, WakeReason};

/// The result of opening an approval.
pub(crate) enum OpenedApproval {
    /// It is open.
    Open(ApprovalId, Waiter),
    /// It was opened before and has ended.
    Ended(ApprovalId),
    /// The durable key of the call was spent.
    Spent(SpentKey),
}

impl Inner {
    /// Opens an approval. It is stored before anyone is notified.
    pub(crate) async fn open_approval(
        &self,
        request: &CallRequest,
        digest: Digest,
        judgement: Box<Judgement>,
    ) -> Result<OpenedApproval, Refusal> {
        let generation = judgement.generation;
        // A file change is displayed as a diff, whatever the size of the file.
        let writes = CallTool::of(&request.call).is_some_and(|tool| tool.kind() == ToolKind::Write);
        let slow_work = SlowWork::of(is_expensive(&request.call.input), writes);
        let queue_slot = self.queue_slot(slow_work, &request.caller).await?;
        let (approval, record, reservation) = fair_queue::run_in_slot(queue_slot.as_ref(), || {
            let approval = self.build_approval(request, digest, *judgement);
            let record = record::opening_record(&approval);
            // Measuring a large approval may take long too.
            let reservation = request.quota.as_ref().map(|quota| quota.reserve(&approval)).transpose();
            (approval, record, reservation)
        });
        drop(queue_slot);
        let reservation =
            reservation.map_err(|why| Refusal { reason: why, ..Refusal::new(RefusalCode::NoRoom) })?;
        let (new, deadline) = (approval.id, approval.fate.deadline);
        // Register the waiter before the approval is stored: a caller that disconnects in between
        // counts as having left.
        let mut waiter = self.waiting.wait(new, deadline, self.departures.clone());
        let opening = NewApproval { approval, replica: self.replica, schema: request.schema.clone(), record };
        let id =
            match self.ports.ledger.open(&WriteAccess::GATE, opening).await.map_err(Refusal::not_recorded)? {
                OpenOutcome::New => {
                    if let Some(reservation) = reservation {
                        reservation.commit();
                    }
                    new
                }
                OpenOutcome::Answered(approval) => return Ok(OpenedApproval::Ended(approval.id)),
                OpenOutcome::Conflict(_) => return Err(Refusal::new(RefusalCode::OtherInput)),
                OpenOutcome::Spent(spent) => return Ok(OpenedApproval::Spent(spent)),
                OpenOutcome::Joined(approval) => {
                    let deadline = approval.fate.deadline;
                    waiter = self.waiting.wait(approval.id, deadline, self.departures.clone());
                    // It may have ended before the waiter was registered.
                    let now = self.ports.ledger.approval(approval.id).await.map_err(Refusal::not_recorded)?;
                    if now.is_none_or(|approval| !approval.is_pending()) {
                        return Ok(OpenedApproval::Ended(approval.id));
                    }
                    approval.id
                }
            };
        self.timer.set_no_later_than(deadline);
        if self.ports.rulebook.generation() != generation {
            self.rejudge(id).await.map_err(Refusal::not_recorded)?;
        }
        Ok(OpenedApproval::Open(id, waiter))
    }

    fn build_approval(&self, request: &CallRequest, digest: Digest, judgement: Judgement) -> Approval {
        let deadline = self.deadline(request, &judgement);
        let shown =
            display::show(&request.call, &judgement.verdict, &|path| self.file(&request.environment, path));
        let proposals =
            propose(&judgement.policy, &request.call, &judgement.environment, &judgement.verdict, &shown);
        let asked = ApprovalRequest {
            call_id: CallId::new(judgement.at),
            call: request.call.clone(),
            digest,
            asker: request.caller.clone(),
            around: request.environment.clone(),
            verdict: display::limit_parts(judgement.verdict),
            shown,
            proposals,
            schema: request.schema.as_ref().map(InputSchema::version),
            at: judgement.at,
        };
        Approval {
            id: ApprovalId::new(judgement.at),
            asked: Arc::new(asked),
            fate: ApprovalProgress::open(deadline),
        }
    }

    /// Waits until the approval has ended. That may take hours, with many waiters at once, so a large
    /// input or schema is not held in memory meanwhile. The ledger has it.
    pub(crate) async fn wait(&self, request: &mut CallRequest, waiter: Waiter) -> Result<(), Refusal> {
        request.memory_guard = None;
        if is_expensive(&request.call.input) {
            request.call.input = Value::Null;
        }
        request.schema = request.schema.take().filter(|schema| !is_expensive(schema.schema()));
        wait_until_ended(waiter).await
    }

    /// Reads back the input and schema that were dropped while waiting, because the call is judged again.
    pub(crate) async fn reload_input(
        &self,
        request: &mut CallRequest,
        digest: Digest,
        id: ApprovalId,
    ) -> Result<(), Refusal> {
        let found = self.ports.ledger.approval(id).await.map_err(Refusal::not_recorded)?;
        if let Some(Approval { asked, .. }) = found {
            if request.call.input.is_null() {
                request.call.input = asked.call.input.clone();
            }
            if request.schema.is_none() {
                request.schema = self.stored_schema(&asked).await?;
            }
        }
        match Digest::of(&request.call) {
            Ok(again) if again == digest => Ok(()),
            _ => Err(Refusal::with_detail(
                RefusalCode::NotRecorded,
                "the input of the call is no longer stored",
            )),
        }
    }

    /// Rebuilds the request of an approval: same deadline, same schema, and always a confirmation.
    pub(crate) async fn rebuild_request(&self, approval: &Approval) -> Result<CallRequest, Refusal> {
        let asked = &approval.asked;
        let gone = |what: &str| Refusal::with_detail(RefusalCode::NotRecorded, what);
        // A purged input has a different digest.
        if Digest::of(&asked.call).ok() != Some(asked.digest) {
            return Err(gone("the input of the call is no longer stored"));
        }
        let schema = self.stored_schema(asked).await?;
        let timeout = match approval.fate.deadline {
            None => TimeoutOverrides { on_timeout: Some(OnTimeout::Park), timeout_s: None },
            Some(deadline) => {
                let seconds = deadline.duration_since(asked.at).as_secs();
                let timeout_s = Some(u32::try_from(seconds).unwrap_or(u32::MAX));
                TimeoutOverrides { on_timeout: Some(OnTimeout::Deny), timeout_s }
            }
        };
        let request = CallRequest::new(asked.call.clone(), asked.asker.clone());
        Ok(CallRequest {
            environment: asked.around.clone(),
            schema,
            timeout,
            always_confirm: true,
            ..request
        })
    }

    /// The schema that an approval names, from the ledger.
    async fn stored_schema(&self, asked: &ApprovalRequest) -> Result<Option<InputSchema>, Refusal> {
        let gone = |what: &str| Refusal::with_detail(RefusalCode::NotRecorded, what);
        let Some(version) = asked.schema else { return Ok(None) };
        let stored = self.ports.ledger.input_schema(asked.call.tool.clone(), version).await;
        let stored = stored
            .map_err(Refusal::not_recorded)?
            .ok_or_else(|| gone("the tool's schema is no longer stored"))?;
        InputSchema::new(stored).map(Some).map_err(|error| gone(&error.to_string()))
    }
}

/// Waits until an approval has ended.
pub(crate) async fn wait_until_ended(mut waiter: Waiter) -> Result<(), Refusal> {
    match waiter.wait_for_wake().await {
        WakeReason::Resolved => Ok(()),
        WakeReason::NotRecorded(why) => Err(Refusal::not_recorded(why)),
        WakeReason::Closing => Err(Refusal::new(RefusalCode::Closing)),
    }
}
