//! Calls that do not tell everything that they do, or that may mean several things.

use serde_json::{Value, json};

use super::acp_session::{AcpSession, Inbox};

fn run(id: &str, command: &str) -> Value {
    json!({ "toolCallId": id, "kind": "execute", "title": "run", "rawInput": { "command": command } })
}

/// The tool about which a question is asked. It is denied.
#[track_caller]
fn denied_question(inbox: &Inbox, session: &AcpSession, id: i64) -> Value {
    let question = inbox.question();
    inbox.answer(&question, &json!({ "behavior": "deny", "message": "no" }));
    assert_eq!(session.outcome(id), "option reject_once");
    inbox.ended(&question);
    session.error();
    question
}

#[test]
fn calls_without_a_command_are_not_covered_by_a_rule_for_commands() {
    let deny = json!([{ "tool": "bash", "command": "git push" }]);
    let inbox = Inbox::with_rules(&json!({ "allow": [{ "tool": "acp_execute" }], "deny": deny }));
    let mut session = AcpSession::begin(&inbox.place);
    let said = json!([{ "type": "content", "content": { "type": "text", "text": "git push" } }]);
    for (id, rest) in [
        (1, json!({ "status": "pending", "content": [], "locations": [] })),
        (2, json!({ "rawInput": null })),
        (3, json!({ "rawInput": {} })),
        (4, json!({ "content": said })),
    ] {
        let mut call =
            json!({ "toolCallId": id.to_string(), "title": "git push origin main", "kind": "execute" });
        call.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        session.ask(id, &call);
        assert_eq!(denied_question(&inbox, &session, id)["toolName"], "acp_execute_unchecked", "{call}");
    }
}

#[test]
fn unknown_fields_of_updates_make_a_question() {
    let inbox = Inbox::new();
    let mut session = AcpSession::begin(&inbox.place);
    let mut call = run("u", "ls");
    call["input"] = json!({ "command": "rm -rf /" });
    call["host"] = "prod".into();
    session.update("tool_call", &call);
    session.ask(1, &json!({ "toolCallId": "u" }));
    let question = denied_question(&inbox, &session, 1);
    assert_eq!(question["toolName"], "acp_execute_unchecked");
    assert_eq!(
        question["input"]["otherFields"],
        json!({ "host": "prod", "input": { "command": "rm -rf /" } })
    );
    // One that comes while the question is open withdraws it.
    session.ask(2, &run("v", "echo hi > x"));
    let question = inbox.question();
    session.update("tool_call_update", &json!({ "toolCallId": "v", "host": "prod" }));
    assert_eq!(session.outcome(2), "cancelled");
    assert_eq!(inbox.ended(&question)["state"], "aborted");
}

#[test]
fn commands_are_judged_in_the_directories_of_earlier_ones() {
    let inbox = Inbox::new();
    let project = inbox.place.home().join("../project");
    for directory in [".git", "sub"] {
        std::fs::create_dir_all(project.join(directory)).unwrap();
    }
    let mut session = AcpSession::begin(&inbox.place);
    let mut id = 0;
    let mut allowed = |session: &mut AcpSession, command: &str| {
        id += 1;
        session.ask(id, &run(&id.to_string(), command));
        assert_eq!(session.outcome(id), "option allow_once", "{command}");
    };
    // Neither each command in a directory of the project nor the next ones are questions.
    for command in ["cd sub && ls", "cat file", "cd sub && cd .. && ls", "cat file"] {
        allowed(&mut session, command);
    }
    allowed(&mut session, "cd .git");
    session.ask(100, &run("c", "cat config"));
    let question = denied_question(&inbox, &session, 100);
    assert!(question["cwd"].as_str().unwrap().ends_with("/.git"), "{question}");
    // Where a directory is not told, every command is a question, unless it names its own.
    session.ask(101, &run("d", "cd \"$x\""));
    let question = inbox.question();
    inbox.answer(&question, &json!({ "behavior": "allow" }));
    assert_eq!(session.outcome(101), "option allow_once");
    session.ask(102, &run("e", "ls"));
    assert_eq!(denied_question(&inbox, &session, 102)["toolName"], "acp_execute_unchecked");
    let project = project.canonicalize().unwrap();
    session.ask(103, &run("f", &format!("cd {} && ls", project.display())));
    assert_eq!(session.outcome(103), "option allow_once");
}

#[test]
fn whole_files_are_judged_by_rules_for_both_tools() {
    let allow = json!([{ "tool": "edit", "path": "/p/**" }]);
    let deny = json!([{ "tool": "write", "path": "/p/locked/**" }]);
    let inbox = Inbox::with_rules(&json!({ "allow": allow, "deny": deny }));
    let mut session = AcpSession::begin(&inbox.place);
    let diff = json!([{ "type": "diff", "path": "/p/locked/x", "oldText": null, "newText": "b" }]);
    for (id, rest) in [
        (1, json!({ "rawInput": { "file_path": "/p/locked/x", "content": "b" } })),
        (2, json!({ "content": diff })),
    ] {
        let mut call = rest;
        call["toolCallId"] = id.to_string().into();
        call["kind"] = "edit".into();
        session.ask(id, &call);
        assert_eq!(session.outcome(id), "option reject_once", "{call}");
        session.error();
    }
    let change = json!({ "file_path": "/p/locked/x", "old_string": "a", "new_string": "b" });
    session.ask(3, &json!({ "toolCallId": "e", "kind": "edit", "rawInput": change }));
    assert_eq!(session.outcome(3), "option allow_once");
}

#[test]
fn place_outside_of_the_command_makes_a_question() {
    let inbox = Inbox::new();
    let mut session = AcpSession::begin(&inbox.place);
    let mut call = run("c", "cat credentials");
    session.ask(1, &call);
    assert_eq!(session.outcome(1), "option allow_once");
    call["toolCallId"] = "d".into();
    call["locations"] = json!([{ "path": "/home/u/.aws/credentials" }]);
    session.ask(2, &call);
    assert_eq!(denied_question(&inbox, &session, 2)["toolName"], "acp_execute_unchecked");
}
