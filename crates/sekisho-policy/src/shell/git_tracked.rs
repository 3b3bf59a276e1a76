//! Protected files that git tracks, and whose contents a command shows without naming them.

use sekisho_shell::word::Word;

use super::git;
use super::git_directories::climbs;
use super::git_pathspecs::names;
use super::limits::Context;
use super::plan::Step;
use crate::globs::certain;
use crate::reason::Reason;
use crate::surroundings::{Below, FileSearch, GitFiles, Need};

impl Context<'_> {
    /// Why a command is asked about that shows what tracked files hold.
    pub(super) fn of_tracked_files(self, step: &Step) -> Option<Reason> {
        searches(step).into_iter().find_map(|search| match search {
            Some(search) => self.of_search(&search, true),
            None => Some(Reason::PathUnknown),
        })
    }
}

/// Whether a command shows what tracked files hold.
pub(super) fn is_shown(step: &Step) -> bool {
    shown(step).is_some()
}

/// The facts about tracked files.
pub(super) fn needs_of_tracked_files(step: &Step) -> Vec<Need> {
    searches(step).into_iter().flatten().map(Need::Files).collect()
}

/// The files that are shown, from each directory where the command may run; `None` for a place that cannot be told.
fn searches(step: &Step) -> Vec<Option<FileSearch>> {
    let Some(git) = shown(step) else { return Vec::new() };
    let below = Below { git, ..Below::everything() };
    let from_top = git == GitFiles::Changed;
    Pathspecs::behind_dashes(step).searches(step, &below, from_top)
}

/// The files whose names a git command prints.
pub(super) fn listed(step: &Step, below: &Below) -> Vec<Option<FileSearch>> {
    let lists_index = step.reading.leading.get(1).is_some_and(|name| name == "ls-files");
    let pathspecs = if lists_index { Pathspecs::of_index(step) } else { Pathspecs::behind_dashes(step) };
    if below.git == GitFiles::Tracked || pathspecs.within.is_empty() {
        return pathspecs.searches(step, below, !lists_index);
    }
    let from = |directory: &String| FileSearch {
        directory: directory.clone(),
        below: Some(below.clone()),
        ..FileSearch::default()
    };
    pathspecs.within.iter().map(from).map(Some).collect()
}

/// Which of the tracked files a command shows.
fn shown(step: &Step) -> Option<GitFiles> {
    let reading = &step.reading;
    if !reading.repository {
        return None;
    }
    let after = git::subcommand(&step.words).map_or(1, |at| at + 1);
    let options: Vec<_> = step.words.iter().skip(after).map(Word::literal).collect();
    // A word that is computed may be any option.
    let has = |fits: fn(&str) -> bool| options.iter().any(|word| word.as_deref().is_none_or(fits));
    match reading.leading.get(1)?.as_str() {
        "grep" => Some(GitFiles::Tracked),
        "diff" | "diff-files" | "diff-index" => {
            let tells_names = options.iter().flatten().any(|word| tells_names(word));
            (!tells_names || has(shows_contents)).then_some(GitFiles::Changed)
        }
        "status" => {
            let verbose = |word: &str| match word.strip_prefix("--") {
                Some(long) => "verbose".starts_with(long),
                None => word.starts_with('-') && word.contains('v'),
            };
            has(verbose).then_some(GitFiles::Changed)
        }
        _ => None,
    }
}

/// Options with which a difference is told by names and numbers alone, where none shows more.
fn tells_names(word: &str) -> bool {
    let name = word.split('=').next().unwrap_or(word);
    matches!(
        name,
        "--stat"
            | "--shortstat"
            | "--numstat"
            | "--dirstat"
            | "--summary"
            | "--name-only"
            | "--name-status"
            | "--quiet"
            | "--raw"
            | "-s"
            | "--no-patch"
    )
}

fn shows_contents(word: &str) -> bool {
    match word.strip_prefix("--") {
        Some(long) => {
            ["p", "u", "bin", "w", "color-w", "func", "cc", "che"].iter().any(|start| long.starts_with(start))
        }
        None => word.starts_with('-') && word.contains(['p', 'u', 'U', 'W', 'c']),
    }
}

