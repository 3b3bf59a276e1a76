use snapbox::{assert_data_eq, str};

use crate::test_home::TestHome;

const SETTINGS: &str = r#"{
  "permissions": {
    "allow": ["Bash(npm run test:*)", "Bash", "Task"],
    "deny": ["Bash(rm:*)"]
  }
}"#;

fn with_settings() -> TestHome {
    let place = TestHome::new();
    TestHome::write(&place.home().join(".claude/settings.json"), SETTINGS);
    place
}

#[test]
fn dry_run_reports_each_entry() {
    let place = with_settings();
    let output = place.run(&["rules", "import", "claude-code", "--dry-run"]);
    assert_eq!((output.code, output.err.as_str()), (0, ""));
    assert_data_eq!(
        output.out,
        str![[r#"
exact        allow Bash(npm run test:*)  ~/.claude/settings.json:3
             → allow { "tool": "bash", "command": "npm run test" }
narrower     allow Bash  ~/.claude/settings.json:3
             → allow { "tool": "bash" }
             it covers simple commands; redirects to files, computed text and protected paths still need confirmation
not carried  allow Task  ~/.claude/settings.json:3
             starting a sub-agent is allowed by the built-in list; each of its calls is judged
exact        deny Bash(rm:*)  ~/.claude/settings.json:4
             → deny { "tool": "bash", "command": "rm" }
4 entries: 2 exact, 1 narrower, 1 not carried

~/.config/sekisho/config.json
+ {
+   "version": 1,
+   "permissions": {
+     "allow": [
+       { "tool": "bash", "command": "npm run test", "note": "Claude Code, ~/.claude/settings.json: allow Bash(npm run test:*)" },
+       { "tool": "bash", "note": "Claude Code, ~/.claude/settings.json: allow Bash" }
+     ],
+     "deny": [
+       { "tool": "bash", "command": "rm", "note": "Claude Code, ~/.claude/settings.json: deny Bash(rm:*)" }
+     ]
+   }
+ }

"#]]
    );
    assert!(!place.global().exists());
}

#[test]
fn import_needs_yes_without_a_terminal_and_is_idempotent() {
    let place = with_settings();
    TestHome::write(
        &place.global(),
        "{\n  \"version\": 1,\n  // mine\n  \"permissions\": { \"deny\": [{ \"tool\": \"bash\", \"command\": \"rm\" }] }\n}\n",
    );
    let output = place.run_without_terminal(&["rules", "import", "claude-code"]);
    assert!(output.code == 1 && output.err.contains("--yes"), "{} {}", output.code, output.err);
    assert_eq!(place.run(&["rules", "import", "claude-code", "--yes"]).code, 0);
    let once = std::fs::read_to_string(place.global()).unwrap();
    assert!(once.contains("// mine") && once.contains("npm run test"), "{once}");
    assert_eq!(once.matches("\"command\": \"rm\"").count(), 1, "{once}");
    let output = place.run(&["rules", "import", "claude-code", "--yes"]);
    assert!(output.code == 0 && output.out.contains("already has all of these rules"), "{}", output.out);
    assert_eq!(std::fs::read_to_string(place.global()).unwrap(), once);
    assert_eq!(place.run(&["check", "bash", "npm run test -- x"]).code, 0);
    assert_eq!(place.run(&["check", "bash", "npm run test; rm x"]).code, 2);
}

#[test]
fn project_rules_go_to_the_project_and_trust_is_kept() {
    let place = with_settings();
    let root = place.project().ancestors().nth(2).unwrap().to_path_buf();
    TestHome::write(
        &root.join(".claude/settings.json"),
        r#"{ "permissions": { "allow": ["Bash(make lint)"] } }"#,
    );
    let output = place.run(&["rules", "import", "claude-code", "--yes"]);
    assert_eq!(output.code, 0, "{}", output.err);
    assert!(std::fs::read_to_string(place.project()).unwrap().contains("make lint"));
    assert!(!std::fs::read_to_string(place.global()).unwrap().contains("make lint"));
    // Rules that somebody else added are not trusted along with it.
    TestHome::write(
        &place.project(),
        r#"{ "version": 1, "permissions": { "allow": [{ "tool": "planted" }] } }"#,
    );
    let output = place.run(&["rules", "import", "claude-code", "--project", "--yes"]);
    assert!(output.code == 1 && output.err.contains("trust"), "{} {}", output.code, output.err);
}

#[test]
fn report_as_json() {
    let place = TestHome::new();
    let file = place.home().join("my.rules");
    TestHome::write(
        &file,
        "prefix_rule(pattern = [\"git\", \"push\"], decision = \"forbidden\")\nexec(\"x\")\n",
    );
    let path = file.to_str().unwrap().to_owned();
    let output = place.run(&["rules", "import", "codex", &path, "--global", "--yes", "--json"]);
    let report: serde_json::Value = serde_json::from_str(&output.out).unwrap();
    assert_eq!(report["entries"][0]["how"], "exact");
    assert_eq!(report["entries"][0]["rules"][0]["effect"], "deny");
    assert_eq!(
        (report["entries"][1]["how"].as_str(), report["entries"][1]["line"].as_u64()),
        (Some("not carried"), Some(2))
    );
    assert_eq!((report["written"].as_bool(), report["files"][0]["added"].as_u64()), (Some(true), Some(1)));
    assert_eq!(place.run(&["check", "bash", "git push"]).code, 2);
}

#[test]
fn unreadable_import_changes_nothing() {
    let place = TestHome::new();
    let output = place.run(&["rules", "import", "opencode"]);
    assert!(output.code == 1 && output.err.contains("opencode.json"), "{}", output.err);
    let output = place.run(&["rules", "import", "cursor"]);
    assert!(output.code == 64 && output.err.contains("claude-code, codex, gemini-cli"), "{}", output.err);
    let file = place.home().join("bad.toml");
    TestHome::write(&file, "[[rule]]\ndecision = \"maybe\"\npriority = 1\n");
    let path = file.to_str().unwrap().to_owned();
    let output = place.run(&["rules", "import", "gemini-cli", &path, "--yes"]);
    assert!(
        output.code == 1 && output.err.contains("bad.toml:1") && output.err.contains("nothing"),
        "{}",
        output.err
    );
    assert!(!place.project().exists());
}

#[test]
fn export_to_claude_code_reports_lost_rules() {
    let place = TestHome::new();
    TestHome::write(
        &place.global(),
        r#"{ "version": 1, "permissions": {
            "allow": [{ "tool": "bash", "command": "cargo test" }, { "tool": "bash" }],
            "deny": [{ "tool": "bash", "command": "rm" }] } }"#,
    );
    let output = place.run(&["rules", "export", "claude-code"]);
    assert_eq!(output.code, 0, "{}", output.err);
    let out: serde_json::Value = serde_json::from_str(&output.out).unwrap();
    assert_eq!(out["permissions"]["allow"], serde_json::json!(["Bash(cargo test:*)"]));
    assert_eq!(out["permissions"]["deny"], serde_json::json!(["Bash(rm:*)"]));
    assert!(output.err.contains("not carried  allow { \"tool\": \"bash\" }"), "{}", output.err);
    TestHome::write(
        &place.global(),
        r#"{ "version": 1, "permissions": { "deny": [{ "tool": "bash", "command_glob": "curl*|*sh" }] } }"#,
    );
    let output = place.run(&["rules", "export", "claude-code"]);
    assert!(
        output.code == 1 && output.err.contains("1 of the rules that deny or ask here cover less"),
        "{}",
        output.err
    );
    let file = place.home().join("out.json");
    let path = file.to_str().unwrap().to_owned();
    assert_eq!(
        place.run(&["rules", "export", "claude-code", "--layer", "project", "--output", &path]).code,
        0
    );
    assert!(std::fs::read_to_string(&file).unwrap().contains("\"permissions\""));
    assert_eq!(
        place.run(&["rules", "export", "claude-code", "--output", &path]).code,
        1,
        "the file already exists"
    );
}
