//! The hook's response, in the agent's format.

use serde_json::{Value, json};

use crate::agent::Agent;
use crate::hook_request::{HookEvent, HookRequest, ResponseContext, UserPresence};

/// The decision about a call.
#[derive(Clone, Debug, PartialEq)]
pub enum HookDecision {
    /// It may run.
    Allow {
        /// Why, for the agent's log.
        reason: String,
        /// The input to run with, if a human edited it.
        input: Option<Value>,
    },
    /// It may not run.
    Deny {
        /// Why, for the model.
        reason: String,
        /// Whether to stop the agent's run too.
        interrupt: bool,
    },
    /// The agent's own prompt decides. A block if the agent has none.
    Ask {
        /// The text for the prompt.
        reason: String,
    },
    /// Not now: the run ends here and can be resumed. A block if the agent cannot resume.
    Defer {
        /// Why the call is deferred.
        reason: String,
    },
    /// No decision: the end of a call was recorded, or the agent's own prompt should decide. Before a call,
    /// where an empty response would let it run, the same as [`HookDecision::Ask`].
    NoDecision,
}

/// What the hook writes, and its exit code.
///
/// Some agents run the call if a hook succeeds without writing its whole answer. A hook that could not write
/// its standard output must end with [`block`] instead.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HookResponse {
    /// Text for standard output.
    pub stdout: String,
    /// Text for standard error.
    pub stderr: String,
    /// The exit code.
    pub exit: u8,
}

impl HookResponse {
    /// A JSON response on standard output.
    pub(crate) fn json(value: &Value) -> HookResponse {
        HookResponse { stdout: format!("{value}\n"), stderr: String::new(), exit: 0 }
    }

    /// An empty response with exit code 0.
    pub(crate) fn empty() -> HookResponse {
        HookResponse::default()
    }

    /// The response to a hook request over HTTP, as the body of a 200. There a status code does not block and
    /// there is no exit code, so a block is JSON. For Claude Code, the only agent that uses HTTP, it means
    /// the same as exit code 2.
    pub fn http_body(&self) -> String {
        if self.exit == 0 {
            let empty = self.stdout.trim().is_empty();
            return if empty { "{}\n".to_owned() } else { self.stdout.clone() };
        }
        let reason = non_empty_reason(&self.stderr);
        format!("{}\n", json!({ "decision": "block", "reason": reason }))
    }
}

impl HookRequest {
    /// Whether the agent understands [`HookDecision::Ask`] here and a user would see the prompt.
    pub fn can_ask(&self) -> bool {
        let knows = match (self.agent, &self.event) {
            (Agent::ClaudeCode, HookEvent::BeforeCall | HookEvent::PermissionRequest) => true,
            // Before a call Codex treats `ask` as an error and runs the command.
            (Agent::Codex, HookEvent::PermissionRequest) => {
                !matches!(self.context, ResponseContext::Request(_))
            }
            _ => false,
        };
        knows && self.attendance == UserPresence::Present
    }

    /// The decision as far as this agent supports it, with a reason that is never empty: agents ignore a
    /// block without a reason.
    pub(crate) fn supported_decision(&self, reply: HookDecision) -> HookDecision {
        let deny = |reason: &str| HookDecision::Deny {
            reason: non_empty_reason(reason).to_owned(),
            interrupt: false,
        };
        match reply {
            HookDecision::Allow { input: Some(input), .. } if !input.is_object() => {
                deny("the edited input is not an object")
            }
            HookDecision::Allow { .. } => reply,
            HookDecision::Deny { reason, interrupt } => {
                HookDecision::Deny { reason: non_empty_reason(&reason).to_owned(), interrupt }
            }
            HookDecision::Ask { reason } if self.can_ask() => {
                HookDecision::Ask { reason: non_empty_reason(&reason).to_owned() }
            }
            HookDecision::Defer { reason } if self.can_defer => {
                HookDecision::Defer { reason: non_empty_reason(&reason).to_owned() }
            }
            HookDecision::Ask { reason } | HookDecision::Defer { reason } => deny(&reason),
            HookDecision::NoDecision if self.event != HookEvent::BeforeCall => HookDecision::NoDecision,
            HookDecision::NoDecision if self.can_ask() => {
                HookDecision::Ask { reason: DEFAULT_REASON.to_owned() }
            }
            HookDecision::NoDecision => deny(DEFAULT_REASON),
        }
    }
}

const DEFAULT_REASON: &str = "sekisho did not decide this call";

/// Replaces an empty reason, because some agents run a call that is blocked without a reason.
pub(crate) fn non_empty_reason(reason: &str) -> &str {
    let reason = reason.trim();
    if reason.is_empty() { "blocked by sekisho" } else { reason }
}

/// The message to the model when a human edited the input and the protocol cannot carry the edit.
pub(crate) fn call_again_message(input: &Value) -> String {
    format!(
        "it was approved with an edited input, which this agent cannot apply; call it again with exactly this input: {input}"
    )
}

/// Blocks any request without looking at it. Used when no other response is possible.
///
/// Exit code 2 with a reason on standard error blocks a call in Claude Code, Codex and Gemini CLI, and our
/// opencode plugin treats any exit code but 0 as a block. Standard output stays empty: none of them reads it
/// then. For Claude Code's permission request it is no answer: its own dialog appears, or it refuses if no
/// user is present. No single response blocks both of its events, so callers that have the request text use
/// [`block_request`](crate::block_request).
pub fn block(agent: Agent, reason: &str) -> HookResponse {
    match agent {
        Agent::ClaudeCode | Agent::Codex | Agent::GeminiCli | Agent::OpenCode => {
            HookResponse { stdout: String::new(), stderr: format!("{}\n", non_empty_reason(reason)), exit: 2 }
        }
    }
}
