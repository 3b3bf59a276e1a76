use std::collections::BTreeSet;

use sekisho_gate::answer::RuleScope;
use sekisho_gate::caller::CallerEnvironment;
use sekisho_gate::host_ports::{CurrentFile, HostLookup, PolicyFiles};
use sekisho_policy::Decision::{Allow, Confirm, Deny};
use sekisho_policy::{Call, Effect, FactQuery, JudgeContext, Layers, Policy, judge};
use serde_json::json;

use super::rulebook_fixture::RulebookFixture;
use crate::serve::test_server::LONG;

fn config(allow: &str, deny: &str) -> String {
    format!(
        r#"{{ "version": 1, "permissions": {{ "allow": [{{ "tool": "{allow}" }}], "deny": [{{ "tool": "{deny}" }}] }} }}"#
    )
}

#[test]
fn only_a_registered_root_has_allow_rules() {
    let fixture = RulebookFixture::new();
    RulebookFixture::write(&fixture.config(), &config("a", "b"));
    fixture.trust();
    assert_eq!((fixture.decide("a"), fixture.decide("b")), (Allow, Deny));
    let stranger = RulebookFixture::at(fixture.base());
    assert_eq!((stranger.decide("a"), stranger.decide("b")), (Confirm, Deny));
    let nowhere = CallerEnvironment::default();
    // A directory without a registered root also restricts, even if it does not exist.
    for directory in [fixture.root().join("sub"), fixture.root().join("not/there")] {
        let decided = ["a", "b"].map(|tool| stranger.decide_in(&nowhere, Some(&directory), None, tool));
        assert_eq!(decided, [Confirm, Deny], "{}", directory.display());
    }
    let error = stranger.remember(RuleScope::Project, Effect::Allow, &["c"]).unwrap_err().to_string();
    assert!(error.contains("not registered"), "{error}");
    let generation = stranger.book.generation();
    stranger.premises.register(&fixture.root()).unwrap();
    assert!(stranger.book.generation() > generation);
    assert_eq!((stranger.decide("a"), stranger.decide("b")), (Allow, Deny));
    assert!(stranger.premises.register(&fixture.root().join("not/there")).is_err());
}

#[test]
fn files_below_the_root_restrict_at_once() {
    let fixture = RulebookFixture::new();
    fixture.remember(RuleScope::Global, Effect::Allow, &["a"]).unwrap();
    let sub = fixture.root().join("sub");
    let decide = |tool| fixture.decide_in(&fixture.around(), Some(&sub), None, tool);
    assert_eq!(decide("a"), Allow);
    RulebookFixture::write(&sub.join(".sekisho/config.json"), &config("c", "a"));
    assert_eq!((decide("a"), decide("c")), (Deny, Confirm));
    assert_eq!(fixture.decide("a"), Allow);
    std::fs::remove_file(sub.join(".sekisho/config.json")).unwrap();
    assert_eq!(decide("a"), Allow);
}

#[test]
fn broken_file_asks_or_denies_and_keeps_its_last_denies() {
    let fixture = RulebookFixture::new();
    RulebookFixture::write(&fixture.config(), &config("a", "b"));
    fixture.trust();
    fixture.remember(RuleScope::Global, Effect::Allow, &["c"]).unwrap();
    let decided = || ["a", "b", "c", "d"].map(|tool| fixture.decide(tool));
    assert_eq!(decided(), [Allow, Deny, Allow, Confirm]);
    RulebookFixture::write(&fixture.config(), "{ \"version\": 1, ");
    assert_eq!(decided(), [Confirm, Deny, Confirm, Confirm]);
    let error = fixture.remember(RuleScope::Project, Effect::Allow, &["d"]).unwrap_err().to_string();
    assert!(error.contains("config.json"), "{error}");
    let good = std::fs::read_to_string(&fixture.locations.global).unwrap();
    RulebookFixture::write(&fixture.locations.global, "{");
    assert_eq!(decided(), [Deny; 4]);
    RulebookFixture::write(&fixture.locations.global, &good);
    RulebookFixture::write(&fixture.config(), &config("a", "b"));
    assert_eq!(decided(), [Allow, Deny, Allow, Confirm]);
}

#[test]
fn judgement_sees_one_complete_file_during_replacement() {
    let fixture = RulebookFixture::new();
    let texts = [config("a", "b"), config("b", "a")];
    let global = &fixture.locations.global;
    RulebookFixture::write(global, &texts[0]);
    // Dropping this ends the replacing, however the judging ends.
    let (judging, judged) = std::sync::mpsc::channel::<()>();
    let (fixture, texts) = (&fixture, &texts);
    let seen = std::thread::scope(move |scope| {
        scope.spawn(move || {
            let draft = global.with_extension("draft");
            for text in texts.iter().cycle().skip(1) {
                if judged.try_recv() == Err(std::sync::mpsc::TryRecvError::Disconnected) {
                    return;
                }
                RulebookFixture::write(&draft, text);
                std::fs::rename(&draft, global).unwrap();
            }
        });
        let around = JudgeContext::at(jiff::Timestamp::now());
        let mut seen = BTreeSet::new();
        let began = std::time::Instant::now();
        for turn in 0.. {
            let policy = fixture.book.active_policy(&fixture.around(), None, None).policy;
            seen.insert(["a", "b"].map(|tool| judge(&policy, &Call::new(tool, json!({})), &around).decision));
            if turn >= 200 && seen.len() > 1 || began.elapsed() > LONG {
                break;
            }
        }
        drop(judging);
        seen
    });
    assert_eq!(seen, BTreeSet::from([[Allow, Deny], [Deny, Allow]]));
}

#[test]
fn subscribers_learn_of_files_no_call_has_checked() {
    let fixture = RulebookFixture::new();
    let mut heard = fixture.premises.generation();
    heard.mark_unchanged();
    RulebookFixture::write(&fixture.config(), &config("a", "b"));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        tokio::time::timeout(LONG, heard.changed()).await.unwrap().unwrap();
    });
    assert_eq!(fixture.decide("b"), Deny);
}

#[test]
fn facts_and_files_are_looked_up() {
    let fixture = RulebookFixture::new();
    let file = fixture.root().join("file");
    let path = file.to_str().unwrap();
    assert_eq!(fixture.premises.file(path), CurrentFile::Absent);
    RulebookFixture::write(&file, "text");
    assert!(matches!(fixture.premises.file(path), CurrentFile::Text { text, .. } if text == "text"));
    assert_eq!(fixture.premises.file(fixture.root().to_str().unwrap()).fingerprint(), None);
    let need = FactQuery::Resolve("~/x".into());
    let policy = Policy::compile(Layers::default());
    assert!(fixture.premises.facts(&policy, std::slice::from_ref(&need), None, None).is_empty());
    assert!(!fixture.premises.facts(&policy, &[need], None, fixture.root().to_str()).is_empty());
}
