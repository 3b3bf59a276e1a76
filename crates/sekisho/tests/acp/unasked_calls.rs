//! Calls that the agent runs, about which nobody was asked or not as they are now: they may move the shell.

use serde_json::{Value, json};

use super::acp_session::{AcpSession, Inbox};

fn run(id: &str, command: &str) -> Value {
    json!({ "toolCallId": id, "kind": "execute", "title": "run", "rawInput": { "command": command } })
}

/// A session in a project with a repository.
fn begin() -> (Inbox, AcpSession) {
    let inbox = Inbox::new();
    std::fs::create_dir_all(inbox.place.home().join("../project/.git")).unwrap();
    let session = AcpSession::begin(&inbox.place);
    (inbox, session)
}

/// The question about a command that a rule allows in the directory of the session. It is denied.
#[track_caller]
fn denied(inbox: &Inbox, session: &mut AcpSession, id: i64) -> Value {
    session.ask(id, &run(&format!("ask {id}"), "cat config"));
    let question = inbox.question();
    inbox.answer(&question, &json!({ "behavior": "deny", "message": "no" }));
    assert_eq!(session.outcome(id), "option reject_once");
    question
}

#[test]
fn call_that_has_not_ended_moves_the_shell() {
    for status in ["pending", "in_progress"] {
        let (inbox, mut session) = begin();
        let mut call = run("c", "cd .git");
        call["status"] = status.into();
        session.update("tool_call", &call);
        let question = denied(&inbox, &mut session, 1);
        assert!(question["cwd"].as_str().unwrap().ends_with("/.git"), "{status}: {question}");
    }
}

#[test]
fn call_that_is_asked_about_next_is_judged_where_it_begins() {
    let (inbox, mut session) = begin();
    std::fs::create_dir_all(inbox.place.home().join("../project/sub")).unwrap();
    for (id, command) in [(1, "cat config"), (2, "cd sub && ls"), (3, "cd sub && cd .. && ls")] {
        let call = run(&id.to_string(), command);
        session.update("tool_call", &call);
        session.ask(id, &call);
        assert_eq!(session.outcome(id), "option allow_once", "{command}");
        session.update("tool_call_update", &json!({ "toolCallId": id.to_string(), "status": "completed" }));
    }
}

#[test]
fn calls_whose_other_fields_cannot_be_read_move_the_shell() {
    let (inbox, mut session) = begin();
    session.update("tool_call", &run("c", "cd .git"));
    session.agent_sends(
        b"{\"method\":\"session/update\",\"params\":{\"sessionId\":\"talk\",\"update\":{\"sessionUpdate\":\"tool_call_update\",\"toolCallId\":\"c\",\"status\":\"completed\",\"title\":\"\\ud83d\"}}}\n",
    );
    session.editor_receives();
    let question = denied(&inbox, &mut session, 1);
    assert!(question["cwd"].as_str().unwrap().ends_with("/.git"), "{question}");
}

#[test]
fn forgotten_call_moves_the_shell() {
    let (inbox, mut session) = begin();
    session.update("tool_call", &run("c", "cd .git"));
    for number in 0..300 {
        session.update("tool_call", &json!({ "toolCallId": number.to_string(), "title": "t" }));
    }
    session.update("tool_call_update", &json!({ "toolCallId": "c", "status": "completed" }));
    denied(&inbox, &mut session, 1);
}

#[test]
fn call_that_ends_while_it_is_asked_about_moves_the_shell() {
    let (inbox, mut session) = begin();
    session.ask(1, &run("c", "cd .git && frobnicate"));
    let question = inbox.question();
    session.update("tool_call_update", &json!({ "toolCallId": "c", "status": "completed" }));
    assert_eq!(session.outcome(1), "cancelled");
    inbox.ended(&question);
    denied(&inbox, &mut session, 2);
}

#[test]
fn allowed_call_that_becomes_another_makes_the_place_unknown() {
    for kind in ["tool_call", "tool_call_update"] {
        let (inbox, mut session) = begin();
        session.ask(1, &run("c", "ls"));
        assert_eq!(session.outcome(1), "option allow_once");
        session.update(kind, &run("c", "cd .git"));
        let question = denied(&inbox, &mut session, 2);
        assert_eq!(question["toolName"], "acp_execute_unchecked", "{kind}");
    }
}

#[test]
fn call_that_was_another_before_it_is_asked_about_moves_the_shell() {
    let (inbox, mut session) = begin();
    session.update("tool_call", &run("c", "cd .git"));
    session.ask(1, &run("c", "echo hi"));
    assert_eq!(session.outcome(1), "option allow_once");
    denied(&inbox, &mut session, 2);
}
