//! `glob_search`: finds files by their names.

use std::cmp::Reverse;
use std::os::fd::AsFd as _;
use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};
use rustix::fs::{AtFlags, statat};
use sekisho_gate::ledger::BoxFuture;
use serde_json::{Value, json};

use crate::file_access::{ReadGuard, SecretFiles, StopReason, StopSignal, run_stoppable};
use crate::input_fields::{number, optional, required, shown};
use crate::permitted_call::PermittedCall;
use crate::tool::{Tool, ToolCategory, ToolDefinition};
use crate::tool_context::ToolContext;
use crate::tool_result::ToolResult;
use crate::tree_search::{
    FileVisitor, FoundEntry, ProtectedFiles, SearchStart, Started, Walk, WalkReport, check_glob,
    checked_path, counted, names_hidden, walk_notes,
};

/// The tool's name.
pub const NAME: &str = "glob_search";

/// How many files are listed if the call does not say.
const DEFAULT_RESULTS: u64 = 100;
/// The maximum number of files.
const MAX_RESULTS: u64 = 1000;
/// The maximum number of bytes of names.
const MAX_BYTES: usize = 50_000;

/// Finds files by their names.
#[derive(Clone, Copy, Debug, Default)]
pub struct GlobSearch;

impl Tool for GlobSearch {
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
            search(call.input(), ctx, guard, stop).unwrap_or_else(|refused| refused)
        }))
    }
}

/// The tool as a model sees it.
pub fn definition() -> ToolDefinition {
    ToolDefinition {
        name: NAME.into(),
        description:
            "Find files whose path matches a glob, most recently modified first. Files listed in ignore files such \
                      as .gitignore are skipped; so are hidden files, unless the glob names them with their dot."
                .into(),
        input_schema: json!({
            "type": "object",
            "properties": {
                "pattern": {
                    "type": "string",
                    "description": "Glob, e.g. '**/*.rs' or 'src/**/*.{ts,tsx}'; one without '/' matches names in \
                                    every directory"
                },
                "path": {
                    "type": "string",
                    "description": "Directory to search (default: the working directory)"
                },
                "max_results": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": MAX_RESULTS,
                    "description": format!("Maximum number of files to list (default: {DEFAULT_RESULTS})")
                }
            },
            "required": ["pattern"]
        }),
    }
}

/// Checks an input without touching the file system.
pub fn check(input: &Value, context: &ToolContext) -> Result<(), ToolResult> {
    GlobQuery::new(input, context).map(drop)
}

/// Checks an input and searches.
pub fn run(input: &Value, context: &ToolContext, guard: ReadGuard<'_>) -> ToolResult {
    search(input, context, guard, &StopSignal::of(context)).unwrap_or_else(|refused| refused)
}

/// A checked call.
struct GlobQuery {
    /// The directory that the call names, absolute.
    named: PathBuf,
    /// Where the search starts: `named`, plus the part of the pattern before the first wildcard.
    start: PathBuf,
    glob: GlobMatcher,
    hidden: bool,
    max_results: usize,
}

impl GlobQuery {
    fn new(input: &Value, ctx: &ToolContext) -> Result<GlobQuery, ToolResult> {
        let pattern = required(input, "pattern")?;
        check_glob("pattern", pattern).map_err(ToolResult::error)?;
        if pattern.ends_with('/') {
            let message =
                "Parameter 'pattern' ends with '/'. Add '**' to match the files below that directory.";
            return Err(ToolResult::error(message));
        }
        let named = checked_path(optional(input, "path")?.unwrap_or("."), &ctx.root)?;
        let (before, rest) = split_pattern(pattern);
        let start = checked_path(&before, &named)?;
        let glob = if pattern.contains('/') { rest.clone() } else { format!("**/{rest}") };
        let glob = GlobBuilder::new(&glob)
            .literal_separator(true)
            .backslash_escape(true)
            .empty_alternates(true)
            .build();
        let glob = glob.map_err(|error| {
            let why = shown(&error.kind().to_string());
            ToolResult::error(format!("Parameter 'pattern' is not a glob: {why}"))
        })?;
        let max_results = number(input, "max_results")?.unwrap_or(DEFAULT_RESULTS).clamp(1, MAX_RESULTS);
        Ok(GlobQuery {
            named,
            start,
            glob: glob.compile_matcher(),
            hidden: names_hidden(&rest),
            max_results: usize::try_from(max_results).unwrap_or(usize::MAX),
        })
    }
}

/// The directory before the first wildcard, and the rest of a pattern.
fn split_pattern(pattern: &str) -> (String, String) {
    let mut names: Vec<&str> = pattern.split('/').collect();
    let is_wild = |name: &&str| name.contains(['*', '?', '[', '{', '\\']);
    // The last name is matched, even without a wildcard.
    let plain = names.iter().position(is_wild).unwrap_or(names.len()).min(names.len() - 1);
    let rest: Vec<&str> = names.split_off(plain);
    let before = match names.as_slice() {
        [] => ".".to_owned(),
        [""] => "/".to_owned(),
        names => names.join("/"),
    };
    (before, rest.join("/"))
}

