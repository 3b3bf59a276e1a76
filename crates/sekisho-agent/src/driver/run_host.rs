//! What the program around provides for runs: models, tools and their limits.

use std::sync::Arc;

use sekisho_gate::caller::CallerEnvironment;
use sekisho_gate::ledger::BoxFuture;
use sekisho_tools::{ToolContext, ToolDefinition};
use uuid::Uuid;

use crate::conversation::ToolCall;
use crate::model::{Model, ModelError};
use crate::run_settings::RunSettings;

/// What the program around provides for runs.
pub trait RunHost: Send + Sync {
    /// The model of a run.
    fn model(&self, settings: &RunSettings) -> Result<Arc<dyn Model>, ModelError>;

    /// The tools that the model of a run may call now.
    fn tools<'a>(&'a self, settings: &'a RunSettings) -> BoxFuture<'a, Vec<ToolDefinition>>;

    /// What a tool of a run may do now, or why the run may not use it.
    fn access<'a>(
        &'a self,
        run: Uuid,
        settings: &'a RunSettings,
        tool: &'a str,
    ) -> BoxFuture<'a, Result<ToolContext, String>>;

    /// Stores a result of a tool with its run, where `tool_output_cache` finds it. Returns whether it is stored.
    fn keep_output<'a>(&'a self, run: Uuid, content: &'a str) -> BoxFuture<'a, bool>;

    /// The environment that the gate judges a call of a run in.
    fn environment<'a>(
        &'a self,
        settings: &'a RunSettings,
        _call: &'a ToolCall,
    ) -> BoxFuture<'a, CallerEnvironment> {
        let root = settings.workspace.as_ref().and_then(|root| root.to_str()).map(str::to_owned);
        Box::pin(async { CallerEnvironment { root, ..CallerEnvironment::default() } })
    }
}
