//! The state of a run, and how events change it.

use sekisho_gate::ApprovalId;
use sekisho_policy::whole_words::whole_values;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

use super::chunk::{Chunk, FinishReason};
use super::event::{Effect, RunEvent, SpentBudget, Step};
use super::outcome::CallOutcome;
use crate::conversation::{AssistantPart, CallInput, CallResult, Message, ToolCall};
use crate::model::{ModelError, ModelReply, StopReason, Usage};
use crate::spending::{ExceededBudget, UsdAmount};

/// The limits of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunLimits {
    /// How many replies the model may give to a message.
    pub max_iterations: u32,
    /// The most tokens of the whole run, input and output. None for no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// The most seconds from the start of the run to its end, waiting for approvals included. None for no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_seconds: Option<u64>,
    /// The most that the whole run may cost. None for no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_cost: Option<UsdAmount>,
}

impl RunLimits {
    /// This many replies to a message, and no other limit.
    pub const fn replies(max_iterations: u32) -> RunLimits {
        RunLimits { max_iterations, max_tokens: None, max_seconds: None, max_cost: None }
    }
}

/// The state of a run. Stored as JSON with every step, so its serde form must stay readable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunState {
    /// The limits.
    pub limits: RunLimits,
    /// What the run does now.
    pub phase: Phase,
    /// How many replies the model gave to the last message.
    pub turn: u32,
    /// How many replies it gave in the whole run. Part of the keys of calls, because models repeat ids.
    pub replies: u32,
    /// The tokens of the whole run.
    pub usage: Usage,
    /// How many messages people and programs sent to it. Older runs were stored without.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub said: u32,
    /// How many messages, from the first on, are sent to the model with references instead of long results.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub folded: u32,
    /// Messages that came while the run was busy, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub queued: Vec<String>,
}

/// What a run does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "phase", rename_all = "snake_case")]
pub enum Phase {
    /// The model is asked.
    Model,
    /// The calls of the last reply are under way.
    Tools {
        /// The calls, in the order of the reply.
        calls: Vec<TrackedCall>,
        /// The tokens of the reply.
        usage: Usage,
    },
    /// The run has ended.
    Ended {
        /// Why.
        reason: FinishReason,
        /// Approvals that must still be withdrawn.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        withdrawing: Vec<ApprovalId>,
    },
}

/// A call and how far it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrackedCall {
    /// The call.
    pub call: ToolCall,
    /// How far it is.
    pub state: CallState,
}

/// How far a call is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum CallState {
    /// It is at the gate, or its tool is running.
    Submitted,
    /// It waits for an approval.
    Waiting {
        /// The approval.
        approval: ApprovalId,
    },
    /// It waits for the run of a sub-agent.
    Awaits {
        /// The run.
        run: Uuid,
        /// The input of the call, if a human changed it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        edited: Option<Value>,
    },
    /// It has ended.
    Ended {
        /// How.
        outcome: CallOutcome,
    },
}

/// No reply has less than one token.
const NO_TOKENS: FinishReason =
    FinishReason::Budget { exceeded: ExceededBudget::Tokens { needed: 1, left: 0 } };

impl RunState {
    /// A new run with its first message.
    pub fn start(limits: RunLimits, message: String) -> (RunState, Step) {
        let mut state = RunState {
            limits,
            phase: Phase::Model,
            turn: 0,
            replies: 0,
            usage: Usage::default(),
            said: 0,
            folded: 0,
            queued: Vec::new(),
        };
        let mut step = Step::default();
        state.say(message, &mut step);
        (state, step)
    }

    /// Everything that has to be done outside, in this state. Effects that are under way are among them.
    pub fn effects(&self) -> Vec<Effect> {
        match &self.phase {
            Phase::Model => vec![Effect::AskModel],
            Phase::Tools { calls, .. } => {
                let reply = self.replies;
                let effect = |(call, tracked): (usize, &TrackedCall)| match &tracked.state {
                    CallState::Submitted => Some(Effect::Submit { reply, call }),
                    CallState::Waiting { approval } => {
                        Some(Effect::Redeem { reply, call, approval: *approval })
                    }
                    CallState::Awaits { run, edited } => {
                        Some(Effect::Await { reply, call, run: *run, edited: edited.clone() })
                    }
                    CallState::Ended { .. } => None,
                };
                calls.iter().enumerate().filter_map(effect).collect()
            }
            Phase::Ended { withdrawing, .. } => withdrawing.iter().copied().map(Effect::Withdraw).collect(),
        }
    }

