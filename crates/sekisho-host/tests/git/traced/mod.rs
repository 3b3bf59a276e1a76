//! Compared with git itself.
//!
//! Repositories are generated: settings of git's documentation, in the places where a setting can be,
//! together with the ways in which git finds a repository. Each git command that is allowed there is run in a
//! sandbox and traced: it starts nothing but git, writes nothing but a refreshed index, connects to nothing,
//! and opens no file outside of the repository except the system's and the user's own config.
//!
//! `SEKISHO_GIT_CASES` sets the number of pairs of repository and command, `SEKISHO_GIT_SEED` the seed.

mod discovery_tricks;
mod forbidden_effects;
mod generator;
mod random_numbers;
#[expect(clippy::disallowed_methods, clippy::expect_used, reason = "a test that starts processes")]
#[path = "../../../../sekisho-policy/tests/traced/sandbox.rs"]
mod sandbox;
#[expect(dead_code, reason = "shared with a test that looks at more")]
#[path = "../../../../sekisho-policy/tests/traced/strace_log.rs"]
mod strace_log;
mod templates;
mod workspace;

use sekisho_policy::{Decision, Fact, Repository};

use super::git_judge::GitJudge;
use forbidden_effects::offences;
use generator::{Generator, Keys, Pair};
use sandbox::{Files, Sandbox};
use workspace::Workspace;

/// Repositories in the sandbox at once, and commands for each.
const AT_ONCE: usize = 80;
const COMMANDS: usize = 8;

#[expect(clippy::disallowed_methods, reason = "the number of cases comes from the environment")]
fn number(variable: &str, otherwise: usize) -> usize {
    std::env::var(variable).map_or(otherwise, |text| text.parse().unwrap())
}

/// Runs pairs that were allowed, and lists their violations.
fn run(workspace: &Workspace, pairs: &[Pair]) -> Vec<String> {
    let scripts: Vec<String> = pairs.iter().map(Pair::script).collect();
    let deeds = Sandbox { workspace, files: Files::Writable }.run(&scripts);
    let mut found: Vec<String> =
        deeds.orphans.iter().map(|line| format!("a process of no script: {line}")).collect();
    for (pair, deeds) in pairs.iter().zip(&deeds.of_scripts) {
        let offences = offences(deeds, workspace, &pair.case);
        found.extend(
            offences
                .into_iter()
                .map(|offence| format!("{offence}\n    by {}: {}", pair.script(), pair.made_of)),
        );
    }
    found
}

#[test]
fn allowed_commands_only_read() {
    let wanted = number("SEKISHO_GIT_CASES", 500);
    let seed = u64::try_from(number("SEKISHO_GIT_SEED", 11)).unwrap();
    let workspace = Workspace::new();
    let judge = GitJudge::in_workspace(&workspace.disk, "ws");
    let mut generator = Generator::new(&workspace, seed, Keys::Documented);
    let (mut made, mut allowed, mut found) = (0, 0, Vec::new());
    while made < wanted {
        let pairs = generator.batch(AT_ONCE.min((wanted - made).div_ceil(COMMANDS)), COMMANDS);
        made += pairs.len();
        let through: Vec<Pair> =
            pairs.into_iter().filter(|pair| judge.allows(&pair.script(), &workspace.root())).collect();
        allowed += through.len();
        found.extend(run(&workspace, &through));
        workspace.clear();
    }
    println!("{made} pairs of repository and command, {allowed} allowed and run");
    assert!(found.is_empty(), "{} violations:\n{}", found.len(), found.join("\n"));
    assert!(allowed * 10 >= made * 4, "only {allowed} of {made} are allowed, which proves little");
}

/// The pairs that are allowed with other facts but not with the real ones, and what they do.
fn controlled(change: impl Fn(Fact) -> Fact + Copy) -> (usize, Vec<String>) {
    let workspace = Workspace::new();
    let judge = GitJudge::in_workspace(&workspace.disk, "ws");
    let mut generator = Generator::new(&workspace, 5, Keys::Harmful);
    let pairs = generator.batch(AT_ONCE, COMMANDS);
    let through: Vec<Pair> = pairs
        .into_iter()
        .filter(|pair| {
            let root = workspace.root();
            let (verdict, _) = judge.verdict_with(&pair.script(), &root, change);
            verdict.decision == Decision::Allow && !judge.allows(&pair.script(), &root)
        })
        .collect();
    let found = run(&workspace, &through);
    (through.len(), found)
}

/// The control: if `core.fsmonitor` were on the list of harmless settings, the run above would fail.
#[test]
fn harmful_setting_on_the_list_would_be_noticed() {
    let (pairs, found) = controlled(|fact| match fact {
        Fact::Repository(Repository::Unproven { mut findings }) => {
            findings.retain(|finding| finding.key.as_deref() != Some("core.fsmonitor"));
            Fact::Repository(match findings.is_empty() {
                true => Repository::Plain,
                false => Repository::Unproven { findings },
            })
        }
        fact => fact,
    });
    assert!(pairs > 0, "no repository sets core.fsmonitor alone");
    let started = found.iter().any(|offence| offence.starts_with("started: "));
    assert!(started, "{pairs} pairs with a monitor, and none was seen: {found:?}");
}

/// The other control: without repository facts, every kind of violation is found.
#[test]
fn without_repository_facts_every_violation_is_found() {
    let (pairs, found) = controlled(|fact| match fact {
        Fact::Repository(_) => Fact::Repository(Repository::Plain),
        Fact::TrackedLinks(_) => Fact::TrackedLinks(false),
        fact => fact,
    });
    for kind in ["started: ", "read: ", "wrote: ", "changed: "] {
        let seen = found.iter().any(|offence| offence.starts_with(kind));
        assert!(seen, "{pairs} pairs, and nothing of the kind `{kind}`: {}", found.join("\n"));
    }
}
