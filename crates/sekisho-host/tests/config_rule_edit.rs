use sekisho_host::config_rule_edit::{self, Position};
use sekisho_policy::{Effect, Layer, LayerKind, Rule};
use serde_json::json;

const TEXT: &str = r#"// Mine.
{
  "version": 1,
  "permissions": {
    /* what runs */
    "allow": [
      { "tool": "read" }, // files
      // and this
      { "tool": "bash", "command": "rg" } // search
    ],
    "deny": [{ "tool": "delete" }]
  },
}
"#;

fn rule(tool: &str) -> Rule {
    Rule { tool: Some(tool.into()), priority: 2, ..Rule::default() }
}

#[track_caller]
fn check(edited: &str, old: &str, new: &str) {
    assert!(TEXT.contains(old), "{old}");
    assert_eq!(edited, TEXT.replace(old, new));
    Layer::parse(LayerKind::Global, "config.json", edited).unwrap();
}

#[test]
fn added_rule_goes_to_the_end_and_nothing_else_moves() {
    let added = config_rule_edit::add(Some(TEXT), Effect::Allow, &rule("x")).unwrap();
    check(
        &added,
        "\"rg\" } // search\n",
        "\"rg\" }, // search\n      { \"tool\": \"x\", \"priority\": 2 }\n",
    );
    let added = config_rule_edit::add(Some(TEXT), Effect::Deny, &rule("x")).unwrap();
    check(
        &added,
        "[{ \"tool\": \"delete\" }]",
        "[{ \"tool\": \"delete\" }, { \"tool\": \"x\", \"priority\": 2 }]",
    );
    let added = config_rule_edit::add(Some(TEXT), Effect::Confirm, &rule("x")).unwrap();
    check(
        &added,
        "[{ \"tool\": \"delete\" }]\n",
        "[{ \"tool\": \"delete\" }],\n    \"confirm\": [\n      { \"tool\": \"x\", \"priority\": 2 }\n    ]\n",
    );
}

#[test]
fn new_file_has_the_usual_layout() {
    let begun = config_rule_edit::add(None, Effect::Allow, &rule("x")).unwrap();
    let expected = "{\n  \"version\": 1,\n  \"permissions\": {\n    \"allow\": [\n      { \"tool\": \"x\", \"priority\": 2 }\n    ]\n  }\n}\n";
    assert_eq!(begun, expected);
}

#[test]
fn rule_is_removed_and_nothing_else_moves() {
    let at = |effect, index| Position { effect, index };
    let removed = config_rule_edit::remove(TEXT, at(Effect::Deny, 0)).unwrap();
    check(&removed, "[{ \"tool\": \"delete\" }]", "[]");
    let removed = config_rule_edit::remove(TEXT, at(Effect::Allow, 1)).unwrap();
    let layer = Layer::parse(LayerKind::Global, "config.json", &removed).unwrap();
    assert_eq!(layer.rules.len(), 2);
    assert!(
        removed.contains("{ \"tool\": \"read\" }")
            && removed.contains("// files")
            && removed.contains("/* what runs */"),
        "{removed}"
    );
    assert!(config_rule_edit::remove(TEXT, at(Effect::Allow, 2)).is_err());
    assert!(config_rule_edit::remove(TEXT, at(Effect::Confirm, 0)).is_err());
}

#[test]
fn fields_change_in_place() {
    let layer = Layer::parse(LayerKind::Global, "config.json", TEXT).unwrap();
    let (position, stated) = config_rule_edit::rule_at_line(&layer, 9).unwrap();
    assert_eq!(stated.rule.command.as_deref(), Some("rg"));
    let fields = [("command", Some(json!("fd"))), ("note", Some(json!("a \"b\"")))];
    let edited = config_rule_edit::update(TEXT, position, &fields).unwrap();
    check(
        &edited,
        "{ \"tool\": \"bash\", \"command\": \"rg\" }",
        "{ \"tool\": \"bash\", \"command\": \"fd\", \"note\": \"a \\\"b\\\"\" }",
    );
    let spread =
        TEXT.replace("{ \"tool\": \"read\" },", "{\n        // why\n        \"tool\": \"read\"\n      },");
    let layer = Layer::parse(LayerKind::Global, "config.json", &spread).unwrap();
    let (position, _) = config_rule_edit::rule_at_line(&layer, 9).unwrap();
    let edited = config_rule_edit::update(&spread, position, &[("tool", Some(json!("grep")))]).unwrap();
    assert_eq!(edited, spread.replace("\"read\"", "\"grep\""));
}

#[test]
fn another_rule_takes_the_place_of_one() {
    let layer = Layer::parse(LayerKind::Global, "config.json", TEXT).unwrap();
    let rg = Rule { tool: Some("bash".into()), command: Some("rg".into()), ..Rule::default() };
    let position = config_rule_edit::as_shown(&layer, 9, Effect::Allow, &rg).unwrap();
    // Not at another line, in another list, or with other words.
    assert_eq!(config_rule_edit::as_shown(&layer, 7, Effect::Allow, &rg), None);
    assert_eq!(config_rule_edit::as_shown(&layer, 9, Effect::Deny, &rg), None);
    assert_eq!(config_rule_edit::as_shown(&layer, 9, Effect::Allow, &rule("bash")), None);

    let replaced = config_rule_edit::replace(TEXT, position, Effect::Allow, &rule("bash")).unwrap();
    check(
        &replaced,
        "{ \"tool\": \"bash\", \"command\": \"rg\" }",
        "{ \"tool\": \"bash\", \"priority\": 2 }",
    );
    let moved = config_rule_edit::replace(TEXT, position, Effect::Deny, &rg).unwrap();
    let layer = Layer::parse(LayerKind::Global, "config.json", &moved).unwrap();
    let told: Vec<_> =
        layer.rules.iter().map(|stated| (stated.effect, stated.rule.tool.as_deref())).collect();
    let [read, delete, bash] = ["read", "delete", "bash"].map(Some);
    assert_eq!(told.len(), 3, "{moved}");
    for said in [(Effect::Allow, read), (Effect::Deny, delete), (Effect::Deny, bash)] {
        assert!(told.contains(&said), "{moved}");
    }
    for comment in ["// Mine.", "/* what runs */", "// files"] {
        assert!(moved.contains(comment), "{moved}");
    }
}

#[test]
fn presets_are_switched_and_nothing_else_moves() {
    let on = config_rule_edit::set_preset(Some(TEXT), "dev", true).unwrap();
    let layer = Layer::parse(LayerKind::Global, "config.json", &on).unwrap();
    assert_eq!(layer.settings.presets, [sekisho_policy::Preset::Dev]);
    for line in TEXT.lines() {
        assert!(on.contains(line.trim_end_matches(',')), "{line}: {on}");
    }
    assert_eq!(config_rule_edit::set_preset(Some(&on), "dev", true).unwrap(), on);
    let both = config_rule_edit::set_preset(Some(&on), "strict", true).unwrap();
    let off = config_rule_edit::set_preset(Some(&both), "dev", false).unwrap();
    let layer = Layer::parse(LayerKind::Global, "config.json", &off).unwrap();
    assert_eq!(layer.settings.presets, [sekisho_policy::Preset::Strict]);
    assert_eq!(config_rule_edit::set_preset(Some(TEXT), "dev", false).unwrap(), TEXT);
    let new = config_rule_edit::set_preset(None, "dev", true).unwrap();
    assert!(Layer::parse(LayerKind::Global, "config.json", &new).is_ok(), "{new}");
}
