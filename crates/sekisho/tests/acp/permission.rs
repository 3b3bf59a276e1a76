//! Requests for permission are answered from policy and inbox.

use serde_json::{Value, json};

use super::acp_session::{AcpSession, Inbox};
use crate::test_home::TestHome;

fn run(command: &str) -> Value {
    json!({ "toolCallId": "call", "kind": "execute", "title": "run", "rawInput": { "command": command } })
}

#[test]
fn rules_answer_at_once() {
    let inbox = Inbox::new();
    let mut session = AcpSession::begin(&inbox.place);
    session.ask(1, &run("ls"));
    assert_eq!(session.outcome(1), "option allow_once");
    session.ask(2, &run("touch denied"));
    assert_eq!(session.outcome(2), "option reject_once");
    assert!(session.error().starts_with("sekisho: rejected `bash`: "));
    // An input with fields that nobody knows may mean anything, but what it would run is still denied.
    let mut call = run("touch denied");
    call["rawInput"]["host"] = "production".into();
    session.ask(3, &call);
    assert_eq!(session.outcome(3), "option reject_once");
    assert!(session.error().contains("`acp_execute_unchecked`"));
    session.agent_sends(b"{\"method\":\"last\"}\n");
    assert_eq!(session.editor_receives(), b"{\"method\":\"last\"}\n");
}

#[test]
fn people_answer_what_rules_do_not() {
    let inbox = Inbox::new();
    let mut session = AcpSession::begin(&inbox.place);
    session.ask(1, &run("echo hi > x"));
    let question = inbox.question();
    assert_eq!((&question["toolName"], &question["agentId"]), (&json!("bash"), &json!("sh")));
    assert_eq!(question["input"], json!({ "command": "echo hi > x" }));
    inbox.answer(&question, &json!({ "behavior": "allow" }));
    assert_eq!(session.outcome(1), "option allow_once");
    session.ask(2, &run("echo hi > y"));
    inbox.answer(&inbox.question(), &json!({ "behavior": "deny", "message": "not today" }));
    assert_eq!(session.outcome(2), "option reject_once");
    assert_eq!(session.error(), "sekisho: rejected `bash`: not today\n");
    // A harmless command with fields that nobody knows is a question.
    let mut call = run("ls");
    call["rawInput"]["host"] = "production".into();
    session.ask(3, &call);
    let question = inbox.question();
    assert_eq!(question["toolName"], "acp_execute_unchecked");
    assert_eq!(question["input"]["rawInput"]["host"], "production");
    inbox.answer(&question, &json!({ "behavior": "allow" }));
    assert_eq!(session.outcome(3), "option allow_once");
}

