use std::process::{Command, Stdio};

use sekisho_gate::answer::Scope;
use sekisho_gate::premises::{Files, RuleEdit, RuleEditError};
use sekisho_gate::rulebook::RememberError;
use sekisho_policy::Decision::{Allow, Confirm, Deny};
use sekisho_policy::{Effect, Layer, LayerKind, Rule};

use super::desk::Desk;

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
fn comments_and_order_stay_byte_for_byte_and_a_trusted_file_stays_trusted() {
    let desk = Desk::new();
    Desk::write(&desk.config(), WRITTEN);
    desk.trust();
    assert_eq!((desk.decide("a"), desk.decide("b")), (Allow, Confirm));
    let (generation, record) = (desk.book.generation(), desk.record());
    let kept = desk.remember(Scope::Project, Effect::Allow, &["b"]).unwrap();
    assert_eq!((kept.scope, kept.moved), (Scope::Project, None));
    let after = std::fs::read_to_string(desk.config()).unwrap();
    let line = after.lines().find(|line| line.contains("\"b\"")).unwrap();
    assert_eq!(after.replacen(&format!("{line}\n"), "", 1), WRITTEN);
    assert_eq!(line.trim().trim_end_matches(','), r#"{ "tool": "b" }"#);
    // At once, and with a new hash.
    assert!(desk.book.generation() > generation);
    assert_eq!([desk.decide("a"), desk.decide("b"), desk.decide("z")], [Allow, Allow, Deny]);
    assert_ne!(desk.record(), record);
    // Doing it again, alone or with more, adds only what is new.
    desk.remember(Scope::Project, Effect::Allow, &["b"]).unwrap();
    assert_eq!(std::fs::read_to_string(desk.config()).unwrap(), after);
    desk.remember(Scope::Project, Effect::Deny, &["b", "c"]).unwrap();
    assert_eq!((desk.decide("b"), desk.decide("c")), (Deny, Deny));
    assert_eq!(std::fs::read_to_string(desk.config()).unwrap().matches("\"b\"").count(), 2);
}

#[test]
fn planted_allows_are_not_trusted_along_with_a_remembered_rule() {
    let desk = Desk::new();
    Desk::write(&desk.config(), WRITTEN);
    desk.trust();
    let planted = WRITTEN.replace("{ \"tool\": \"a\" }", "{ \"tool\": \"a\" }, { \"tool\": \"evil\" }");
    Desk::write(&desk.config(), &planted);
    let record = desk.record();
    let kept = desk.remember(Scope::Project, Effect::Allow, &["b"]).unwrap();
    let moved = kept.moved.unwrap();
    assert_eq!((kept.scope, moved.path.as_str()), (Scope::Session, desk.config().to_str().unwrap()));
    assert!(moved.diff.contains("evil"), "{}", moved.diff);
    assert_eq!(desk.record(), record);
    assert_eq!(std::fs::read_to_string(desk.config()).unwrap(), planted);
    let mine = Desk::session();
    let in_session = |tool| desk.decide_in(&desk.around(), None, Some(&mine), tool);
    assert_eq!([in_session("b"), in_session("evil"), in_session("a")], [Allow, Confirm, Confirm]);
    assert_eq!(desk.decide("b"), Confirm);
}

#[test]
fn where_there_is_no_file_one_is_made_and_trusted() {
    let desk = Desk::new();
    desk.remember(Scope::Project, Effect::Allow, &["a"]).unwrap();
    assert_eq!(desk.decide("a"), Allow);
    let text = std::fs::read_to_string(desk.config()).unwrap();
    assert!(!text.contains("\"id\"") && !text.contains("note"), "{text}");
    // Not in other projects.
    assert_eq!(desk.decide_in(&sekisho_gate::asker::Around::default(), None, None, "a"), Confirm);
    desk.remember(Scope::Global, Effect::Allow, &["b"]).unwrap();
    assert_eq!(desk.decide_in(&sekisho_gate::asker::Around::default(), None, None, "b"), Allow);
    assert!(desk.locations.global.is_file());
}

#[test]
fn a_project_file_that_is_a_link_is_not_written() {
    let desk = Desk::new();
    let elsewhere = desk.base().join("elsewhere.json");
    Desk::write(&elsewhere, WRITTEN);
    std::fs::create_dir_all(desk.root().join(".sekisho")).unwrap();
    std::os::unix::fs::symlink(&elsewhere, desk.config()).unwrap();
    let error = desk.remember(Scope::Project, Effect::Allow, &["b"]).unwrap_err();
    assert!(matches!(&error, RememberError::File(fault) if fault.contains("link")), "{error}");
    assert_eq!(std::fs::read_to_string(elsewhere).unwrap(), WRITTEN);
    assert_eq!(desk.decide("b"), Confirm);
}

#[test]
fn a_rule_of_the_users_own_file_is_edited_and_the_rest_stays_byte_for_byte() {
    let desk = Desk::new();
    Desk::write(&desk.locations.global, WRITTEN);
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
#[expect(clippy::disallowed_methods, reason = "the test is about two processes")]
fn two_processes_that_remember_at_the_same_time_lose_nothing() {
    let desk = Desk::new();
    let child = || {
        Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "premises::remembering::one_of_two_processes", "--ignored"])
            .current_dir(desk.base())
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
        [(LayerKind::Project, desk.config()), (LayerKind::Global, desk.locations.global.clone())]
    {
        let text = std::fs::read_to_string(&path).unwrap();
        let layer = Layer::parse(kind, "config.json", &text).unwrap();
        let mut kept: Vec<String> = layer.rules.into_iter().filter_map(|stated| stated.rule.tool).collect();
        kept.sort();
        expected.sort();
        assert_eq!(kept, expected, "{}", path.display());
    }
    // And what both wrote is trusted.
    assert_eq!(desk.decide(&expected[0]), Allow);
}

/// Remembers in the machine below the current directory.
#[test]
#[ignore = "started by the test above, in a machine of its own"]
fn one_of_two_processes() {
    let desk = Desk::at(&std::env::current_dir().unwrap());
    desk.premises.register(&desk.root()).unwrap();
    for number in 0..EACH {
        let tool = format!("p{}_{number}", std::process::id());
        for scope in [Scope::Project, Scope::Global] {
            assert_eq!(desk.remember(scope, Effect::Allow, &[&tool]).unwrap().scope, scope);
        }
        assert_eq!(desk.decide(&tool), Allow);
    }
}
