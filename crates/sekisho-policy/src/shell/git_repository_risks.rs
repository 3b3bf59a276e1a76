//! What a repository can make a git command do.
//!
//! A command can turn off what a repository would make it do: `git -c core.fsmonitor=false status` starts no
//! monitor. Only forms are listed that git reads the same way at any position and that override every config.

use std::collections::BTreeSet;

use sekisho_shell::word::Word;

use super::execution_plan::{ExecutionPlan, Step};
use crate::judge_context::JudgeContext;
use crate::paths::is_within;
use crate::reason::Reason;
use crate::repository::{Repository, RepositoryFinding, RepositoryProblem};

/// Something that a git command can be told not to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum GitSafeguard {
    /// Ask a monitor for changed files.
    FsMonitor,
    /// Run hooks.
    Hooks,
    /// Verify signatures.
    Signatures,
    /// Show more of submodules than their commits.
    Submodules,
    /// Start a pager.
    Pager,
    /// Fetch objects that are missing.
    LazyFetch,
    /// Run external diff programs.
    ExternalDiff,
    /// Run programs that turn files into text.
    TextConversion,
}

impl GitSafeguard {
    /// The option, and whether it goes before the subcommand or right after it.
    fn written(self) -> (&'static str, Position) {
        match self {
            GitSafeguard::FsMonitor => ("-c core.fsmonitor=false", Position::BeforeSubcommand),
            GitSafeguard::Hooks => ("-c core.hooksPath=/dev/null", Position::BeforeSubcommand),
            GitSafeguard::Signatures => ("-c log.showSignature=false", Position::BeforeSubcommand),
            GitSafeguard::Submodules => ("-c diff.submodule=short", Position::BeforeSubcommand),
            GitSafeguard::Pager => ("--no-pager", Position::BeforeSubcommand),
            GitSafeguard::LazyFetch => ("--no-lazy-fetch", Position::BeforeSubcommand),
            GitSafeguard::ExternalDiff => ("--no-ext-diff", Position::AfterSubcommand),
            GitSafeguard::TextConversion => ("--no-textconv", Position::AfterSubcommand),
        }
    }

    /// Whether it also applies in submodules, which git reads in separate processes. Settings are passed on.
    fn reaches_submodules(self) -> bool {
        matches!(self, GitSafeguard::FsMonitor | GitSafeguard::Hooks)
    }
}

/// Position of an option of git.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Position {
    BeforeSubcommand,
    AfterSubcommand,
}

/// Why git needs confirmation in a repository, if it does.
pub(super) fn repository_reason(
    words: &[Word],
    repository: &Repository,
    directory: &str,
    root: Option<&str>,
) -> Option<Reason> {
    match repository {
        Repository::Plain => None,
        Repository::NamesPrograms { what } => {
            Some(Reason::RepositoryRuns { directory: directory.into(), what: what.clone() })
        }
        Repository::Unproven { findings } => {
            let switches = switches(words);
            let matters = |finding: &&RepositoryFinding| {
                matters(finding, words, root)
                    && !switched_off_by(finding).is_some_and(|off| switches.contains(&off))
            };
            findings.iter().find(matters).map(|finding| Reason::RepositoryUnproven {
                directory: directory.into(),
                problem: finding.problem,
                file: finding.file.clone(),
                key: finding.key.clone(),
            })
        }
    }
}

/// Whether a finding concerns this command and this workspace: the user's own config may include files
/// elsewhere.
fn matters(finding: &RepositoryFinding, words: &[Word], root: Option<&str>) -> bool {
    if finding.writes && !changes_repository(words) {
        return false;
    }
    match finding.problem {
        RepositoryProblem::UserInclude => root.is_some_and(|root| is_within(&finding.file, root)),
        RepositoryProblem::Credential => prints_setting(words, finding.key.as_deref().unwrap_or_default()),
        // The files it then reads are judged separately.
        RepositoryProblem::Absent => false,
        _ => true,
    }
}

