//! `edit`: replaces text in an existing file.

use sekisho_gate::ledger::BoxFuture;
use serde_json::{Value, json};

use crate::contained_write::{MAX_REWRITE, RewriteError, WriteRoots};
use crate::input_fields::{flag, required, shown_path};
use crate::permitted_call::PermittedCall;
use crate::tool::{Tool, ToolCategory, ToolDefinition};
use crate::tool_context::ToolContext;
use crate::tool_result::ToolResult;
use crate::write_guard::{WriteGuard, check_before_asking, failure, permitted, write_permitted};

/// The tool's name.
pub const NAME: &str = "edit";

/// Replaces text in files.
#[derive(Clone, Copy, Debug, Default)]
pub struct Edit;

impl Tool for Edit {
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
            "Replace text in an existing file. The old text must occur in the file exactly once, unless \
                      replace_all is set. The file path must be within the allowed directories."
                .into(),
        input_schema: json!({
            "type": "object",
            "properties": {
                "path": {
                    "type": "string",
                    "description": "File path to edit (relative to working directory, or absolute)"
                },
                "old_text": {
                    "type": "string",
                    "description": "The text to replace, exactly as it is in the file"
                },
                "new_text": {
                    "type": "string",
                    "description": "The text to put in its place"
                },
                "replace_all": {
                    "type": "boolean",
                    "description": "Replace every occurrence (default: false)"
                }
            },
            "required": ["path", "old_text", "new_text"]
        }),
    }
}

/// Checks an input before anyone is asked. Nothing is created.
pub fn check(input: &Value, context: &ToolContext) -> Result<(), ToolResult> {
    check_before_asking(required(input, "path")?, context)?;
    Replacement::read(input).map(|_| ())
}

/// Checks an input and edits the file. Nothing is written before all checks have passed.
pub fn run(input: &Value, context: &ToolContext, roots: &WriteRoots, guard: WriteGuard<'_>) -> ToolResult {
    edit(input, context, roots, guard).unwrap_or_else(|refused| refused)
}

fn edit(
    input: &Value,
    context: &ToolContext,
    roots: &WriteRoots,
    guard: WriteGuard<'_>,
) -> Result<ToolResult, ToolResult> {
    let path = required(input, "path")?;
    let replacement = Replacement::read(input)?;
    let location = permitted(path, context, roots, guard)?;
    let (mut replacements, mut bytes) = (0, 0);
    let edited = location.rewrite(|before| {
        let (after, count) = replacement.apply(before)?;
        (replacements, bytes) = (count, after.len());
        Ok(after.into_bytes())
    });
    edited.map_err(|error: RewriteError<Problem>| match error {
        RewriteError::File(error) => failure(location.path(), &error, false),
        RewriteError::Refused(problem) => ToolResult::error(problem.sentence(&shown_path(location.path()))),
    })?;
    Ok(ToolResult::ok(
        json!({
            "path": location.path().to_string_lossy(),
            "replacements": replacements,
            "bytes_written": bytes,
            "success": true
        })
        .to_string(),
    ))
}

struct Replacement<'v> {
    old: &'v str,
    new: &'v str,
    all: bool,
}

enum Problem {
    NotUtf8 { at: usize },
    NotFound,
    Ambiguous { count: usize },
    TooLarge,
}

impl Problem {
    fn sentence(&self, path: &str) -> String {
        match self {
            Problem::NotUtf8 { at } => {
                format!(
                    "File is not valid UTF-8 (first invalid byte at offset {at}) and cannot be edited: {path}"
                )
            }
            Problem::NotFound => format!("'old_text' does not occur in {path}"),
            Problem::Ambiguous { count } => format!(
                "'old_text' occurs {count} times in {path}. Include more of the text around it, or set 'replace_all'."
            ),
            Problem::TooLarge => format!("The edited file would be larger than {MAX_REWRITE} bytes: {path}"),
        }
    }
}

impl<'v> Replacement<'v> {
    fn read(input: &'v Value) -> Result<Replacement<'v>, ToolResult> {
        let (old, new) = (required(input, "old_text")?, required(input, "new_text")?);
        let all = flag(input, "replace_all")?;
        if old.is_empty() {
            return Err(ToolResult::error("'old_text' is empty. Give the text to replace."));
        }
        if old == new {
            return Err(ToolResult::error("'old_text' and 'new_text' are the same"));
        }
        Ok(Replacement { old, new, all })
    }

    /// The new text and the number of replacements.
    fn apply(&self, before: Vec<u8>) -> Result<(String, usize), Problem> {
        let before = String::from_utf8(before)
            .map_err(|error| Problem::NotUtf8 { at: error.utf8_error().valid_up_to() })?;
        let count = if self.all { before.matches(self.old).count() } else { self.occurrences(&before) };
        match count {
            0 => return Err(Problem::NotFound),
            2.. if !self.all => return Err(Problem::Ambiguous { count }),
            _ => {}
        }
        let kept = before.len().saturating_sub(count.saturating_mul(self.old.len()));
        let size = kept.saturating_add(count.saturating_mul(self.new.len()));
        if size as u64 > MAX_REWRITE {
            return Err(Problem::TooLarge);
        }
        Ok((before.replace(self.old, self.new), count))
    }

    /// The number of occurrences. If occurrences overlap, the result is at least 2: `aa` occurs at two places in `aaa`.
    /// Takes time linear in the length of the text.
    fn occurrences(&self, text: &str) -> usize {
        let step = self.old.chars().next().map_or(1, char::len_utf8);
        let Some(first) = text.find(self.old) else { return 0 };
        let rest = text.get(first + step..).unwrap_or_default();
        if rest.contains(self.old) { text.matches(self.old).count().max(2) } else { 1 }
    }
}
