//! Any text as a shell command: parsing never panics and stays within its limits, and rules only move the
//! verdict in their own direction.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use sekisho_policy::{Call, Fact, FilesFound, Holds, Layer, LayerKind, Layers, Need, Policy, Repository, Surroundings, judge, needs};
use serde_json::json;

fn policy(text: &str) -> Policy {
    let text = format!(r#"{{ "version": 1, "permissions": {text} }}"#);
    Policy::compile(Layers::from(vec![Layer::parse(LayerKind::Global, "fuzz", &text).expect("the rules load")]))
}

/// Built-in rules alone; with a deny; with an allow; with both.
static POLICIES: LazyLock<[Policy; 4]> = LazyLock::new(|| {
    [
        policy("{}"),
        policy(r#"{ "deny": [{ "tool": "bash", "command": "rm" }, { "tool": "bash", "command_glob": "*--force*" }] }"#),
        policy(r#"{ "allow": [{ "tool": "bash" }] }"#),
        policy(
            r#"{ "allow": [{ "tool": "bash" }],
                 "deny": [{ "tool": "bash", "command": "rm" }, { "tool": "bash", "command_glob": "*--force*" }] }"#,
        ),
    ]
});

fuzz_target!(|text: &str| {
    let script = sekisho_shell::analyse(text);
    // A text that does not parse is searched twice more, so a command can be listed several times.
    assert!(script.commands.len() <= 8 * (text.len() + 1), "more commands than the text has room for");
    let call = Call::new("Bash", json!({ "command": text })).in_directory("/w");
    let [plain, denies, allows, both] = [0, 1, 2, 3].map(|at| {
        let policy = &POLICIES[at];
        let mut around = Surroundings::at(jiff::Timestamp::UNIX_EPOCH);
        (around.root, around.home) = (Some("/w".into()), Some("/home/u".into()));
        for need in needs(policy, &call) {
            let fact = match &need {
                Need::Resolve(path) => Fact::Resolved(path.replacen('~', "/home/u", 1)),
                Need::Repository(_) => Fact::Repository(Repository::Plain),
                Need::TrackedLinks(_) => Fact::TrackedLinks(false),
                Need::GlobOption { .. } => Fact::GlobOption(false),
                Need::Files(_) => Fact::Files(FilesFound::Protected(Vec::new())),
                Need::Contents(_) => Fact::Contents(Holds::NoSecret),
            };
            around.facts.insert(need, fact);
        }
        let verdict = judge(policy, &call, &around);
        assert!(!verdict.reasons.is_empty() && !verdict.sentence().is_empty());
        verdict.decision
    });
    assert!(denies >= plain && both >= allows, "a deny loosened: {plain} {denies} {allows} {both}");
    assert!(allows <= plain && both <= denies, "an allow tightened: {plain} {denies} {allows} {both}");
});