    /// Whether the run has ended. Its approvals may still have to be withdrawn.
    pub fn has_ended(&self) -> bool {
        matches!(self.phase, Phase::Ended { .. })
    }

    /// Whether the run has ended and has nothing left to do.
    pub fn is_over(&self) -> bool {
        matches!(&self.phase, Phase::Ended { withdrawing, .. } if withdrawing.is_empty())
    }

    /// How many tokens are left of the budget. None for no limit.
    pub fn tokens_left(&self) -> Option<u64> {
        let spent = self.usage.input.saturating_add(self.usage.output);
        self.limits.max_tokens.map(|most| most.saturating_sub(spent))
    }

    /// Whether nothing happens until a human answers.
    pub fn is_suspended(&self) -> bool {
        let Phase::Tools { calls, .. } = &self.phase else { return false };
        let waits = |tracked: &TrackedCall| matches!(tracked.state, CallState::Waiting { .. });
        let runs = |tracked: &TrackedCall| matches!(tracked.state, CallState::Submitted);
        calls.iter().any(waits) && !calls.iter().any(runs)
    }

    /// Applies an event. None if it does not concern this state: it came too late, or twice.
    #[must_use]
    pub fn handle(&mut self, event: RunEvent) -> Option<Step> {
        let mut step = Step::default();
        let changed = match event {
            RunEvent::Replied(reply) => self.replied(reply, &mut step),
            RunEvent::ModelFailed(error) => self.model_failed(error, &mut step),
            RunEvent::OverBudget(exceeded) => self.over_budget(exceeded, &mut step),
            RunEvent::Folded { messages, bytes } => self.fold(messages, bytes, &mut step),
            RunEvent::Asked { reply, call, approval } => self.asked((reply, call), approval, &mut step),
            RunEvent::Awaits { reply, call, run, edited } => self.awaits((reply, call), run, edited),
            RunEvent::CallEnded { reply, call, outcome } => {
                self.call_ended((reply, call), outcome, &mut step)
            }
            RunEvent::Message(text) => self.message(text, &mut step),
            RunEvent::Abort { why } => {
                self.cut(FinishReason::Aborted { why }, "Not run: the run was aborted.", &mut step)
            }
            RunEvent::TimeUp => {
                let reason = FinishReason::Budget { exceeded: ExceededBudget::Time };
                self.cut(reason, "Not run: the time of the run is over.", &mut step)
            }
            RunEvent::Spent(budget) => self.spent(budget, &mut step),
            RunEvent::Withdrawn(approval) => self.withdrawn(approval, &mut step),
        };
        changed.then_some(step)
    }

    fn replied(&mut self, reply: ModelReply, step: &mut Step) -> bool {
        if self.phase != Phase::Model {
            return false;
        }
        self.turn = self.turn.saturating_add(1);
        self.replies = self.replies.saturating_add(1);
        self.usage = self.usage.plus(reply.usage);
        for part in &reply.parts {
            match part {
                AssistantPart::Text { text } => step.chunks.push(Chunk::Text { text: text.clone() }),
                AssistantPart::Call(call) => step.chunks.push(Chunk::ToolCall {
                    tool_call_id: call.id.clone(),
                    tool_name: call.name.clone(),
                    args: args_of(call),
                }),
                AssistantPart::Opaque { .. } => {}
            }
        }
        let calls: Vec<ToolCall> = reply.parts.iter().filter_map(call_of).cloned().collect();
        if !reply.parts.is_empty() {
            step.messages.push(Message::Assistant { parts: reply.parts });
        }
        let cut = match reply.stop {
            StopReason::ToolCalls => None,
            StopReason::EndTurn if calls.is_empty() => None,
            StopReason::Paused if calls.is_empty() => return self.next_turn(reply.usage, step),
            StopReason::EndTurn | StopReason::Paused => Some(FinishReason::UnfinishedCalls),
            StopReason::Length => Some(FinishReason::Length),
            StopReason::Refusal => Some(FinishReason::Refusal),
            StopReason::Other(reason) => Some(FinishReason::Other { reason }),
        };
        match cut {
            Some(reason) => {
                let why = "Not run: the reply that made this call did not end properly.";
                let calls = calls.into_iter().map(|call| (call, CallOutcome::NotRun { why: why.into() }));
                self.end_calls(calls.collect(), step);
                step.chunks.push(Chunk::StepFinished { usage: reply.usage, continues: false });
                self.finish(reason, Vec::new(), step);
            }
            None if calls.is_empty() => {
                self.finish_turn(reply.usage, step);
            }
            None => self.begin_calls(calls, reply.usage, step),
        }
        true
    }

