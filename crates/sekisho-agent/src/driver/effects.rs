//! Does what the machine of a run asks for, and says what came of it.

use std::time::Duration;

use sekisho_gate::call_request::CallRequest;
use sekisho_gate::caller::Caller;
use sekisho_gate::ledger::LedgerError;
use sekisho_gate::refusal::{Refusal, RefusalCode};
use sekisho_gate::{ApprovalId, ExecutionId};
use sekisho_policy::Call;
use sekisho_tools::{DurableCall, ToolContext, ToolDefinition, ToolError};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::shared_parts::SharedParts;
use super::watchers::LivePiece;
use crate::context_window::{Window, fold, replaced};
use crate::conversation::{CallInput, Message, ToolCall};
use crate::machine::{CallOutcome, RunEvent};
use crate::model::{ModelError, ModelErrorCode, ModelRequest, PieceSink, ReplyPiece};
use crate::run_settings::RunSettings;

/// How long a run waits before it reads the ledger again after a failure.
const LEDGER_PAUSE: Duration = Duration::from_millis(500);

/// What the state of a run says about a request to its model.
#[derive(Clone, Copy, Debug)]
pub(super) struct AskedState {
    /// How many messages are folded.
    pub(super) folded: usize,
    /// The tokens that the run may still use.
    pub(super) tokens_left: Option<u64>,
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
    fn ended(&self, outcome: CallOutcome) -> RunEvent {
        RunEvent::CallEnded { reply: self.reply, call: self.position, outcome }
    }

    fn asked(&self, approval: ApprovalId) -> RunEvent {
        RunEvent::Asked { reply: self.reply, call: self.position, approval }
    }

    /// The call for the gate. Models repeat ids, so the reply is part of it.
    fn request(&self) -> CallRequest {
        let input = match &self.call.input {
            CallInput::Object(input) => input.clone(),
            CallInput::Unreadable(_) => serde_json::Value::Null,
        };
        let call = Call {
            run_id: Some(self.run.to_string()),
            call_id: Some(format!("{}:{}", self.reply, self.call.id)),
            ..Call::new(&self.call.name, input).by_agent(&self.settings.agent_name)
        };
        CallRequest::new(call, Caller::in_process(&self.settings.credential).durable())
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
        let mut messages = match self.runs.messages(run).await {
            Ok(messages) => messages,
            Err(error) => return RunEvent::ModelFailed(unreadable(&error)),
        };
        let model = match self.host.model(settings) {
            Ok(model) => model,
            Err(error) => return RunEvent::ModelFailed(error),
        };
        let tools = self.host.tools(settings).await;
        let max_tokens = longest_reply(settings, state.tokens_left);
        let window = Window::of(settings.context_tokens, max_tokens, fixed_length(settings, &tools));
        if let Some(to) = window.to_fold(run, &messages, state.folded) {
            return self.fold(run, &messages, state.folded, to).await;
        }
        fold(run, &mut messages, state.folded);
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
    pub(super) async fn submit(&self, call: &RunCall, cancellation: &CancellationToken) -> RunEvent {
        let access = match self.host.access(call.run, &call.settings, &call.call.name).await {
            Ok(access) => access,
            Err(why) => return call.ended(CallOutcome::NotRun { why }),
        };
        let context = ToolContext { cancellation: cancellation.clone(), ..access };
        let environment = self.host.environment(&call.settings, &call.call).await;
        let request = CallRequest { environment, ..call.request() };
        event(call, self.tools.submit(request, &context).await).await
    }

    /// Waits for the answer to an approval, then runs the call or says why not.
    pub(super) async fn redeem(
        &self,
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
                // The run has ended; the machine withdraws the approval.
                () = cancellation.cancelled() => return call.asked(approval),
            }
            let access = match self.host.access(call.run, &call.settings, &call.call.name).await {
                Ok(access) => access,
                Err(why) => return call.ended(CallOutcome::NotRun { why }),
            };
            let context = ToolContext { cancellation: cancellation.clone(), ..access };
            let credential = call.settings.credential.clone();
            match self.tools.redeem(&call.call.name, approval, credential, &context).await {
                Ok(DurableCall::Waiting(again)) if again == approval => {}
                other => return event(call, other).await,
            }
        }
    }

    pub(super) async fn withdraw(&self, approval: ApprovalId) -> RunEvent {
        // If it has ended before, there is nothing to withdraw.
        let _ = self.gate.cancel(approval, "the run has ended").await;
        RunEvent::Withdrawn(approval)
    }
}

/// The most tokens of the next reply: no more than the budget of the run has left.
fn longest_reply(settings: &RunSettings, tokens_left: Option<u64>) -> u32 {
    let left = tokens_left.map_or(u32::MAX, |left| u32::try_from(left).unwrap_or(u32::MAX));
    settings.max_tokens.min(left).max(1)
}

/// What came of a call.
async fn event(call: &RunCall, outcome: Result<DurableCall, ToolError>) -> RunEvent {
    match outcome {
        Ok(DurableCall::Waiting(approval)) => call.asked(approval),
        Ok(DurableCall::Started(execution)) => call.ended(unknown(execution)),
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

fn unknown(execution: ExecutionId) -> CallOutcome {
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

/// The messages of a run could not be read.
fn unreadable(error: &LedgerError) -> ModelError {
    ModelError {
        code: ModelErrorCode::BadRequest,
        message: format!("the messages of the run could not be read: {error}"),
        request_id: None,
        retry_after: None,
    }
}
