//! In-memory files.

use sekisho_gate::answer::RuleScope;
use sekisho_gate::host_ports::{CurrentFile, HostLookup, PolicyFiles, RuleWrite, RuleWriteError};
use sekisho_policy::{
    Call, Decision, Effect, Fact, FactQuery, JudgeContext, LayerKind, Layers, Policy, Rule, judge,
};
use sekisho_testkit::FixedFiles;
use sekisho_testkit::fixtures::seconds_after_start;
use serde_json::json;

fn decision(files: &FixedFiles) -> Decision {
    let policy = Policy::compile(files.layers(None, None).layers);
    judge(&policy, &Call::new("deploy", json!({})), &JudgeContext::at(seconds_after_start(0))).decision
}

fn keep(scope: RuleScope) -> RuleWrite {
    let rules = vec![Rule { tool: Some("deploy".into()), ..Rule::default() }];
    RuleWrite {
        scope,
        root: None,
        effect: Effect::Allow,
        rules,
        by: "Ada".into(),
        at: seconds_after_start(0),
    }
}

#[test]
fn new_text_applies_at_once_as_a_new_generation() {
    let files = FixedFiles::new();
    let mut generation = files.generation();
    let first = *generation.borrow_and_update();
    assert_eq!(decision(&files), Decision::Confirm);
    files.set(LayerKind::Global, r#"{ "version": 1, "permissions": { "allow": [{ "tool": "deploy" }] } }"#);
    assert_eq!(decision(&files), Decision::Allow);
    assert!(*generation.borrow_and_update() > first);
    assert_eq!(files.layers(None, None).generation, *generation.borrow());
    files.set(LayerKind::Global, "{ not a config");
    assert_eq!(decision(&files), Decision::Deny, "a global file that does not load denies everything");
    files.unset(LayerKind::Global);
    assert_eq!(decision(&files), Decision::Confirm);
}

#[test]
fn remembered_rule_applies_at_once() {
    for scope in [RuleScope::Project, RuleScope::Global] {
        let files = FixedFiles::new();
        let before = *files.generation().borrow();
        assert_eq!(files.remember(keep(scope)), Ok(()));
        assert_eq!(decision(&files), Decision::Allow);
        assert_eq!(files.remembered().len(), 1);
        assert!(*files.generation().borrow() > before);
    }
    let files = FixedFiles::new();
    assert!(matches!(files.remember(keep(RuleScope::Session)), Err(RuleWriteError::Failed(_))));
    assert_eq!(decision(&files), Decision::Confirm);
}

#[test]
fn untrusted_project_neither_remembers_nor_loosens() {
    let files = FixedFiles::new();
    files.set(LayerKind::Project, r#"{ "version": 1, "permissions": { "allow": [{ "tool": "deploy" }] } }"#);
    assert_eq!(decision(&files), Decision::Allow);
    files.trust_project(false);
    assert_eq!(decision(&files), Decision::Confirm);
    assert!(matches!(files.remember(keep(RuleScope::Project)), Err(RuleWriteError::NotTrusted { .. })));
    assert_eq!(decision(&files), Decision::Confirm);
    let failed = RuleWriteError::Failed("config.json: the disk is full".into());
    files.fail_writes(Some(failed.clone()));
    assert_eq!(files.remember(keep(RuleScope::Global)), Err(failed));
    assert_eq!(decision(&files), Decision::Confirm);
}

#[test]
fn facts_and_files_are_those_that_were_set() {
    let files = FixedFiles::new();
    let need = |path: &str| FactQuery::Resolve(path.into());
    files.set_fact(need("/a"), Fact::Resolved("/b".into()));
    let facts = files.facts(&Policy::compile(Layers::default()), &[need("/a"), need("/c")], None, None);
    assert_eq!((facts.resolved("/a"), facts.resolved("/c")), (Some("/b"), None));
    assert_eq!(files.file("/a"), CurrentFile::Absent);
    files.write("/a", "abc");
    let sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(files.file("/a").fingerprint(), Some(sha256));
}
