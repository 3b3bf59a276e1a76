use serde_json::{Value, json};

use super::{AskedCall, JudgedCall, asked_call};
use crate::commands::acp::shell_directories::{ShellCommand, ShellDirectories};

fn asked(call: &Value) -> AskedCall {
    asked_call(call.as_object().unwrap(), "/p", &ShellDirectories::default()).unwrap()
}

fn judged(call: Value) -> JudgedCall {
    asked(&call).meanings.swap_remove(0)
}

/// The tools as which a call is judged.
fn tools_of(call: Value) -> Vec<String> {
    asked(&call).meanings.into_iter().map(|meaning| meaning.tool).collect()
}

/// A call of a known tool.
#[track_caller]
fn check_known(call: Value, tool: &str, input: Value) {
    let judged = judged(call);
    assert_eq!((judged.tool.as_str(), Value::Object(judged.input)), (tool, input));
    assert_eq!(judged.descriptor, None);
}

/// A call of a tool that policy does not know, and what is claimed about it.
#[track_caller]
fn check_unknown(call: Value, tool: &str, claims: Value) {
    let judged = judged(call.clone());
    assert_eq!(judged.tool, tool, "{call}");
    assert_eq!(serde_json::to_value(judged.descriptor).unwrap(), claims, "{call}");
}

#[test]
fn known_shapes_become_known_tools() {
    let raw = json!({ "command": "ls", "description": "list", "timeout": 3, "cwd": "sub" });
    check_known(json!({ "kind": "execute", "title": "`rm`", "rawInput": raw }), "bash", raw);
    let raw = json!({ "file_path": "/p/a", "limit": 3 });
    check_known(json!({ "kind": "read", "rawInput": raw, "locations": [{ "path": "a" }] }), "read", raw);
    let raw = json!({ "path": "/p/a", "old_string": "1", "new_string": "2" });
    let diff = json!([{ "type": "diff", "path": "/p/a", "oldText": "1", "newText": "2" }]);
    check_known(json!({ "kind": "edit", "rawInput": raw, "content": diff }), "edit", raw.clone());
    check_known(json!({ "kind": "edit", "content": diff }), "edit", raw);
    let said = json!({ "type": "content", "content": { "type": "text", "text": "why" } });
    let new = json!([{ "type": "diff", "path": "/p/b", "newText": "2" }, said]);
    let input = json!({ "path": "/p/b", "old_string": null, "new_string": "2" });
    check_known(json!({ "kind": "edit", "rawInput": null, "content": new }), "edit", input);
    let raw = json!({ "command": "npm test > sub/log", "description": "test" });
    let place = json!([{ "path": "/p/sub/log" }]);
    check_known(
        json!({ "kind": "execute", "name": "Bash", "rawInput": raw, "locations": place }),
        "bash",
        raw,
    );
    let raw = json!({ "file_path": "/p/a", "content": "2" });
    let shown = json!([{ "type": "diff", "path": "/p/a", "oldText": null, "newText": "2" }]);
    let call = json!({ "kind": "edit", "name": "Write", "rawInput": raw, "content": shown, "locations": [{ "path": "/p/a" }] });
    check_known(call, "write", raw);
    check_known(
        json!({ "kind": "delete", "locations": [{ "path": "a" }] }),
        "delete",
        json!({ "path": "a" }),
    );
    let raw = json!({ "url": "https://x.example", "prompt": "?" });
    check_known(json!({ "kind": "fetch", "rawInput": raw }), "web_fetch", raw);
}

#[test]
fn names_and_lists_that_say_more_make_an_unknown_tool() {
    let tool = |call: Value| judged(call).tool;
    let raw = json!({ "command": "npm test" });
    let named = |name: &str| tool(json!({ "kind": "execute", "name": name, "rawInput": raw }));
    assert_eq!(named("drop_db"), "drop_db");
    assert_eq!(named("Bash"), "bash");
    assert_eq!(named("read"), "acp_execute");
    let place = json!([{ "path": "/secret/k" }]);
    assert_eq!(
        tool(json!({ "kind": "execute", "rawInput": raw, "locations": place })),
        "acp_execute_unchecked"
    );
    let root = json!([{ "path": "/" }]);
    assert_eq!(
        tool(json!({ "kind": "execute", "rawInput": raw, "locations": root })),
        "acp_execute_unchecked"
    );
    for content in [
        json!([{ "type": "patch", "path": "/secret/k", "newText": "x" }]),
        json!([{ "type": "Diff", "path": "/secret/k", "newText": "x" }]),
        json!([{ "type": "content", "content": { "type": "resource_link", "uri": "file:///secret/k" } }]),
        json!(["/secret/k"]),
    ] {
        let raw = json!({ "path": "/p/a", "content": "b" });
        assert_eq!(tool(json!({ "kind": "edit", "content": content })), "acp_edit_unchecked");
        assert_eq!(
            tool(json!({ "kind": "edit", "rawInput": raw, "content": content })),
            "acp_edit_unchecked"
        );
    }
    let places = json!([{ "path": "/p/a", "uri": "file:///secret/k" }]);
    assert_eq!(tool(json!({ "kind": "edit", "locations": places })), "acp_edit_unchecked");
    assert_eq!(tool(json!({ "kind": "execute", "rawInput": { "git push": 1 } })), "acp_execute_unchecked");
}

