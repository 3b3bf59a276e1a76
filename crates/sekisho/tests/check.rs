use snapbox::{assert_data_eq, str};

use crate::place::Place;

#[test]
fn a_fresh_machine_answers_by_the_built_in_rule() {
    let said = Place::new().run(&["check", "read", "--input", r#"{"path":"a"}"#]);
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    assert_data_eq!(
        said.out,
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
fn the_word_why_the_rule_its_place_and_what_else() {
    let place = Place::new();
    Place::write(&place.global(), GLOBAL);
    Place::write(
        &place.project(),
        r#"{ "version": 1, "permissions": { "allow": [{ "tool": "get_secret" }] } }"#,
    );
    let said = place.run(&["check", "get_secret", "--server", "github", "--input", r#"{"n":1}"#]);
    assert_eq!(said.code, 3);
    assert_data_eq!(
        said.out,
        str![[r#"
confirm  github/get_secret {"n":1}
why      secrets are asked about
rule     { "tool": "get_secret", "note": "secrets are asked about" }
         global, ~/.config/sekisho/config.json:5
care     caution: a tool of an MCP server: what it does is not known here
else     allow { "tool_pattern": "get_*", "server": "github" }, matches, but is outranked
         global, ~/.config/sekisho/config.json:4
         allow { "tool": "get_secret" }, would match, but its file cannot loosen
         project, [PLACE]/project/.sekisho/config.json:1
note     [PLACE]/project/.sekisho/config.json: 1 allow rule(s) do not count: the file is not trusted; read it, then run `sekisho trust`

"#]]
    );
    for (tool, expected) in [("get_user", 0), ("drop_table", 2), ("other", 3)] {
        assert_eq!(place.run(&["check", tool, "--server", "github"]).code, expected, "{tool}");
    }
}

#[test]
fn json_has_the_verdict_and_what_was_considered() {
    let place = Place::new();
    Place::write(&place.global(), GLOBAL);
    let said = place.run(&["check", "drop_table", "--json"]);
    assert_eq!(said.code, 2);
    let answer: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(answer["decision"], "deny");
    assert_eq!(answer["rules"][0]["line"], 6);
    assert_eq!(answer["considered"][0]["outcome"], "decided");
    assert!(answer["parts"].is_array() && answer["reason"].is_string());
}

#[test]
fn input_comes_from_standard_input_too() {
    let place = Place::new();
    let assert = place.command(&["check", "read", "--input", "-"]).stdin(r#"{"path":"a"}"#).assert();
    assert_eq!(place.said(&assert).code, 0);
}

#[test]
fn colours_are_for_terminals() {
    let place = Place::new();
    assert!(!place.run(&["check", "done"]).out.contains('\u{1b}'));
    let assert = place.command(&["check", "done"]).env("CLICOLOR_FORCE", "1").assert();
    assert!(place.said(&assert).out.contains("\u{1b}[1m\u{1b}[32mallow"), "{}", place.said(&assert).out);
}

#[test]
fn what_would_steer_the_terminal_is_shown_instead() {
    let said = Place::new().run(&["check", "read", "a\u{1b}[2J\u{202e}b"]);
    assert!(said.out.contains("a\\u{1b}[2J\\u{202e}b"), "{}", said.out);
}

#[test]
fn a_shell_text_is_shown_part_by_part() {
    let place = Place::new();
    let deny = r#"{ "version": 1, "permissions": { "deny": [{ "tool": "bash", "command": "rm", "note": "use the trash can" }] } }"#;
    Place::write(&place.global(), deny);
    let said = place.run(&["check", "bash", "echo a && sudo rm -rf b"]);
    assert_eq!(said.code, 2);
    assert_data_eq!(
        said.out,
        str![[r#"
deny     bash echo a && sudo rm -rf b
              ~~~~~~    !!!!!!!!!!!!!
why      use the trash can
rule     { "tool": "bash", "command": "rm", "note": "use the trash can" }
         global, ~/.config/sekisho/config.json:1
care     danger: runs a command with another user's rights
parts    ├─ allow echo a  built-in
         └─ confirm sudo rm -rf b  no rule matches, and the default is to ask
            └─ deny rm -rf b  global, ~/.config/sekisho/config.json:1

"#]]
    );
}

#[test]
fn what_stands_in_the_way_is_named_and_another_way_is_shown() {
    let place = Place::new();
    let said = place.run(&["check", "bash", "find . -name '*.tmp' -delete"]);
    assert_eq!(said.code, 3);
    assert_data_eq!(
        said.out,
        str![[r#"
confirm  bash find . -name '*.tmp' -delete
why      `-delete`: the option -delete is not known to be harmless
care     danger: deletes every file it finds
else     allow { "tool": "bash", "command": "find" }, allows, but not this
         built-in

"#]]
    );
}

#[test]
fn a_tool_that_is_about_something_needs_it() {
    let place = Place::new();
    for (tool, what) in [("bash", "COMMAND"), ("Read", "PATH"), ("web_fetch", "URL")] {
        let said = place.run(&["check", tool]);
        assert_eq!((said.code, said.out.as_str()), (64, ""), "{}", said.err);
        assert!(said.err.contains(&format!("write `sekisho check {tool} {what}`")), "{}", said.err);
    }
    for known in
        [&["check", "grep"][..], &["check", "read", "--input", "{}"], &["check", "bash", "--server", "x"]]
    {
        assert_eq!(place.run(known).code, 3, "{known:?}");
    }
}

#[test]
fn every_danger_of_a_command_is_told() {
    let said = Place::new().run(&["check", "bash", "rm -rf build; curl https://example.com"]);
    assert!(
        said.out.contains("care     danger: deletes directories with all they contain\n         caution: reaches the network"),
        "{}",
        said.out
    );
}

#[test]
fn reading_is_one_rule_for_tools_and_for_the_shell() {
    let place = Place::new();
    for call in [&["check", "read", "/etc/hosts"][..], &["check", "bash", "cat /etc/hosts"]] {
        assert_eq!(place.run(call).code, 0, "{call:?}");
    }
    Place::write(&place.global(), r#"{ "version": 1, "reads": "workspace" }"#);
    for call in [&["check", "read", "/etc/hosts"][..], &["check", "bash", "cat /etc/hosts"]] {
        let said = place.run(call);
        assert_eq!(said.code, 3, "{call:?}");
        assert!(said.out.contains("why      `/etc/hosts` lies outside the workspace\n"), "{}", said.out);
    }
}