/// Whether a command may change the repository. Allows of presets cover a few that do.
fn changes_repository(words: &[Word]) -> bool {
    let name = subcommand(words).and_then(|at| words.get(at)).and_then(Word::literal);
    name.is_none_or(|name| matches!(name.as_ref(), "add" | "commit" | "checkout" | "switch"))
}

/// Whether a command may print the value of a setting.
fn prints_setting(words: &[Word], key: &str) -> bool {
    let Some(at) = subcommand(words) else { return true };
    let after: Option<Vec<_>> = words.iter().skip(at + 1).map(Word::literal).collect();
    let (Some(subcommand), Some(after)) = (words.get(at).and_then(Word::literal), after) else { return true };
    let several = |word: &str| match word.strip_prefix("--") {
        Some(long) => long.contains("list") || long.contains("regexp"),
        None => word == "list" || (word.starts_with('-') && word.contains('l')),
    };
    match subcommand.as_ref() {
        "config" => after.iter().any(|word| several(word) || word.eq_ignore_ascii_case(key)),
        // Without arguments it prints names.
        "remote" => !after.is_empty(),
        _ => false,
    }
}

/// Whether the command opens the files in the index without checking the directories on their paths.
pub(super) fn reads_tracked_files(step: &Step) -> bool {
    let reads = |word: &Word| match word.literal() {
        // A computed word may be any option.
        None => true,
        Some(option) if option.starts_with("--") => matches!(option.as_ref(), "--modified" | "--eol"),
        Some(option) => option.starts_with('-') && option.contains('m'),
    };
    match step.profile.leading_words.get(1).map(String::as_str) {
        _ if !step.profile.repository => false,
        Some("grep") => true,
        Some("ls-files") => step.words.iter().skip(1).any(reads),
        _ => false,
    }
}

/// The safeguard against a finding.
fn switched_off_by(finding: &RepositoryFinding) -> Option<GitSafeguard> {
    let switch = match (finding.problem, finding.key.as_deref()) {
        (RepositoryProblem::Hook, _) => GitSafeguard::Hooks,
        (RepositoryProblem::Setting, Some(key)) => of_setting(key)?,
        _ => return None,
    };
    (!finding.submodule || switch.reaches_submodules()).then_some(switch)
}

fn of_setting(key: &str) -> Option<GitSafeguard> {
    match key {
        "core.fsmonitor" => return Some(GitSafeguard::FsMonitor),
        "log.showsignature" => return Some(GitSafeguard::Signatures),
        "diff.submodule" => return Some(GitSafeguard::Submodules),
        "core.pager" => return Some(GitSafeguard::Pager),
        "diff.external" => return Some(GitSafeguard::ExternalDiff),
        "extensions.partialclone" => return Some(GitSafeguard::LazyFetch),
        _ => {}
    }
    let (section, rest) = key.split_once('.')?;
    let (_, last) = rest.rsplit_once('.').unwrap_or(("", rest));
    match (section, last) {
        ("pager", _) => Some(GitSafeguard::Pager),
        ("diff", "command") => Some(GitSafeguard::ExternalDiff),
        ("diff", "textconv" | "cachetextconv") => Some(GitSafeguard::TextConversion),
        ("remote", "promisor" | "partialclonefilter") => Some(GitSafeguard::LazyFetch),
        _ => None,
    }
}

/// The safeguards that a git command has.
fn switches(words: &[Word]) -> Vec<GitSafeguard> {
    let Some(subcommand) = subcommand(words) else { return Vec::new() };
    let mut found = Vec::new();
    let mut before = words.get(1..subcommand).unwrap_or_default().iter();
    while let Some(word) = before.next() {
        match word.literal().as_deref() {
            Some("-c") => found.extend(before.next().and_then(|value| of_option(&value.literal()?))),
            Some("-C") => {
                before.next();
            }
            Some("--no-pager" | "-P") => found.push(GitSafeguard::Pager),
            Some("--no-lazy-fetch") => found.push(GitSafeguard::LazyFetch),
            _ => {}
        }
    }
    // Later words could be values of other options: `-S --no-ext-diff`.
    let after = words.iter().skip(subcommand + 1).map_while(|word| match word.literal().as_deref() {
        Some("--no-ext-diff") => Some(GitSafeguard::ExternalDiff),
        Some("--no-textconv") => Some(GitSafeguard::TextConversion),
        _ => None,
    });
    found.extend(after);
    found
}

