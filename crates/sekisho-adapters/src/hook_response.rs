//! What an agent is told, in its own words.

use serde_json::{Value, json};

use crate::agent::Agent;
use crate::hook_request::{HookEvent, HookRequest, ResponseContext, UserPresence};

/// What came of a call.
#[derive(Clone, Debug, PartialEq)]
pub enum HookDecision {
    /// It may run.
    Allow {
        /// Why, for whoever reads the agent's log.
        reason: String,
        /// The input to run with, where a human changed it.
        input: Option<Value>,
    },
    /// It may not.
    Deny {
        /// Why, for the model.
        reason: String,
        /// The run is to stop as well.
        interrupt: bool,
    },
    /// The agent's own prompt decides. A block where the agent has none.
    Ask {
        /// What the prompt should show.
        reason: String,
    },
    /// Not now: the run ends here and can be taken up again. A block where the agent does not know that.
    Defer {
        /// Why.
        reason: String,
    },
    /// Nothing to say: an ending was noted, or the agent's own prompt is the right one. Before a call, where saying nothing
    /// lets it run, the same as [`Reply::Ask`].
    NoDecision,
}

/// What the hook writes and how it ends.
///
/// Some agents run the call when a hook ends well without having said all of it: a hook that could not write its standard
/// output ends with [`block`] instead.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HookResponse {
    /// For standard output.
    pub stdout: String,
    /// For standard error.
    pub stderr: String,
    /// The exit code.
    pub exit: u8,
}

impl HookResponse {
    /// Says it on standard output.
    pub(crate) fn json(value: &Value) -> HookResponse {
        HookResponse { stdout: format!("{value}\n"), stderr: String::new(), exit: 0 }
    }

    /// Says nothing, and ends well.
    pub(crate) fn empty() -> HookResponse {
        HookResponse::default()
    }

    /// The same for a hook that is asked over HTTP, as the body of a 200: there a status is no block and there is no exit
    /// code, so a block is JSON. In Claude Code, the one that asks this way, it means what exit code 2 means.
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
    /// Answering by [`Reply::Ask`] is understood here, and somebody would see the prompt.
    pub fn can_ask(&self) -> bool {
        let knows = match (self.agent, &self.event) {
            (Agent::ClaudeCode, HookEvent::BeforeCall | HookEvent::PermissionRequest) => true,
            // Before a call Codex takes `ask` for a mistake and runs the command.
            (Agent::Codex, HookEvent::PermissionRequest) => {
                !matches!(self.context, ResponseContext::Request(_))
            }
            _ => false,
        };
        knows && self.attendance == UserPresence::Present
    }

    /// The reply as far as it can be said here, with a reason that is never empty: agents take a block without one for none.
    pub(crate) fn supported_decision(&self, reply: HookDecision) -> HookDecision {
        let deny = |reason: &str| HookDecision::Deny {
            reason: non_empty_reason(reason).to_owned(),
            interrupt: false,
        };
        match reply {
            HookDecision::Allow { input: Some(input), .. } if !input.is_object() => {
                deny("the input it was to run with instead is not an object")
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

/// A reason that can be said: an empty one is none, and some agents run what is blocked without a reason.
pub(crate) fn non_empty_reason(reason: &str) -> &str {
    let reason = reason.trim();
    if reason.is_empty() { "blocked by sekisho" } else { reason }
}

/// What the model is told where a human changed the input and the wire cannot carry it.
pub(crate) fn call_again_message(input: &Value) -> String {
    format!(
        "it was approved with a changed input, which cannot be put in place here; call it again with exactly this input: {input}"
    )
}

/// Blocks whatever was asked, without knowing what: used when nothing else can be said.
///
/// Exit code 2 with a reason on standard error blocks a call in Claude Code, Codex and Gemini CLI, and our plugin for
/// opencode takes any exit code but 0 for a block. Standard output stays empty: none of them reads it then. To Claude
/// Code's request for permission it is no answer, and its own dialog comes up, or a refusal where nobody is; no one answer
/// is a block in both of its events, so whoever has the text says [`block_told`](crate::block_told).
pub fn block(agent: Agent, reason: &str) -> HookResponse {
    match agent {
        Agent::ClaudeCode | Agent::Codex | Agent::GeminiCli | Agent::OpenCode => {
            HookResponse { stdout: String::new(), stderr: format!("{}\n", non_empty_reason(reason)), exit: 2 }
        }
    }
}
