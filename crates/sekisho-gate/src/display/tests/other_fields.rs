//! Input fields that a form does not show.

use sekisho_policy::{Call, Danger, DangerCode, DangerLevel, IdClaim, Layers, Policy, judge};
use serde_json::{Value, json};

use super::{context, shown};
use crate::display::{CallView, Form, danger};

#[track_caller]
fn check(tool: &str, input: Value, expected: &[(&str, &str)]) -> CallView {
    let shown = shown(Call::new(tool, input), &[]);
    let found: Vec<(&str, &str)> =
        shown.besides.iter().map(|beside| (beside.name.as_str(), beside.value.as_str())).collect();
    assert_eq!(found, expected, "{tool}");
    shown
}

#[test]
fn fields_outside_the_form_are_listed() {
    check("Bash", json!({ "command": "ls", "description": "List", "timeout": 5, "stdin": null }), &[]);
    let odd =
        json!({ "command": "ls", "env": { "A": "b" }, "run_in_background": true, "timeout": "x\u{202e}" });
    let env = [("env", r#"{"A":"b"}"#), ("run_in_background", "true"), ("timeout", "x\\u{202e}")];
    let shown = check("Bash", odd, &env);
    assert!(shown.whole);
    let posts = json!({ "url": "https://a.example/", "method": "POST", "body": "two\nlines" });
    check("WebFetch", posts, &[("body", "two\nlines"), ("method", "POST")]);
    let edit =
        json!({ "file_path": "/w/a", "old_string": "a", "new_string": "b", "replace_all": true, "why": 1 });
    check("Edit", edit, &[("why", "1")]);
    check("Write", json!({ "file_path": "/w/a", "content": "b" }), &[]);
    // JSON shows all of it.
    let read = check("Read", json!({ "file_path": "/w/a", "limit": 3 }), &[]);
    assert_eq!(read.form, Form::Json);
}

#[test]
fn excess_fields_are_counted() {
    let mut input = json!({ "command": "ls" });
    for at in 0..10_000 {
        input[format!("f{at:05}")] = json!("x");
    }
    let shown = shown(Call::new("Bash", input), &[]);
    assert_eq!(shown.besides.len(), 100);
    assert!(!shown.whole);
    assert!(shown.left_out.contains(&"9900 more input fields are not listed".into()));
}

#[test]
fn input_directory_is_shown() {
    let ask = |agent: Option<&str>, input: Value| {
        let call = Call {
            agent: agent.map(|id| IdClaim { id: id.into(), proven: true }),
            ..Call::new("Bash", input)
        };
        shown(call.in_directory("/w"), &[]).directory
    };
    assert_eq!(ask(None, json!({ "command": "ls" })), None);
    assert_eq!(ask(Some("codex"), json!({ "command": "ls", "workdir": "/w" })), None);
    assert_eq!(ask(Some("codex"), json!({ "command": "ls", "workdir": "/etc" })).as_deref(), Some("/etc"));
    assert_eq!(ask(None, json!({ "command": "ls", "cwd": "below" })).as_deref(), Some("/w/below"));
    assert_eq!(ask(None, json!({ "command": "ls", "cwd": "/a", "workdir": "/b" })).as_deref(), Some(""));
    // Which of the two this agent uses is unknown.
    assert_eq!(ask(Some("claude-code"), json!({ "command": "ls", "cwd": "/a" })).as_deref(), Some(""));
}

#[test]
fn environment_that_changes_a_command_is_dangerous() {
    let input = json!({ "command": "pwd", "env": { "LD_PRELOAD": "x" }, "with_escalated_permissions": true });
    let call = Call::new("Bash", input).in_directory("/w");
    let verdict = judge(&Policy::compile(Layers::default()), &call, &context());
    assert_eq!(verdict.danger.level, DangerLevel::Danger);
    let sentences: Vec<String> = verdict.parts.iter().map(|part| part.sentence()).collect();
    for word in ["env", "with_escalated_permissions"] {
        assert!(sentences.iter().any(|sentence| sentence.contains(word)), "{word}: {sentences:?}");
    }
}

#[test]
fn danger_needs_no_view() {
    for (tool, input) in [
        ("WebFetch", json!({ "url": "https://good.example@evil.example/" })),
        ("Bash", json!({ "command": "echo \u{202e}x" })),
    ] {
        let call = Call::new(tool, input).in_directory("/w");
        let verdict = judge(&Policy::compile(Layers::default()), &call, &context());
        let found = danger(&call, &verdict);
        assert_eq!(found, shown(call, &[]).danger);
        assert_eq!(found.level, DangerLevel::Danger);
        assert_ne!(verdict.danger.level, DangerLevel::Danger, "only showing tells");
    }
}

#[test]
fn tools_with_the_name_of_something_irreversible_are_dangerous() {
    let danger_of = |tool: &str, server: Option<&str>| {
        let mut call = Call::new(tool, json!({ "id": 1 }));
        call.server = server.map(IdClaim::proven);
        shown(call, &[]).danger
    };
    for server in [None, Some("crm")] {
        for (tool, code) in [
            ("delete_customer", DangerCode::NamedForDeleting),
            ("refund_payment", DangerCode::NamedForPaying),
            ("send_email", DangerCode::NamedForSending),
        ] {
            assert_eq!(danger_of(tool, server), Danger::new(DangerLevel::Danger, code), "{tool}");
        }
        assert_eq!(danger_of("list_refunds", server).level, DangerLevel::Caution);
    }
}
