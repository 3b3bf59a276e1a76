use snapbox::{assert_data_eq, str};

use crate::test_home::TestHome;

const COMMENTED: &str = r#"{
  "version": 1,
  // mine
  "permissions": {
    "allow": [
      { "tool": "write", "path": "src/**" }, // code
      { "tool": "get" }
    ]
  }
}
"#;

#[test]
fn add_edit_and_rm_keep_comments_and_order() {
    let place = TestHome::new();
    TestHome::write(&place.global(), COMMENTED);
    let output = place.run(&["rules", "add", "deny", "--global", "--tool", "drop", "--note", "no"]);
    assert_eq!(output.code, 0, "{}", output.err);
    assert_data_eq!(
        output.out,
        str![[r#"
~/.config/sekisho/config.json
      "allow": [
        { "tool": "write", "path": "src/**" }, // code
        { "tool": "get" }
+     ],
+     "deny": [
+       { "tool": "drop", "note": "no" }
      ]
    }
  }

"#]]
    );
    assert_eq!(place.run(&["rules", "edit", "global:7", "--tool", "fetch", "--priority", "-1"]).code, 0);
    assert_eq!(place.run(&["rules", "rm", "global:6"]).code, 0);
    let text = std::fs::read_to_string(place.global()).unwrap();
    assert!(text.contains("// mine") && text.contains("{ \"tool\": \"fetch\", \"priority\": -1 }"), "{text}");
    assert!(!text.contains("write"), "{text}");
    for gone in ["global:99", "project:1", "0190a5d0-0000-7000-8000-000000000000"] {
        let output = place.run(&["rules", "rm", gone]);
        assert_eq!(output.code, 1, "{gone}");
        assert!(output.err.contains("no rule at"), "{}", output.err);
    }
}

#[test]
fn every_layer_is_listed_with_its_source() {
    let place = TestHome::new();
    TestHome::write(
        &place.global(),
        r#"{ "version": 1, "builtin": "none", "permissions": { "deny": [{ "tool": "a" }] } }"#,
    );
    TestHome::write(&place.project(), r#"{ "version": 1, "permissions": { "allow": [{ "tool": "b" }] } }"#);
    let output = place.run(&["rules", "list"]);
    assert_eq!((output.code, output.err.as_str()), (0, ""));
    assert_data_eq!(
        output.out,
        str![[r#"
managed /etc/sekisho/config.json (no file)
global ~/.config/sekisho/config.json
     1  deny    { "tool": "a" }
project [PLACE]/project/.sekisho/config.json (not trusted: its allow rules do not apply; run `sekisho trust`)
     1  allow   { "tool": "b" }  (does not apply)
built-in ([..] rules; `--all` shows them)

"#]]
    );
    assert!(place.run(&["rules", "list", "--all"]).out.contains("**/.local/state/sekisho"));
    let output = place.run(&["rules", "list", "--json"]);
    let layers: serde_json::Value = serde_json::from_str(&output.out).unwrap();
    let states: Vec<_> =
        layers.as_array().unwrap().iter().map(|layer| layer["state"].as_str().unwrap()).collect();
    assert!(states.contains(&"not_trusted") && states.contains(&"absent"), "{states:?}");
}

#[test]
fn lint_reports_findings_and_fails_on_danger() {
    let place = TestHome::new();
    let good = r#"{ "version": 1, "permissions": { "allow": [{ "tool": "get" }] } }"#;
    TestHome::write(&place.global(), good);
    let output = place.run(&["rules", "lint"]);
    assert_eq!(
        (output.code, output.out.as_str()),
        (
            0,
            "no findings\nrule     allow { \"tool\": \"get\" } ~/.config/sekisho/config.json:1\ncovers   calls of `get`, with any input\n"
        )
    );
    TestHome::write(
        &place.global(),
        r#"{ "version": 1, "permissions": { "allow": [{ "tool": "bash", "command": "env" }] } }"#,
    );
    let output = place.run(&["rules", "lint"]);
    assert_eq!(output.code, 1);
    assert_data_eq!(
        output.out,
        str![[r#"
danger   `env` runs any command it is given
rule     allow { "tool": "bash", "command": "env" } ~/.config/sekisho/config.json:1
hint     allow the commands themselves instead

rule     allow { "tool": "bash", "command": "env" } ~/.config/sekisho/config.json:1
covers   commands that begin with `env`, with most options and operands, from any directory

"#]]
    );
}

#[test]
fn presets_are_shown_and_switched() {
    let place = TestHome::new();
    let check = |command: &str| place.run(&["check", "bash", command]).code;
    assert_eq!((check("cargo test"), check("git push")), (3, 3));
    let output = place.run(&["rules", "presets"]);
    assert_eq!(output.code, 0);
    for line in [
        "dev (off)",
        "local-work (off)",
        "network-read (off)",
        "strict (off)",
        "  trusts nothing: it only denies",
    ] {
        assert!(output.out.lines().any(|found| found == line), "{line}: {}", output.out);
    }
    TestHome::write(&place.global(), "{ \"version\": 1 /* mine */ }");
    assert_eq!(place.run(&["rules", "presets", "--on", "dev,strict"]).code, 0);
    assert_eq!((check("cargo test"), check("git push")), (0, 2));
    let shown = place.run(&["rules", "presets", "--json"]).out;
    let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
    let on: Vec<_> = shown
        .as_array()
        .unwrap()
        .iter()
        .map(|preset| (preset["name"].as_str(), preset["on"].as_bool()))
        .collect();
    assert_eq!(
        on,
        [
            (Some("dev"), Some(true)),
            (Some("local-work"), Some(false)),
            (Some("network-read"), Some(false)),
            (Some("strict"), Some(true))
        ]
    );
    assert_eq!(place.run(&["rules", "presets", "--off", "dev"]).code, 0);
    assert_eq!((check("cargo test"), check("git push")), (3, 2));
    assert!(std::fs::read_to_string(place.global()).unwrap().contains("/* mine */"));
    assert_eq!(place.run(&["rules", "presets", "--on", "dev", "--off", "dev"]).code, 64);
    assert_eq!(place.run(&["rules", "presets", "--on", "nothing"]).code, 64);
}

#[test]
fn examples_are_run() {
    let place = TestHome::new();
    let text = r#"{ "version": 1, "permissions": { "deny": [{ "tool_pattern": "drop_*", "examples": { "match": ["drop_all"], "not_match": ["get"] } }] } }"#;
    TestHome::write(&place.global(), text);
    let output = place.run(&["rules", "test"]);
    assert_eq!(output.code, 0);
    assert_eq!(
        output.out,
        "ok       ~/.config/sekisho/config.json: 2 examples pass; 1 of the 1 rules have examples\n"
    );
    TestHome::write(&place.global(), text.replace("\"get\"", "\"drop_x\""));
    let output = place.run(&["rules", "test"]);
    assert_eq!(output.code, 1);
    assert!(output.out.starts_with("failed ") && output.out.contains("should not match"), "{}", output.out);
}
