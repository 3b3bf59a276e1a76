//! Limits on the preset `local-work`: it creates directories with ordinary names, and records changes in the repository that
//! are not secrets.

use sekisho_shell::programs::{PathUseKind, PresetList};
use sekisho_shell::word::Word;

use super::computed_operands::computed_operands;
use super::execution_plan::Step;
use super::plan_context::PlanContext;
use super::touched_paths::{TouchedPath, paths_of_step, touched_by};
use crate::automation_files::is_automation_file;
use crate::command_explanation::{Detail, Explanation};
use crate::facts::FactQuery;
use crate::file_search_query::{FileSearch, GitFileFilter, NestedRepositories, WalkOptions};
use crate::paths::{is_within, relative_to};
use crate::reason::Reason;

/// Names, in lower case, that tools look for: files that they run or that say what is run, and files that agents follow.
/// Names with a dot at the start are not ordinary anyway.
const SPECIAL: &[&str] = &[
    "agents.md",
    "build.rs",
    "captainhook.json",
    "cargo.toml",
    "claude.md",
    "commondir",
    "conftest.py",
    "crush.json",
    "dockerfile",
    "gemfile",
    "gemini.md",
    "gitdir",
    "gnumakefile",
    "head",
    "justfile",
    "lefthook-local.yml",
    "lefthook.json",
    "lefthook.toml",
    "lefthook.yaml",
    "lefthook.yml",
    "makefile",
    "mcp.json",
    "mise-tasks",
    "mise.local.toml",
    "mise.toml",
    "node_modules",
    "opencode.json",
    "opencode.jsonc",
    "package.json",
    "packed-refs",
    "pnpmfile.js",
    "procfile",
    "pyproject.toml",
    "rakefile",
    "setup.py",
    "simple-git-hooks.json",
    "sitecustomize.py",
    "taskfile.yml",
    "usercustomize.py",
    "vagrantfile",
];

impl PlanContext<'_> {
    /// Why a command of the preset still needs confirmation.
    pub(super) fn reason_against_local_work(self, step: &Step) -> Option<Reason> {
        let directories = step.directories.iter();
        let directories = directories
            .map(|path| path.map_or(TouchedPath::Unknown, |path| TouchedPath::Path(path.to_owned())));
        directories
            .chain(paths_of_step(step))
            .find_map(|touched| self.reason_outside_workspace(&touched))
            .or_else(|| self.reason_against_created(step))
            .or_else(|| self.reason_against_git_options(step))
            .or_else(|| self.reason_against_later_readers())
            .or_else(|| {
                let mut directories = step.directories.iter().filter(|_| step.profile.repository);
                directories.find_map(|directory| self.of_repository(step, directory))
            })
            .or_else(|| {
                stored_files(step).into_iter().find_map(|search| match search {
                    Some(search) => self.search_reason(&search, true),
                    None => Some(Reason::PathUnknown),
                })
            })
            .or_else(|| self.reason_against_allow(step))
    }

    /// Why a file or directory that a command creates is not an ordinary one.
    fn reason_against_created(self, step: &Step) -> Option<Reason> {
        let Some(root) = self.context.root.as_deref() else { return Some(Reason::PathUnknown) };
        let is_ordinary = |touched: &TouchedPath| match touched {
            // A link on the path leads elsewhere.
            TouchedPath::Path(path) => {
                self.resolved(path) == Some(path.as_str())
                    && relative_to(path, root)
                        .is_some_and(|name| is_ordinary(name) && !is_automation_file(path))
            }
            _ => false,
        };
        let created = step.profile.paths.iter().filter(|path| path.access == PathUseKind::Write);
        let word = created.filter_map(|path| step.words.get(path.word)).find(|word| {
            let touched = touched_by(step, word);
            touched.is_empty() || !touched.iter().all(is_ordinary)
        })?;
        let why = Explanation::naming(Detail::SpecialName, None);
        Some(Reason::Obstacle { word: self.written(step, word), why })
    }

    /// Why the options before git's subcommand keep its words from naming just what they say: `--icase-pathspecs`.
    fn reason_against_git_options(self, step: &Step) -> Option<Reason> {
        let name = step.profile.leading_words.get(1).filter(|_| step.profile.repository)?;
        let second = step.words.get(1)?;
        let follows = second.literal().is_some_and(|word| word == name.as_str());
        let why = Explanation::naming(Detail::UnprovenOption, Some(second.prefix()));
        (!follows).then(|| Reason::Obstacle { word: self.written(step, second), why })
    }

    /// Why no other command of the text may read names that are computed: they were looked up before these commands
    /// created or recorded further ones.
    fn reason_against_later_readers(self) -> Option<Reason> {
        let steps = &self.plan.steps;
        let reads_names = |step: &Step| computed_operands(step).next().is_some();
        let is_known = self.plan.budget.spend(steps.len()) && !steps.iter().any(reads_names);
        (!is_known).then_some(Reason::PathUnknown)
    }

    /// The facts about the files that a command of the preset records.
    pub(super) fn stored_files_fact_queries(self, step: &Step) -> Vec<FactQuery> {
        if !self.policy.local_work {
            return Vec::new();
        }
        stored_files(step).into_iter().flatten().map(FactQuery::Files).collect()
    }
}

