//! Who submits a call, and how repeated requests are recognised.

use sekisho_policy::Call;
use serde::{Deserialize, Serialize};

/// Who submits a call. Identified by the credential, not by claims in the request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Caller {
    /// The token, socket peer or in-process owner that submits the call.
    pub credential: String,
    /// Where the call runs.
    pub reach: ExecutionSite,
    /// Whether the call belongs to a run that outlives its process: the approval never expires, and the
    /// caller may disconnect.
    pub durable: bool,
    /// The display name of the credential. Absent in rows stored before names existed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

impl Caller {
    /// A caller whose calls run in this process.
    pub fn in_process(credential: impl Into<String>) -> Caller {
        Caller { credential: credential.into(), reach: ExecutionSite::Here, durable: false, name: None }
    }

    /// A caller that receives the decision over a connection.
    pub fn remote(credential: impl Into<String>) -> Caller {
        Caller { credential: credential.into(), reach: ExecutionSite::Remote, durable: false, name: None }
    }

    /// Sets the display name.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> Caller {
        self.name = Some(name.into());
        self
    }

    /// Whether this is the built-in demo. Its answers are remembered for the session only. Agents cannot
    /// choose the id of their token, so none can pose as the demo.
    pub fn is_demo(&self) -> bool {
        is_demo(&self.credential)
    }

    /// Marks the caller as part of a durable run.
    #[must_use]
    pub fn durable(mut self) -> Caller {
        self.durable = true;
        self
    }
}

/// The last bytes of the id of the demo's token: two zeros, then `demo`.
pub const DEMO_MARK: [u8; 6] = *b"\0\0demo";

/// Whether a credential belongs to the demo.
pub fn is_demo(credential: &str) -> bool {
    credential.starts_with("token:") && credential.ends_with("-000064656d6f")
}

/// Where the call runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExecutionSite {
    /// In this process, by spending a permit.
    Here,
    /// Elsewhere. The connection that carries the answer can break, so the answer may be read again for
    /// a minute.
    Remote,
}

/// Identifies a request: two requests with equal keys are the same request.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct IdempotencyKey {
    /// The caller's credential.
    pub credential: String,
    /// The run or conversation.
    pub scope: String,
    /// The call's own id.
    pub call_id: String,
}

impl IdempotencyKey {
    /// The key of a call. None without a call id: the call then never equals another.
    pub fn for_call(caller: &Caller, call: &Call) -> Option<IdempotencyKey> {
        let call_id = non_empty(&call.call_id)?.to_owned();
        Some(IdempotencyKey { credential: caller.credential.clone(), scope: scope(call), call_id })
    }

    /// The durable key of a call in this process: at most one execution ever begins under it. None for
    /// other callers, and if the call names neither run nor conversation, because call ids repeat
    /// between runs.
    pub fn for_durable_call(caller: &Caller, call: &Call) -> Option<IdempotencyKey> {
        let durable = caller.durable && caller.reach == ExecutionSite::Here;
        IdempotencyKey::for_call(caller, call).filter(|key| durable && !key.scope.is_empty())
    }
}

/// Where session rules apply: one credential, one agent, one conversation or run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Session {
    /// The caller's credential.
    pub credential: String,
    /// The agent, if named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The run or conversation.
    pub scope: String,
}

impl Session {
    /// The session of a call. None if it names neither conversation nor run.
    pub fn of(caller: &Caller, call: &Call) -> Option<Session> {
        let scope = scope(call);
        let agent = call.agent.as_ref().map(|agent| agent.id.clone());
        (!scope.is_empty()).then(|| Session { credential: caller.credential.clone(), agent, scope })
    }
}

/// An agent above a sub-agent, and its run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentLink {
    /// The agent's name, by which rules call it.
    pub agent: String,
    /// Its run.
    pub run: String,
}

/// A non-empty id. Adapters send an empty id where their protocol has none.
fn non_empty(id: &Option<String>) -> Option<&str> {
    id.as_deref().filter(|id| !id.is_empty())
}

fn scope(call: &Call) -> String {
    match (non_empty(&call.run_id), non_empty(&call.conversation)) {
        (Some(run), _) => format!("run:{run}"),
        (None, Some(conversation)) => format!("conversation:{conversation}"),
        (None, None) => String::new(),
    }
}

/// The caller's environment, as far as it is stated and not looked up.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallerEnvironment {
    /// The workspace root, absolute and resolved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    /// The home directory of the user on that machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub home: Option<String>,
    /// The machine the call runs on, if several machines share a ledger. Lookups on a different machine
    /// do not apply to the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
    /// Whether the call runs on a machine without a gate of its own. Local lookups do not apply to it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub elsewhere: bool,
    /// Whether nobody can answer. A confirm then becomes a deny.
    #[serde(default)]
    pub nobody_answers: bool,
    /// Whether the settings of the agent or the tool require an approval. An allow then becomes a confirm.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub requires_approval: bool,
    /// The agents above a sub-agent, from the one that a person started down to its parent. The call is judged for each of
    /// them too, and the strictest verdict counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chain: Vec<AgentLink>,
    /// Further workspace roots whose deny and confirm rules apply, wherever the caller claims to be.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub held_to: Vec<String>,
}
