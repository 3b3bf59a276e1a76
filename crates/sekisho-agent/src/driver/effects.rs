//! Does what the machine of a run asks for, and says what came of it.

use std::sync::Arc;
use std::time::Duration;

use sekisho_gate::call_request::{CallRequest, TimeoutOverrides};
use sekisho_gate::caller::Caller;
use sekisho_gate::ledger::LedgerError;
use sekisho_gate::refusal::{Refusal, RefusalCode};
use sekisho_gate::{ApprovalId, ExecutionId};
use sekisho_policy::{Call, OnTimeout};
use sekisho_tools::{DurableCall, ToolContext, ToolDefinition, ToolError, ToolResult, sub_agents};
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::shared_parts::SharedParts;
use super::watchers::LivePiece;
use crate::context_window::{Window, estimated_tokens, replaced};
use crate::conversation::{CallInput, Message, ToolCall};
use crate::machine::{CallOutcome, RunEvent};
use crate::model::{ModelError, ModelErrorCode, ModelRequest, PieceSink, ReplyPiece};
use crate::run_settings::RunSettings;
use crate::run_trees::Reserved;
use crate::spending::BudgetCheck;

/// How long a run waits before it reads the ledger again after a failure.
const LEDGER_PAUSE: Duration = Duration::from_millis(500);

/// Whether a tool is one for sub-agents.
pub(super) fn is_for_sub_agents(tool: &str) -> bool {
    sub_agents::NAMES.contains(&tool)
}

/// What a run says about a request to its model.
#[derive(Clone, Debug)]
pub(super) struct AskedState {
    /// The conversation, folded as far as the run is.
    pub(super) messages: Vec<Message>,
    /// How many messages are folded.
    pub(super) folded: usize,
    /// What is left of the budgets.
    pub(super) budgets: BudgetCheck,
}

/// A call of a run, and everything that is needed to make it.
#[derive(Clone)]
pub(super) struct RunCall {
    pub(super) run: Uuid,
    pub(super) settings: RunSettings,
    pub(super) reply: u32,
    pub(super) position: usize,
    pub(super) call: ToolCall,
}

impl RunCall {
    pub(super) fn ended(&self, outcome: CallOutcome) -> RunEvent {
        RunEvent::CallEnded { reply: self.reply, call: self.position, outcome }
    }

    pub(super) fn awaits(&self, run: Uuid, edited: Option<Value>) -> RunEvent {
        RunEvent::Awaits { reply: self.reply, call: self.position, run, edited }
    }

    /// The id of the call within its run. Models repeat ids, so the reply is part of it.
    pub(super) fn key(&self) -> String {
        format!("{}:{}", self.reply, self.call.id)
    }

    fn asked(&self, approval: ApprovalId) -> RunEvent {
        RunEvent::Asked { reply: self.reply, call: self.position, approval }
    }

    /// The call for the gate.
    fn request(&self) -> CallRequest {
        let input = match &self.call.input {
            CallInput::Object(input) => input.clone(),
            CallInput::Unreadable(_) => serde_json::Value::Null,
        };
        let call = Call {
            run_id: Some(self.run.to_string()),
            call_id: Some(self.key()),
            ..Call::new(&self.call.name, input).by_agent(&self.settings.agent_name)
        };
        let on_timeout = self.settings.approvals_expire.then_some(OnTimeout::Deny);
        let timeout = TimeoutOverrides { on_timeout, ..TimeoutOverrides::default() };
        let caller = Caller::in_process(&self.settings.credential).durable();
        CallRequest { timeout, ..CallRequest::new(call, caller) }
    }
}