#[test]
fn unknown_fields_make_an_unknown_tool() {
    let commands = json!({ "kind": "composite", "commands": ["/rawInput/command"] });
    let raw = json!({ "command": "ls", "host": "production" });
    check_unknown(json!({ "kind": "execute", "rawInput": raw }), "acp_execute_unchecked", commands);
    let raw = json!({ "command": "ls", "cmd": "rm" });
    let both = json!({ "kind": "composite", "commands": ["/rawInput/command", "/rawInput/cmd"] });
    check_unknown(json!({ "kind": "execute", "rawInput": raw }), "acp_execute", both);
    check_unknown(json!({ "kind": "execute", "rawInput": "ls" }), "acp_execute_unchecked", Value::Null);
    // Beside the input, too.
    let raw = json!({ "command": "ls" });
    let others = json!({ "input": { "command": "rm" } });
    let call = json!({ "kind": "execute", "rawInput": raw, "otherFields": others });
    assert_eq!(judged(call.clone()).input["otherFields"], others);
    let commands = json!({ "kind": "composite", "commands": ["/rawInput/command"] });
    check_unknown(call, "acp_execute_unchecked", commands);
    let raw = json!({ "url": "https://x.example", "body": "secret" });
    let claims = json!({ "kind": "composite", "addresses": ["/rawInput/url"] });
    check_unknown(json!({ "kind": "fetch", "rawInput": raw }), "acp_fetch_unchecked", claims);
    let raw = json!({ "path": "a", "edits": [] });
    let claims = json!({ "kind": "composite", "reads": ["/rawInput/path"], "writes": ["/rawInput/path"] });
    check_unknown(json!({ "kind": "edit", "rawInput": raw }), "acp_edit", claims);
}

#[test]
fn files_that_differ_make_an_unknown_tool() {
    let call = json!({ "kind": "read", "rawInput": { "path": "/p/a" }, "locations": [{ "path": "/p/b" }] });
    let claims = json!({ "kind": "composite", "reads": ["/locations/0/path", "/rawInput/path"] });
    check_unknown(call, "acp_read", claims);
    let diff = |path: &str| json!({ "type": "diff", "path": path, "newText": "" });
    let places = json!(["/content/0/path", "/content/1/path"]);
    let claims = json!({ "kind": "composite", "reads": places, "writes": places });
    check_unknown(json!({ "kind": "edit", "content": [diff("a"), diff("b")] }), "acp_edit", claims.clone());
    // Twice the same file: what is written is not one text.
    check_unknown(json!({ "kind": "edit", "content": [diff("a"), diff("a")] }), "acp_edit", claims);
    let places = json!(["/locations/0/path"]);
    let claims = json!({ "kind": "composite", "reads": places, "writes": places });
    // What would be written is not told.
    check_unknown(json!({ "kind": "edit", "locations": [{ "path": "a" }] }), "acp_edit", claims.clone());
    check_unknown(
        json!({ "kind": "move", "locations": [{ "path": "a" }] }),
        "acp_move_unchecked",
        claims.clone(),
    );
    check_unknown(json!({ "kind": "delete", "locations": [{ "line": 1 }] }), "acp_delete_unchecked", claims);
}

#[test]
fn names_are_used_unless_policy_knows_them() {
    check_unknown(json!({ "name": "mcp__shop__refund", "kind": "other" }), "mcp__shop__refund", Value::Null);
    // The agent's own tool of this name may do something else.
    check_unknown(json!({ "name": "TodoWrite" }), "acp_other_unchecked", Value::Null);
    check_unknown(json!({ "name": "read", "kind": "think" }), "acp_think_unchecked", Value::Null);
    check_unknown(json!({ "kind": "made_up", "name": "" }), "acp_other_unchecked", Value::Null);
    check_unknown(json!({}), "acp_other_unchecked", Value::Null);
    // A name that sekisho gives to unknown calls.
    check_unknown(json!({ "name": "ACP_edit" }), "acp_other_unchecked", Value::Null);
}

