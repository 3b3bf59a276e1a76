use std::process::{Command, Stdio};

use sekisho_gate::answer::RuleScope;
use sekisho_gate::host_ports::{PolicyFiles, RuleEdit, RuleEditError};
use sekisho_gate::rulebook::RememberError;
use sekisho_policy::Decision::{Allow, Confirm, Deny};
use sekisho_policy::{Effect, Layer, LayerKind, Rule};

use super::rulebook_fixture::RulebookFixture;

const WRITTEN: &str = "{
  // Ours, by hand.
  \"version\": 1,
  \"permissions\": {
    \"deny\": [ {\"tool\":\"z\"} ], /* first, we like it so */
    \"allow\": [
      { \"tool\": \"a\" }, // the one we know
    ]
  }
}
";

#[test]
fn comments_order_and_trust_are_kept() {
    let fixture = RulebookFixture::new();
    RulebookFixture::write(&fixture.config(), WRITTEN);
    fixture.trust();
    assert_eq!((fixture.decide("a"), fixture.decide("b")), (Allow, Confirm));
    let (generation, record) = (fixture.book.generation(), fixture.record());
    let kept = fixture.remember(RuleScope::Project, Effect::Allow, &["b"]).unwrap();
    assert_eq!((kept.scope, kept.untrusted_file), (RuleScope::Project, None));
    let after = std::fs::read_to_string(fixture.config()).unwrap();
    let line = after.lines().find(|line| line.contains("\"b\"")).unwrap();
    assert_eq!(after.replacen(&format!("{line}\n"), "", 1), WRITTEN);
    assert_eq!(line.trim().trim_end_matches(','), r#"{ "tool": "b" }"#);
    // At once, and with a new hash.
    assert!(fixture.book.generation() > generation);
    assert_eq!([fixture.decide("a"), fixture.decide("b"), fixture.decide("z")], [Allow, Allow, Deny]);
    assert_ne!(fixture.record(), record);
    // Repeating it, alone or with more rules, adds only what is new.
    fixture.remember(RuleScope::Project, Effect::Allow, &["b"]).unwrap();
    assert_eq!(std::fs::read_to_string(fixture.config()).unwrap(), after);
    fixture.remember(RuleScope::Project, Effect::Deny, &["b", "c"]).unwrap();
    assert_eq!((fixture.decide("b"), fixture.decide("c")), (Deny, Deny));
    assert_eq!(std::fs::read_to_string(fixture.config()).unwrap().matches("\"b\"").count(), 2);
}

#[test]
fn remembering_does_not_trust_planted_allows() {
    let fixture = RulebookFixture::new();
    RulebookFixture::write(&fixture.config(), WRITTEN);
    fixture.trust();
    let planted = WRITTEN.replace("{ \"tool\": \"a\" }", "{ \"tool\": \"a\" }, { \"tool\": \"evil\" }");
    RulebookFixture::write(&fixture.config(), &planted);
    let record = fixture.record();
    let kept = fixture.remember(RuleScope::Project, Effect::Allow, &["b"]).unwrap();
    let moved = kept.untrusted_file.unwrap();
    assert_eq!((kept.scope, moved.path.as_str()), (RuleScope::Session, fixture.config().to_str().unwrap()));
    assert!(moved.diff.contains("evil"), "{}", moved.diff);
    assert_eq!(fixture.record(), record);
    assert_eq!(std::fs::read_to_string(fixture.config()).unwrap(), planted);
    let mine = RulebookFixture::session();
    let in_session = |tool| fixture.decide_in(&fixture.around(), None, Some(&mine), tool);
    assert_eq!([in_session("b"), in_session("evil"), in_session("a")], [Allow, Confirm, Confirm]);
    assert_eq!(fixture.decide("b"), Confirm);
}

#[test]
fn missing_file_is_created_and_trusted() {
    let fixture = RulebookFixture::new();
    fixture.remember(RuleScope::Project, Effect::Allow, &["a"]).unwrap();
    assert_eq!(fixture.decide("a"), Allow);
    let text = std::fs::read_to_string(fixture.config()).unwrap();
    assert!(!text.contains("\"id\"") && !text.contains("note"), "{text}");
    // Not in other projects.
    assert_eq!(
        fixture.decide_in(&sekisho_gate::caller::CallerEnvironment::default(), None, None, "a"),
        Confirm
    );
    fixture.remember(RuleScope::Global, Effect::Allow, &["b"]).unwrap();
    assert_eq!(
        fixture.decide_in(&sekisho_gate::caller::CallerEnvironment::default(), None, None, "b"),
        Allow
    );
    assert!(fixture.locations.global.is_file());
}

#[test]
fn linked_project_file_is_not_written() {
    let fixture = RulebookFixture::new();
    let elsewhere = fixture.base().join("elsewhere.json");
    RulebookFixture::write(&elsewhere, WRITTEN);
    std::fs::create_dir_all(fixture.root().join(".sekisho")).unwrap();
    std::os::unix::fs::symlink(&elsewhere, fixture.config()).unwrap();
    let error = fixture.remember(RuleScope::Project, Effect::Allow, &["b"]).unwrap_err();
    assert!(matches!(&error, RememberError::File(fault) if fault.contains("link")), "{error}");
    assert_eq!(std::fs::read_to_string(elsewhere).unwrap(), WRITTEN);
    assert_eq!(fixture.decide("b"), Confirm);
}

#[test]
fn a_rule_of_the_users_own_file_is_edited_and_the_rest_stays_byte_for_byte() {
    let desk = RulebookFixture::new();
    RulebookFixture::write(&desk.locations.global, WRITTEN);
    desk.premises.layers(None, None);
    let edit = |line, tool: &str, into| RuleEdit {
        line,
        effect: Effect::Allow,
        rule: rule(tool),
        into,
        by: "mia".into(),
        at: jiff::Timestamp::now(),
    };
    let text = || std::fs::read_to_string(&desk.locations.global).unwrap();
    // Only what stands there, as it was shown.
    for other in [edit(6, "a", None), edit(7, "b", None)] {
        assert_eq!(desk.premises.edit(other), Err(RuleEditError::Moved));
    }
    assert_eq!(text(), WRITTEN);
    desk.premises.edit(edit(7, "a", Some((Effect::Allow, rule("c"))))).unwrap();
    assert_eq!(text(), WRITTEN.replace("\"a\"", "\"c\""));
    assert_eq!((desk.decide("a"), desk.decide("c")), (Confirm, Allow));
    desk.premises.edit(edit(7, "c", None)).unwrap();
    assert_eq!(desk.decide("c"), Confirm);
    for comment in ["// Ours, by hand.", "/* first, we like it so */"] {
        assert!(text().contains(comment), "{}", text());
    }
    // A result that does not load is not written.
    let before = text();
    let bad = RuleEdit { effect: Effect::Deny, ..edit(5, "z", Some((Effect::Deny, Rule::default()))) };
    assert!(matches!(desk.premises.edit(bad), Err(RuleEditError::Failed(_))));
    assert_eq!(text(), before);
    // Without a file there is nothing to change.
    std::fs::remove_file(&desk.locations.global).unwrap();
    assert_eq!(desk.premises.edit(edit(7, "a", None)), Err(RuleEditError::Moved));
    assert!(!desk.locations.global.exists());
}

fn rule(tool: &str) -> Rule {
    Rule { tool: Some(tool.into()), ..Rule::default() }
}

/// How many rules each process remembers.
const EACH: usize = 12;

#[test]
#[expect(clippy::disallowed_methods, reason = "the test needs two processes")]
fn two_processes_remembering_at_once_lose_nothing() {
    let fixture = RulebookFixture::new();
    let child = || {
        Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "host_ports::remembered_rules::one_of_two_processes", "--ignored"])
            .current_dir(fixture.base())
            .stdout(Stdio::null())
            .spawn()
            .unwrap()
    };
    let children = [child(), child()];
    let mut expected: Vec<String> = Vec::new();
    for mut child in children {
        expected.extend((0..EACH).map(|number| format!("p{}_{number}", child.id())));
        assert!(child.wait().unwrap().success());
    }
    for (kind, path) in
        [(LayerKind::Project, fixture.config()), (LayerKind::Global, fixture.locations.global.clone())]
    {
        let text = std::fs::read_to_string(&path).unwrap();
        let layer = Layer::parse(kind, "config.json", &text).unwrap();
        let mut kept: Vec<String> = layer.rules.into_iter().filter_map(|stated| stated.rule.tool).collect();
        kept.sort();
        expected.sort();
        assert_eq!(kept, expected, "{}", path.display());
    }
    // What both wrote is trusted.
    assert_eq!(fixture.decide(&expected[0]), Allow);
}

/// Remembers rules on the machine in the current directory.
#[test]
#[ignore = "started by the test above, in its own directory"]
fn one_of_two_processes() {
    let fixture = RulebookFixture::at(&std::env::current_dir().unwrap());
    fixture.premises.register(&fixture.root()).unwrap();
    for number in 0..EACH {
        let tool = format!("p{}_{number}", std::process::id());
        for scope in [RuleScope::Project, RuleScope::Global] {
            assert_eq!(fixture.remember(scope, Effect::Allow, &[&tool]).unwrap().scope, scope);
        }
        assert_eq!(fixture.decide(&tool), Allow);
    }
}
