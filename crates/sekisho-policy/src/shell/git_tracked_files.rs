//! Protected files that git tracks and whose contents a command shows without naming them.

use sekisho_shell::word::Word;

use super::execution_plan::Step;
use super::git_arguments::Arguments;
use super::git_diff_directories::climbs;
use super::git_pathspecs::names;
use super::git_repository_risks;
use super::plan_context::PlanContext;
use crate::facts::FactQuery;
use crate::file_search_query::{FileSearch, GitFileFilter, WalkOptions};
use crate::reason::Reason;
use crate::tool_globs::certain;

impl PlanContext<'_> {
    /// Why a command that shows the contents of tracked files needs confirmation.
    pub(super) fn tracked_files_reason(self, step: &Step) -> Option<Reason> {
        searches(step).into_iter().find_map(|search| match search {
            Some(search) => self.search_reason(&search, true),
            None => Some(Reason::PathUnknown),
        })
    }
}

/// Whether a command shows the contents of tracked files.
pub(super) fn is_shown(step: &Step) -> bool {
    shown(step).is_some()
}

/// The text to insert before an additional pathspec of a command that shows contents of tracked files. `None`
/// if a pathspec would not prevent a file from being shown.
pub(super) fn before_pathspec(step: &Step) -> Option<&'static str> {
    shown(step).filter(|_| !is_status(step))?;
    let arguments = Arguments::read(step)?;
    Some(if arguments.is_divided { "" } else { " --" })
}

/// The facts about tracked files.
pub(super) fn tracked_files_fact_queries(step: &Step) -> Vec<FactQuery> {
    searches(step).into_iter().flatten().map(FactQuery::Files).collect()
}

/// The files that are shown, for each directory the command may run in; `None` for an unknown one.
fn searches(step: &Step) -> Vec<Option<FileSearch>> {
    let Some(git) = shown(step) else { return Vec::new() };
    let below = WalkOptions { git, ..WalkOptions::everything() };
    let from_top = step.profile.leading_words.get(1).is_some_and(|name| name != "grep");
    // `git status` shows every difference, whatever its pathspecs are.
    let pathspecs = if is_status(step) { Pathspecs::unknown() } else { Pathspecs::of(step) };
    pathspecs.searches(step, &below, from_top)
}

/// The files whose names a git command prints.
pub(super) fn listed(step: &Step, below: &WalkOptions) -> Vec<Option<FileSearch>> {
    let lists_index = step.profile.leading_words.get(1).is_some_and(|name| name == "ls-files");
    let pathspecs = Pathspecs::of(step);
    if below.git == GitFileFilter::Tracked || pathspecs.within.is_empty() {
        return pathspecs.searches(step, below, !lists_index);
    }
    let from = |directory: &String| FileSearch {
        directory: directory.clone(),
        below: Some(below.clone()),
        ..FileSearch::default()
    };
    pathspecs.within.iter().map(from).map(Some).collect()
}

/// The globs over names that select the tracked files a git command lists; empty if it also lists others.
pub(super) fn listed_names(step: &Step) -> Vec<String> {
    Pathspecs::of(step).only
}

/// Which of the tracked files a command shows.
fn shown(step: &Step) -> Option<GitFileFilter> {
    let profile = &step.profile;
    if !profile.repository {
        return None;
    }
    match profile.leading_words.get(1)?.as_str() {
        "grep" => Some(GitFileFilter::Tracked),
        "diff" | "diff-files" | "diff-index" => {
            let arguments = Arguments::read(step);
            let files = match arguments.as_ref().is_none_or(Arguments::compares_with_commit) {
                true => GitFileFilter::Tracked,
                false => GitFileFilter::Changed,
            };
            (!arguments.is_some_and(|arguments| arguments.tell_names())).then_some(files)
        }
        "status" => is_verbose(&step.words).then_some(GitFileFilter::Changed),
        _ => None,
    }
}

fn is_status(step: &Step) -> bool {
    step.profile.leading_words.get(1).is_some_and(|name| name == "status")
}

/// Whether `git status` shows diffs. None of its options takes the next word as its value.
fn is_verbose(words: &[Word]) -> bool {
    let after = git_repository_risks::subcommand(words).map_or(1, |at| at + 1);
    let mut options =
        words.iter().skip(after).map(Word::literal).take_while(|word| word.as_deref() != Some("--"));
    options.any(|word| match word {
        // A computed word may be any option.
        None => true,
        Some(word) => match word.strip_prefix("--") {
            Some(long) => "verbose".starts_with(long),
            None => word.starts_with('-') && word.contains('v'),
        },
    })
}

/// The pathspecs of a command that are certain to narrow the files it shows.
#[derive(Default)]
struct Pathspecs {
    /// Some are unknown; they may match anywhere in the repository.
    are_unknown: bool,
    within: Vec<String>,
    only: Vec<String>,
    except: Vec<String>,
    except_here: Vec<String>,
}