#[test]
fn text_that_deny_rules_do_not_see_has_another_name() {
    for raw in [
        json!(["git", "push"]),
        json!({ "script": "git push" }),
        json!({ "input": { "command": "git push" } }),
        json!({ "paths": ["/etc/x"] }),
    ] {
        let judged = judged(json!({ "kind": "move", "rawInput": raw }));
        assert_eq!(judged.tool, "acp_move_unchecked", "{raw}");
    }
    let call =
        json!({ "kind": "move", "rawInput": { "path": "a", "force": true }, "locations": [{ "path": "b" }] });
    assert_eq!(judged(call).tool, "acp_move");
}

#[test]
fn unclear_contents_make_an_unknown_tool() {
    let places = json!(["/locations/0/path"]);
    let claims = json!({ "kind": "composite", "reads": places });
    // The path that is read must be in the input.
    check_unknown(json!({ "kind": "read", "locations": [{ "path": "/p/a" }] }), "acp_read", claims);
    let raw = json!({ "path": "/p/a", "new_string": "kind" });
    let diff = json!([{ "type": "diff", "path": "/p/a", "newText": "other" }]);
    assert_eq!(
        judged(json!({ "kind": "edit", "rawInput": raw, "content": diff })).tool,
        "acp_edit_unchecked"
    );
    let raw = json!({ "path": "/p/a", "new_string": "a", "content": "b" });
    assert_eq!(judged(json!({ "kind": "edit", "rawInput": raw })).tool, "acp_edit_unchecked");
    let call = json!({ "kind": "execute", "rawInput": { "command": "ls" }, "locations": {} });
    assert_eq!(judged(call).tool, "acp_execute_unchecked");
}

#[test]
fn too_many_files_are_not_judged() {
    let locations: Vec<Value> = (0..20).map(|number| json!({ "path": format!("/p/{number}") })).collect();
    let call = json!({ "kind": "edit", "locations": locations });
    assert!(asked_call(call.as_object().unwrap(), "/p", &ShellDirectories::default()).is_err());
}

#[test]
fn calls_that_tell_nothing_have_another_name() {
    let said = json!([{ "type": "content", "content": { "type": "text", "text": "git push" } }]);
    for (call, tool) in [
        (
            json!({ "kind": "execute", "title": "git push", "content": [], "locations": [] }),
            "acp_execute_unchecked",
        ),
        (json!({ "kind": "execute", "rawInput": null, "content": said }), "acp_execute_unchecked"),
        (json!({ "kind": "execute", "rawInput": {} }), "acp_execute_unchecked"),
        (json!({ "kind": "execute", "rawInput": { "command": " " }, "name": "x y", "a": 1 }), "x y"),
        (json!({ "kind": "execute", "rawInput": { "cmd": " ", "command": "" } }), "acp_execute_unchecked"),
        (json!({ "kind": "execute", "locations": [{ "path": "/p" }] }), "acp_execute_unchecked"),
        (json!({ "kind": "read", "title": "Read ~/.ssh/id_rsa" }), "acp_read_unchecked"),
        (
            json!({ "kind": "edit", "title": "Write ~/.bashrc", "rawInput": { "path": "" } }),
            "acp_edit_unchecked",
        ),
        (json!({ "kind": "fetch", "locations": [{ "path": "/p" }] }), "acp_fetch_unchecked"),
        (json!({ "kind": "move", "rawInput": { "path": "a", "file_path": "a" } }), "acp_move_unchecked"),
        (json!({ "kind": "read", "locations": [{ "path": "/p/a" }] }), "acp_read"),
        (json!({ "kind": "execute", "rawInput": { "command": "ls", "cmd": "ls" } }), "acp_execute"),
    ] {
        assert_eq!(judged(call.clone()).tool, tool, "{call}");
    }
}

#[test]
fn whole_files_are_judged_as_both_tools() {
    let edit = |raw: Value| json!({ "kind": "edit", "rawInput": raw });
    let both = ["edit", "write"];
    assert_eq!(tools_of(edit(json!({ "file_path": "/p/a", "content": "b" }))), both);
    assert_eq!(tools_of(edit(json!({ "path": "/p/a", "new_string": "b" }))), both);
    assert_eq!(tools_of(edit(json!({ "path": "/p/a", "old_string": "", "new_string": "b" }))), both);
    assert_eq!(tools_of(edit(json!({ "path": "/p/a", "old_string": "a", "new_string": "b" }))), ["edit"]);
    let shown = |old: Value| json!({ "kind": "edit", "content": [{ "type": "diff", "path": "/p/a", "oldText": old, "newText": "b" }] });
    assert_eq!(tools_of(shown(Value::Null)), both);
    assert_eq!(tools_of(shown("".into())), both);
    assert_eq!(tools_of(shown("a".into())), ["edit"]);
    for (name, tool) in [("Write", "write"), ("Edit", "edit"), ("patch_all", "patch_all")] {
        let mut call = edit(json!({ "file_path": "/p/a", "content": "b" }));
        call["name"] = name.into();
        assert_eq!(tools_of(call), [tool]);
    }
}

