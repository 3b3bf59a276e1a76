//! Directories that `git diff` compares like `diff -r`.
//!
//! With two paths of which one is outside the work tree, and with any two paths if git finds no repository,
//! it is `git diff --no-index`: it reads everything below, tracked or not.

use sekisho_shell::word::{Piece, Word};

use super::execution_plan::Step;
use super::plan_context::PlanContext;
use super::required_searches::SearchList;
use super::touched_paths::{TouchedPath, touched_by};
use crate::facts::FactQuery;
use crate::file_search_query::{FileSearch, LinkHandling, WalkOptions};
use crate::paths;
use crate::reason::Reason;
use crate::repository::{Repository, RepositoryProblem};

impl PlanContext<'_> {
    /// Why `git diff` needs confirmation: it may read everything below its operands.
    pub(super) fn compared_directories_reason(self, step: &Step) -> Option<Reason> {
        let operands = compared(step);
        if operands.is_empty() || !(self.may_lack_repository(step) || self.leads_out(step, &operands)) {
            return None;
        }
        if let Some(path) = self.walks_home(step) {
            return Some(Reason::WalksHome { path });
        }
        self.compared_starts(step, &operands).into_iter().find_map(|start| match start {
            Some(search) => self.search_reason(&search, true),
            None => Some(Reason::PathUnknown),
        })
    }

    /// The facts about the files below.
    pub(super) fn compared_directories_fact_queries(self, step: &Step) -> Vec<FactQuery> {
        self.compared_starts(step, &compared(step)).into_iter().flatten().map(FactQuery::Files).collect()
    }

    /// Whether git may find no repository in the command's directory.
    fn may_lack_repository(self, step: &Step) -> bool {
        let lacks = |repository: &Repository| match repository {
            Repository::Unproven { findings } => {
                findings.iter().any(|finding| finding.problem == RepositoryProblem::Absent)
            }
            Repository::Plain | Repository::NamesPrograms { .. } => false,
        };
        let mut directories = step.directories.iter();
        directories.any(|directory| {
            directory.and_then(|directory| self.context.facts.repository(directory)).is_none_or(lacks)
        })
    }

    /// Whether git may read the operands as two paths of which one is outside the work tree.
    fn leads_out(self, step: &Step, operands: &[usize]) -> bool {
        let word = |at: &usize| step.words.get(*at);
        // After a revision and `--` there are pathspecs.
        let first = operands.first().filter(|at| word(at).is_some_and(|word| word.literal().is_some()));
        let separated = first.is_some_and(|first| {
            step.words.iter().skip(first + 1).any(|word| word.literal().is_some_and(|text| text == "--"))
        });
        !separated && operands.iter().filter_map(word).any(|word| self.may_lead_out(step, word))
    }

    fn may_lead_out(self, step: &Step, word: &Word) -> bool {
        let mut text = String::new();
        for piece in &word.pieces {
            match piece {
                Piece::Literal(known) => text.push_str(known),
                // A wildcard after a dot may match `..`.
                Piece::Glob(_) if text.rsplit('/').next().is_some_and(|name| name.starts_with('.')) => {
                    return true;
                }
                Piece::Glob(_) => text.push('*'),
                Piece::Tilde(_) => return true,
                _ => return !self.is_revision(step, word),
            }
        }
        climbs(&text)
    }

    /// The directories git reads; `None` for an unknown one.
    fn compared_starts(self, step: &Step, operands: &[usize]) -> Vec<Option<FileSearch>> {
        let below = WalkOptions { links: LinkHandling::Follow, ..WalkOptions::everything() };
        let from = |directory: String, pattern: Option<String>| {
            Some(FileSearch { directory, pattern, below: Some(below.clone()), ..FileSearch::default() })
        };
        let mut starts = SearchList::new(&self.plan.budget);
        let mut computed = Vec::new();
        for word in operands.iter().filter_map(|at| step.words.get(*at)) {
            for touched in touched_by(step, word) {
                match touched {
                    TouchedPath::Path(path) => starts.push(from(path, None)),
                    TouchedPath::Glob { base, rest } => starts.push(from(base, Some(rest.join("/")))),
                    // The name of a commit is not a directory.
                    TouchedPath::Computed | TouchedPath::Partly { .. } if self.is_revision(step, word) => {}
                    TouchedPath::Computed | TouchedPath::Partly { .. } => computed.push(word),
                    TouchedPath::Unknown => starts.push(None),
                }
            }
            if self.plan.budget.is_spent() {
                return vec![None];
            }
        }
        let given = self.computed_starts(step, &computed).into_iter();
        starts.extend(given.map(|start| Some(FileSearch { below: Some(below.clone()), ..start? })));
        starts.distinct()
    }
}

/// The words of a `git diff` that may be two or more paths.
fn compared(step: &Step) -> Vec<usize> {
    let profile = &step.profile;
    if !profile.repository || profile.leading_words.get(1).map(String::as_str) != Some("diff") {
        return Vec::new();
    }
    let mut operands: Vec<usize> =
        profile.paths.iter().filter(|path| path.text.is_none()).map(|path| path.word).collect();
    // Without a repository, an excluding pathspec is a name like any other.
    let magic = step.words.iter().enumerate().filter(|(_, word)| word.prefix().starts_with(':'));
    operands.extend(magic.map(|(at, _)| at));
    operands.sort_unstable();
    operands.dedup();
    let several = operands.iter().filter_map(|at| step.words.get(*at)).any(Word::may_split);
    if operands.len() > 1 || several { operands } else { Vec::new() }
}

/// Whether a path is absolute, or leads up.
pub(super) fn climbs(path: &str) -> bool {
    path.starts_with('/') || paths::climbs(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn revision_range_does_not_climb() {
        for path in ["main..HEAD", "a...b", "src/..x", "HEAD~1", "."] {
            assert!(!climbs(path), "{path}");
        }
        for path in ["..", "../x", "a/../b", "/", "a/.."] {
            assert!(climbs(path), "{path}");
        }
    }
}
