//! `file_write`: creates, replaces or extends a file.

use sekisho_gate::ledger::BoxFuture;
use serde_json::{Value, json};

use crate::contained_write::{WriteMode, WriteRoots};
use crate::input_fields::{required, shown, wrong_type};
use crate::permitted_call::PermittedCall;
use crate::tool::{Tool, ToolCategory, ToolDefinition};
use crate::tool_context::ToolContext;
use crate::tool_result::ToolResult;
use crate::write_guard::{WriteGuard, check_before_asking, failure, permitted, write_permitted};

/// The tool's name.
pub const NAME: &str = "file_write";

/// Creates, replaces and extends files.
#[derive(Clone, Copy, Debug, Default)]
pub struct FileWrite;

impl Tool for FileWrite {
    fn name(&self) -> &str {
        NAME
    }

    fn category(&self) -> ToolCategory {
        ToolCategory::FileSystem
    }

    fn definition(&self) -> ToolDefinition {
        definition()
    }

    fn check(&self, input: &Value, ctx: &ToolContext) -> Result<(), String> {
        check(input, ctx).map_err(|refused| refused.content)
    }

    fn execute<'a>(&'a self, call: PermittedCall, ctx: &'a ToolContext) -> BoxFuture<'a, ToolResult> {
        Box::pin(write_permitted(run, call, ctx))
    }
}

/// The tool as a model sees it.
pub fn definition() -> ToolDefinition {
    ToolDefinition {
        name: NAME.into(),
        description:
            "Write content to a file on disk. Can create new files or overwrite/append to existing files. \
                      The file path must be within the allowed directories."
                .into(),
        input_schema: json!({
            "type": "object",
            "properties": {
                "path": {
                    "type": "string",
                    "description": "File path to write to (relative to working directory, or absolute)"
                },
                "content": {
                    "type": "string",
                    "description": "The content to write to the file"
                },
                "mode": {
                    "type": "string",
                    "enum": ["create", "overwrite", "append"],
                    "description": "Write mode: 'create' fails if file exists, 'overwrite' replaces content, \
                                    'append' adds to end (default: overwrite)"
                }
            },
            "required": ["path", "content"]
        }),
    }
}

/// Checks an input before anyone is asked. Nothing is created.
pub fn check(input: &Value, context: &ToolContext) -> Result<(), ToolResult> {
    let path = required(input, "path")?;
    required(input, "content")?;
    mode(input)?;
    check_before_asking(path, context)
}

/// Checks an input and writes the file. Nothing is created before all checks have passed.
pub fn run(input: &Value, context: &ToolContext, roots: &WriteRoots, guard: WriteGuard<'_>) -> ToolResult {
    write(input, context, roots, guard).unwrap_or_else(|refused| refused)
}

fn write(
    input: &Value,
    context: &ToolContext,
    roots: &WriteRoots,
    guard: WriteGuard<'_>,
) -> Result<ToolResult, ToolResult> {
    let path = required(input, "path")?;
    let content = required(input, "content")?;
    let (mode, name) = mode(input)?;
    let location = permitted(path, context, roots, guard)?;
    let written = location.write(content.as_bytes(), mode);
    written.map_err(|error| failure(location.path(), &error, mode == WriteMode::Append))?;
    Ok(ToolResult::ok(
        json!({
            "path": location.path().to_string_lossy(),
            "mode": name,
            "bytes_written": content.len(),
            "success": true
        })
        .to_string(),
    ))
}

fn mode(input: &Value) -> Result<(WriteMode, &'static str), ToolResult> {
    match input.get("mode") {
        None | Some(Value::Null) => Ok((WriteMode::Overwrite, "overwrite")),
        Some(Value::String(mode)) => match mode.as_str() {
            "create" => Ok((WriteMode::Create, "create")),
            "overwrite" => Ok((WriteMode::Overwrite, "overwrite")),
            "append" => Ok((WriteMode::Append, "append")),
            other => Err(ToolResult::error(format!(
                "Unknown mode '{}'. Use 'create', 'overwrite' or 'append'.",
                shown(other)
            ))),
        },
        Some(_) => Err(wrong_type("mode", "a string")),
    }
}