    /// Starts the calls of a reply. Unreadable ones end at once.
    fn begin_calls(&mut self, calls: Vec<ToolCall>, usage: Usage, step: &mut Step) {
        let tracked = calls.into_iter().map(|call| {
            let state = match &call.input {
                CallInput::Object(_) => CallState::Submitted,
                CallInput::Unreadable(text) => {
                    let why = format!("Not run: the input is not a JSON object: {}", beginning(text));
                    let outcome = CallOutcome::NotRun { why };
                    step.chunks.push(ended_chunk(&call, &outcome));
                    CallState::Ended { outcome }
                }
            };
            TrackedCall { call, state }
        });
        self.phase = Phase::Tools { calls: tracked.collect(), usage };
        self.finish_step(step);
    }

    fn model_failed(&mut self, error: ModelError, step: &mut Step) -> bool {
        let asks = self.phase == Phase::Model;
        if asks {
            self.finish(FinishReason::Error { error }, Vec::new(), step);
        }
        asks
    }

    /// The model is not asked.
    fn over_budget(&mut self, exceeded: ExceededBudget, step: &mut Step) -> bool {
        let asks = self.phase == Phase::Model;
        if asks {
            self.finish(FinishReason::Budget { exceeded }, Vec::new(), step);
        }
        asks
    }

    /// The model is asked again, with more messages folded.
    fn fold(&mut self, messages: u32, bytes: u64, step: &mut Step) -> bool {
        let folds = self.phase == Phase::Model && messages > self.folded;
        if folds {
            self.folded = messages;
            step.chunks.push(Chunk::Folded { messages, bytes });
        }
        folds
    }

    fn asked(&mut self, at: (u32, usize), approval: ApprovalId, step: &mut Step) -> bool {
        let replies = self.replies;
        match &mut self.phase {
            Phase::Tools { calls, .. } if at.0 == replies => {
                let Some(tracked) = calls.get_mut(at.1) else { return false };
                let known = match tracked.state {
                    CallState::Submitted => false,
                    // The answer no longer held, and the gate asked again.
                    CallState::Waiting { approval: earlier } => earlier == approval,
                    CallState::Awaits { .. } | CallState::Ended { .. } => true,
                };
                if known {
                    return false;
                }
                tracked.state = CallState::Waiting { approval };
                step.chunks.push(Chunk::ToolCallApproval {
                    tool_call_id: tracked.call.id.clone(),
                    tool_name: tracked.call.name.clone(),
                    args: args_of(&tracked.call),
                    approval_id: approval,
                });
                true
            }
            // The run ended while the call was at the gate: nobody waits for the answer.
            Phase::Ended { withdrawing, .. } if !withdrawing.contains(&approval) => {
                withdrawing.push(approval);
                true
            }
            Phase::Model | Phase::Tools { .. } | Phase::Ended { .. } => false,
        }
    }

    /// A call waits for the run of a sub-agent from now on.
    fn awaits(&mut self, at: (u32, usize), run: Uuid, edited: Option<Value>) -> bool {
        let Phase::Tools { calls, .. } = &mut self.phase else { return false };
        let Some(tracked) = calls.get_mut(at.1).filter(|_| at.0 == self.replies) else { return false };
        let begins = matches!(tracked.state, CallState::Submitted | CallState::Waiting { .. });
        if begins {
            tracked.state = CallState::Awaits { run, edited };
        }
        begins
    }

    /// A run that is about to ask the model, and must not.
    fn spent(&mut self, budget: SpentBudget, step: &mut Step) -> bool {
        if self.phase != Phase::Model {
            return false;
        }
        // A further message counts anew, as it does between two replies.
        let resumed = self.take_queued(step);
        match budget {
            SpentBudget::Iterations if resumed => {}
            SpentBudget::Iterations => self.finish(FinishReason::MaxIterations, Vec::new(), step),
            SpentBudget::Exceeded(exceeded) => {
                self.finish(FinishReason::Budget { exceeded }, Vec::new(), step);
            }
        }
        true
    }