impl SharedParts {
    pub(super) async fn ask_model(
        &self,
        run: Uuid,
        settings: &RunSettings,
        state: AskedState,
        cancellation: &CancellationToken,
    ) -> RunEvent {
        let messages = state.messages;
        if let Err(why) = self.host.may_go_on(settings).await {
            return RunEvent::ModelFailed(not_asked(why));
        }
        let model = match self.host.model(settings) {
            Ok(model) => model,
            Err(error) => return RunEvent::ModelFailed(error),
        };
        let tools = self.host.tools(settings).await;
        let (max_tokens, fixed_length) = (settings.max_tokens, fixed_length(settings, &tools));
        let window = Window::of(settings.context_tokens, max_tokens, fixed_length);
        if let Some(to) = window.to_fold(run, &messages, state.folded) {
            return self.fold(run, &messages, state.folded, to).await;
        }
        if let Some(exceeded) = state.budgets.exceeded(estimated_tokens(&messages, fixed_length), max_tokens)
        {
            return RunEvent::OverBudget(exceeded);
        }
        let input = estimated_tokens(&messages, fixed_length);
        match self.reserve(run, settings, (input, max_tokens)).await {
            Ok(Reserved::Granted) => {}
            Ok(Reserved::Spent(budget)) => return RunEvent::Spent(budget),
            Err(error) => return RunEvent::ModelFailed(unreserved(&error)),
        }
        let (model_name, system) = (settings.model.clone(), settings.system.clone());
        let temperature = settings.temperature;
        let request = ModelRequest { model: model_name, system, messages, tools, temperature, max_tokens };
        let pieces = WatchedPieces { inner: self, run };
        match model.reply(&request, &pieces, cancellation).await {
            Ok(reply) => RunEvent::Replied(reply),
            Err(error) => RunEvent::ModelFailed(error),
        }
    }

    /// Stores the results that are about to be folded, so that the model can read them again.
    async fn fold(&self, run: Uuid, messages: &[Message], from: usize, to: usize) -> RunEvent {
        let mut bytes = 0_u64;
        for content in replaced(messages, from, to) {
            bytes = bytes.saturating_add(content.len() as u64);
            // If it cannot be stored, the model is told so when it reads the reference's id.
            self.host.keep_output(run, content).await;
        }
        RunEvent::Folded { messages: u32::try_from(to).unwrap_or(u32::MAX), bytes }
    }

    /// Takes a call to the gate, and runs it if the gate permits it.
    pub(super) async fn submit(
        self: &Arc<Self>,
        call: &RunCall,
        cancellation: &CancellationToken,
    ) -> RunEvent {
        if let Some(event) = self.delegated_before(call).await {
            return event;
        }
        let access = match self.host.access(call.run, &call.settings, &call.call.name).await {
            Ok(access) => access,
            Err(why) => return call.ended(CallOutcome::NotRun { why }),
        };
        let delegation = match self.delegation(call).await {
            Ok(delegation) => delegation,
            Err(why) => return call.ended(CallOutcome::NotRun { why }),
        };
        let context = ToolContext { cancellation: cancellation.clone(), delegation, ..access };
        let environment = self.host.environment(&call.settings, &call.call).await;
        let request = CallRequest { environment, ..call.request() };
        let outcome = self.tools.submit(request, &context).await;
        self.call_event(call, outcome, &context).await
    }

    /// Waits for the answer to an approval, then runs the call or says why not.
    pub(super) async fn redeem(
        self: &Arc<Self>,
        call: &RunCall,
        approval: ApprovalId,
        cancellation: &CancellationToken,
    ) -> RunEvent {
        loop {
            tokio::select! {
                waited = self.gate.wait_until_ended(approval) => match waited {
                    Ok(()) => {}
                    Err(refusal) if refusal.code == RefusalCode::NotRecorded => {
                        // The question stays open, so the run waits until the ledger can be read again.
                        tokio::time::sleep(LEDGER_PAUSE).await;
                        continue;
                    }
                    Err(refusal) => return refused(call, refusal).await,
                },
                // If the run has ended, the machine withdraws the approval; else the run waits for it again.
                () = cancellation.cancelled() => return call.asked(approval),
            }
            let access = match self.host.access(call.run, &call.settings, &call.call.name).await {
                Ok(access) => access,
                Err(why) => return call.ended(CallOutcome::NotRun { why }),
            };
            let delegation = match self.delegation(call).await {
                Ok(delegation) => delegation,
                Err(why) => return call.ended(CallOutcome::NotRun { why }),
            };
            let context = ToolContext { cancellation: cancellation.clone(), delegation, ..access };
            let credential = call.settings.credential.clone();
            match self.tools.redeem(&call.call.name, approval, credential, &context).await {
                Ok(DurableCall::Waiting(again)) if again == approval => {}
                other => return self.call_event(call, other, &context).await,
            }
        }
    }

