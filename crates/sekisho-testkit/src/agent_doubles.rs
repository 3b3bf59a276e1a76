//! What runs of agents need in tests: a host with a scripted model, tools that write notes, and the settings of a run.

use std::path::Path;
use std::sync::Arc;

use sekisho_agent::conversation::Provider;
use sekisho_agent::grants::Grants;
use sekisho_agent::model::scripted::ScriptedModel;
use sekisho_agent::model::{Model, ModelError};
use sekisho_agent::{RunHost, RunSettings};
use sekisho_gate::ledger::BoxFuture;
use sekisho_tools::sandbox::Isolation;
use sekisho_tools::{
    CurrentRun, PermittedCall, Sandbox, Tool, ToolCategory, ToolContext, ToolDefinition, ToolRegistry,
    ToolResult, sub_agents,
};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::memory::MemoryLedger;

/// The names of the tools that write notes.
pub const NOTE_TOOLS: [&str; 4] = ["note", "risky", "slow", "forbidden"];

/// What a tool that writes notes does. It gets the name of the tool.
pub trait NoteWriter: Send + Sync {
    /// Runs a call.
    fn write<'a>(
        &'a self,
        tool: &'static str,
        call: PermittedCall,
        ctx: &'a ToolContext,
    ) -> BoxFuture<'a, ToolResult>;
}

/// Registers [`NOTE_TOOLS`]. They need no workspace.
pub fn register_note_tools(registry: &mut ToolRegistry, writer: &Arc<dyn NoteWriter>) {
    for name in NOTE_TOOLS {
        let tool = NoteTool { name, writer: Arc::clone(writer) };
        registry.register(Box::new(tool)).expect("each name is taken once");
    }
}

struct NoteTool {
    name: &'static str,
    writer: Arc<dyn NoteWriter>,
}

impl Tool for NoteTool {
    fn name(&self) -> &str {
        self.name
    }

    fn category(&self) -> ToolCategory {
        ToolCategory::ReadOnly
    }

    fn needs_workspace(&self) -> bool {
        false
    }

    fn definition(&self) -> ToolDefinition {
        let schema = json!({ "type": "object", "properties": { "text": { "type": "string" } } });
        ToolDefinition { name: self.name.into(), description: "Writes a note.".into(), input_schema: schema }
    }

    fn check(&self, _: &Value, _: &ToolContext) -> Result<(), String> {
        Ok(())
    }

    fn execute<'a>(&'a self, call: PermittedCall, ctx: &'a ToolContext) -> BoxFuture<'a, ToolResult> {
        self.writer.write(self.name, call, ctx)
    }
}

/// A host whose model follows a script. Runs may use the tools that write notes, and `done`.
pub struct ScriptedHost {
    model: Arc<ScriptedModel>,
    /// The model of sub-agents. None if there are none.
    sub_agents: Option<Arc<ScriptedModel>>,
}

impl ScriptedHost {
    /// A host with this script, which must be valid.
    pub fn new(script: Value) -> ScriptedHost {
        let model = Arc::new(ScriptedModel::from_value(script).expect("a valid script"));
        ScriptedHost { model, sub_agents: None }
    }

    /// The same with sub-agents that follow another script.
    #[must_use]
    pub fn with_sub_agents(self, script: Value) -> ScriptedHost {
        let model = ScriptedModel::from_value(script).expect("a valid script");
        ScriptedHost { sub_agents: Some(Arc::new(model)), ..self }
    }
}

impl RunHost for ScriptedHost {
    fn model(&self, settings: &RunSettings) -> Result<Arc<dyn Model>, ModelError> {
        let below = self.sub_agents.as_ref().filter(|_| settings.parent.is_some());
        Ok(below.unwrap_or(&self.model).clone())
    }

    fn grants<'a>(&'a self, _: Uuid, settings: &'a RunSettings) -> BoxFuture<'a, Result<Grants, String>> {
        let ctx = ToolContext::new("/tmp", Arc::new(no_sandbox()));
        let tools = NOTE_TOOLS.iter().map(|tool| ((*tool).to_owned(), ctx.clone())).collect();
        let grants = Grants {
            agent: settings.agent_name.clone(),
            model: settings.model.clone(),
            models: Vec::new(),
            workspace: None,
            tools,
            levels: 1,
            most_sub_agents: 50,
            most_runs: 51,
        };
        let found = self.sub_agents.as_ref().map(|_| grants).ok_or_else(|| "no sub-agents here".to_owned());
        Box::pin(async { found })
    }

    fn tools<'a>(&'a self, _: &'a RunSettings) -> BoxFuture<'a, Vec<ToolDefinition>> {
        Box::pin(async { Vec::new() })
    }

    fn keep_output<'a>(&'a self, _: Uuid, _: &'a str) -> BoxFuture<'a, bool> {
        Box::pin(async { true })
    }

    fn access<'a>(
        &'a self,
        run: Uuid,
        settings: &'a RunSettings,
        tool: &'a str,
    ) -> BoxFuture<'a, Result<ToolContext, String>> {
        let delegates = self.sub_agents.is_some() && settings.parent.is_none();
        let known =
            NOTE_TOOLS.contains(&tool) || tool == "done" || (delegates && sub_agents::NAMES.contains(&tool));
        let found = match known {
            true => {
                let mut ctx = ToolContext::new("/tmp", Arc::new(no_sandbox()));
                ctx.run = Some(CurrentRun { id: run, storage: Arc::new(MemoryLedger::new()) });
                Ok(ctx)
            }
            false => Err(format!("Unknown tool: {tool}")),
        };
        Box::pin(async { found })
    }
}

/// A sandbox for tools that start no programs.
pub(crate) fn no_sandbox() -> Sandbox {
    Sandbox::at_level(Path::new("/nonexistent"), Isolation::default())
}

/// The settings of a run of `builder`.
pub fn run_settings() -> RunSettings {
    RunSettings {
        agent: Uuid::nil(),
        agent_name: "builder".into(),
        credential: "agent:builder".into(),
        provider: Provider::Scripted,
        model: "script".into(),
        system: None,
        temperature: None,
        max_tokens: 1000,
        context_tokens: 128_000,
        price: None,
        workspace: None,
        enabled_tools: None,
        requires_approval: false,
        mode: None,
        parent: None,
        stage: None,
        approvals_expire: false,
        tool_config: Default::default(),
    }
}
