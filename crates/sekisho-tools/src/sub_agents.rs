//! `create_sub_agent`, `execute_sub_agent` and `get_sub_agent_result`: how an agent hands work on.
//!
//! What a sub-agent would have, and what its parent has, is added to the input, so that whoever is asked sees both. If
//! either has changed by the time of the answer, the call does not run.

use std::sync::Arc;

use sekisho_gate::ledger::BoxFuture;
use sekisho_policy::{Descriptor, DescriptorKind, UncheckedDescriptor};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::delegation::{Delegation, WantedSubAgent};
use crate::input_fields::{optional, required, shown};
use crate::permitted_call::PermittedCall;
use crate::tool::{Tool, ToolCategory, ToolDefinition};
use crate::tool_context::ToolContext;
use crate::tool_result::ToolResult;

/// The tool that makes a sub-agent.
pub const CREATE: &str = "create_sub_agent";
/// The tool that starts a run of a sub-agent.
pub const EXECUTE: &str = "execute_sub_agent";
/// The tool that waits for such a run.
pub const RESULT: &str = "get_sub_agent_result";
/// All of them.
pub const NAMES: [&str; 3] = [CREATE, EXECUTE, RESULT];

/// The field that is added to inputs.
const ADDED: &str = "delegation";
/// The longest name of a sub-agent, in characters.
const MAX_NAME: usize = 60;
/// The longest prompt or task, in characters.
const MAX_TEXT: usize = 100_000;

fn descriptor() -> Option<Descriptor> {
    let written = UncheckedDescriptor { kind: DescriptorKind::SubAgents, ..UncheckedDescriptor::default() };
    Descriptor::try_from(written).ok()
}

fn delegation(ctx: &ToolContext) -> Result<&Arc<dyn Delegation>, String> {
    ctx.delegation.as_ref().ok_or_else(|| "this agent may not have sub-agents".to_owned())
}

/// An input without what was added to it.
fn given(input: &Value) -> Value {
    let mut input = input.clone();
    if let Some(fields) = input.as_object_mut() {
        fields.remove(ADDED);
    }
    input
}

fn with(mut input: Value, added: Value) -> Value {
    if let Some(fields) = input.as_object_mut() {
        fields.insert(ADDED.into(), added);
    }
    input
}

/// Whether an input is what it would be completed to now.
fn unchanged(input: &Value, now: &Value) -> Result<(), String> {
    match input == now {
        true => Ok(()),
        false => Err(
            "what the sub-agent or its parent has is not what was asked about: it has changed, or the input \
            was edited. Call the tool again"
                .into(),
        ),
    }
}

fn id(input: &Value, name: &str) -> Result<Uuid, String> {
    let text = required(input, name).map_err(|refused| refused.content)?;
    text.parse().map_err(|_| format!("Invalid '{name}' parameter: `{}` is not an id", shown(text)))
}

/// A schema with the field that is added.
fn completed(schema: &Value) -> Value {
    let mut schema = schema.clone();
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.insert(ADDED.into(), json!({ "type": "object" }));
    }
    schema
}

/// Makes a sub-agent.
#[derive(Clone, Copy, Debug, Default)]
pub struct CreateSubAgent;

impl CreateSubAgent {
    fn schema() -> Value {
        json!({
            "type": "object",
            "properties": {
                "name": {
                    "type": "string", "minLength": 1, "maxLength": MAX_NAME,
                    "description": "A short name: letters, digits, `-`, `_` and `.`"
                },
                "system_prompt": {
                    "type": "string", "minLength": 1, "maxLength": MAX_TEXT,
                    "description": "What the sub-agent is, and how it works"
                },
                "model": {
                    "type": "string", "minLength": 1, "maxLength": 100,
                    "description": "Its model (optional; yours by default)"
                },
                "enabled_tools": {
                    "type": "array", "maxItems": 100, "items": { "type": "string" },
                    "description": "The tools that it may use, of those that you have (optional; none by default)"
                },
                "tool_config": {
                    "type": "object",
                    "description": "Settings of these tools by name, which narrow yours (optional)"
                }
            },
            "required": ["name", "system_prompt"]
        })
    }
}