/// A value of `-c` that turns something off.
fn of_option(setting: &str) -> Option<GitSafeguard> {
    let (key, value) = setting.split_once('=')?;
    match (key.to_ascii_lowercase().as_str(), value) {
        ("core.fsmonitor", "false" | "") => Some(GitSafeguard::FsMonitor),
        ("core.hookspath", "/dev/null") => Some(GitSafeguard::Hooks),
        ("log.showsignature", "false") => Some(GitSafeguard::Signatures),
        ("diff.submodule", "short") => Some(GitSafeguard::Submodules),
        _ => None,
    }
}

/// The index of the subcommand.
pub(super) fn subcommand(words: &[Word]) -> Option<usize> {
    let mut at = 1;
    loop {
        let word = words.get(at)?.literal()?;
        match word.as_ref() {
            "-c" | "-C" => at += 2,
            option if option.starts_with('-') => at += 1,
            _ => return Some(at),
        }
    }
}

/// The text with safeguards added to its first git command. `None` if that is not possible.
pub(super) fn rewrite_with_safeguards(
    plan: &ExecutionPlan,
    context: &JudgeContext,
    text: &str,
) -> Option<String> {
    let root = context.root.as_deref();
    let asks = |step: &&Step| {
        step.text == 0
            && step.profile.repository
            && step.directories.iter().flatten().any(|directory| {
                let repository = context.facts.repository(directory);
                repository
                    .is_some_and(|found| repository_reason(&step.words, found, directory, root).is_some())
            })
    };
    let step = plan.steps.iter().find(asks)?;
    let known = switches(&step.words);
    let mut missing = BTreeSet::new();
    for directory in step.directories.iter().flatten() {
        let Repository::Unproven { findings } = context.facts.repository(directory)? else { continue };
        for finding in findings.iter().filter(|finding| matters(finding, &step.words, root)) {
            missing.insert(switched_off_by(finding)?);
        }
    }
    let missing = missing.into_iter().filter(|switch| !known.contains(switch)).map(GitSafeguard::written);
    let program = step.words.first()?.span.end as usize;
    let subcommand = step.words.get(subcommand(&step.words)?)?.span.end as usize;
    let (mut before, mut after) = (String::new(), String::new());
    for (written, position) in missing {
        let place = if position == Position::BeforeSubcommand { &mut before } else { &mut after };
        place.push(' ');
        place.push_str(written);
    }
    let (head, middle, tail) =
        (text.get(..program)?, text.get(program..subcommand)?, text.get(subcommand..)?);
    Some(format!("{head}{before}{middle}{after}{tail}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<Word> {
        sekisho_shell::analyse(text).commands.remove(0).words
    }

    fn reason(text: &str, findings: &[RepositoryFinding]) -> Option<String> {
        let repository = Repository::Unproven { findings: findings.to_vec() };
        repository_reason(&words(text), &repository, "/w", Some("/w")).map(|reason| match reason {
            Reason::RepositoryUnproven { key, file, .. } => key.unwrap_or(file),
            other => panic!("{other:?}"),
        })
    }

    fn setting(key: &str) -> RepositoryFinding {
        RepositoryFinding {
            problem: RepositoryProblem::Setting,
            file: "/w/.git/config".into(),
            key: Some(key.into()),
            submodule: false,
            writes: false,
        }
    }

    #[test]
    fn command_can_turn_off_a_finding() {
        for (key, off, on) in [
            ("core.fsmonitor", "git -c core.fsmonitor=false status", "git -c core.fsmonitor=true status"),
            ("core.fsmonitor", "git -c Core.FSMonitor= status", "git status -c core.fsmonitor=false"),
            ("core.pager", "git -P log", "git log --no-pager"),
            ("pager.log", "git -C a --no-pager log", "git -C --no-pager log"),
            ("diff.external", "git diff --no-ext-diff", "git diff -S --no-ext-diff"),
            ("diff.a.b.command", "git diff --no-textconv --no-ext-diff", "git diff --no-textconv"),
            ("diff.x.textconv", "git show --no-textconv HEAD", "git show HEAD --no-textconv"),
            ("remote.o.promisor", "git --no-lazy-fetch show", "git show --no-lazy-fetch"),
            ("extensions.partialclone", "git --no-lazy-fetch show", "git -c x.y=--no-lazy-fetch show"),
            ("log.showsignature", "git -c log.showSignature=false log", "git log"),
            ("diff.submodule", "git -c diff.submodule=short log", "git -c diff.submodule=log log"),
        ] {
            assert_eq!(reason(off, &[setting(key)]), None, "{off}");
            assert_eq!(reason(on, &[setting(key)]).as_deref(), Some(key), "{on}");
        }
    }

    #[test]
    fn credential_matters_to_commands_that_print_it() {
        let found = RepositoryFinding { problem: RepositoryProblem::Credential, ..setting("remote.o.url") };
        for text in [
            "git config -l",
            "git config -zl",
            "git config list",
            "git config --get-regexp .",
            "git config get --regexp .",
            "git config Remote.o.URL",
            "git config --get \"$x\"",
            "git remote -v",
            "git remote get-url o",
        ] {
            assert!(reason(text, std::slice::from_ref(&found)).is_some(), "{text}");
        }
        for text in
            ["git status", "git config user.email", "git config --get core.bare", "git remote", "git log"]
        {
            assert_eq!(reason(text, std::slice::from_ref(&found)), None, "{text}");
        }
    }

    #[test]
    fn some_findings_matter_only_to_commands_that_change_the_repository() {
        let found = RepositoryFinding { writes: true, ..setting("gc.repackfilter") };
        for text in ["git add a", "git commit -m x", "git checkout -b x", "git switch -c x", "git \"$x\""] {
            assert!(reason(text, std::slice::from_ref(&found)).is_some(), "{text}");
        }
        for text in ["git status", "git log -p", "git -C add diff"] {
            assert_eq!(reason(text, std::slice::from_ref(&found)), None, "{text}");
        }
    }

    #[test]
    fn every_finding_must_be_turned_off() {
        let hook = RepositoryFinding {
            problem: RepositoryProblem::Hook,
            key: None,
            file: "/w/.git/hooks/post-index-change".into(),
            ..setting("")
        };
        let found = [setting("core.fsmonitor"), hook];
        assert!(reason("git -c core.fsmonitor=false status", &found).is_some());
        assert!(reason("git -c core.hooksPath=/dev/null status", &found).is_some());
        let both = "git -c core.hooksPath=/dev/null -c core.fsmonitor=false status";
        assert_eq!(reason(both, &found), None);
        assert!(reason(both, &[setting("filter.x.clean")]).is_some());
    }

    #[test]
    fn options_do_not_reach_submodules() {
        let inside = |key: &str| [RepositoryFinding { submodule: true, ..setting(key) }];
        assert_eq!(reason("git -c core.fsmonitor=false status", &inside("core.fsmonitor")), None);
        assert!(reason("git --no-lazy-fetch diff", &inside("remote.o.promisor")).is_some());
        assert!(reason("git diff --no-ext-diff", &inside("diff.external")).is_some());
    }

    #[test]
    fn user_includes_matter_only_in_the_workspace() {
        let include = |file: &str| {
            [RepositoryFinding {
                problem: RepositoryProblem::UserInclude,
                file: file.into(),
                key: None,
                submodule: false,
                writes: false,
            }]
        };
        assert!(reason("git status", &include("/w/config")).is_some());
        assert_eq!(reason("git status", &include("/home/u/.gitconfig-work")), None);
    }
}
