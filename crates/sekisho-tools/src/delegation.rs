//! What an agent may hand on to sub-agents: the port of the [tools for sub-agents](crate::sub_agents).
//!
//! Whoever runs agents implements [`Delegation`], for one call of one run. What it shows is JSON, because people see it
//! and it is part of the digest of the call.

use sekisho_gate::ledger::BoxFuture;
use serde_json::Value;
use uuid::Uuid;

/// A sub-agent that a model wants to make.
#[derive(Clone, Debug, PartialEq)]
pub struct WantedSubAgent {
    /// Its name, below that of its parent.
    pub name: String,
    /// Its system prompt.
    pub system_prompt: String,
    /// Its model. None for its parent's.
    pub model: Option<String>,
    /// The tools that it may use.
    pub enabled_tools: Vec<String>,
    /// Settings of these tools, by their names. They may only narrow those of its parent.
    pub tool_config: Value,
}

/// What the agent of a run may hand on at the moment, and how. It belongs to one call of the run: making or starting a
/// sub-agent again for the same call finds the first.
pub trait Delegation: Send + Sync {
    /// What a new sub-agent would have, and beside it what its parent has. Fails if it would have more.
    fn grant(&self, wanted: &WantedSubAgent) -> Result<Value, String>;

    /// The same for a sub-agent that this run made.
    fn granted(&self, agent: Uuid) -> Result<Value, String>;

    /// Makes the sub-agent that [`grant`](Delegation::grant) described. Returns its id.
    fn create(&self, granted: Value) -> BoxFuture<'_, Result<Uuid, String>>;

    /// Starts a run of a sub-agent. Returns the run's id.
    fn start(&self, agent: Uuid, input: String) -> BoxFuture<'_, Result<Uuid, String>>;

    /// Fails unless this run started that run.
    fn find(&self, execution: Uuid) -> BoxFuture<'_, Result<(), String>>;
}
