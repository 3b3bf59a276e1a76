//! Files that a program may open although its entry in the table does not say so, named by computed words:
//! `git commit --file="$(find . -name x)"`, `cp d/to"$LANG"k out`.

use std::collections::BTreeSet;

use sekisho_shell::word::{Piece, Word};

use super::computed_operands::{ANYTHING, NAME, REVISION, WILDCARD, readings};
use super::execution_plan::Step;
use super::plan_context::{COMPARE_COST, PlanContext, compare_cost};
use super::step_fact_queries::path_fact_queries;
use super::touched_paths::TouchedPath;
use super::undeclared_paths::{may_open_other_paths, parts};
use crate::command_pattern::COMPUTED;
use crate::facts::FactQuery;
use crate::file_search_query::FileSearch;
use crate::reason::Reason;

/// The files that the computed words of a command may name.
#[derive(Default)]
struct ComputedFiles {
    /// Known paths.
    paths: BTreeSet<String>,
    /// Paths with unknown pieces.
    partly: BTreeSet<String>,
    /// A word is the name of a listed file.
    is_listed: bool,
}

impl PlanContext<'_> {
    /// Why a command that may open any of its words needs confirmation: a computed one may name a protected file.
    /// Text that could be anything counts only behind a known directory: most of it is a message.
    pub(super) fn undeclared_computed_reason(self, step: &Step) -> Option<Reason> {
        let files = self.computed_files(step)?;
        for path in &files.paths {
            if !self.plan.budget.spend(compare_cost(path)) {
                return Some(Reason::PathUnknown);
            }
            if let Some(pattern) = self.named_or_target(path, self.resolved(path)) {
                return Some(Reason::ProtectedPath { path: path.clone(), pattern: pattern.into() });
            }
        }
        let (root, home) = (self.context.root.as_deref(), self.context.home.as_deref());
        for path in &files.partly {
            if !self.plan.budget.spend(COMPARE_COST) {
                return Some(Reason::PathUnknown);
            }
            let text = path.replace([NAME, REVISION], "\u{0}").replace(WILDCARD, "*");
            if let Some(pattern) = self.policy.protected.pattern_for_computed(&text, root, home) {
                let path = text.replace(COMPUTED, "…");
                return Some(Reason::ProtectedPath { path, pattern: pattern.into() });
            }
        }
        self.searched_files(step, &files).iter().find_map(|search| self.search_reason(search, true))
    }

    /// The facts about those files.
    pub(super) fn undeclared_computed_fact_queries(self, step: &Step) -> Vec<FactQuery> {
        let Some(files) = self.computed_files(step) else { return Vec::new() };
        let searches = self.searched_files(step, &files).into_iter().map(FactQuery::Files);
        let paths = files.paths.iter().cloned().map(TouchedPath::Path).collect();
        path_fact_queries(self.policy, self.plan, paths).into_iter().chain(searches).collect()
    }

    /// The searches for files whose names are not known whole.
    fn searched_files(self, step: &Step, files: &ComputedFiles) -> Vec<FileSearch> {
        let joined = files.partly.iter().flat_map(|text| self.joined_text(step, text)).flatten();
        let listed: &[Option<FileSearch>] = if files.is_listed { self.searches(step) } else { &[] };
        joined.chain(listed.iter().flatten().cloned()).collect()
    }

    fn computed_files(self, step: &Step) -> Option<ComputedFiles> {
        if !may_open_other_paths(step) {
            return None;
        }
        let is_computed =
            |piece: &Piece| !matches!(piece, Piece::Literal(_) | Piece::Tilde(_) | Piece::Glob(_));
        let words: Vec<&Word> =
            step.words.iter().skip(1).filter(|word| word.pieces.iter().any(is_computed)).collect();
        if words.is_empty() {
            return None;
        }
        let inserted = self.inserted(step);
        let is_found = inserted == Some(COMPUTED) && self.find_around(step).is_some();
        let mut files = ComputedFiles::default();
        for word in words {
            for value in self.possible_values(step, word, inserted) {
                let parts = parts(&value, &self.plan.budget).unwrap_or_default();
                let texts: BTreeSet<String> = readings(&value).map(str::to_owned).chain(parts).collect();
                for text in texts {
                    if !self.plan.budget.spend(compare_cost(&text)) {
                        return Some(files);
                    }
                    self.add_computed_file(step, &text, is_found, &mut files);
                }
            }
        }
        Some(files)
    }

    fn add_computed_file(self, step: &Step, text: &str, is_found: bool, files: &mut ComputedFiles) {
        let unknown = [COMPUTED, NAME, REVISION, WILDCARD];
        if text.is_empty() || text.contains("://") {
            return;
        }
        if let Some((begin, _)) = text.split_once(ANYTHING) {
            // In a known directory it may be the name of any file.
            if begin.contains('/') && !begin.contains(char::is_whitespace) && !begin.contains(unknown) {
                files.partly.insert(format!("{begin}{COMPUTED}"));
            }
            return;
        }
        files.is_listed |= text.contains(NAME) || (is_found && text.contains(COMPUTED));
        if !text.contains(unknown) {
            files.paths.extend(step.directories.paths_of_text(text).into_iter().flatten());
        } else if text.chars().count() > 1 && !text.contains(char::is_whitespace) && !is_found {
            files.partly.insert(text.to_owned());
        }
    }
}