/// Searches for the files that git records; `None` for an unknown directory. Files that are recorded can be shown without
/// naming them (`git show`).
fn stored_files(step: &Step) -> Vec<Option<FileSearch>> {
    let profile = &step.profile;
    if profile.preset != Some(PresetList::LocalWork) {
        return Vec::new();
    }
    let git = match profile.leading_words.get(1).map(String::as_str).filter(|_| profile.repository) {
        Some("add") => GitFileFilter::All,
        Some("commit") => GitFileFilter::Tracked,
        _ => return Vec::new(),
    };
    // Recording a repository makes it a submodule, and git would run what its config names.
    let repositories = (git == GitFileFilter::All).then_some(NestedRepositories::Below);
    // An ignored file is not added without `-f`. What is tracked counts as not ignored.
    let recorded = if git == GitFileFilter::All { GitFileFilter::NotIgnored } else { git };
    let below = WalkOptions { git: recorded, repositories, ..WalkOptions::everything() };
    let named = profile.paths.iter().filter(|path| path.text.is_none() && git == GitFileFilter::All);
    let named: Vec<TouchedPath> =
        named.filter_map(|path| step.words.get(path.word)).flat_map(|word| touched_by(step, word)).collect();
    let from_top = |below: &WalkOptions| {
        let search = |directory: &str| FileSearch {
            directory: directory.to_owned(),
            top: true,
            below: Some(below.clone()),
            ..FileSearch::default()
        };
        step.directories.iter().map(|directory| directory.map(search)).collect::<Vec<_>>()
    };
    if named.is_empty() {
        // Everywhere in the repository.
        let mut searches = from_top(&below);
        if git == GitFileFilter::Tracked && records_changes(step) {
            // A tracked file may have become a repository.
            let all = GitFileFilter::All;
            let repositories = Some(NestedRepositories::Below);
            searches.extend(from_top(&WalkOptions { git: all, repositories, ..below }));
        }
        return searches;
    }
    let from = |touched: TouchedPath| match touched {
        TouchedPath::Path(directory) => {
            // Only a directory above the command can hold the command's own repository.
            let is_above =
                step.directories.iter().all(|here| here.is_some_and(|here| is_within(here, &directory)));
            let repositories =
                Some(if is_above { NestedRepositories::Below } else { NestedRepositories::Here });
            let below = WalkOptions { repositories, ..below.clone() };
            Some(FileSearch { directory, below: Some(below), ..FileSearch::default() })
        }
        _ => None,
    };
    named.into_iter().map(from).collect()
}

/// Whether `git commit` first records what changed in the work tree: `-a`, or with names of files.
fn records_changes(step: &Step) -> bool {
    let all = |word: &Word| {
        let text = word.prefix();
        text.starts_with("--a") || (text.starts_with('-') && !text.starts_with("--") && text.contains('a'))
    };
    !step.profile.paths.is_empty() || step.words.iter().skip(2).any(all)
}

/// Whether a path below the workspace has no name that tools look for, hide, take for an option, or split.
fn is_ordinary(path: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '+' | '@');
    path.split('/').all(|name| {
        name.chars().all(is_plain)
            && !name.starts_with(['.', '-', '@'])
            && !SPECIAL.contains(&name.to_ascii_lowercase().as_str())
    })
}

#[cfg(test)]
mod tests {
    use super::{SPECIAL, is_ordinary};

    #[test]
    fn names_that_tools_look_for_are_not_ordinary() {
        for path in ["src/main.rs", "ab/c_d-e+f@2.txt", "src/hooks", "", "tests/__init__.py"] {
            assert!(is_ordinary(path), "{path}");
        }
        for path in [
            ".git/x",
            "a/.github",
            "-rf",
            "a/-x",
            "Package.json",
            "x/MAKEFILE",
            "a\nb",
            "a*",
            "@x",
            "$a",
            "a=b",
            "a b",
            "b -r",
        ] {
            assert!(!is_ordinary(path), "{path}");
        }
    }

    #[test]
    fn special_names_are_sorted_and_in_lower_case() {
        assert!(SPECIAL.is_sorted());
        assert!(SPECIAL.iter().all(|name| name.to_ascii_lowercase() == **name));
    }
}
