//! The search of a call: one file, or all files below a directory.

use std::os::fd::AsFd as _;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use rustix::fs::fstat;
use serde_json::json;

use super::file_matches::{FileOutcome, FileSearcher, MAX_PER_FILE, Wanted};
use super::match_list::MatchList;
use super::query::{GrepQuery, OutputMode};
use crate::file_access::{ReadGuard, SecretFiles, StopReason, StopSignal, is_regular, open_entry};
use crate::tool_context::ToolContext;
use crate::tool_result::ToolResult;
use crate::tree_search::{
    FileVisitor, FoundEntry, ProtectedFiles, SearchStart, Started, Walk, WalkReport, counted, walk_notes,
};

/// What was searched, and what was left out.
#[derive(Default)]
struct Totals {
    searched: u64,
    binary: u64,
    unreadable: u64,
    protected: ProtectedFiles,
}

impl Totals {
    fn merge(&mut self, other: Totals) {
        self.searched += other.searched;
        self.binary += other.binary;
        self.unreadable += other.unreadable;
        self.protected.merge(other.protected);
    }
}

/// Searches, and makes the result.
pub(super) fn search(
    query: &GrepQuery,
    ctx: &ToolContext,
    guard: ReadGuard<'_>,
    stop: &StopSignal,
) -> Result<ToolResult, ToolResult> {
    let start = SearchStart::open(&query.path, ctx, guard)?;
    let matches = Mutex::new(MatchList::new(query.mode, query.max_results));
    let mut totals = Totals::default();
    let report = match &start.handle {
        Started::File(file) => {
            let mut searcher = FileSearcher::new(query, query.max_results);
            let outcome = searcher.search(file, Wanted::Lines, stop);
            let stopped = stop.reason().filter(|_| matches!(outcome, FileOutcome::Unreadable));
            count(outcome, Path::new(""), &matches, &mut totals);
            WalkReport { stopped, ..WalkReport::default() }
        }
        Started::Directory(handle) => {
            let walk = Walk {
                start: handle.as_fd(),
                real: &start.real,
                workspace: &start.workspace,
                device: start.device,
                hidden: query.hidden,
                stop,
            };
            let (visitors, report) = walk.run(|| GrepVisitor {
                query,
                start: &start,
                stop,
                secrets: start.scope.secret_files(),
                searcher: FileSearcher::new(query, query.max_results.min(MAX_PER_FILE)),
                matches: &matches,
                totals: Totals::default(),
            });
            visitors.into_iter().for_each(|visitor| totals.merge(visitor.totals));
            report
        }
    };
    if report.stopped == Some(StopReason::Cancelled) {
        return Err(ToolResult::error("The search was cancelled."));
    }
    let matches = matches.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(result(query, &start, &matches, &totals, &report))
}

fn count(outcome: FileOutcome, path: &Path, matches: &Mutex<MatchList>, totals: &mut Totals) {
    match outcome {
        FileOutcome::NoMatch => totals.searched += 1,
        FileOutcome::Binary => totals.binary += 1,
        FileOutcome::Unreadable => totals.unreadable += 1,
        FileOutcome::Matches(found) => {
            totals.searched += 1;
            matches.lock().unwrap_or_else(PoisonError::into_inner).add(path, found);
        }
    }
}

fn result(
    query: &GrepQuery,
    start: &SearchStart<'_>,
    matches: &MatchList,
    totals: &Totals,
    report: &WalkReport,
) -> ToolResult {
    let shown = matches.shown(|path| start.shown(path));
    let all = if query.mode == OutputMode::Content { matches.total_matches } else { matches.total_files };
    let noun = if query.mode == OutputMode::Content { "matching line" } else { "file" };
    let mut notes = Vec::new();
    let left_out = all.saturating_sub(shown.shown);
    if left_out > 0 {
        notes.push(format!(
            "{} of {all} not shown. Narrow the search by 'pattern', 'path' or 'glob'.",
            counted(left_out, noun)
        ));
    }
    notes.extend(totals.protected.note("not searched"));
    if totals.binary > 0 {
        notes.push(format!("{} not searched.", counted(totals.binary, "binary file")));
    }
    if totals.unreadable > 0 {
        let files = counted(totals.unreadable, "file");
        notes.push(format!("{files} could not be searched: unreadable, or a line is longer than 1 MiB."));
    }
    notes.extend(walk_notes(report));
    ToolResult::ok(
        json!({
            "output_mode": query.mode.name(),
            "output": shown.text,
            "shown": shown.shown,
            "total": all,
            "files_with_matches": matches.total_files,
            "files_searched": totals.searched,
            "complete": left_out == 0 && report.stopped.is_none(),
            "notes": notes
        })
        .to_string(),
    )
}

/// One thread of a search.
struct GrepVisitor<'a> {
    query: &'a GrepQuery,
    start: &'a SearchStart<'a>,
    stop: &'a StopSignal,
    secrets: SecretFiles<'a>,
    searcher: FileSearcher,
    matches: &'a Mutex<MatchList>,
    totals: Totals,
}

impl FileVisitor for GrepVisitor<'_> {
    fn enters(&mut self, directory: &FoundEntry<'_>) -> bool {
        if self.query.filter.leaves_out(directory.path, true) {
            return false;
        }
        let is_secret = self.secrets.has_directory(&self.start.real, directory.path, directory.os_name());
        if is_secret {
            self.totals.protected.add(format!("{}/", self.start.shown(directory.path)));
        }
        !is_secret
    }

    fn file(&mut self, file: &FoundEntry<'_>) {
        if self.query.filter.leaves_out(file.path, false) || self.stop.reason().is_some() {
            return;
        }
        let Ok(opened) = open_entry(file.directory, file.name) else {
            self.totals.unreadable += 1;
            return;
        };
        let is_usable = fstat(&opened).is_ok_and(|stat| is_regular(&stat));
        if !is_usable {
            self.totals.unreadable += 1;
            return;
        }
        if self.secrets.has_file(&self.start.real, file.path, file.os_name(), &opened) {
            self.totals.protected.add(self.start.shown(file.path));
            return;
        }
        let has_room = self.matches.lock().unwrap_or_else(PoisonError::into_inner).has_room(file.path);
        let wanted = if has_room { Wanted::Lines } else { Wanted::Total };
        let outcome = self.searcher.search(&opened, wanted, self.stop);
        if self.stop.reason().is_none() {
            count(outcome, file.path, self.matches, &mut self.totals);
        }
    }
}
