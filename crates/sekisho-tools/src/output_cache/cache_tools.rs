//! `tool_output_cache` and `tool_output_cache_grep`: read an output that was stored.

use std::time::{Duration, Instant};

use regex::{Regex, RegexBuilder};
use sekisho_gate::ledger::BoxFuture;
use serde_json::{Value, json};

use super::MAX_TEXT;
use super::text_lines::{line_count, lines};
use crate::input_fields::{flag, required, shown};
use crate::permitted_call::PermittedCall;
use crate::tool::{Tool, ToolCategory, ToolDefinition};
use crate::tool_context::ToolContext;
use crate::tool_result::ToolResult;

/// How many lines are read if no number is given.
const LINES: u64 = 200;
/// The largest number of lines that are read at once.
const MAX_LINES: u64 = 2_000;
/// The largest number of matches of a search.
const MAX_MATCHES: usize = 100;
/// The largest compiled pattern, in bytes.
const MAX_PATTERN: usize = 1 << 18;
/// The time after which a search stops.
const MAX_TIME: Duration = Duration::from_secs(5);

/// Reads lines of a stored output.
#[derive(Clone, Copy, Debug, Default)]
pub struct ToolOutputCache;

impl Tool for ToolOutputCache {
    fn name(&self) -> &str {
        "tool_output_cache"
    }

    fn category(&self) -> ToolCategory {
        ToolCategory::ReadOnly
    }

    fn needs_workspace(&self) -> bool {
        false
    }

    fn definition(&self) -> ToolDefinition {
        ToolDefinition {
            name: "tool_output_cache".into(),
            description:
                "Read lines of a tool output that was too long to show. Its id is where the output was cut."
                    .into(),
            input_schema: json!({
                "type": "object",
                "properties": {
                    "id": { "type": "string", "description": "The id of the output" },
                    "offset": {
                        "type": "integer",
                        "minimum": 1,
                        "description": "The first line, counted from 1 (default: 1)"
                    },
                    "limit": {
                        "type": "integer",
                        "minimum": 1,
                        "maximum": MAX_LINES,
                        "description": "How many lines (default: 200)"
                    }
                },
                "required": ["id"]
            }),
        }
    }

    fn needs_run(&self) -> bool {
        true
    }

    fn check(&self, input: &Value, _ctx: &ToolContext) -> Result<(), String> {
        required(input, "id").map(drop).map_err(|refused| refused.content)
    }

    fn execute<'a>(&'a self, call: PermittedCall, ctx: &'a ToolContext) -> BoxFuture<'a, ToolResult> {
        Box::pin(async move {
            let number =
                |name: &str, usual: u64| call.input().get(name).and_then(Value::as_u64).unwrap_or(usual);
            let (offset, limit) = (number("offset", 1).max(1), number("limit", LINES).clamp(1, MAX_LINES));
            match stored(call.input(), ctx).await {
                Ok((id, text)) => ToolResult::ok(range(id, &text, offset, limit)),
                Err(failed) => failed,
            }
        })
    }
}

/// The text of the output that an input names.
async fn stored<'v>(input: &'v Value, ctx: &ToolContext) -> Result<(&'v str, String), ToolResult> {
    let id = required(input, "id")?;
    // An id of another run is as unknown as one that never was.
    let unknown = || ToolResult::error(format!("There is no output with id '{}' in this run", shown(id)));
    let Some(run) = &ctx.run else { return Err(ToolResult::error("There is no run")) };
    let Ok(number) = id.parse() else { return Err(unknown()) };
    match run.storage.output(run.id, number).await {
        Ok(Some(text)) => Ok((id, text)),
        Ok(None) => Err(unknown()),
        Err(error) => Err(ToolResult::error(format!("Failed to read the output: {}", error.message))),
    }
}

/// Lines of a text, as many as fit into a result.
fn range(id: &str, text: &str, offset: u64, limit: u64) -> String {
    let total = line_count(text);
    let (mut shown, mut count) = (String::new(), 0);
    let skipped = usize::try_from(offset - 1).unwrap_or(usize::MAX);
    for line in lines(text).skip(skipped).take(usize::try_from(limit).unwrap_or(usize::MAX)) {
        if count > 0 && shown.len() + line.len() >= MAX_TEXT {
            break;
        }
        if count > 0 {
            shown.push('\n');
        }
        shown.push_str(line);
        count += 1;
    }
    let next = skipped.saturating_add(count);
    let next = (next < total && count > 0).then_some(next + 1);
    json!({ "id": id, "offset": offset, "lines": count, "total_lines": total, "next_offset": next, "text": shown })
        .to_string()
}

/// Searches a stored output.
#[derive(Clone, Copy, Debug, Default)]
pub struct ToolOutputCacheGrep;

