//! Every error in a config text: one clear line with location, message and fix.

use sekisho_policy::{Layer, LayerKind, MAX_CONFIG_BYTES, Rule, validate};

#[track_caller]
fn check(text: &str, expected: &str) {
    let error = Layer::parse(LayerKind::Global, "c.json", text).unwrap_err().to_string();
    let shown: String = text.chars().take(200).collect();
    assert_eq!(error, expected, "{shown}");
    assert!(!error.contains('\n'), "more than one line: {error}");
}

/// Checks the error in the only allow rule of a file.
#[track_caller]
fn check_rule(rule: &str, expected: &str) {
    check(&format!("{{ \"version\": 1, \"permissions\": {{ \"allow\": [\n{rule}\n] }} }}"), expected);
}

#[test]
fn text_that_is_not_a_config() {
    check("", "c.json:1:1: the file is empty; write at least `{ \"version\": 1 }`");
    check("[]", "c.json:1:1: expected an object, found a list");
    check("{ \"version\": 1", "c.json:1:1: unterminated object");
    check("{ \"version\": 1 } x", "c.json:1:18: text cannot contain more than one JSON value");
    check("{ 'version': 1 }", "c.json:1:3: single-quoted strings are not allowed");
    check("{ version: 1 }", "c.json:1:3: expected string for object property");
    check("{ \"version\": 0x1 }", "c.json:1:14: hexadecimal numbers are not allowed");
}

#[test]
fn versions() {
    check("{}", "c.json:1:1: `version` is missing");
    check("{ \"version\": 2 }", "c.json:1:3: version: version 2 is not known; this sekisho reads version 1");
    check(
        "{\n  \"version\": \"1\"\n}",
        "c.json:2:14: version: expected a whole number from 0 to 4294967295, found the string `1`",
    );
    check(
        "{ \"version\": -1 }",
        "c.json:1:14: version: the number -1 is not a whole number from 0 to 4294967295",
    );
    check(
        "{ \"version\": 1.5 }",
        "c.json:1:14: version: expected a whole number from 0 to 4294967295, found the number 1.5",
    );
}

#[test]
fn unknown_names_with_the_nearest_one() {
    check(
        "{ \"version\": 1, \"permission\": {} }",
        "c.json:1:17: permission: unknown field `permission`; did you mean `permissions`?",
    );
    check(
        "{ \"version\": 1, \"permissions\": { \"alow\": [] } }",
        "c.json:1:34: permissions.alow: unknown field `alow`; did you mean `allow`?",
    );
    check(
        "{ \"version\": 1, \"builtin\": \"seeds\" }",
        "c.json:1:28: builtin: unknown value `seeds`; did you mean `seed`?",
    );
    check(
        "{ \"version\": 1, \"builtin\": \"everything\" }",
        "c.json:1:28: builtin: unknown value `everything`; expected one of full, seed, none",
    );
    check_rule(
        r#"{ "tol": "read" }"#,
        "c.json:2:3: permissions.allow[0].tol: unknown field `tol`; did you mean `tool`?",
    );
    check_rule(
        r#"{ "tool": "bash", "comand": "rg" }"#,
        "c.json:2:19: permissions.allow[0].comand: unknown field `comand`; did you mean `command`?",
    );
    check_rule(
        r#"{ "tool": "bash", "toolPattern": "x" }"#,
        "c.json:2:19: permissions.allow[0].toolPattern: unknown field `toolPattern`; did you mean `tool_pattern`?",
    );
    check_rule(
        r#"{ "tool": "bash", "zebra": "x" }"#,
        "c.json:2:19: permissions.allow[0].zebra: unknown field `zebra`; expected one of id, priority, server, tool, tool_pattern, agent, command, command_glob, skill_name, path, host, input, timeout_s, on_timeout, expires_at, note, examples, unrestricted",
    );
    check_rule(
        r#"{ "tool": "bash", "examples": { "matches": [] } }"#,
        "c.json:2:33: permissions.allow[0].examples.matches: unknown field `matches`; did you mean `match`?",
    );
}

