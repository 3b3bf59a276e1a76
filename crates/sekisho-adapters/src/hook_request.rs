//! What an agent tells its hook.

use std::fmt;

use sekisho_policy::Call;
use serde_json::Value;

use crate::agent::Agent;

/// What an agent told its hook.
#[derive(Clone, Debug, PartialEq)]
pub struct HookRequest {
    /// Who told it.
    pub agent: Agent,
    /// What it is about.
    pub event: HookEvent,
    /// The call. Its `run_id` is the agent's session; its `call_id` is missing where the wire has none
    /// ([`made_call_id`](crate::made_call_id) makes one). Names of agents and servers are claims.
    pub call: Call,
    /// The sub-agent that makes the call, if it is one.
    pub sub_agent: Option<String>,
    /// Whether somebody sits in front of the agent.
    pub attendance: UserPresence,
    /// Answering by [`Reply::Defer`](crate::Reply::Defer) is understood here: the call can be taken up again later.
    pub can_defer: bool,
    /// Which of the agent's forms the answer has to have, where it has several.
    pub(crate) response_form: &'static str,
    /// What the answer needs of the question besides.
    pub(crate) context: ResponseContext,
}

impl HookRequest {
    /// No rule answers this: Codex asks for permission where a call would leave its sandbox, and no rule speaks of that.
    pub fn needs_human(&self) -> bool {
        self.agent == Agent::Codex && self.event == HookEvent::PermissionRequest
    }
}

/// What an answer needs of its question besides the form.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum ResponseContext {
    /// Nothing.
    #[default]
    Plain,
    /// The input was a bare text; it stands in an object of ours, so an edited one cannot be given back.
    Wrapped,
    /// A request that has to be answered by its id.
    Request(Request),
}

/// What answering a request of Codex's app server takes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Request {
    /// The id to answer by.
    pub(crate) id: Value,
    /// The permissions asked for, where it is those.
    pub(crate) permissions: Option<Value>,
    /// Whether `accept` is among the decisions it offers.
    pub(crate) can_accept: bool,
}

/// When in the life of a call its agent speaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HookEvent {
    /// Before the call: it runs or not by what is said.
    BeforeCall,
    /// The agent itself would ask for permission now.
    PermissionRequest,
    /// The call has run.
    AfterCall(ReportedOutcome),
}

/// How a call ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReportedOutcome {
    /// It failed.
    pub is_error: bool,
    /// How long it took, where the agent says so.
    pub duration_ms: Option<i64>,
}

/// Whether somebody sits in front of the agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UserPresence {
    /// The agent has a prompt of its own, and somebody to read it.
    Present,
    /// It runs by itself: a prompt would be refused, or hang.
    Headless,
}

/// Why what an agent said cannot be used. A call that cannot be read is blocked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HookRequestError(pub String);

impl fmt::Display for HookRequestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for HookRequestError {}
