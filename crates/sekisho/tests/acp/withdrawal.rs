//! Questions that nobody waits for any more, or that are about something else now.

use serde_json::{Value, json};

use super::acp_session::{AcpSession, Inbox, request_line};

fn run(id: &str, command: &str) -> Value {
    json!({ "toolCallId": id, "kind": "execute", "title": "run", "rawInput": { "command": command } })
}

#[test]
fn second_request_for_a_call_does_not_change_what_the_first_is_about() {
    let inbox = Inbox::new();
    let mut session = AcpSession::begin(&inbox.place);
    session.ask(1, &run("c", "echo a > z"));
    let question = inbox.question();
    session.ask(2, &run("c", "touch denied"));
    assert_eq!(session.outcome(2), "option reject_once");
    session.update("tool_call_update", &run("c", "echo a > z"));
    session.update("tool_call_update", &run("c", "touch denied"));
    assert_eq!(session.outcome(1), "cancelled");
    assert_eq!(inbox.ended(&question)["state"], "aborted");
}

#[test]
fn editor_that_closes_a_session_or_cancels_its_prompt_withdraws_the_question() {
    let inbox = Inbox::new();
    let mut session = AcpSession::begin(&inbox.place);
    let prompt = b"{\"id\":7,\"method\":\"session/prompt\",\"params\":{\"sessionId\":\"talk\"}}\n";
    session.editor_sends(prompt);
    assert_eq!(session.agent_receives(), prompt);
    for (id, cancel) in [
        (1, json!({ "id": "x", "method": "session/close", "params": { "sessionId": "talk" } })),
        (2, json!({ "id": "y", "method": "session/delete", "params": { "sessionId": "talk" } })),
        (3, json!({ "method": "$/cancel_request", "params": { "requestId": 7 } })),
    ] {
        session.ask(id, &run(&id.to_string(), "echo hi > x"));
        let question = inbox.question();
        session.editor_sends(format!("{cancel}\n").as_bytes());
        session.agent_receives();
        assert_eq!(session.outcome(id), "cancelled", "{cancel}");
        assert_eq!(inbox.ended(&question)["state"], "aborted", "{cancel}");
    }
    // The prompt of another session.
    let other = b"{\"id\":8,\"method\":\"session/prompt\",\"params\":{\"sessionId\":\"other\"}}\n";
    session.editor_sends(other);
    session.agent_receives();
    session.ask(4, &run("4", "echo hi > x"));
    let question = inbox.question();
    session.editor_sends(b"{\"method\":\"$/cancel_request\",\"params\":{\"requestId\":8}}\n");
    session.agent_receives();
    inbox.answer(&question, &json!({ "behavior": "allow" }));
    assert_eq!(session.outcome(4), "option allow_once");
    // Some agents send an id of `null` with it.
    session.ask(5, &run("5", "echo hi > x"));
    inbox.question();
    session.agent_sends(b"{\"id\":null,\"method\":\"$/cancel_request\",\"params\":{\"requestId\":5}}\n");
    assert_eq!(session.outcome(5), "cancelled");
}

#[test]
fn cancellation_counts_before_the_agent_reads_it() {
    let inbox = Inbox::new();
    let mut session = AcpSession::start_deaf(&inbox.place);
    session.open(&inbox.place);
    let options = json!([{ "optionId": "yes", "name": "", "kind": "allow_once" }]);
    session.agent_sends(&request_line(1, &run("c", "echo hi > x"), &options));
    let question = inbox.question();
    // More than pipes and channels take.
    let line = format!("{{\"method\":\"x\",\"params\":\"{}\"}}\n", "x".repeat(1 << 20));
    for _ in 0..20 {
        session.editor_sends(line.as_bytes());
    }
    session.editor_notifies("session/cancel");
    assert_eq!(inbox.ended(&question)["state"], "aborted");
}

#[test]
fn editor_that_is_gone_gets_no_answers() {
    let inbox = Inbox::new();
    let mut session = AcpSession::start_deaf(&inbox.place);
    session.open(&inbox.place);
    let options = json!([{ "optionId": "yes", "name": "", "kind": "allow_once" }]);
    session.agent_sends(&request_line(1, &run("c", "echo hi > x"), &options));
    let question = inbox.question();
    let line = format!("{{\"method\":\"x\",\"params\":\"{}\"}}\n", "x".repeat(1 << 20));
    for _ in 0..20 {
        session.editor_sends(line.as_bytes());
    }
    session.hang_up();
    assert_eq!(inbox.ended(&question)["state"], "aborted");
    session.agent_sends(&request_line(2, &run("d", "ls"), &options));
    assert!(session.error().contains("the editor is gone"));
}

#[test]
fn unreadable_update_is_about_its_session() {
    let inbox = Inbox::new();
    let mut session = AcpSession::begin(&inbox.place);
    session
        .agent_sends(b"{\"method\":\"session/update\",\"params\":{\"sessionId\":\"other\",\"update\":1}}\n");
    session.editor_receives();
    assert!(session.error().contains("an update of the agent cannot be read"));
    session.ask(1, &run("c", "ls"));
    assert_eq!(session.outcome(1), "option allow_once");
    session
        .agent_sends(b"{\"method\":\"session/update\",\"params\":{\"sessionId\":\"talk\",\"update\":1}}\n");
    session.editor_receives();
    session.error();
    session.ask(2, &run("d", "ls"));
    assert_eq!(session.outcome(2), "option reject_once");
}