    /// What came of a call. A call for a sub-agent that was started before goes on where it was.
    async fn call_event(
        &self,
        call: &RunCall,
        outcome: Result<DurableCall, ToolError>,
        context: &ToolContext,
    ) -> RunEvent {
        match outcome {
            Ok(DurableCall::Started(execution)) if is_for_sub_agents(&call.call.name) => {
                self.delegate_again(call, execution, context).await
            }
            other => event(call, other, &context.cancellation).await,
        }
    }

    pub(super) async fn withdraw(&self, approval: ApprovalId) -> RunEvent {
        // If it has ended before, there is nothing to withdraw.
        let _ = self.gate.cancel(approval, "the run has ended").await;
        RunEvent::Withdrawn(approval)
    }
}

/// What came of a call. A run that goes on cancels a call only because a human interrupted it.
async fn event(
    call: &RunCall,
    outcome: Result<DurableCall, ToolError>,
    cancellation: &CancellationToken,
) -> RunEvent {
    match outcome {
        Ok(DurableCall::Waiting(approval)) => call.asked(approval),
        Ok(DurableCall::Started(execution)) => call.ended(unknown(execution)),
        Ok(DurableCall::Ended { result, .. }) if result.is_error && cancellation.is_cancelled() => {
            call.ended(CallOutcome::Interrupted { content: result.content })
        }
        Ok(DurableCall::Ended { result: ToolResult { awaits: Some(run), is_error: false, .. }, edited }) => {
            call.awaits(run, edited)
        }
        Ok(DurableCall::Ended { result, edited }) => call.ended(CallOutcome::Completed {
            content: result.content,
            is_error: result.is_error,
            is_final: result.is_final,
            edited,
        }),
        Err(ToolError::Refused(refusal)) => refused(call, refusal).await,
        Err(error) => call.ended(CallOutcome::NotRun { why: error.to_string() }),
    }
}

/// A call that the gate refused. If the gate is closing, the process is about to end, and the next one takes up the
/// call as it is.
async fn refused(call: &RunCall, refusal: Refusal) -> RunEvent {
    if refusal.code == RefusalCode::Closing {
        return std::future::pending().await;
    }
    call.ended(CallOutcome::Refused { refusal })
}

pub(super) fn unknown(execution: ExecutionId) -> CallOutcome {
    CallOutcome::Unknown { execution: Some(execution) }
}

/// The bytes of a request that are the same for every message.
fn fixed_length(settings: &RunSettings, tools: &[ToolDefinition]) -> usize {
    let tools = tools.iter().map(|tool| {
        tool.name
            .len()
            .saturating_add(tool.description.len())
            .saturating_add(tool.input_schema.to_string().len())
    });
    tools.sum::<usize>().saturating_add(settings.system.as_deref().map_or(0, str::len))
}

struct WatchedPieces<'a> {
    inner: &'a SharedParts,
    run: Uuid,
}

impl PieceSink for WatchedPieces<'_> {
    fn take(&self, piece: ReplyPiece) {
        self.inner.watchers.tell(self.run, LivePiece::Piece(piece));
    }

    fn restart(&self) {
        self.inner.watchers.tell(self.run, LivePiece::Restarted);
    }
}

/// What a reply can take could not be reserved.
fn unreserved(error: &LedgerError) -> ModelError {
    not_asked(format!("the budgets of the run could not be read: {error}"))
}

/// Why the model was not asked.
fn not_asked(message: String) -> ModelError {
    ModelError { code: ModelErrorCode::BadRequest, message, request_id: None, retry_after: None }
}
