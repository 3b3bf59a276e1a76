//! What the program around provides for runs: models, tools and their limits.

use std::sync::Arc;

use sekisho_gate::caller::{AgentLink, CallerEnvironment};
use sekisho_gate::ledger::BoxFuture;
use sekisho_gate::registered_records::CheckedRecord;
use sekisho_tools::{ToolContext, ToolDefinition};
use uuid::Uuid;

use crate::conversation::ToolCall;
use crate::grants::Grants;
use crate::model::{Model, ModelError};
use crate::run_settings::{ChainLink, RunSettings};
use crate::runs::StoredRun;
use crate::spending::ModelPrice;

/// What the program around provides for runs.
pub trait RunHost: Send + Sync {
    /// The model of a run.
    fn model(&self, settings: &RunSettings) -> Result<Arc<dyn Model>, ModelError>;

    /// Whether a run may still ask its model, or why not.
    fn may_go_on<'a>(&'a self, _settings: &'a RunSettings) -> BoxFuture<'a, Result<(), String>> {
        Box::pin(async { Ok(()) })
    }

    /// The tools that the model of a run may call now.
    fn tools<'a>(&'a self, settings: &'a RunSettings) -> BoxFuture<'a, Vec<ToolDefinition>>;

    /// What a tool of a run may do now, or why the run may not use it.
    fn access<'a>(
        &'a self,
        run: Uuid,
        settings: &'a RunSettings,
        tool: &'a str,
    ) -> BoxFuture<'a, Result<ToolContext, String>>;

    /// What the agent of a run has now and could hand on to sub-agents, or why it may have none.
    fn grants<'a>(&'a self, _run: Uuid, _settings: &'a RunSettings) -> BoxFuture<'a, Result<Grants, String>> {
        Box::pin(async { Err("this agent may not have sub-agents".into()) })
    }

    /// The price of the model of a run. None if none is set.
    fn price(&self, _settings: &RunSettings) -> Option<ModelPrice> {
        None
    }

    /// Stores a result of a tool with its run, where `tool_output_cache` finds it. Returns whether it is stored.
    fn keep_output<'a>(&'a self, run: Uuid, content: &'a str) -> BoxFuture<'a, bool>;

    /// The audit record of the end of a run, which is stored with it. None to record nothing.
    fn end_record(&self, _run: &StoredRun) -> Option<CheckedRecord> {
        None
    }

    /// The environment that the gate judges a call of a run in.
    fn environment<'a>(
        &'a self,
        settings: &'a RunSettings,
        _call: &'a ToolCall,
    ) -> BoxFuture<'a, CallerEnvironment> {
        let root = settings.workspace.as_ref().and_then(|root| root.to_str()).map(str::to_owned);
        let chain = gate_chain(settings);
        Box::pin(async { CallerEnvironment { root, chain, ..CallerEnvironment::default() } })
    }
}

/// The agents above a sub-agent, for the gate.
pub(crate) fn gate_chain(settings: &RunSettings) -> Vec<AgentLink> {
    let link = |link: &ChainLink| AgentLink { agent: link.agent_name.clone(), run: link.run.to_string() };
    settings.chain().iter().map(link).collect()
}