    fn call_ended(&mut self, at: (u32, usize), outcome: CallOutcome, step: &mut Step) -> bool {
        let Phase::Tools { calls, .. } = &mut self.phase else { return false };
        let Some(tracked) = calls.get_mut(at.1).filter(|_| at.0 == self.replies) else { return false };
        if matches!(tracked.state, CallState::Ended { .. }) {
            return false;
        }
        step.chunks.push(ended_chunk(&tracked.call, &outcome));
        let interrupts = outcome.interrupts();
        tracked.state = CallState::Ended { outcome };
        match interrupts {
            true => {
                self.stop(FinishReason::Interrupted, "Not run: a human ended the run.", step);
                self.go_on_if_queued(step);
            }
            false => self.finish_step(step),
        }
        true
    }

    /// Goes on to the model, or ends the run, once all calls have ended.
    fn finish_step(&mut self, step: &mut Step) {
        let Phase::Tools { calls, usage } = &self.phase else { return };
        let usage = *usage;
        let mut results = Vec::with_capacity(calls.len());
        let mut is_final = false;
        for tracked in calls {
            let CallState::Ended { outcome } = &tracked.state else { return };
            is_final |= outcome.is_final();
            results.push(result_of(&tracked.call, outcome));
        }
        step.messages.push(Message::Tools { results });
        if is_final {
            self.finish_turn(usage, step);
            return;
        }
        self.next_turn(usage, step);
    }

    /// The model is done. Goes on with queued messages, or ends the run.
    fn finish_turn(&mut self, usage: Usage, step: &mut Step) {
        let continues = !self.queued.is_empty() && self.tokens_left() != Some(0);
        step.chunks.push(Chunk::StepFinished { usage, continues });
        match self.take_queued(step) {
            true => self.end_if_spent(step),
            false => self.finish(FinishReason::Stop, Vec::new(), step),
        }
    }

    /// Ends a run that is about to ask the model and has no tokens left.
    fn end_if_spent(&mut self, step: &mut Step) {
        if self.phase == Phase::Model && self.tokens_left() == Some(0) {
            self.finish(NO_TOKENS, Vec::new(), step);
        }
    }

    /// Asks the model again, unless a limit is reached.
    fn next_turn(&mut self, usage: Usage, step: &mut Step) -> bool {
        let resumed = self.take_queued(step);
        let over = if self.tokens_left() == Some(0) {
            Some(NO_TOKENS)
        } else if !resumed && self.turn >= self.limits.max_iterations {
            Some(FinishReason::MaxIterations)
        } else {
            None
        };
        step.chunks.push(Chunk::StepFinished { usage, continues: over.is_none() });
        match over {
            Some(reason) => self.finish(reason, Vec::new(), step),
            None => self.phase = Phase::Model,
        }
        true
    }

    /// A message. While the run is busy it is queued; it is never taken as an answer.
    fn message(&mut self, text: String, step: &mut Step) -> bool {
        match &self.phase {
            Phase::Model | Phase::Tools { .. } => self.queued.push(text),
            Phase::Ended { reason, .. } if !reason.can_continue() => return false,
            // Open approvals of the run are withdrawn first, then the message counts.
            Phase::Ended { withdrawing, .. } if !withdrawing.is_empty() => self.queued.push(text),
            Phase::Ended { .. } => {
                self.say(text, step);
                self.end_if_spent(step);
            }
        }
        true
    }

    /// Ends a run that has not ended, whatever it does. One that would go on with a queued message as soon as its
    /// approvals are withdrawn does not go on.
    fn cut(&mut self, reason: FinishReason, why: &str, step: &mut Step) -> bool {
        if self.is_over() {
            return false;
        }
        self.queued.clear();
        if let Phase::Ended { reason: ended, .. } = &mut self.phase {
            *ended = reason;
            return true;
        }
        self.stop(reason, why, step);
        true
    }

