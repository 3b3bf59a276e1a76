//! What a call to `grep` asks for.

use std::path::PathBuf;

use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use serde_json::Value;

use crate::input_fields::{flag, number, optional, required, shown};
use crate::tool_context::ToolContext;
use crate::tool_result::ToolResult;
use crate::tree_search::{FileFilter, checked_path};

/// How many results are shown if the call does not say.
pub(super) const DEFAULT_RESULTS: u64 = 100;
/// The maximum number of results.
pub(super) const MAX_RESULTS: u64 = 1000;
/// The maximum number of lines of context on each side.
pub(super) const MAX_CONTEXT: u64 = 20;

/// The longest pattern, in bytes.
const MAX_PATTERN: usize = 4096;
/// The largest compiled pattern, in bytes.
const MAX_COMPILED: usize = 8 << 20;
/// The most memory, in bytes, that the regex engine may use as a cache.
const MAX_AUTOMATON: usize = 16 << 20;
/// How deep a pattern may be nested.
const MAX_NESTING: u32 = 100;

/// What is shown of matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OutputMode {
    Content,
    Files,
    Count,
}

impl OutputMode {
    pub(super) fn name(self) -> &'static str {
        match self {
            OutputMode::Content => "content",
            OutputMode::Files => "files",
            OutputMode::Count => "count",
        }
    }
}

/// A checked call.
pub(super) struct GrepQuery {
    pub(super) matcher: RegexMatcher,
    pub(super) filter: FileFilter,
    /// Absolute.
    pub(super) path: PathBuf,
    pub(super) hidden: bool,
    pub(super) context: usize,
    pub(super) max_results: usize,
    pub(super) mode: OutputMode,
}

impl GrepQuery {
    pub(super) fn new(input: &Value, ctx: &ToolContext) -> Result<GrepQuery, ToolResult> {
        let pattern = required(input, "pattern")?;
        let filter = FileFilter::new("glob", optional(input, "glob")?).map_err(ToolResult::error)?;
        let at_most = |name: &str, default: u64, most: u64| {
            let value = number(input, name)?.unwrap_or(default).min(most);
            Ok::<usize, ToolResult>(usize::try_from(value).unwrap_or(usize::MAX))
        };
        Ok(GrepQuery {
            matcher: matcher(pattern, flag(input, "ignore_case")?)?,
            path: checked_path(optional(input, "path")?.unwrap_or("."), &ctx.root)?,
            hidden: flag(input, "hidden")? || filter.names_hidden(),
            context: at_most("context", 0, MAX_CONTEXT)?,
            max_results: at_most("max_results", DEFAULT_RESULTS, MAX_RESULTS)?.max(1),
            mode: mode(optional(input, "output_mode")?)?,
            filter,
        })
    }
}

fn mode(name: Option<&str>) -> Result<OutputMode, ToolResult> {
    match name {
        None | Some("content") => Ok(OutputMode::Content),
        Some("files") => Ok(OutputMode::Files),
        Some("count") => Ok(OutputMode::Count),
        Some(other) => Err(ToolResult::error(format!(
            "Unknown output_mode '{}'. Use 'content', 'files' or 'count'.",
            shown(other)
        ))),
    }
}

fn matcher(pattern: &str, ignore_case: bool) -> Result<RegexMatcher, ToolResult> {
    if pattern.is_empty() {
        return Err(ToolResult::error("Parameter 'pattern' is empty. To match every line, use '^'."));
    }
    if pattern.len() > MAX_PATTERN {
        return Err(ToolResult::error(format!(
            "Parameter 'pattern' is too long: {} bytes, at most {MAX_PATTERN}",
            pattern.len()
        )));
    }
    let mut builder = RegexMatcherBuilder::new();
    builder
        .case_insensitive(ignore_case)
        .multi_line(true)
        .line_terminator(Some(b'\n'))
        .size_limit(MAX_COMPILED)
        .dfa_size_limit(MAX_AUTOMATON)
        .nest_limit(MAX_NESTING);
    builder.build(pattern).map_err(|error| {
        let why = error.to_string();
        // The library repeats the pattern and marks the place; its last line says what is wrong.
        let why = why.lines().last().unwrap_or_default().trim().trim_start_matches("error: ");
        ToolResult::error(format!(
            "Parameter 'pattern' is not a regular expression: {}. A literal '(', '[', '{{' or '.' needs a '\\' before it.",
            shown(why)
        ))
    })
}