/// The maximum number of pathspecs; a command with more is treated as if none of them narrowed it.
const MAX_PATHSPECS: usize = 256;

impl Pathspecs {
    /// The pathspecs of a command. They are unknown if its words are, or if nothing distinguishes them from
    /// revisions.
    fn of(step: &Step) -> Pathspecs {
        let Some(arguments) = Arguments::read(step) else { return Pathspecs::unknown() };
        let Some(behind) = arguments.pathspecs else { return Pathspecs::unknown() };
        if arguments.operands.len() + behind.len() > MAX_PATHSPECS {
            return Pathspecs::unknown();
        }
        let mut found = Pathspecs::default();
        for word in arguments.operands.into_iter().chain(behind) {
            let text = word.literal();
            if let Some((glob, from_top)) = text.as_deref().and_then(left_out) {
                let globs = if from_top { &mut found.except } else { &mut found.except_here };
                globs.extend(glob);
                continue;
            }
            found.are_unknown |= !text.is_some_and(|text| found.narrow(step, &text));
        }
        // A file may be included by a directory or by its name.
        if found.are_unknown || !(found.within.is_empty() || found.only.is_empty()) {
            found.within.clear();
            found.only.clear();
        }
        found
    }

    /// The whole repository.
    fn unknown() -> Pathspecs {
        Pathspecs { are_unknown: true, ..Pathspecs::default() }
    }

    /// The searches for the files they name. Without pathspecs, a command starts at the repository root or in
    /// its directory.
    fn searches(&self, step: &Step, below: &WalkOptions, from_top: bool) -> Vec<Option<FileSearch>> {
        let Pathspecs { within, only, except, except_here, .. } = self;
        let below = WalkOptions {
            within: within.clone(),
            only: only.clone(),
            except: except.clone(),
            except_here: except_here.clone(),
            ..below.clone()
        };
        let from = |directory: &str| FileSearch {
            directory: directory.into(),
            top: from_top || self.are_unknown,
            below: Some(below.clone()),
            ..FileSearch::default()
        };
        step.directories.iter().map(|directory| directory.map(from)).collect()
    }

    /// Adds a pathspec that includes files. `false` if its meaning is unknown.
    fn narrow(&mut self, step: &Step, text: &str) -> bool {
        if text.starts_with(':') || text.contains(['[', '\\']) || climbs(text) {
            return false;
        }
        if text.contains(['*', '?']) {
            let names = names(text).unwrap_or_default();
            self.only.extend(names.iter().map(|name| (*name).to_owned()));
            return !names.is_empty();
        }
        let paths: Option<Vec<String>> = step.directories.paths_of_text(text).into_iter().collect();
        let is_known = paths.is_some();
        self.within.extend(paths.unwrap_or_default());
        is_known
    }
}

/// A pathspec that excludes files: the glob over their names, if the pathspec is such a glob, and whether it
/// is relative to the repository root. A `*` of git also matches slashes, so `*.env` excludes files in every
/// directory.
fn left_out(text: &str) -> Option<(Option<String>, bool)> {
    let short = text.strip_prefix(":!").or_else(|| text.strip_prefix(":^"));
    let (glob, from_top) = match short {
        Some(glob) => (glob, false),
        None => {
            let (magic, glob) = text.strip_prefix(":(")?.split_once(')')?;
            match magic {
                "exclude" => (glob, false),
                "top,exclude" | "exclude,top" => (glob, true),
                _ => return None,
            }
        }
    };
    Some((certain(glob).filter(|glob| glob.starts_with('*')), from_top))
}

#[cfg(test)]
mod tests {
    use super::super::execution_plan::ExecutionPlan;
    use super::*;

    #[test]
    fn number_of_pathspecs_is_limited() {
        let of = |count: usize| {
            let text = format!("git ls-files{}", " a".repeat(count));
            Pathspecs::of(&ExecutionPlan::new(&text, Some("/w"), None).steps[0])
        };
        assert_eq!(of(MAX_PATHSPECS).within.len(), MAX_PATHSPECS);
        assert!(of(MAX_PATHSPECS + 1).are_unknown);
    }

    #[test]
    fn exclusions_count_only_if_certain() {
        let glob = |text: &str| Some(Some(text.to_owned()));
        assert_eq!(left_out(":(top,exclude)*.env"), glob("*.env").map(|glob| (glob, true)));
        assert_eq!(left_out(":!*.env"), glob("*.env").map(|glob| (glob, false)));
        // Only this one file, only below a directory, or not certain.
        for text in [":!.env", ":^a/*.env", ":(exclude)*.[e]nv", ":!"] {
            assert_eq!(left_out(text), Some((None, false)), "{text}");
        }
        for text in ["*.env", ":(attr:exclude)*.env", ":(top)*.env", ":/*.env", ":(exclude"] {
            assert_eq!(left_out(text), None, "{text}");
        }
    }
}
