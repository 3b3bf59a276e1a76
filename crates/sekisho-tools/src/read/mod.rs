//! `read`: shows the text of a file, with line numbers.

mod binary_kind;
mod text_lines;

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use sekisho_gate::ledger::BoxFuture;
use serde_json::{Value, json};

use crate::file_access::{OpenedPath, ReadGuard, StopReason, StopSignal, run_stoppable, shown_os};
use crate::input_fields::{number, required};
use crate::permitted_call::PermittedCall;
use crate::tool::{Tool, ToolCategory, ToolDefinition};
use crate::tool_context::ToolContext;
use crate::tool_result::ToolResult;
use crate::tree_search::{checked_path, counted};
use binary_kind::binary_kind;
use text_lines::{LineRange, MAX_LINE, TextPage, read_page};

/// The tool's name.
pub const NAME: &str = "read";

/// The lines that are shown if the call does not say.
const DEFAULT_LINES: u64 = 2000;
/// The most lines.
const MAX_LINES: u64 = 10_000;
/// So many bytes at the start of a file tell whether it is text.
const SAMPLE: usize = 8192;

/// Shows the text of files.
#[derive(Clone, Copy, Debug, Default)]
pub struct Read;

impl Tool for Read {
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
        check(input, ctx).map_err(|refused| refused.content)
    }

    fn execute<'a>(&'a self, call: PermittedCall, ctx: &'a ToolContext) -> BoxFuture<'a, ToolResult> {
        Box::pin(run_stoppable(ctx, move |ctx, stop| {
            let guard = ReadGuard::new(&call, &ctx.policy, ctx.home.as_deref());
            read(call.input(), ctx, guard, stop).unwrap_or_else(|refused| refused)
        }))
    }
}

/// The tool as a model sees it.
pub fn definition() -> ToolDefinition {
    ToolDefinition {
        name: NAME.into(),
        description:
            "Read a text file. Each line is shown as its number, a tab and the text. Long files are read in \
                      parts: the result says at which offset to go on."
                .into(),
        input_schema: json!({
            "type": "object",
            "properties": {
                "path": {
                    "type": "string",
                    "description": "File path to read (relative to working directory, or absolute)"
                },
                "offset": {
                    "type": "integer",
                    "minimum": 1,
                    "description": "Number of the first line to show (default: 1)"
                },
                "limit": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": MAX_LINES,
                    "description": format!("The most lines to show (default: {DEFAULT_LINES})")
                }
            },
            "required": ["path"]
        }),
    }
}

/// Checks an input without touching the file system.
pub fn check(input: &Value, context: &ToolContext) -> Result<(), ToolResult> {
    ReadQuery::new(input, context).map(drop)
}

/// Checks an input and reads the file.
pub fn run(input: &Value, context: &ToolContext, guard: ReadGuard<'_>) -> ToolResult {
    read(input, context, guard, &StopSignal::of(context)).unwrap_or_else(|refused| refused)
}

/// A checked call.
struct ReadQuery {
    /// Absolute.
    path: PathBuf,
    range: LineRange,
}

impl ReadQuery {
    fn new(input: &Value, ctx: &ToolContext) -> Result<ReadQuery, ToolResult> {
        let path = checked_path(required(input, "path")?, &ctx.root)?;
        let first = number(input, "offset")?.unwrap_or(1).max(1);
        let count = number(input, "limit")?.unwrap_or(DEFAULT_LINES).clamp(1, MAX_LINES);
        Ok(ReadQuery { path, range: LineRange { first, count } })
    }
}

fn read(
    input: &Value,
    ctx: &ToolContext,
    guard: ReadGuard<'_>,
    stop: &StopSignal,
) -> Result<ToolResult, ToolResult> {
    let ReadQuery { path, range } = ReadQuery::new(input, ctx)?;
    let name = || shown_os(path.as_os_str());
    let opened = OpenedPath::open(&path).map_err(|error| failure(&path, &error))?;
    if let Some(why) = opened.refusal() {
        return Err(ToolResult::error(format!("Failed to read '{}': {why}.", name())));
    }
    if opened.is_directory() {
        guard.admit(&ctx.root, &path, &opened, None)?;
        let hint = "List its files with glob_search: pattern '*' and this path";
        return Err(ToolResult::error(format!("'{}' is a directory. {hint}.", name())));
    }
    let file = opened.read().map_err(|error| failure(&path, &error))?;
    guard.admit(&ctx.root, &path, &opened, Some(&file))?;
    let sample = sample(&file).map_err(|error| failure(&path, &error))?;
    let size = u64::try_from(opened.stat().st_size).unwrap_or(0);
    if let Some(kind) = binary_kind(&sample) {
        let size = counted(size, "byte");
        return Err(ToolResult::error(format!("'{}' is not text: {kind}, {size}.", name())));
    }
    let page = read_page(&file, size, range, stop).map_err(|error| match stop.reason() {
        Some(StopReason::Cancelled) => ToolResult::error("Reading was cancelled."),
        Some(StopReason::OutOfTime) => {
            ToolResult::error(format!("Reading '{}' took too long. Use a smaller 'offset'.", name()))
        }
        None => failure(&path, &error),
    })?;
    result(&path, range, page)
}

fn failure(path: &Path, error: &io::Error) -> ToolResult {
    let path = shown_os(path.as_os_str());
    ToolResult::error(match error.kind() {
        io::ErrorKind::NotFound => format!("File not found: {path}"),
        io::ErrorKind::NotADirectory => {
            format!("File not found: {path} (a part of the path is not a directory)")
        }
        io::ErrorKind::PermissionDenied => format!("Permission denied: {path}"),
        _ => format!("Failed to read '{path}': {error}"),
    })
}

/// The beginning of a file. Its position stays.
fn sample(file: &File) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; SAMPLE];
    let length = file.read_at(&mut bytes, 0)?;
    bytes.truncate(length);
    Ok(bytes)
}

fn result(path: &Path, range: LineRange, page: TextPage) -> Result<ToolResult, ToolResult> {
    let name = shown_os(path.as_os_str());
    if page.lines == 0 && range.first > 1 {
        let lines = counted(page.total_lines.unwrap_or(0), "line");
        return Err(ToolResult::error(format!(
            "'offset' {} is beyond the end of '{name}', which has {lines}.",
            range.first
        )));
    }
    let last = range.first + page.lines.saturating_sub(1);
    let mut notes = Vec::new();
    if page.lines == 0 {
        notes.push("The file is empty.".to_owned());
    }
    if page.cut_lines > 0 {
        notes.push(format!("{} cut after {MAX_LINE} characters.", counted(page.cut_lines, "line")));
    }
    if page.has_other_bytes {
        notes.push("Some bytes are not UTF-8. They are written as \\xNN.".to_owned());
    }
    if page.ends_with_crlf {
        notes.push("Lines end with CRLF, which is not shown.".to_owned());
    }
    if let Some(encoding) = page.encoding {
        notes.push(format!("The file is {encoding}, shown as UTF-8."));
    }
    if !page.is_end {
        notes.push(format!("There is more: go on with offset {}.", last + 1));
    }
    Ok(ToolResult::ok(
        json!({
            "path": name,
            "content": page.text,
            "first_line": (page.lines > 0).then_some(range.first),
            "last_line": (page.lines > 0).then_some(last),
            "total_lines": page.total_lines,
            "next_offset": (!page.is_end).then_some(last + 1),
            "notes": notes
        })
        .to_string(),
    ))
}
