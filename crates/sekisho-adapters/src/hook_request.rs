//! The request an agent sends to its hook.

use std::fmt;

use sekisho_policy::Call;
use serde_json::Value;

use crate::agent::Agent;

/// The request an agent sent to its hook.
#[derive(Clone, Debug, PartialEq)]
pub struct HookRequest {
    /// The agent that sent it.
    pub agent: Agent,
    /// When in the life of the call it was sent.
    pub event: HookEvent,
    /// The call. Its `run_id` is the agent's session. Its `call_id` is missing if the protocol has none;
    /// [`derive_call_id`](crate::derive_call_id) makes one. Ids of agents and servers are claims.
    pub call: Call,
    /// The sub-agent that makes the call, if any.
    pub sub_agent: Option<String>,
    /// Whether a user is present at the agent's prompt.
    pub attendance: UserPresence,
    /// Whether the agent understands [`HookDecision::Defer`](crate::HookDecision::Defer): the call can be
    /// resumed later.
    pub can_defer: bool,
    /// Which of the agent's response formats to use, if it has several.
    pub(crate) response_form: &'static str,
    /// What else the response needs from the request.
    pub(crate) context: ResponseContext,
}

impl HookRequest {
    /// Whether no rule may decide this: Codex asks for permission when a call would leave its sandbox, and
    /// rules cannot express that.
    pub fn needs_human(&self) -> bool {
        self.agent == Agent::Codex && self.event == HookEvent::PermissionRequest
    }
}

/// What a response needs from its request besides the format.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum ResponseContext {
    /// Nothing.
    #[default]
    Plain,
    /// The input was a bare text. It was wrapped in an object, so an edited input cannot be returned.
    Wrapped,
    /// A request that has to be answered by its id.
    Request(Request),
}

/// What a response to Codex's app server needs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Request {
    /// The id to answer.
    pub(crate) id: Value,
    /// The permissions asked for, if any.
    pub(crate) permissions: Option<Value>,
    /// Whether `accept` is among the decisions it offers.
    pub(crate) can_accept: bool,
}

/// When in the life of a call the agent sent the request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HookEvent {
    /// Before the call. The response decides whether it runs.
    BeforeCall,
    /// The agent itself would ask for permission now.
    PermissionRequest,
    /// After the call has run.
    AfterCall(ReportedOutcome),
}

/// How a call ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReportedOutcome {
    /// Whether it failed.
    pub is_error: bool,
    /// How long it took, in milliseconds, if the agent reports it.
    pub duration_ms: Option<i64>,
}

/// Whether a user is present at the agent's prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UserPresence {
    /// The agent has a prompt of its own, and a user to read it.
    Present,
    /// The agent runs unattended: a prompt would be refused or hang.
    Headless,
}

/// Why an agent's request cannot be used. A call that cannot be read is blocked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookRequestError(pub String);

impl fmt::Display for HookRequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for HookRequestError {}
