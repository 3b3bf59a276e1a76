//! `todo_read` and `todo_write`: the to-do list of a run.

use jiff::Timestamp;
use sekisho_gate::ledger::BoxFuture;
use serde_json::{Value, json};

use crate::permitted_call::PermittedCall;
use crate::run_storage::Todo;
use crate::tool::{Tool, ToolCategory, ToolDefinition};
use crate::tool_context::ToolContext;
use crate::tool_result::ToolResult;

/// The largest number of items of a list.
pub const MAX_ITEMS: usize = 200;
/// The longest text of an item, in characters.
pub const MAX_TEXT: usize = 2_000;
/// The longest id of an item, in characters.
pub const MAX_ID: usize = 100;

/// Reads the to-do list.
#[derive(Clone, Copy, Debug, Default)]
pub struct TodoRead;

impl Tool for TodoRead {
    fn name(&self) -> &str {
        "todo_read"
    }

    fn category(&self) -> ToolCategory {
        ToolCategory::ReadOnly
    }

    fn needs_workspace(&self) -> bool {
        false
    }

    fn definition(&self) -> ToolDefinition {
        ToolDefinition {
            name: "todo_read".into(),
            description: "Read the to-do list of this task.".into(),
            input_schema: json!({ "type": "object", "properties": {} }),
        }
    }

    fn needs_run(&self) -> bool {
        true
    }

    fn check(&self, _input: &Value, _ctx: &ToolContext) -> Result<(), String> {
        Ok(())
    }

    fn execute<'a>(&'a self, _call: PermittedCall, ctx: &'a ToolContext) -> BoxFuture<'a, ToolResult> {
        Box::pin(async move {
            let Some(run) = &ctx.run else { return ToolResult::error("There is no run") };
            match run.storage.todos(run.id).await {
                Ok(todos) => ToolResult::ok(json!({ "todos": todos }).to_string()),
                Err(error) => ToolResult::error(format!("Failed to read the to-do list: {}", error.message)),
            }
        })
    }
}

/// Replaces the to-do list.
#[derive(Clone, Copy, Debug, Default)]
pub struct TodoWrite;

impl Tool for TodoWrite {
    fn name(&self) -> &str {
        "todo_write"
    }

    fn category(&self) -> ToolCategory {
        ToolCategory::ReadOnly
    }

    fn needs_workspace(&self) -> bool {
        false
    }

    fn definition(&self) -> ToolDefinition {
        ToolDefinition {
            name: "todo_write".into(),
            description:
                "Replace the to-do list of this task. Give the whole list: items that are left out are \
                removed."
                    .into(),
            input_schema: json!({
                "type": "object",
                "properties": {
                    "todos": {
                        "type": "array",
                        "maxItems": MAX_ITEMS,
                        "description": "The whole list, in order",
                        "items": {
                            "type": "object",
                            "properties": {
                                "content": {
                                    "type": "string",
                                    "minLength": 1,
                                    "maxLength": MAX_TEXT,
                                    "description": "What to do"
                                },
                                "status": { "type": "string", "enum": ["pending", "in_progress", "completed"] },
                                "id": {
                                    "type": "string",
                                    "maxLength": MAX_ID,
                                    "description": "Your own name for the item (optional)"
                                },
                                "activeForm": {
                                    "type": "string",
                                    "maxLength": MAX_TEXT,
                                    "description": "What is being done, shown while it is in progress (optional)"
                                }
                            },
                            "required": ["content", "status"],
                            "additionalProperties": false
                        }
                    }
                },
                "required": ["todos"]
            }),
        }
    }

    fn needs_run(&self) -> bool {
        true
    }

    fn check(&self, input: &Value, _ctx: &ToolContext) -> Result<(), String> {
        read(input).map(drop)
    }

    fn execute<'a>(&'a self, call: PermittedCall, ctx: &'a ToolContext) -> BoxFuture<'a, ToolResult> {
        Box::pin(async move {
            let Some(run) = &ctx.run else { return ToolResult::error("There is no run") };
            let todos = match read(call.input()) {
                Ok(todos) => todos,
                Err(why) => return ToolResult::error(why),
            };
            let count = todos.len();
            match run.storage.set_todos(run.id, todos, Timestamp::now()).await {
                Ok(()) => ToolResult::ok(json!({ "success": true, "count": count }).to_string()),
                Err(error) => ToolResult::error(format!("Failed to write the to-do list: {}", error.message)),
            }
        })
    }
}

fn read(input: &Value) -> Result<Vec<Todo>, String> {
    let todos = input.get("todos").cloned().unwrap_or_default();
    serde_json::from_value(todos).map_err(|error| format!("Invalid 'todos' parameter: {error}"))
}