fn wanted(input: &Value) -> Result<WantedSubAgent, String> {
    let text = |name: &str| required(input, name).map(str::to_owned).map_err(|refused| refused.content);
    let name = text("name")?;
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if name.is_empty() || name.len() > MAX_NAME || !name.chars().all(is_plain) {
        return Err(format!(
            "Invalid 'name' parameter: `{}` does not consist of 1 to {MAX_NAME} letters, digits, `-`, `_` and `.`",
            shown(&name)
        ));
    }
    let system_prompt = text("system_prompt")?;
    if system_prompt.trim().is_empty() {
        return Err("Invalid 'system_prompt' parameter: it is blank".into());
    }
    let model = optional(input, "model").map_err(|refused| refused.content)?.map(str::to_owned);
    let tools = input.get("enabled_tools").and_then(Value::as_array).cloned().unwrap_or_default();
    let enabled_tools = tools.iter().filter_map(Value::as_str).map(str::to_owned).collect();
    let tool_config = input.get("tool_config").cloned().unwrap_or_else(|| json!({}));
    Ok(WantedSubAgent { name, system_prompt, model, enabled_tools, tool_config })
}

impl Tool for CreateSubAgent {
    fn name(&self) -> &str {
        CREATE
    }

    fn category(&self) -> ToolCategory {
        ToolCategory::Composite
    }

    fn needs_workspace(&self) -> bool {
        false
    }

    fn needs_run(&self) -> bool {
        true
    }

    fn definition(&self) -> ToolDefinition {
        ToolDefinition {
            name: CREATE.into(),
            description:
                "Make a sub-agent that can work on a part of your task beside you. It never may do more than \
                you. Start it with execute_sub_agent."
                    .into(),
            input_schema: CreateSubAgent::schema(),
        }
    }

    fn descriptor(&self) -> Option<Descriptor> {
        descriptor()
    }

    fn completed_schema(&self) -> Option<Value> {
        Some(completed(&CreateSubAgent::schema()))
    }

    fn complete(&self, input: Value, ctx: &ToolContext) -> Result<Value, String> {
        let granted = delegation(ctx)?.grant(&wanted(&input)?)?;
        Ok(with(input, granted))
    }

    fn check(&self, input: &Value, ctx: &ToolContext) -> Result<(), String> {
        unchanged(input, &self.complete(given(input), ctx)?)
    }

    fn execute<'a>(&'a self, call: PermittedCall, ctx: &'a ToolContext) -> BoxFuture<'a, ToolResult> {
        Box::pin(create(call.input().clone(), ctx))
    }
}

/// Makes the sub-agent of a completed input that was permitted.
pub async fn create(input: Value, ctx: &ToolContext) -> ToolResult {
    let granted = input.get(ADDED).cloned().unwrap_or_default();
    let made = match delegation(ctx) {
        Ok(delegation) => delegation.create(granted).await,
        Err(why) => Err(why),
    };
    match made {
        Ok(agent) => ToolResult::ok(json!({ "agent_id": agent }).to_string()),
        Err(why) => ToolResult::error(why),
    }
}

/// Starts a run of a sub-agent.
#[derive(Clone, Copy, Debug, Default)]
pub struct ExecuteSubAgent;

impl ExecuteSubAgent {
    fn schema() -> Value {
        json!({
            "type": "object",
            "properties": {
                "agent_id": { "type": "string", "description": "The id that create_sub_agent returned" },
                "input": {
                    "type": "string", "minLength": 1, "maxLength": MAX_TEXT,
                    "description": "What the sub-agent is to do"
                }
            },
            "required": ["agent_id", "input"]
        })
    }
}