/// Where a command is told to look, as far as that narrows its files for certain.
#[derive(Default)]
struct Pathspecs {
    /// Some cannot be told; they may lead anywhere in the repository.
    are_unknown: bool,
    within: Vec<String>,
    only: Vec<String>,
    except: Vec<String>,
    except_here: Vec<String>,
}

impl Pathspecs {
    /// Those behind `--`; before it, nothing tells them from revisions and from values of options.
    fn behind_dashes(step: &Step) -> Pathspecs {
        let is_dashes = |word: &Word| word.literal().is_some_and(|text| text == "--");
        match step.words.iter().position(is_dashes) {
            Some(at) => Pathspecs::of(step, at + 1),
            None => Pathspecs { are_unknown: true, ..Pathspecs::default() },
        }
    }

    /// Those of `git ls-files`, which takes no revisions.
    fn of_index(step: &Step) -> Pathspecs {
        const FLAGS: &[&str] =
            &["-z", "-c", "-m", "-d", "--cached", "--modified", "--deleted", "--full-name", "--deduplicate"];
        let Some(at) = git::subcommand(&step.words) else {
            return Pathspecs { are_unknown: true, ..Pathspecs::default() };
        };
        let is_flag = |word: &&Word| word.literal().is_some_and(|text| FLAGS.contains(&text.as_ref()));
        let flags = step.words.iter().skip(at + 1).take_while(is_flag).count();
        let first = step.words.get(at + 1 + flags).map(Word::prefix).unwrap_or_default();
        match first.starts_with('-') {
            true => Pathspecs::behind_dashes(step),
            false => Pathspecs::of(step, at + 1 + flags),
        }
    }

    /// The words from a position on.
    fn of(step: &Step, from: usize) -> Pathspecs {
        let mut found = Pathspecs::default();
        // Options of git itself may have them mean something else.
        let before = git::subcommand(&step.words).and_then(|at| step.words.get(1..at)).unwrap_or_default();
        found.are_unknown = before.iter().any(|word| word.prefix().ends_with("-pathspecs"));
        for word in step.words.iter().skip(from) {
            let text = word.literal();
            if let Some((glob, from_top)) = text.as_deref().and_then(left_out) {
                let globs = if from_top { &mut found.except } else { &mut found.except_here };
                globs.extend(glob);
                continue;
            }
            found.are_unknown |= !text.is_some_and(|text| found.narrow(step, &text));
        }
        // A file may be there by a place or by its name.
        if found.are_unknown || !(found.within.is_empty() || found.only.is_empty()) {
            found.within.clear();
            found.only.clear();
        }
        found
    }

    /// The searches for what they name. Without any, a command begins at the top or where it is.
    fn searches(&self, step: &Step, below: &Below, from_top: bool) -> Vec<Option<FileSearch>> {
        let Pathspecs { within, only, except, except_here, .. } = self;
        let below = Below {
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

    /// Takes in a pathspec that says where. False where it cannot be told what it says.
    fn narrow(&mut self, step: &Step, text: &str) -> bool {
        if text.starts_with(':') || text.contains(['[', '\\']) || climbs(text) {
            return false;
        }
        if text.contains(['*', '?']) {
            self.only.extend(names(text).map(str::to_owned));
            return true;
        }
        let paths: Option<Vec<String>> = step.directories.paths_of_text(text).into_iter().collect();
        let is_known = paths.is_some();
        self.within.extend(paths.unwrap_or_default());
        is_known
    }
}

/// A pathspec that leaves files out: the glob over their names, where it is one, and whether it counts from the top of the
/// repository. A `*` of git also stands for slashes, so `*.env` leaves out files in every directory.
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
    use super::*;

    #[test]
    fn what_is_left_out_is_read_where_it_is_certain() {
        let glob = |text: &str| Some(Some(text.to_owned()));
        assert_eq!(left_out(":(top,exclude)*.env"), glob("*.env").map(|glob| (glob, true)));
        assert_eq!(left_out(":!*.env"), glob("*.env").map(|glob| (glob, false)));
        // Only this one file, only below a directory, or not for certain.
        for text in [":!.env", ":^a/*.env", ":(exclude)*.[e]nv", ":!"] {
            assert_eq!(left_out(text), Some((None, false)), "{text}");
        }
        for text in ["*.env", ":(attr:exclude)*.env", ":(top)*.env", ":/*.env", ":(exclude"] {
            assert_eq!(left_out(text), None, "{text}");
        }
    }
}