    /// Ends the run while calls are under way. The model would read that waiting ones did not run, and that the
    /// outcome of submitted ones is unknown.
    fn stop(&mut self, reason: FinishReason, why: &str, step: &mut Step) {
        let phase = std::mem::replace(&mut self.phase, Phase::Model);
        let calls = match phase {
            Phase::Tools { calls, .. } => calls,
            Phase::Model | Phase::Ended { .. } => Vec::new(),
        };
        let mut withdrawing = Vec::new();
        let mut results = Vec::with_capacity(calls.len());
        for TrackedCall { call, state } in calls {
            let outcome = match state {
                CallState::Ended { outcome } => {
                    results.push(result_of(&call, &outcome));
                    continue;
                }
                CallState::Submitted => CallOutcome::Unknown { execution: None },
                CallState::Awaits { .. } => CallOutcome::NotRun { why: why.to_owned() },
                CallState::Waiting { approval } => {
                    withdrawing.push(approval);
                    CallOutcome::NotRun { why: why.to_owned() }
                }
            };
            step.chunks.push(ended_chunk(&call, &outcome));
            results.push(result_of(&call, &outcome));
        }
        if !results.is_empty() {
            step.messages.push(Message::Tools { results });
        }
        self.finish(reason, withdrawing, step);
    }

    fn withdrawn(&mut self, approval: ApprovalId, step: &mut Step) -> bool {
        let Phase::Ended { withdrawing, .. } = &mut self.phase else { return false };
        let before = withdrawing.len();
        withdrawing.retain(|open| *open != approval);
        let changed = withdrawing.len() != before;
        if changed {
            self.go_on_if_queued(step);
        }
        changed
    }

    /// An interrupted run goes on with messages that were queued before, once its approvals are withdrawn.
    fn go_on_if_queued(&mut self, step: &mut Step) {
        if self.is_over() && self.take_queued(step) {
            self.end_if_spent(step);
        }
    }

    /// Answers calls that never ran.
    fn end_calls(&mut self, calls: Vec<(ToolCall, CallOutcome)>, step: &mut Step) {
        let mut results = Vec::with_capacity(calls.len());
        for (call, outcome) in calls {
            step.chunks.push(ended_chunk(&call, &outcome));
            results.push(result_of(&call, &outcome));
        }
        if !results.is_empty() {
            step.messages.push(Message::Tools { results });
        }
    }

    fn finish(&mut self, reason: FinishReason, withdrawing: Vec<ApprovalId>, step: &mut Step) {
        step.chunks.push(Chunk::Finished { reason: reason.clone(), usage: self.usage });
        self.phase = Phase::Ended { reason, withdrawing };
    }

    /// Takes the queued messages into the conversation. False if there are none.
    fn take_queued(&mut self, step: &mut Step) -> bool {
        let queued = std::mem::take(&mut self.queued);
        let any = !queued.is_empty();
        for text in queued {
            self.say(text, step);
        }
        any
    }

    /// A message becomes part of the conversation, and the model is asked.
    fn say(&mut self, text: String, step: &mut Step) {
        step.messages.push(Message::User { text: text.clone() });
        step.chunks.push(Chunk::UserMessage { text });
        self.turn = 0;
        self.said = self.said.saturating_add(1);
        self.phase = Phase::Model;
    }
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}

fn call_of(part: &AssistantPart) -> Option<&ToolCall> {
    match part {
        AssistantPart::Call(call) => Some(call),
        AssistantPart::Text { .. } | AssistantPart::Opaque { .. } => None,
    }
}

fn args_of(call: &ToolCall) -> Value {
    match &call.input {
        CallInput::Object(input) => input.clone(),
        CallInput::Unreadable(_) => json!({}),
    }
}

fn ended_chunk(call: &ToolCall, outcome: &CallOutcome) -> Chunk {
    Chunk::ToolEnded { tool_call_id: call.id.clone(), tool_name: call.name.clone(), result: outcome.clone() }
}

fn result_of(call: &ToolCall, outcome: &CallOutcome) -> CallResult {
    CallResult {
        call_id: call.id.clone(),
        name: call.name.clone(),
        content: outcome.content(),
        is_error: outcome.is_error(),
    }
}

/// The beginning of a text, to quote it.
fn beginning(text: &str) -> String {
    const MOST: usize = 200;
    let short = whole_values(text, MOST);
    if short.len() < text.len() { format!("{short}…") } else { short.to_owned() }
}