impl Tool for ToolOutputCacheGrep {
    fn name(&self) -> &str {
        "tool_output_cache_grep"
    }

    fn category(&self) -> ToolCategory {
        ToolCategory::ReadOnly
    }

    fn needs_workspace(&self) -> bool {
        false
    }

    fn definition(&self) -> ToolDefinition {
        ToolDefinition {
            name: "tool_output_cache_grep".into(),
            description: "Search a tool output that was too long to show. Its id is where the output was cut. Lines that \
                match are given as `NUMBER:text`, lines around them as `NUMBER-text`."
                .into(),
            input_schema: json!({
                "type": "object",
                "properties": {
                    "id": { "type": "string", "description": "The id of the output" },
                    "pattern": {
                        "type": "string",
                        "minLength": 1,
                        "maxLength": 1_000,
                        "description": "A regular expression, matched line by line"
                    },
                    "context": {
                        "type": "integer",
                        "minimum": 0,
                        "maximum": 10,
                        "description": "How many lines to show before and after a match (default: 0)"
                    },
                    "ignore_case": {
                        "type": "boolean",
                        "description": "Whether capitals and small letters are the same (default: false)"
                    }
                },
                "required": ["id", "pattern"]
            }),
        }
    }

    fn needs_run(&self) -> bool {
        true
    }

    fn check(&self, input: &Value, _ctx: &ToolContext) -> Result<(), String> {
        required(input, "id").map_err(|refused| refused.content)?;
        pattern(input).map(drop)
    }

    fn execute<'a>(&'a self, call: PermittedCall, ctx: &'a ToolContext) -> BoxFuture<'a, ToolResult> {
        Box::pin(async move {
            let pattern = match pattern(call.input()) {
                Ok(pattern) => pattern,
                Err(why) => return ToolResult::error(why),
            };
            let around = call.input().get("context").and_then(Value::as_u64).unwrap_or_default();
            let around = usize::try_from(around).unwrap_or_default().min(10);
            let (id, text) = match stored(call.input(), ctx).await {
                Ok((id, text)) => (id.to_owned(), text),
                Err(failed) => return failed,
            };
            let searched = tokio::task::spawn_blocking(move || matches(&id, &text, &pattern, around)).await;
            searched
                .map_or_else(|error| ToolResult::error(format!("Failed to search: {error}")), ToolResult::ok)
        })
    }
}

fn pattern(input: &Value) -> Result<Regex, String> {
    let text = required(input, "pattern").map_err(|refused| refused.content)?;
    let ignore_case = flag(input, "ignore_case").map_err(|refused| refused.content)?;
    let mut builder = RegexBuilder::new(text);
    builder.case_insensitive(ignore_case).size_limit(MAX_PATTERN).dfa_size_limit(MAX_PATTERN);
    builder.build().map_err(|error| format!("Invalid 'pattern' parameter: {error}"))
}

/// The lines that match, with those around them.
fn matches(id: &str, text: &str, pattern: &Regex, around: usize) -> String {
    let all: Vec<&str> = lines(text).collect();
    let start = Instant::now();
    let mut found: Vec<usize> = Vec::new();
    let mut is_complete = true;
    for (number, line) in all.iter().enumerate() {
        if found.len() == MAX_MATCHES || start.elapsed() > MAX_TIME {
            is_complete = false;
            break;
        }
        if pattern.is_match(line) {
            found.push(number);
        }
    }
    let (mut shown, mut next, mut count) = (String::new(), 0, 0);
    for number in &found {
        let (from, to) = (number.saturating_sub(around).max(next), (number + around + 1).min(all.len()));
        let separator = if from > next && !shown.is_empty() { "--\n" } else { "" };
        let group = all.iter().enumerate().take(to).skip(from).map(|(at, line)| {
            let mark = if found.binary_search(&at).is_ok() { ':' } else { '-' };
            format!("{}{mark}{}\n", at + 1, start_of(line))
        });
        let group: String = group.collect();
        if !shown.is_empty() && shown.len() + group.len() > MAX_TEXT {
            is_complete = false;
            break;
        }
        shown.push_str(separator);
        shown.push_str(&group);
        (next, count) = (next.max(to), count + 1);
    }
    json!({ "id": id, "matches": count, "total_lines": all.len(), "complete": is_complete, "text": shown })
        .to_string()
}

/// How many characters of a line are shown.
const SHOWN_CHARACTERS: usize = 200;

/// The first characters of a line. `tool_output_cache` reads all of it.
fn start_of(line: &str) -> String {
    match line.char_indices().nth(SHOWN_CHARACTERS) {
        Some((end, _)) => format!("{}…", line.split_at(end).0),
        None => line.to_owned(),
    }
}