#[test]
fn wrong_types() {
    check(
        "{ \"version\": 1, \"permissions\": [] }",
        "c.json:1:32: permissions: expected an object, found a list",
    );
    check(
        "{ \"version\": 1, \"permissions\": { \"allow\": {} } }",
        "c.json:1:43: permissions.allow: expected a list, found an object",
    );
    check(
        "{ \"version\": 1, \"permissions\": { \"allow\": [\"read\"] } }",
        "c.json:1:44: permissions.allow[0]: expected an object, found the string `read`",
    );
    check(
        "{ \"version\": 1, \"strict_redirects\": \"yes\" }",
        "c.json:1:37: strict_redirects: expected `true` or `false`, found the string `yes`",
    );
    check_rule(
        r#"{ "tool": 3 }"#,
        "c.json:2:11: permissions.allow[0].tool: expected a string, found the number 3",
    );
    check_rule(
        r#"{ "tool": ["read"] }"#,
        "c.json:2:11: permissions.allow[0].tool: expected a string, found a list",
    );
    check_rule(
        r#"{ "tool": "read", "priority": "high" }"#,
        "c.json:2:31: permissions.allow[0].priority: expected a whole number from -2147483648 to 2147483647, found the string `high`",
    );
    check_rule(
        r#"{ "tool": "read", "priority": 1.5 }"#,
        "c.json:2:31: permissions.allow[0].priority: expected a whole number from -2147483648 to 2147483647, found the number 1.5",
    );
    check_rule(
        r#"{ "tool": "read", "priority": 2147483648 }"#,
        "c.json:2:31: permissions.allow[0].priority: the number 2147483648 is not a whole number from -2147483648 to 2147483647",
    );
    check_rule(
        r#"{ "tool": "read", "expires_at": "tomorrow" }"#,
        "c.json:2:33: permissions.allow[0].expires_at: failed to parse four digit integer as year: invalid digit, expected 0-9 but got t",
    );
    check_rule(
        r#"{ "tool": "read", "id": "7" }"#,
        "c.json:2:25: permissions.allow[0].id: UUID parsing failed: invalid length: found 1",
    );
}

#[test]
fn apparent_restrictions_without_effect_are_refused() {
    check_rule(
        r#"{ "tool": "read", "server": null }"#,
        "c.json:2:29: permissions.allow[0].server: expected a string, found null",
    );
    check_rule(
        r#"{ "tool": "read", "tool": "write" }"#,
        "c.json:2:19: permissions.allow[0].tool: the field occurs twice; keep only one",
    );
    check(
        "{ \"version\": 1, \"version\": 1 }",
        "c.json:1:17: version: the field occurs twice; keep only one",
    );
    check_rule(
        r#"{ "tool": "" }"#,
        "c.json:2:1: permissions.allow[0].tool: the field is empty; leave it out to match anything",
    );
    check_rule(
        r#"{ "tool_pattern": " " }"#,
        "c.json:2:1: permissions.allow[0].tool_pattern: the field is empty; leave it out to match anything",
    );
    check_rule(
        r#"{ "tool": "read", "path": "" }"#,
        "c.json:2:1: permissions.allow[0].path: the field is empty; leave it out to match anything",
    );
    check_rule(
        r#"{ "priority": 3 }"#,
        "c.json:2:1: permissions.allow[0]: the rule has no condition; add a `tool`, a `tool_pattern` or a `server`; to match every call write \"tool_pattern\": \"*\"",
    );
    check_rule(
        r#"{ "agent": "me" }"#,
        "c.json:2:1: permissions.allow[0]: the rule has no condition; add a `tool`, a `tool_pattern` or a `server`; to match every call write \"tool_pattern\": \"*\"",
    );
}

#[test]
fn ids() {
    let id = "018f0000-0000-7000-8000-000000000000";
    check(
        &format!(
            "{{ \"version\": 1, \"permissions\": {{\n\"allow\": [{{ \"tool\": \"a\", \"id\": \"{id}\" }}],\n\"deny\": [{{ \"tool\": \"b\", \"id\": \"{id}\" }}] }} }}"
        ),
        "c.json:3:10: permissions.deny[0].id: the rule at line 2 has the same id; give one of them another id, or none",
    );
}

