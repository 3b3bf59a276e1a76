//! Who asks, and how one asking is known from another.

use sekisho_policy::Call;
use serde::{Deserialize, Serialize};

/// Who asks. Known by the credential, not by what the request claims.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asker {
    /// The token, socket peer or in-process owner that asks.
    pub credential: String,
    /// Whether the call runs under our own hand.
    pub reach: Reach,
    /// The question belongs to a run that outlives its process: it waits without end, and its asker may go away.
    pub durable: bool,
    /// What people call the credential; absent in what was kept before names were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

impl Asker {
    /// One whose call runs in this very process.
    pub fn here(credential: impl Into<String>) -> Asker {
        Asker { credential: credential.into(), reach: Reach::Here, durable: false, name: None }
    }

    /// One that is told the answer over a wire.
    pub fn remote(credential: impl Into<String>) -> Asker {
        Asker { credential: credential.into(), reach: Reach::Remote, durable: false, name: None }
    }

    /// The same asker, by what people call it.
    #[must_use]
    pub fn called(mut self, name: impl Into<String>) -> Asker {
        self.name = Some(name.into());
        self
    }

    /// Whether this is the built-in demo, whose answers change nothing that lasts. No agent chooses the id of its token.
    pub fn is_demo(&self) -> bool {
        is_demo(&self.credential)
    }

    /// The same asker, for a durable run.
    #[must_use]
    pub fn durable(mut self) -> Asker {
        self.durable = true;
        self
    }
}

/// What the id of the demo's token ends with: `demo`, after two zeros.
pub const DEMO_MARK: [u8; 6] = *b"\0\0demo";

/// Whether a credential is the demo's.
pub fn is_demo(credential: &str) -> bool {
    credential.starts_with("token:") && credential.ends_with("-000064656d6f")
}

/// How far away the call runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    /// In this process, by spending a permit.
    Here,
    /// Elsewhere: the answer is told over a wire that can break, and may be read again for a minute.
    Remote,
}

/// What makes two askings the same one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Key {
    /// The asking credential.
    pub credential: String,
    /// The run or conversation.
    pub scope: String,
    /// The call's own id.
    pub call_id: String,
}

impl Key {
    /// The key of a call. One without a call id is never the same as another.
    pub fn of(asker: &Asker, call: &Call) -> Option<Key> {
        let call_id = named(&call.call_id)?.to_owned();
        Some(Key { credential: asker.credential.clone(), scope: scope(call), call_id })
    }

    /// The key a call of a durable run has in this process: at most one execution begins under it, ever. None for other
    /// askers, and where the call names neither run nor conversation: call ids repeat between runs.
    pub fn once(asker: &Asker, call: &Call) -> Option<Key> {
        let durable = asker.durable && asker.reach == Reach::Here;
        Key::of(asker, call).filter(|key| durable && !key.scope.is_empty())
    }
}

/// Where remembered-for-now rules apply: one credential, one agent, one conversation or run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Session {
    /// The asking credential.
    pub credential: String,
    /// The agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The run or conversation.
    pub scope: String,
}

impl Session {
    /// The session a call belongs to; none where it names neither conversation nor run.
    pub fn of(asker: &Asker, call: &Call) -> Option<Session> {
        let scope = scope(call);
        let agent = call.agent.as_ref().map(|agent| agent.id.clone());
        (!scope.is_empty()).then(|| Session { credential: asker.credential.clone(), agent, scope })
    }
}

/// An id that says something: adapters write an empty one where their wire has none.
fn named(id: &Option<String>) -> Option<&str> {
    id.as_deref().filter(|id| !id.is_empty())
}

fn scope(call: &Call) -> String {
    match (named(&call.run_id), named(&call.conversation)) {
        (Some(run), _) => format!("run:{run}"),
        (None, Some(conversation)) => format!("conversation:{conversation}"),
        (None, None) => String::new(),
    }
}

/// What the asker's surroundings are, as far as they are not looked up.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Around {
    /// The workspace root, absolute and resolved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<String>,
    /// The home directory of the user whose machine it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub home: Option<String>,
    /// The machine the call runs on, where several machines share a ledger. What is looked up on another says nothing about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
    /// The call runs on a machine without a gate of its own: nothing that is looked up here says anything about it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub elsewhere: bool,
    /// Nobody can answer a question: confirm is deny.
    #[serde(default)]
    pub nobody_answers: bool,
    /// Workspace roots whose denies and confirms count besides, wherever the caller says that it is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub held_to: Vec<String>,
}