#[test]
fn places_must_be_files_of_the_command() {
    let tool = |command: &str, place: &str| {
        let raw = json!({ "command": command });
        judged(json!({ "kind": "execute", "rawInput": raw, "locations": [{ "path": place }] })).tool
    };
    assert_eq!(tool("cat credentials", "/p/credentials"), "bash");
    assert_eq!(tool("cat credentials", "credentials"), "bash");
    assert_eq!(tool("cat './credentials'", "/p/credentials"), "bash");
    assert_eq!(tool("cd sub && npm test >log 2>&1", "/p/sub/log"), "bash");
    assert_eq!(tool("cat credentials", "/home/u/.aws/credentials"), "acp_execute_unchecked");
    assert_eq!(tool("cat xcredentials", "/p/credentials"), "acp_execute_unchecked");
}

#[test]
fn commands_are_judged_wherever_the_shell_may_be() {
    let place = tempfile::tempdir().unwrap();
    let cwd = place.path().to_str().unwrap();
    std::fs::create_dir(place.path().join("sub")).unwrap();
    let mut shell = ShellDirectories::default();
    let directories = |shell: &ShellDirectories, raw: Value| {
        let call = json!({ "kind": "execute", "rawInput": raw });
        let asked = asked_call(call.as_object().unwrap(), cwd, shell).unwrap();
        asked.meanings.into_iter().map(|meaning| (meaning.tool, meaning.cwd)).collect::<Vec<_>>()
    };
    let bash = |directory: &str| ("bash".to_owned(), directory.to_owned());
    let ls = json!({ "command": "ls" });
    assert_eq!(directories(&shell, ls.clone()), [bash(cwd)]);
    shell.extend(cwd, &shell.added_by(cwd, &ShellCommand::Text("cd sub && ls".into())));
    assert_eq!(directories(&shell, ls.clone()), [bash(cwd), bash(&format!("{cwd}/sub"))]);
    assert_eq!(directories(&shell, json!({ "command": "ls", "cwd": cwd })), [bash(cwd)]);
    shell.extend(cwd, &shell.added_by(cwd, &ShellCommand::Text("cd $x".into())));
    assert_eq!(directories(&shell, ls), [("acp_execute_unchecked".to_owned(), cwd.to_owned())]);
    assert_eq!(directories(&shell, json!({ "command": "cd /x && ls" })), [bash(cwd)]);
}

#[test]
fn command_of_a_call_is_found() {
    let command = |call: Value| asked(&call).command;
    let text = |text: &str| ShellCommand::Text(text.into());
    assert_eq!(
        command(json!({ "kind": "execute", "rawInput": { "command": ["bash", "-c", "cd x"] } })),
        text("bash -c cd x")
    );
    assert_eq!(command(json!({ "kind": "other", "rawInput": { "cmd": "cd x" } })), text("cd x"));
    assert_eq!(command(json!({ "kind": "execute", "title": "cd x" })), ShellCommand::Unknown);
    assert_eq!(command(json!({ "kind": "execute", "rawInput": { "cmd": 3 } })), ShellCommand::Unknown);
    assert_eq!(command(json!({ "kind": "read" })), ShellCommand::Nothing);
}

#[test]
fn commands_that_an_interactive_shell_changes_are_not_judged() {
    let asked = |command: &str| asked(&json!({ "kind": "execute", "rawInput": { "command": command } }));
    for command in ["echo !!", "echo '; touch x #' !#:s/o '/o / '", "^ls^rm"] {
        let asked = asked(command);
        assert_eq!(asked.meanings.first().unwrap().tool, "acp_execute_unchecked", "{command}");
        assert_eq!(asked.command, ShellCommand::Unknown, "{command}");
    }
    for command in ["[[ ! -f x ]] && ls", "! grep x y", "[ a != b ]", "kill $!"] {
        assert_eq!(asked(command).meanings.first().unwrap().tool, "bash", "{command}");
    }
}

#[test]
fn own_directory_does_not_count_where_cd_may_be_something_else() {
    let mut shell = ShellDirectories::default();
    shell.extend("/p", &shell.added_by("/p", &ShellCommand::Text("cd() { builtin cd .git; }".into())));
    let call = json!({ "kind": "execute", "rawInput": { "command": "cat config", "cwd": "/p" } });
    let asked = asked_call(call.as_object().unwrap(), "/p", &shell).unwrap();
    assert_eq!(asked.meanings.first().unwrap().tool, "acp_execute_unchecked");
}