#[test]
fn fields_that_do_not_fit_the_tool() {
    check_rule(
        r#"{ "tool": "read", "command": "rg" }"#,
        "c.json:2:1: permissions.allow[0].command: `read` has no `command`; it needs a shell tool such as `bash`",
    );
    check_rule(
        r#"{ "tool": "read", "command_glob": "rg*" }"#,
        "c.json:2:1: permissions.allow[0].command_glob: `read` has no `command_glob`; it needs a shell tool such as `bash`",
    );
    check_rule(
        r#"{ "tool_pattern": "read*", "command": "rg" }"#,
        "c.json:2:1: permissions.allow[0].command: `read*` matches no tool that has `command`; it needs a shell tool such as `bash`",
    );
    check_rule(
        r#"{ "tool": "read", "tool_pattern": "w*", "command": "rg" }"#,
        "c.json:2:1: permissions.allow[0].command: neither the tool nor the pattern has `command`; it needs a shell tool such as `bash`",
    );
    check_rule(
        r#"{ "server": "s", "command": "rg" }"#,
        "c.json:2:1: permissions.allow[0].command: no tool is named; it needs a shell tool such as `bash`",
    );
    check_rule(
        r#"{ "tool": "bash", "path": "/etc" }"#,
        "c.json:2:1: permissions.allow[0].path: `bash` has no `path`; it needs a file tool such as `read` or `write`",
    );
    check_rule(
        r#"{ "tool": "bash", "host": "example.com" }"#,
        "c.json:2:1: permissions.allow[0].host: `bash` has no `host`; it needs a web tool such as `web_fetch`",
    );
    check_rule(
        r#"{ "tool": "web_search", "host": "example.com" }"#,
        "c.json:2:1: permissions.allow[0].host: `web_search` has no `host`; it needs a web tool such as `web_fetch`",
    );
    check_rule(
        r#"{ "tool": "read", "skill_name": "x" }"#,
        "c.json:2:1: permissions.allow[0].skill_name: `read` has no `skill_name`; it needs `skill_load`",
    );
}

#[test]
fn invalid_commands_paths_and_hosts() {
    check_rule(
        r#"{ "tool": "bash", "command": "rg *" }"#,
        "c.json:2:1: permissions.allow[0].command: `*` is not a plain word; use `command_glob` for wildcards",
    );
    check_rule(
        r#"{ "tool": "bash", "command": "a; b" }"#,
        "c.json:2:1: permissions.allow[0].command: `;` is not a plain word; write plain words, such as `git push`",
    );
    check_rule(
        r#"{ "tool": "bash", "command": "a\nb" }"#,
        "c.json:2:1: permissions.allow[0].command: `\\n` is not a plain word; write plain words, such as `git push`",
    );
    check_rule(
        r#"{ "tool": "read", "path": "!a" }"#,
        "c.json:2:1: permissions.allow[0].path: `!a` is negated; write a rule of the opposite effect instead",
    );
    check_rule(
        r#"{ "tool": "read", "path": "a/../b" }"#,
        "c.json:2:1: permissions.allow[0].path: `a/../b` has an empty, `.` or `..` segment; write the path without it",
    );
    check_rule(
        r#"{ "tool": "read", "path": "./a" }"#,
        "c.json:2:1: permissions.allow[0].path: `./a` has an empty, `.` or `..` segment; write the path without it",
    );
    check_rule(
        r#"{ "tool": "read", "path": "[a" }"#,
        "c.json:2:1: permissions.allow[0].path: `[a` is not a glob: unclosed character class at byte 3; missing ']' (to match a literal '[', escape it as '\\[' or '[[]')",
    );
    check_rule(
        r#"{ "tool": "web_fetch", "host": "https://x.com" }"#,
        "c.json:2:1: permissions.allow[0].host: `https://x.com` is a URL; write the host alone, such as `example.com`",
    );
    check_rule(
        r#"{ "tool": "web_fetch", "host": "x.com:0" }"#,
        "c.json:2:1: permissions.allow[0].host: `x.com:0` has no valid port; write a number from 1 to 65535 after the colon, such as `example.com:8443`",
    );
    check_rule(
        r#"{ "tool": "web_fetch", "host": "a*.com" }"#,
        "c.json:2:1: permissions.allow[0].host: `a*.com` has a `*` in the middle; only `*.suffix` is supported",
    );
    check_rule(
        r#"{ "tool": "web_fetch", "host": "*.1.2.3.4" }"#,
        "c.json:2:1: permissions.allow[0].host: `*.1.2.3.4` puts `*.` before an address; write the address itself",
    );
    check(
        "{ \"version\": 1, \"protected_paths\": { \"add\": [\"a\", \"b//c\"] } }",
        "c.json:1:51: protected_paths.add[1]: `b//c` has an empty, `.` or `..` segment; write the path without it",
    );
}