fn search(
    input: &Value,
    ctx: &ToolContext,
    guard: ReadGuard<'_>,
    stop: &StopSignal,
) -> Result<ToolResult, ToolResult> {
    let query = GlobQuery::new(input, ctx)?;
    if query.start.symlink_metadata().is_err() && query.start != query.named {
        // `path` must exist; a directory that is part of the pattern need not.
        SearchStart::open(&query.named, ctx, guard)?;
        return Ok(result(&[], 0, &ProtectedFiles::default(), &WalkReport::default()));
    }
    let start = SearchStart::open(&query.start, ctx, guard)?;
    let Started::Directory(handle) = &start.handle else {
        let name = start.shown(Path::new(""));
        return Err(ToolResult::error(format!("'{name}' is not a directory. Set 'path' to a directory.")));
    };
    let walk = Walk {
        start: handle.as_fd(),
        real: &start.real,
        workspace: &start.workspace,
        device: start.device,
        hidden: query.hidden,
        stop,
    };
    let (visitors, report) = walk.run(|| GlobVisitor {
        query: &query,
        start: &start,
        secrets: start.scope.secret_files(),
        found: Vec::new(),
        total: 0,
        protected: ProtectedFiles::default(),
    });
    if report.stopped == Some(StopReason::Cancelled) {
        return Err(ToolResult::error("The search was cancelled."));
    }
    let (mut found, mut total, mut protected) = (Vec::new(), 0, ProtectedFiles::default());
    for visitor in visitors {
        found.extend(visitor.found);
        total += visitor.total;
        protected.merge(visitor.protected);
    }
    found.sort_unstable();
    found.truncate(query.max_results);
    let names: Vec<String> = found.iter().map(|file| start.shown(&file.path)).collect();
    Ok(result(&names, total, &protected, &report))
}

fn result(names: &[String], total: u64, protected: &ProtectedFiles, report: &WalkReport) -> ToolResult {
    let mut room = MAX_BYTES;
    let fits = |name: &&String| {
        let left = room.checked_sub(name.len() + 1);
        room = left.unwrap_or(0);
        left.is_some()
    };
    let shown: Vec<&String> = names.iter().take_while(fits).collect();
    let left_out = total.saturating_sub(shown.len() as u64);
    let mut notes = Vec::new();
    if left_out > 0 {
        let files = counted(left_out, "file");
        notes.push(format!("{files} of {total} not shown. Narrow the search by 'pattern' or 'path'."));
    }
    notes.extend(protected.note("not listed"));
    notes.extend(walk_notes(report));
    ToolResult::ok(
        json!({
            "files": shown,
            "shown": shown.len(),
            "total": total,
            "complete": left_out == 0 && report.stopped.is_none(),
            "notes": notes
        })
        .to_string(),
    )
}

/// A matching file. Sorting these gives the order of the results.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct FoundFile {
    modified: Reverse<(i64, i64)>,
    path: PathBuf,
}

/// One thread of a search.
struct GlobVisitor<'a> {
    query: &'a GlobQuery,
    start: &'a SearchStart<'a>,
    secrets: SecretFiles<'a>,
    found: Vec<FoundFile>,
    total: u64,
    protected: ProtectedFiles,
}

impl FileVisitor for GlobVisitor<'_> {
    /// The names in a secret directory are not listed. To list such a directory, a call must name it, and then a person is
    /// asked.
    fn enters(&mut self, directory: &FoundEntry<'_>) -> bool {
        let is_secret = self.secrets.has_directory(&self.start.real, directory.path, directory.os_name());
        if is_secret {
            self.protected.add(format!("{}/", self.start.shown(directory.path)));
        }
        !is_secret
    }

    fn file(&mut self, file: &FoundEntry<'_>) {
        if !self.query.glob.is_match(file.path) {
            return;
        }
        let Ok(stat) = statat(file.directory, file.name, AtFlags::SYMLINK_NOFOLLOW) else { return };
        self.total += 1;
        let modified = Reverse((stat.st_mtime, i64::try_from(stat.st_mtime_nsec).unwrap_or(0)));
        self.found.push(FoundFile { modified, path: file.path.to_owned() });
        let most = self.query.max_results;
        if self.found.len() >= 2 * most + 1000 {
            self.found.select_nth_unstable(most);
            self.found.truncate(most);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::split_pattern;

    #[test]
    fn search_starts_at_the_first_wildcard() {
        let check = |pattern: &str, before: &str, rest: &str| {
            assert_eq!(split_pattern(pattern), (before.to_owned(), rest.to_owned()), "{pattern}");
        };
        check("*.rs", ".", "*.rs");
        check("main.rs", ".", "main.rs");
        check("src/main.rs", "src", "main.rs");
        check("src/**/*.rs", "src", "**/*.rs");
        check("a/b/{c,d}/e", "a/b", "{c,d}/e");
        check("/etc/*.conf", "/etc", "*.conf");
        check("/*", "/", "*");
        check("**/x", ".", "**/x");
        check("a\\*/b", ".", "a\\*/b");
    }
}
