//! Soundness, proven against bash itself.
//!
//! Everything the built-in list allows is really run: by bash, under strace, in a sandbox without network
//! where everything but a copy of a hostile workspace is read-only. Every program that starts must be a part
//! that was judged, nothing may be written, and nothing may connect. The scripts are the corpus and random
//! ones, made of fragments that tend to be allowed and of common commands with random damage. Only scripts
//! with the verdict `allow` are run.
//!
//! Three passes: in an ordinary repository; in one whose config names programs for git to run; and with a
//! user's own rules, where programs may write but bash may still start nothing that was not judged.
//!
//! `SEKISHO_TRACED_CASES` sets the number of random scripts, `SEKISHO_TRACED_SEED` their seed.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a test that starts processes and reads files"
)]

mod traced {
    pub(crate) mod corpus;
    pub(crate) mod fact_lookup;
    pub(crate) mod random_scripts;
    pub(crate) mod sandbox;
    pub(crate) mod script_fragments;
    pub(crate) mod script_judge;
    pub(crate) mod strace_log;
    pub(crate) mod violations;
    pub(crate) mod workspace;
}

use traced::corpus;
use traced::random_scripts::{RandomSource, allowed_scripts};
use traced::sandbox::{Files, Sandbox};
use traced::script_judge::{Judge, Rules};
use traced::violations::{Violation, violations};
use traced::workspace::{Repo, Workspace};

/// The violations that a pass looks for.
#[derive(Clone, Copy, PartialEq)]
enum ForbiddenActions {
    /// Only judged programs, no writes, no connections.
    ReadsOnly,
    /// Bash, and programs that only run another one, may start only judged programs.
    StartsJudged,
}

/// Transparent programs: the command they run is a separate part.
const WRAPPERS: &[&str] = &["bash", "env", "xargs", "nice", "nohup", "timeout", "stdbuf", "time", "find"];

impl ForbiddenActions {
    fn forbids(self, offence: &Violation) -> bool {
        match offence {
            Violation::Started { by, .. } => {
                self == ForbiddenActions::ReadsOnly || WRAPPERS.contains(&by.as_str())
            }
            Violation::NotTraced => true,
            // A link to a key that a glob or a walk finds is followed: reported, not forbidden.
            Violation::Secret(_) => false,
            _ => self == ForbiddenActions::ReadsOnly,
        }
    }
}

fn random_cases() -> usize {
    std::env::var("SEKISHO_TRACED_CASES").map_or(1500, |text| text.parse().expect("a number of cases"))
}

fn seed() -> u64 {
    std::env::var("SEKISHO_TRACED_SEED").map_or(7, |text| text.parse().expect("a number"))
}

/// Runs scripts with the verdict `allow` and lists all violations.
fn run(judge: &Judge<'_>, files: Files, forbidden: ForbiddenActions, scripts: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    for chunk in scripts.chunks(1000) {
        for script in chunk {
            assert!(judge.allows(script), "only what is allowed is run: {script}");
        }
        let deeds = Sandbox { workspace: judge.workspace, files }.run(chunk);
        for (script, deeds) in chunk.iter().zip(&deeds.of_scripts) {
            let judged = judge.programs(script);
            let offences = violations(deeds, &judged, judge.workspace);
            if offences.iter().any(|offence| matches!(offence, Violation::Secret(_))) {
                println!("opens a key: {script:?}");
            }
            let counted = offences.into_iter().filter(|offence| forbidden.forbids(offence));
            found.extend(counted.map(|offence| format!("{offence:?} by {script:?}")));
        }
        found.extend(deeds.orphans.iter().map(|line| format!("a process of no script: {line}")));
    }
    found
}

fn pass(repo: Repo, rules: Rules, files: Files, forbidden: ForbiddenActions, random: usize) {
    let started = std::time::Instant::now();
    let workspace = Workspace::new(repo);
    let judge = Judge::new(&workspace, rules);
    let commands = corpus::commands();
    let mut scripts: Vec<String> = commands.iter().filter(|script| judge.allows(script)).cloned().collect();
    let listed = scripts.len();
    scripts.extend(allowed_scripts(&judge, &commands, &mut RandomSource::new(seed()), random));
    let found = run(&judge, files, forbidden, &scripts);
    println!(
        "{repo:?} {rules:?}: {listed} of {} corpus commands and {} random scripts run in {:.1?}",
        commands.len(),
        scripts.len() - listed,
        started.elapsed()
    );
    assert!(found.is_empty(), "{} violations:\n{}", found.len(), found.join("\n"));
}

#[test]
fn built_in_list_allows_only_reading() {
    pass(Repo::Plain, Rules::BuiltIn, Files::Writable, ForbiddenActions::ReadsOnly, random_cases());
}

#[test]
fn hostile_repository_allows_only_reading() {
    pass(Repo::Hostile, Rules::BuiltIn, Files::Writable, ForbiddenActions::ReadsOnly, random_cases() / 4);
}

/// The workspace is read-only here, so that writes of one script change no fact for the next.
#[test]
fn user_rules_start_only_judged_programs() {
    pass(Repo::Plain, Rules::Users, Files::ReadOnly, ForbiddenActions::StartsJudged, random_cases() / 4);
}

/// The control: each of these is allowed by a rule without limits and must be reported as a violation.
#[test]
fn violations_are_detected() {
    let workspace = Workspace::new(Repo::Hostile);
    let judge = Judge::new(&workspace, Rules::Unrestricted);
    let offend = [
        ("touch new.txt", "Wrote"),
        ("echo a > new2.txt", "Wrote"),
        ("chmod +x a.txt", "Changed"),
        ("./ls", "Started"),
        ("/usr/bin/env true", "Started"),
        ("git status", "Started"),
        ("git diff & wait", "Started"),
        ("cat ~/.ssh/id_ed25519", "Secret"),
        (": > /dev/tcp/127.0.0.1/9", "Connected"),
    ];
    let scripts: Vec<String> = offend.iter().map(|(script, _)| (*script).to_owned()).collect();
    let deeds = Sandbox { workspace: &workspace, files: Files::Writable }.run(&scripts);
    for ((script, expected), deeds) in offend.iter().zip(&deeds.of_scripts) {
        assert!(judge.allows(script), "{script}");
        // As if only its first word had been judged.
        let judged = vec![script.split(' ').next().unwrap().trim_start_matches("/usr/bin/").to_owned()];
        let seen = format!("{:?}", violations(deeds, &judged, &workspace));
        assert!(seen.contains(expected), "{script}: expected {expected} in {seen}");
    }
}
