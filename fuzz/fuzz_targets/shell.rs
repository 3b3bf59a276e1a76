//! Any text as a shell command: parsing never panics and stays within its limits, and rules only move the
//! verdict in their own direction.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use sekisho_policy::{
    Call, Fact, FactQuery, FileSearchOutcome, FileSecrecy, JudgeContext, Layer, LayerKind, Layers, Policy,
    Repository, judge, required_facts,
};
use serde_json::json;

fn policy(text: &str) -> Policy {
    let text = format!(r#"{{ "version": 1, "permissions": {text} }}"#);
    Policy::compile(Layers::from(vec![
        Layer::parse(LayerKind::Global, "fuzz", &text).expect("the rules load"),
    ]))
}

/// Built-in rules alone; with a deny; with an allow; with both.
static POLICIES: LazyLock<[Policy; 4]> = LazyLock::new(|| {
    [
        policy("{}"),
        policy(
            r#"{ "deny": [{ "tool": "bash", "command": "rm" }, { "tool": "bash", "command_glob": "*--force*" }] }"#,
        ),
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
        let mut context = JudgeContext::at(jiff::Timestamp::UNIX_EPOCH);
        (context.root, context.home) = (Some("/w".into()), Some("/home/u".into()));
        for query in required_facts(policy, &call) {
            let fact = match &query {
                FactQuery::Resolve(path) => Fact::Resolved(path.replacen('~', "/home/u", 1)),
                FactQuery::Repository(_) => Fact::Repository(Repository::Plain),
                FactQuery::TrackedLinks(_) => Fact::TrackedLinks(false),
                FactQuery::GlobOption { .. } => Fact::GlobOption(false),
                FactQuery::Files(_) => Fact::Files(FileSearchOutcome::Protected(Vec::new())),
                FactQuery::Contents(_) => Fact::Contents(FileSecrecy::NoSecret),
            };
            context.facts.insert(query, fact);
        }
        let verdict = judge(policy, &call, &context);
        assert!(!verdict.reasons.is_empty() && !verdict.sentence().is_empty());
        verdict.decision
    });
    assert!(denies >= plain && both >= allows, "a deny loosened: {plain} {denies} {allows} {both}");
    assert!(allows <= plain && both <= denies, "an allow tightened: {plain} {denies} {allows} {both}");
});