#[test]
fn edited_input_is_rejected_and_recorded() {
    let inbox = Inbox::new();
    let mut session = AcpSession::begin(&inbox.place);
    session.ask(1, &run("echo hi > x"));
    inbox.answer(
        &inbox.question(),
        &json!({ "behavior": "allow", "updatedInput": { "command": "echo hi > y" } }),
    );
    assert_eq!(session.outcome(1), "option reject_once");
    assert!(session.error().contains("ACP cannot tell the agent another input"));
    inbox.recorded(r#""code":"failed""#);
}

#[test]
fn end_of_an_allowed_call_is_recorded() {
    let inbox = Inbox::new();
    let mut session = AcpSession::begin(&inbox.place);
    session.ask(1, &run("ls"));
    assert_eq!(session.outcome(1), "option allow_once");
    let update = json!({ "sessionUpdate": "tool_call_update", "toolCallId": "call", "status": "completed" });
    let message = json!({ "method": "session/update", "params": { "sessionId": "talk", "update": update } });
    session.agent_sends(format!("{message}\n").as_bytes());
    assert_eq!(session.editor_receives(), format!("{message}\n").into_bytes());
    inbox.recorded(r#""code":"finished""#);
}

#[test]
fn cancelling_withdraws_the_question() {
    let inbox = Inbox::new();
    let mut session = AcpSession::begin(&inbox.place);
    for (id, cancels) in [(1, "editor"), (2, "agent"), (3, "closed")] {
        session.ask(id, &run("echo hi > x"));
        let question = inbox.question();
        match cancels {
            "editor" => {
                let cancel = b"{\"method\":\"session/cancel\",\"params\":{\"sessionId\":\"talk\"}}\n";
                session.editor_sends(cancel);
                assert_eq!(session.agent_receives(), cancel);
            }
            "agent" => {
                session.agent_sends(b"{\"method\":\"$/cancel_request\",\"params\":{\"requestId\":2}}\n");
            }
            _ => {
                session.close_editor();
            }
        }
        assert_eq!(session.outcome(id), "cancelled", "{cancels}");
        assert_eq!(inbox.ended(&question)["state"], "aborted", "{cancels}");
    }
}

#[test]
fn denial_that_stops_the_agent_cancels_its_session() {
    let inbox = Inbox::new();
    let mut session = AcpSession::begin(&inbox.place);
    session.ask(1, &run("echo hi > x"));
    inbox.answer(&inbox.question(), &json!({ "behavior": "deny", "message": "stop", "interrupt": true }));
    assert_eq!(session.outcome(1), "option reject_once");
    let cancel: Value = serde_json::from_slice(&session.agent_receives()).unwrap();
    assert_eq!(
        (&cancel["method"], &cancel["params"]),
        (&json!("session/cancel"), &json!({ "sessionId": "talk" }))
    );
}

#[test]
fn only_options_for_one_time_are_selected() {
    let inbox = Inbox::new();
    let mut session = AcpSession::begin(&inbox.place);
    let always = json!([
        { "optionId": "1", "name": "", "kind": "allow_always" },
        { "optionId": "2", "name": "", "kind": "reject_always" },
    ]);
    for (id, command) in [(1, "ls"), (2, "touch denied")] {
        session.ask_with(id, &run(command), &always);
        assert_eq!(session.outcome(id), "cancelled", "{command}");
        assert!(session.error().starts_with("sekisho: "));
    }
}

#[test]
fn earlier_messages_complete_a_request() {
    let inbox = Inbox::new();
    let mut session = AcpSession::begin(&inbox.place);
    let project = inbox.place.home().join("../project").canonicalize().unwrap();
    let mut call = run("echo hi > x");
    call["sessionUpdate"] = "tool_call".into();
    let update = json!({ "method": "session/update", "params": { "sessionId": "talk", "update": call } });
    session.agent_sends(format!("{update}\n").as_bytes());
    session.editor_receives();
    session.ask(1, &json!({ "toolCallId": "call" }));
    let question = inbox.question();
    assert_eq!(question["input"], json!({ "command": "echo hi > x" }));
    assert_eq!(question["cwd"].as_str(), project.to_str(), "{question}");
    inbox.answer(&question, &json!({ "behavior": "allow" }));
    assert_eq!(session.outcome(1), "option allow_once");
}

#[test]
fn server_that_cannot_be_asked_rejects() {
    let place = TestHome::new();
    let mut session = AcpSession::start(&place);
    session.ask(1, &run("ls"));
    assert_eq!(session.outcome(1), "option reject_once");
    let error = session.error();
    assert!(error.contains("the directory of its session is not known"), "{error}");
    let mut session = AcpSession::begin(&place);
    session.ask(1, &run("ls"));
    assert_eq!(session.outcome(1), "option reject_once");
    let error = session.error();
    assert!(error.contains("it could not be judged: no server at"), "{error}");
    let inbox = Inbox::new();
    let address = format!("http://127.0.0.1:{}", inbox.server.port);
    // It has the form of a token, but the server did not make it.
    let other = place.run(&["token", "create", "--name", "x", "--role", "agent"]).out;
    let variables = [("SEKISHO_URL", address.as_str()), ("SEKISHO_TOKEN", other.trim())];
    let mut session = AcpSession::start_with(&place, &[], &variables);
    session.open(&place);
    session.ask(1, &run("ls"));
    assert_eq!(session.outcome(1), "option reject_once");
    let error = session.error();
    assert!(error.contains("it could not be judged: ") && error.contains("(Unauthenticated)"), "{error}");
    let output = place.run(&["acp", "--server", &address, "--", "true"]);
    assert!(output.code == 1 && output.err.contains("no token for http://127.0.0.1:"), "{}", output.err);
}
