//! Files that are only text.

use sekisho_gate::answer::Scope;
use sekisho_gate::premises::{FileNow, Files, Keep, KeepError, Preview};
use sekisho_policy::{
    Call, Decision, Effect, Fact, LayerKind, Layers, Need, Policy, Rule, Surroundings, judge,
};
use sekisho_testkit::FixedFiles;
use sekisho_testkit::fixtures::after;
use serde_json::json;

fn decision(files: &FixedFiles) -> Decision {
    let policy = Policy::compile(files.layers(None, None).layers);
    judge(&policy, &Call::new("deploy", json!({})), &Surroundings::at(after(0))).decision
}

fn keep(scope: Scope) -> Keep {
    let rules = vec![Rule { tool: Some("deploy".into()), ..Rule::default() }];
    Keep { scope, root: None, effect: Effect::Allow, rules, by: "Ada".into(), at: after(0) }
}

#[test]
fn a_swapped_text_counts_at_once_and_is_a_new_generation() {
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
fn what_is_remembered_counts_at_once() {
    for scope in [Scope::Project, Scope::Global] {
        let files = FixedFiles::new();
        let before = *files.generation().borrow();
        assert_eq!(files.remember(keep(scope)), Ok(()));
        assert_eq!(decision(&files), Decision::Allow);
        assert_eq!(files.remembered().len(), 1);
        assert!(*files.generation().borrow() > before);
    }
    let files = FixedFiles::new();
    assert!(matches!(files.remember(keep(Scope::Session)), Err(KeepError::Failed(_))));
    assert_eq!(decision(&files), Decision::Confirm);
}

#[test]
fn an_untrusted_project_remembers_nothing_and_loosens_nothing() {
    let files = FixedFiles::new();
    files.set(LayerKind::Project, r#"{ "version": 1, "permissions": { "allow": [{ "tool": "deploy" }] } }"#);
    assert_eq!(decision(&files), Decision::Allow);
    files.trust_project(false);
    assert_eq!(decision(&files), Decision::Confirm);
    assert!(matches!(files.remember(keep(Scope::Project)), Err(KeepError::NotTrusted { .. })));
    assert_eq!(decision(&files), Decision::Confirm);
    let failed = KeepError::Failed("config.json: the disk is full".into());
    files.refuse(Some(failed.clone()));
    assert_eq!(files.remember(keep(Scope::Global)), Err(failed));
    assert_eq!(decision(&files), Decision::Confirm);
}

#[test]
fn facts_and_files_are_those_that_were_given() {
    let files = FixedFiles::new();
    let need = |path: &str| Need::Resolve(path.into());
    files.know(need("/a"), Fact::Resolved("/b".into()));
    let facts = files.facts(&Policy::compile(Layers::default()), &[need("/a"), need("/c")], None, None);
    assert_eq!((facts.resolved("/a"), facts.resolved("/c")), (Some("/b"), None));
    assert_eq!(files.file("/a"), FileNow::Absent);
    files.write("/a", "abc");
    let sha256 = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(files.file("/a").mark(), Some(sha256));
}