impl Tool for ExecuteSubAgent {
    fn name(&self) -> &str {
        EXECUTE
    }

    fn category(&self) -> ToolCategory {
        ToolCategory::Composite
    }

    fn needs_workspace(&self) -> bool {
        false
    }

    fn needs_run(&self) -> bool {
        true
    }

    fn definition(&self) -> ToolDefinition {
        ToolDefinition {
            name: EXECUTE.into(),
            description: "Start a sub-agent on a task. It works beside you; get_sub_agent_result waits for its result. \
                When you finish, sub-agents that still work are ended."
                .into(),
            input_schema: ExecuteSubAgent::schema(),
        }
    }

    fn descriptor(&self) -> Option<Descriptor> {
        descriptor()
    }

    fn completed_schema(&self) -> Option<Value> {
        Some(completed(&ExecuteSubAgent::schema()))
    }

    fn complete(&self, input: Value, ctx: &ToolContext) -> Result<Value, String> {
        if required(&input, "input").is_ok_and(|task| task.trim().is_empty()) {
            return Err("Invalid 'input' parameter: it is blank".into());
        }
        let granted = delegation(ctx)?.granted(id(&input, "agent_id")?)?;
        Ok(with(input, granted))
    }

    fn check(&self, input: &Value, ctx: &ToolContext) -> Result<(), String> {
        unchanged(input, &self.complete(given(input), ctx)?)
    }

    fn execute<'a>(&'a self, call: PermittedCall, ctx: &'a ToolContext) -> BoxFuture<'a, ToolResult> {
        Box::pin(start(call.input().clone(), ctx))
    }
}

/// Starts the sub-agent of a completed input that was permitted.
pub async fn start(input: Value, ctx: &ToolContext) -> ToolResult {
    let started = async {
        let (agent, task) =
            (id(&input, "agent_id")?, required(&input, "input").map_err(|refused| refused.content)?);
        delegation(ctx)?.start(agent, task.to_owned()).await
    };
    match started.await {
        Ok(run) => ToolResult::ok(json!({ "execution_id": run, "status": "running" }).to_string()),
        Err(why) => ToolResult::error(why),
    }
}

/// Waits for a run of a sub-agent.
#[derive(Clone, Copy, Debug, Default)]
pub struct GetSubAgentResult;

impl Tool for GetSubAgentResult {
    fn name(&self) -> &str {
        RESULT
    }

    fn category(&self) -> ToolCategory {
        ToolCategory::Composite
    }

    fn needs_workspace(&self) -> bool {
        false
    }

    fn needs_run(&self) -> bool {
        true
    }

    fn definition(&self) -> ToolDefinition {
        ToolDefinition {
            name: RESULT.into(),
            description: "Wait until a sub-agent has ended, and get its output.".into(),
            input_schema: json!({
                "type": "object",
                "properties": {
                    "execution_id": { "type": "string", "description": "The id that execute_sub_agent returned" }
                },
                "required": ["execution_id"]
            }),
        }
    }

    fn descriptor(&self) -> Option<Descriptor> {
        descriptor()
    }

    fn check(&self, input: &Value, ctx: &ToolContext) -> Result<(), String> {
        delegation(ctx)?;
        id(input, "execution_id").map(drop)
    }

    fn execute<'a>(&'a self, call: PermittedCall, ctx: &'a ToolContext) -> BoxFuture<'a, ToolResult> {
        Box::pin(wait(call.input().clone(), ctx))
    }
}

/// Waits for the run that an input names.
pub async fn wait(input: Value, ctx: &ToolContext) -> ToolResult {
    let found = async {
        let run = id(&input, "execution_id")?;
        delegation(ctx)?.find(run).await.map(|()| run)
    };
    match found.await {
        Ok(run) => ToolResult::awaiting(run, json!({ "execution_id": run, "status": "running" }).to_string()),
        Err(why) => ToolResult::error(why),
    }
}