#[test]
fn waiting_and_limits() {
    check_rule(
        r#"{ "tool": "read", "timeout_s": 5 }"#,
        "c.json:2:1: permissions.allow[0].timeout_s: allow rules do not wait; only confirm rules wait for an answer",
    );
    check_rule(
        r#"{ "tool": "read", "on_timeout": "park" }"#,
        "c.json:2:1: permissions.allow[0].on_timeout: allow rules do not wait; only confirm rules wait for an answer",
    );
    check(
        "{ \"version\": 1, \"permissions\": { \"confirm\": [{ \"tool\": \"a\", \"timeout_s\": 0 }] } }",
        "c.json:1:46: permissions.confirm[0].timeout_s: nobody can answer in 0 seconds; use a deny rule instead",
    );
    check(
        "{ \"version\": 1, \"permissions\": { \"confirm\": [{ \"tool\": \"a\", \"timeout_s\": -1 }] } }",
        "c.json:1:74: permissions.confirm[0].timeout_s: the number -1 is not a whole number from 0 to 4294967295",
    );
    check(
        "{ \"version\": 1, \"permissions\": { \"confirm\": [{ \"tool\": \"a\", \"on_timeout\": \"wait\" }] } }",
        "c.json:1:75: permissions.confirm[0].on_timeout: unknown value `wait`; expected one of deny, park",
    );
    check(
        "{ \"version\": 1, \"permissions\": { \"deny\": [{ \"tool\": \"bash\", \"unrestricted\": true }] } }",
        "c.json:1:43: permissions.deny[0].unrestricted: it is valid only on an allow of a whole shell tool; leave it out",
    );
    check_rule(
        r#"{ "tool": "read", "unrestricted": true }"#,
        "c.json:2:1: permissions.allow[0].unrestricted: it is valid only on an allow of a whole shell tool; leave it out",
    );
}

#[test]
fn rules_that_fail_their_own_examples() {
    check_rule(
        r#"{ "tool_pattern": "get_*", "examples": { "match": ["get_user", "set_user"] } }"#,
        "c.json:2:1: permissions.allow[0].examples: the rule does not match \"set_user\"; correct the rule or the example",
    );
    check_rule(
        r#"{ "tool_pattern": "get_*", "examples": { "not_match": ["get_user"] } }"#,
        "c.json:2:1: permissions.allow[0].examples: the rule should not match, but does match, \"get_user\"; correct the rule or the example",
    );
    check_rule(
        r#"{ "tool": "read", "path": "docs/**", "examples": { "match": ["docs/a", "src/a"] } }"#,
        "c.json:2:1: permissions.allow[0].examples: the rule does not match \"src/a\"; correct the rule or the example",
    );
    check_rule(
        r#"{ "tool": "web_fetch", "host": "*.x.com", "examples": { "match": ["https://x.com/"] } }"#,
        "c.json:2:1: permissions.allow[0].examples: the rule does not match \"https://x.com/\"; correct the rule or the example",
    );
    check_rule(
        r#"{ "server": "s", "examples": { "match": [{ "tool": "a", "server": "t" }] } }"#,
        "c.json:2:1: permissions.allow[0].examples: the rule does not match {\"tool\":\"a\",\"server\":\"t\"}; correct the rule or the example",
    );
}

#[test]
fn good_examples_are_accepted() {
    let rule = r#"{ "tool": "read", "path": "docs/**", "examples": { "match": ["docs/a"], "not_match": ["src/a", { "tool": "write", "input": { "path": "docs/a" } }] } }"#;
    let text = format!("{{ \"version\": 1, \"permissions\": {{ \"deny\": [{rule}] }} }}");
    Layer::parse(LayerKind::Global, "c.json", &text).unwrap();
}

#[test]
fn overlong_text_is_refused() {
    let text = " ".repeat(MAX_CONFIG_BYTES + 1);
    check(
        &text,
        "c.json: the file has 67108865 bytes, more than the 67108864 that are read; split it, or keep rules in the database",
    );
}

#[test]
fn deep_nesting_is_an_error_not_a_crash() {
    let text = format!("{{ \"version\": {}", "[".repeat(100_000));
    let error = Layer::parse(LayerKind::Global, "c.json", &text).unwrap_err();
    assert!(!error.to_string().contains('\n') && error.to_string().len() < 400, "{error}");
}

#[test]
fn only_stored_rules_may_match_everything() {
    assert!(validate::rule(sekisho_policy::Effect::Allow, &Rule::default()).is_ok());
    let error = validate::matches_something(&Rule::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the rule has no condition; add a `tool`, a `tool_pattern` or a `server`; to match every call write \"tool_pattern\": \"*\""
    );
}

#[test]
fn user_input_cannot_break_the_line() {
    check(
        "{ \"version\": 1, \"a\\nb\\u001b[31m\": 1 }",
        r"c.json:1:17: a\nb\u{1b}[31m: unknown field `a\nb\u{1b}[31m`; expected one of $schema, version, permissions, builtin, reads, presets, strict_redirects, protected_paths",
    );
    check_rule(
        r#"{ "tool": "read", "path": "a\nb" }"#,
        r"c.json:2:1: permissions.allow[0].path: `a\nb` contains a control character",
    );
}
