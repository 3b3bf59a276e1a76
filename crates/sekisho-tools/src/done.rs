//! `done`: ends the run of an agent.

use sekisho_gate::ledger::BoxFuture;
use serde_json::{Value, json};

use crate::permitted_call::PermittedCall;
use crate::tool::{Tool, ToolCategory, ToolDefinition};
use crate::tool_context::ToolContext;
use crate::tool_result::ToolResult;

/// The tool's name.
pub const NAME: &str = "done";

/// Ends the run of an agent, with its result.
#[derive(Clone, Copy, Debug, Default)]
pub struct Done;

impl Tool for Done {
    fn name(&self) -> &str {
        NAME
    }

    fn category(&self) -> ToolCategory {
        ToolCategory::ReadOnly
    }

    fn needs_workspace(&self) -> bool {
        false
    }

    fn definition(&self) -> ToolDefinition {
        ToolDefinition {
            name: NAME.into(),
            description:
                "End the task. Call this once, when everything is finished or cannot be finished, with \
                what the user should know."
                    .into(),
            input_schema: json!({
                "type": "object",
                "properties": {
                    "result": {
                        "type": "string",
                        "maxLength": 100_000,
                        "description": "What was done, for the user (optional)"
                    }
                }
            }),
        }
    }

    fn check(&self, _input: &Value, _ctx: &ToolContext) -> Result<(), String> {
        Ok(())
    }

    fn execute<'a>(&'a self, call: PermittedCall, _ctx: &'a ToolContext) -> BoxFuture<'a, ToolResult> {
        let result = call.input().get("result").and_then(Value::as_str).unwrap_or_default().to_owned();
        Box::pin(async move { ToolResult::last(result) })
    }
}
