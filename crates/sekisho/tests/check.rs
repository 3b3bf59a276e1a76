use snapbox::{assert_data_eq, str};

use crate::test_home::TestHome;

#[test]
fn fresh_machine_uses_built_in_rules() {
    let output = TestHome::new().run(&["check", "read", "--input", r#"{"path":"a"}"#]);
    assert_eq!((output.code, output.err.as_str()), (0, ""));
    assert_data_eq!(
        output.out,
        str![[r#"
allow    read a
why      a built-in rule allows it
rule     { "tool": "read" }
         built-in

"#]]
    );
}

const GLOBAL: &str = r#"{
  "version": 1,
  "permissions": {
    "allow": [{ "tool_pattern": "get_*", "server": "github" }],
    "confirm": [{ "tool": "get_secret", "note": "secrets are asked about" }],
    "deny": [{ "tool": "drop_table" }]
  }
}"#;

#[test]
fn decision_reason_rule_position_and_other_rules() {
    let place = TestHome::new();
    TestHome::write(&place.global(), GLOBAL);
    TestHome::write(
        &place.project(),
        r#"{ "version": 1, "permissions": { "allow": [{ "tool": "get_secret" }] } }"#,
    );
    let output = place.run(&["check", "get_secret", "--server", "github", "--input", r#"{"n":1}"#]);
    assert_eq!(output.code, 3);
    assert_data_eq!(
        output.out,
        str![[r#"
confirm  github/get_secret {"n":1}
why      secrets are asked about
rule     { "tool": "get_secret", "note": "secrets are asked about" }
         global, ~/.config/sekisho/config.json:5
risk     caution: an MCP tool: it is unknown what it does
other    allow { "tool_pattern": "get_*", "server": "github" }, matches, but is outranked
         global, ~/.config/sekisho/config.json:4
         allow { "tool": "get_secret" }, would match, but its file may not allow calls
         project, [PLACE]/project/.sekisho/config.json:1
note     [PLACE]/project/.sekisho/config.json: 1 allow rule(s) are ignored: the file is not trusted; review it, then run `sekisho trust`

"#]]
    );
    for (tool, expected) in [("get_user", 0), ("drop_table", 2), ("other", 3)] {
        assert_eq!(place.run(&["check", tool, "--server", "github"]).code, expected, "{tool}");
    }
}

#[test]
fn json_has_the_verdict_and_considered_rules() {
    let place = TestHome::new();
    TestHome::write(&place.global(), GLOBAL);
    let output = place.run(&["check", "drop_table", "--json"]);
    assert_eq!(output.code, 2);
    let answer: serde_json::Value = serde_json::from_str(&output.out).unwrap();
    assert_eq!(answer["decision"], "deny");
    assert_eq!(answer["rules"][0]["line"], 6);
    assert_eq!(answer["considered"][0]["outcome"], "decided");
    assert!(answer["parts"].is_array() && answer["reason"].is_string());
}

#[test]
fn input_comes_from_standard_input_too() {
    let place = TestHome::new();
    let assert = place.command(&["check", "read", "--input", "-"]).stdin(r#"{"path":"a"}"#).assert();
    assert_eq!(place.output(&assert).code, 0);
}

#[test]
fn colours_are_for_terminals() {
    let place = TestHome::new();
    assert!(!place.run(&["check", "done"]).out.contains('\u{1b}'));
    let assert = place.command(&["check", "done"]).env("CLICOLOR_FORCE", "1").assert();
    assert!(place.output(&assert).out.contains("\u{1b}[1m\u{1b}[32mallow"), "{}", place.output(&assert).out);
}

#[test]
fn terminal_sequences_are_escaped() {
    let output = TestHome::new().run(&["check", "read", "a\u{1b}[2J\u{202e}b"]);
    assert!(output.out.contains("a\\u{1b}[2J\\u{202e}b"), "{}", output.out);
}

#[test]
fn shell_text_is_shown_part_by_part() {
    let place = TestHome::new();
    let deny = r#"{ "version": 1, "permissions": { "deny": [{ "tool": "bash", "command": "rm", "note": "use the trash can" }] } }"#;
    TestHome::write(&place.global(), deny);
    let output = place.run(&["check", "bash", "echo a && sudo rm -rf b"]);
    assert_eq!(output.code, 2);
    assert_data_eq!(
        output.out,
        str![[r#"
deny     bash echo a && sudo rm -rf b
              ~~~~~~    !!!!!!!!!!!!!
why      use the trash can
rule     { "tool": "bash", "command": "rm", "note": "use the trash can" }
         global, ~/.config/sekisho/config.json:1
risk     danger: runs a command with another user's permissions
         danger: deletes directories and everything in them
parts    ├─ allow echo a  built-in
         └─ confirm sudo rm -rf b  no rule matches, and the default is to ask
            └─ deny rm -rf b  global, ~/.config/sekisho/config.json:1

"#]]
    );
}

#[test]
fn obstacle_is_named_and_an_alternative_is_shown() {
    let place = TestHome::new();
    let output = place.run(&["check", "bash", "find . -name '*.tmp' -delete"]);
    assert_eq!(output.code, 3);
    assert_data_eq!(
        output.out,
        str![[r#"
confirm  bash find . -name '*.tmp' -delete
why      `-delete` deletes every file it finds
risk     danger: deletes every file it finds
other    allow { "tool": "bash", "command": "find" }, allows only part of this
         built-in

"#]]
    );
}

#[test]
fn a_tool_that_is_about_something_needs_it() {
    let place = TestHome::new();
    for (tool, what) in [("bash", "COMMAND"), ("Read", "PATH"), ("web_fetch", "URL")] {
        let said = place.run(&["check", tool]);
        assert_eq!((said.code, said.out.as_str()), (64, ""), "{}", said.err);
        assert!(said.err.contains(&format!("write `sekisho check {tool} {what}`")), "{}", said.err);
    }
    for (known, code) in [
        (&["check", "grep"][..], 0),
        (&["check", "read", "--input", "{}"], 3),
        (&["check", "bash", "--server", "x"], 3),
    ] {
        assert_eq!(place.run(known).code, code, "{known:?}");
    }
}

#[test]
fn every_danger_of_a_command_is_told() {
    let said = TestHome::new().run(&["check", "bash", "rm -rf build; curl https://example.com"]);
    assert!(
        said.out.contains(
            "risk     danger: deletes directories and everything in them\n         caution: uses the network"
        ),
        "{}",
        said.out
    );
}

#[test]
fn reading_is_one_rule_for_tools_and_for_the_shell() {
    let place = TestHome::new();
    for call in [&["check", "read", "/etc/hosts"][..], &["check", "bash", "cat /etc/hosts"]] {
        assert_eq!(place.run(call).code, 0, "{call:?}");
    }
    TestHome::write(&place.global(), r#"{ "version": 1, "reads": "workspace" }"#);
    for call in [&["check", "read", "/etc/hosts"][..], &["check", "bash", "cat /etc/hosts"]] {
        let said = place.run(call);
        assert_eq!(said.code, 3, "{call:?}");
        assert!(said.out.contains("why      `/etc/hosts` is outside the workspace\n"), "{}", said.out);
    }
}
