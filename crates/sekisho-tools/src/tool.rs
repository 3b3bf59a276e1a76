//! What every tool implements.

use sekisho_gate::ledger::BoxFuture;
use sekisho_policy::Descriptor;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::permitted_call::PermittedCall;
use crate::tool_context::ToolContext;
use crate::tool_result::ToolResult;

/// What a tool is for. Shown to people, and used by the `approval` mode of agents. It limits nothing: the
/// [`ToolContext`] does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ToolCategory {
    /// Reads only.
    ReadOnly,
    /// Writes files.
    FileSystem,
    /// Runs programs.
    Execution,
    /// Works on a repository.
    VersionControl,
    /// Runs other tools or agents.
    Composite,
}

/// A tool as a model sees it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolDefinition {
    /// The name.
    pub name: String,
    /// What the tool does and when to use it.
    pub description: String,
    /// The JSON Schema of the input.
    pub input_schema: Value,
}

/// A tool.
pub trait Tool: Send + Sync {
    /// The name, by which models and rules call it.
    fn name(&self) -> &str;

    /// What it is for.
    fn category(&self) -> ToolCategory;

    /// The definition for models.
    fn definition(&self) -> ToolDefinition;

    /// What the tool does with which fields, for the gate. None where the policy's own table of tools
    /// describes it.
    fn descriptor(&self) -> Option<Descriptor> {
        None
    }

    /// The schema of an input that [`complete`](Tool::complete) has completed. None if it adds nothing.
    fn completed_schema(&self) -> Option<Value> {
        None
    }

    /// Adds what the tool looks up by itself to an input that matches the schema of the definition, so that it is
    /// judged, shown and part of the digest. The model cannot give the fields that are added. It is called before
    /// anyone is asked; it may read files and must change nothing.
    fn complete(&self, input: Value, ctx: &ToolContext) -> Result<Value, String> {
        let _ = ctx;
        Ok(input)
    }

    /// Whether the tool works on data that is stored with a run, so that it needs
    /// [`ToolContext::run`].
    fn needs_run(&self) -> bool {
        false
    }

    /// Whether the tool works in a workspace. A run that has none cannot use it.
    fn needs_workspace(&self) -> bool {
        true
    }

    /// Whether the tool starts programs. The sandbox they get is recorded with each run.
    fn starts_programs(&self) -> bool {
        matches!(self.category(), ToolCategory::Execution | ToolCategory::VersionControl)
    }

    /// Says why a call can never run in this context, whatever a rule or a human says. It is called before
    /// anyone is asked and again right before the call runs, with a completed input. It must have no effects.
    fn check(&self, input: &Value, ctx: &ToolContext) -> Result<(), String>;

    /// Runs a permitted call.
    fn execute<'a>(&'a self, call: PermittedCall, ctx: &'a ToolContext) -> BoxFuture<'a, ToolResult>;
}
