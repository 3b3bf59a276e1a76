//! The read actions of the built-in tool `git_ops`, as the commands they amount to.
//!
//! Reading a repository with the tool is judged like reading it with git on the command line. The actions that
//! write are judged by the tool's name alone.

use std::borrow::Cow;

use sekisho_shell::Budget;
use serde_json::{Map, Value};

use crate::call::Call;
use crate::descriptor_actions::{Action, ActionKind};

/// The tool's name.
const NAME: &str = "git_ops";

/// What a read action of `git_ops` does. `None` for every other call, and for an input with anything that the
/// tool does not have.
pub(crate) fn read_action(call: &Call) -> Option<Action<'static>> {
    if call.tool != NAME || call.server.is_some() {
        return None;
    }
    let text = command(&call.input)?;
    let kind = ActionKind::Runs(Cow::Owned(text), Budget::DEFAULT);
    Some(Action { tool: Some("bash"), kind, problem: None, read_only: false, tightens: false })
}

fn command(input: &Value) -> Option<String> {
    let fields = input.as_object().filter(|fields| has_only(fields, &["action", "args"]))?;
    let none = Map::new();
    let args = match fields.get("args") {
        None | Some(Value::Null) => &none,
        Some(args) => args.as_object()?,
    };
    let (text, allowed): (_, &[&str]) = match fields.get("action")?.as_str()? {
        "status" => ("git status --porcelain".to_owned(), &[]),
        "diff" => ("git diff".to_owned(), &[]),
        "log" => ("git log --oneline --decorate".to_owned(), &["max_count"]),
        "show" => (show(args)?, &["ref"]),
        "branch_list" => ("git branch -a".to_owned(), &[]),
        _ => return None,
    };
    has_only(args, allowed).then_some(text)
}

/// The name may be anything that needs no quoting inside quotes. An option is refused by the tool.
fn show(args: &Map<String, Value>) -> Option<String> {
    let name = match args.get("ref") {
        None | Some(Value::Null) => "HEAD",
        Some(name) => name.as_str()?,
    };
    let is_plain = !name.contains(|c: char| c == '\'' || c.is_control()) && !name.starts_with('-');
    (is_plain && !name.is_empty()).then(|| format!("git show --stat '{name}' --"))
}

fn has_only(fields: &Map<String, Value>, names: &[&str]) -> bool {
    fields.keys().all(|name| names.contains(&name.as_str()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(input: Value, expected: Option<&str>) {
        assert_eq!(command(&input).as_deref(), expected, "{input}");
    }

    #[test]
    fn read_actions_are_commands() {
        check(json!({ "action": "status" }), Some("git status --porcelain"));
        check(json!({ "action": "status", "args": {} }), Some("git status --porcelain"));
        check(json!({ "action": "diff", "args": null }), Some("git diff"));
        check(json!({ "action": "log", "args": { "max_count": 3 } }), Some("git log --oneline --decorate"));
        check(json!({ "action": "show" }), Some("git show --stat 'HEAD' --"));
        check(
            json!({ "action": "show", "args": { "ref": "HEAD:.env" } }),
            Some("git show --stat 'HEAD:.env' --"),
        );
        check(json!({ "action": "branch_list" }), Some("git branch -a"));
    }

    #[test]
    fn everything_else_is_not() {
        for action in ["add", "commit", "branch_create", "checkout", "push", "STATUS", ""] {
            check(json!({ "action": action }), None);
        }
        check(json!({ "action": "status", "command": "ls" }), None);
        check(json!({ "action": "status", "args": { "files": ["a"] } }), None);
        check(json!({ "action": "status", "args": ["a"] }), None);
        check(json!({ "action": "show", "args": { "ref": "a' b" } }), None);
        check(json!({ "action": "show", "args": { "ref": "a\nb" } }), None);
        check(json!({ "action": "show", "args": { "ref": "--output=x" } }), None);
        check(json!({ "action": "show", "args": { "ref": ["a"] } }), None);
        check(json!({ "action": ["status"] }), None);
        check(json!("status"), None);
    }

    #[test]
    fn tool_of_a_server_is_another_tool() {
        let call = Call::new(NAME, json!({ "action": "status" }));
        assert!(read_action(&call).is_some());
        assert!(read_action(&call.on_server("x")).is_none());
        assert!(read_action(&Call::new("git_opz", json!({ "action": "status" }))).is_none());
    }
}
