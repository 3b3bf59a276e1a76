//! `grep`: searches the contents of files by a regular expression.

mod file_matches;
mod match_list;
mod query;
mod search;

use sekisho_gate::ledger::BoxFuture;
use serde_json::{Value, json};

use crate::file_access::{ReadGuard, StopSignal, run_stoppable};
use crate::permitted_call::PermittedCall;
use crate::tool::{Tool, ToolCategory, ToolDefinition};
use crate::tool_context::ToolContext;
use crate::tool_result::ToolResult;
use query::{DEFAULT_RESULTS, GrepQuery, MAX_CONTEXT, MAX_RESULTS};

/// The tool's name.
pub const NAME: &str = "grep";

/// Searches the contents of files.
#[derive(Clone, Copy, Debug, Default)]
pub struct Grep;

impl Tool for Grep {
    fn name(&self) -> &str {
        NAME
    }

    fn category(&self) -> ToolCategory {
        ToolCategory::ReadOnly
    }

    fn definition(&self) -> ToolDefinition {
        definition()
    }

    fn check(&self, input: &Value, ctx: &ToolContext) -> Result<(), String> {
        GrepQuery::new(input, ctx).map(drop).map_err(|refused| refused.content)
    }

    fn execute<'a>(&'a self, call: PermittedCall, ctx: &'a ToolContext) -> BoxFuture<'a, ToolResult> {
        Box::pin(run_stoppable(ctx, move |ctx, stop| {
            let guard = ReadGuard::new(&call, &ctx.policy, ctx.home.as_deref());
            run_until(call.input(), ctx, guard, stop)
        }))
    }
}

/// The tool as a model sees it.
pub fn definition() -> ToolDefinition {
    ToolDefinition {
        name: NAME.into(),
        description: "Search the contents of files with a regular expression, line by line. Skipped: files \
                      listed in .gitignore and other ignore files, hidden files, binary files, and protected \
                      files such as .env. Results are sorted by path."
            .into(),
        input_schema: json!({
            "type": "object",
            "properties": {
                "pattern": {
                    "type": "string",
                    "description": "Regular expression in Rust syntax (no lookaround, no backreferences)"
                },
                "path": {
                    "type": "string",
                    "description": "File or directory to search (default: the working directory)"
                },
                "glob": {
                    "type": "string",
                    "description": "Only files that match, e.g. '*.rs' or 'src/**/*.{ts,tsx}'; '!' before a glob \
                                    excludes; several are separated by blanks or commas"
                },
                "ignore_case": {
                    "type": "boolean",
                    "description": "Upper and lower case are the same (default: false)"
                },
                "hidden": {
                    "type": "boolean",
                    "description": "Also search files and directories whose names begin with a dot (default: false)"
                },
                "context": {
                    "type": "integer",
                    "minimum": 0,
                    "maximum": MAX_CONTEXT,
                    "description": "Lines to show before and after each match (default: 0)"
                },
                "max_results": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": MAX_RESULTS,
                    "description": format!("Maximum number of matching lines (or files) to show (default: {DEFAULT_RESULTS})")
                },
                "output_mode": {
                    "type": "string",
                    "enum": ["content", "files", "count"],
                    "description": "'content' shows lines as file:line:text, 'files' the names of files that \
                                    match, 'count' the matching lines of each file (default: content)"
                }
            },
            "required": ["pattern"]
        }),
    }
}

/// Checks an input without touching the file system.
pub fn check(input: &Value, context: &ToolContext) -> Result<(), ToolResult> {
    GrepQuery::new(input, context).map(drop)
}

/// Checks an input and searches.
pub fn run(input: &Value, context: &ToolContext, guard: ReadGuard<'_>) -> ToolResult {
    run_until(input, context, guard, &StopSignal::of(context))
}

fn run_until(input: &Value, ctx: &ToolContext, guard: ReadGuard<'_>, stop: &StopSignal) -> ToolResult {
    let query = match GrepQuery::new(input, ctx) {
        Ok(query) => query,
        Err(refused) => return refused,
    };
    search::search(&query, ctx, guard, stop).unwrap_or_else(|refused| refused)
}
