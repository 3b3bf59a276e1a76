//! Agents and editors that try to have a call allowed that neither a rule nor a person has allowed.

use serde_json::{Value, json};

use super::acp_session::{AcpSession, Inbox};
use crate::test_home::TestHome;

fn run(id: &str, command: &str) -> Value {
    json!({ "toolCallId": id, "kind": "execute", "title": "run", "rawInput": { "command": command } })
}

fn response(id: &Value, option: &str) -> Vec<u8> {
    let outcome = json!({ "outcome": "selected", "optionId": option });
    format!("{}\n", json!({ "jsonrpc": "2.0", "id": id, "result": { "outcome": outcome } })).into_bytes()
}

#[test]
fn editor_cannot_answer_a_question() {
    let inbox = Inbox::new();
    let mut session = AcpSession::begin(&inbox.place);
    session.editor_sends(&response(&json!(1), "option allow_once"));
    assert!(session.error().contains("a response of the editor was not passed on"));
    session.ask(1, &run("c", "echo hi > x"));
    let question = inbox.question();
    for id in [json!(1), json!("1")] {
        session.editor_sends(&response(&id, "option allow_once"));
        assert!(session.error().contains("a response of the editor was not passed on"), "{id}");
    }
    session.editor_sends(b"{\"id\":1.0,\"result\":{}}\n");
    assert!(session.error().contains("a line of the editor was not passed on"));
    inbox.answer(&question, &json!({ "behavior": "deny", "message": "no" }));
    assert_eq!(session.outcome(1), "option reject_once");
}

#[test]
fn id_of_an_open_question_cannot_be_used_again() {
    let inbox = Inbox::new();
    let mut session = AcpSession::begin(&inbox.place);
    // For another question, which a rule allows.
    session.ask(1, &run("c", "echo hi > x"));
    let question = inbox.question();
    session.ask(1, &run("d", "ls"));
    assert_eq!(session.outcome(1), "cancelled");
    assert_eq!(inbox.ended(&question)["state"], "aborted");
    // For a request to the editor.
    session.ask(2, &run("c", "echo hi > x"));
    inbox.question();
    session.agent_sends(b"{\"id\":2,\"method\":\"fs/read_text_file\",\"params\":{}}\n");
    assert_eq!(session.outcome(2), "cancelled");
    // The other way round.
    session.agent_sends(b"{\"id\":3,\"method\":\"fs/read_text_file\",\"params\":{}}\n");
    session.editor_receives();
    session.ask(3, &run("d", "ls"));
    let refused: Value = serde_json::from_slice(&session.agent_receives()).unwrap();
    assert_eq!(refused["error"]["code"], -32602);
}

#[test]
fn call_that_changes_while_it_is_asked_about_is_cancelled() {
    let inbox = Inbox::new();
    let mut session = AcpSession::begin(&inbox.place);
    for (id, kind, change) in [
        (1, "tool_call_update", json!({ "rawInput": { "command": "rm x" } })),
        (2, "tool_call", json!({ "kind": "edit" })),
        (3, "tool_call_update", json!({ "status": "completed" })),
        (4, "tool_call_update", json!({ "content": [{ "type": "diff", "path": "/x", "newText": "" }] })),
    ] {
        let call = format!("call {id}");
        session.ask(id, &run(&call, "echo hi > x"));
        let question = inbox.question();
        // The same again is no change.
        session.update("tool_call_update", &run(&call, "echo hi > x"));
        let mut change = change;
        change["toolCallId"] = call.into();
        session.update(kind, &change);
        assert_eq!(session.outcome(id), "cancelled", "{change}");
        assert_eq!(inbox.ended(&question)["state"], "aborted", "{change}");
        assert!(session.error().contains("the agent changed the call"), "{change}");
    }
}

#[test]
fn forgotten_calls_are_rejected() {
    let inbox = Inbox::new();
    let mut session = AcpSession::begin(&inbox.place);
    // A name makes it another tool than `bash`.
    session.update("tool_call", &json!({ "toolCallId": "c", "name": "drop_db" }));
    for id in 0..300 {
        session.update("tool_call", &json!({ "toolCallId": id.to_string(), "title": "t" }));
    }
    session.ask(1, &run("c", "ls"));
    assert_eq!(session.outcome(1), "option reject_once");
    assert!(session.error().contains("is no longer known"));
    // Too large to be remembered.
    session.update("tool_call", &json!({ "toolCallId": "d", "name": "x".repeat(2 << 20) }));
    session.ask(2, &run("d", "ls"));
    assert_eq!(session.outcome(2), "option reject_once");
    assert!(session.error().contains("is no longer known"));
    // Asked about twice, with less the second time.
    session.update("tool_call", &json!({ "toolCallId": "e", "name": "drop_db" }));
    session.ask(3, &run("e", "ls"));
    let question = inbox.question();
    assert_eq!(question["toolName"], "drop_db");
    inbox.answer(&question, &json!({ "behavior": "deny", "message": "no" }));
    assert_eq!(session.outcome(3), "option reject_once");
    session.error();
    session.ask(4, &run("e", "ls"));
    assert_eq!(session.outcome(4), "option reject_once");
    assert!(session.error().contains("is not in this one"));
    session.ask(5, &run("f", "ls"));
    assert_eq!(session.outcome(5), "option allow_once");
    // An update that cannot be read may have been about any call.
    session.agent_sends(b"{\"method\":\"session/update\",\"params\":{\"update\":1}}\n");
    session.editor_receives();
    assert!(session.error().contains("an update of the agent cannot be read"));
    session.ask(6, &run("g", "ls"));
    assert_eq!(session.outcome(6), "option reject_once");
    session.error();
    session.update("tool_call", &run("h", "ls"));
    session.ask(7, &run("h", "ls"));
    assert_eq!(session.outcome(7), "option allow_once");
}

#[test]
fn inputs_that_parsers_read_differently_are_rejected() {
    let inbox = Inbox::new();
    let mut session = AcpSession::begin(&inbox.place);
    for (id, call) in [
        (1, r#"{"toolCallId":"c","kind":"execute","rawInput":{"command":"ls","command":"rm x"}}"#),
        (2, r#"{"toolCallId":"d","kind":"execute","rawInput":{"command":"ls","timeout":1e999}}"#),
        (3, r#"{"toolCallId":"e","kind":"execute","rawInput":{"command":"ls \ud800"}}"#),
    ] {
        let options = r#"[{"optionId":"no","kind":"reject_once"},{"optionId":"yes","kind":"allow_once"}]"#;
        let params = format!(r#"{{"sessionId":"talk","toolCall":{call},"options":{options}}}"#);
        let request = format!(r#"{{"id":{id},"method":"session/request_permission","params":{params}}}"#);
        session.agent_sends(format!("{request}\n").as_bytes());
        let response: Value = serde_json::from_slice(&session.agent_receives()).unwrap();
        assert_eq!(response["result"]["outcome"]["optionId"], "no", "{response}");
        session.error();
    }
}

#[test]
fn fields_that_acp_does_not_have_make_a_question() {
    let inbox = Inbox::new();
    let mut session = AcpSession::begin(&inbox.place);
    let mut call = run("c", "ls");
    call["input"] = json!({ "command": "rm -rf /" });
    session.ask(1, &call);
    let question = inbox.question();
    assert_eq!(question["toolName"], "acp_execute_unchecked");
    assert_eq!(question["input"]["otherFields"]["input"]["command"], "rm -rf /");
    inbox.answer(&question, &json!({ "behavior": "deny", "message": "no" }));
    assert_eq!(session.outcome(1), "option reject_once");
    // `_meta` is for programs that know it, and changes nothing.
    let mut call = run("d", "ls");
    call["_meta"] = json!({ "claudeCode": { "toolName": "Bash" } });
    session.ask(2, &call);
    assert_eq!(session.outcome(2), "option allow_once");
}

#[test]
fn sessions_do_not_share_calls_or_directories() {
    let inbox = Inbox::new();
    let mut session = AcpSession::begin(&inbox.place);
    // A session that the agent makes up.
    let request = |id: i64, session: &str| {
        let options =
            json!([{ "optionId": "no", "kind": "reject_once" }, { "optionId": "yes", "kind": "allow_once" }]);
        let params = json!({ "sessionId": session, "toolCall": run("c", "ls"), "options": options });
        let request = json!({ "id": id, "method": "session/request_permission", "params": params });
        format!("{request}\n").into_bytes()
    };
    session.agent_sends(&request(1, "other"));
    assert_eq!(session.outcome(1), "no");
    // One that the editor loads.
    let project = inbox.place.home().join("../project").canonicalize().unwrap();
    let load =
        json!({ "id": "load", "method": "session/load", "params": { "sessionId": "other", "cwd": project } });
    session.editor_sends(format!("{load}\n").as_bytes());
    session.agent_receives();
    session.agent_sends(b"{\"id\":\"load\",\"result\":{}}\n");
    session.editor_receives();
    session.agent_sends(&request(2, "other"));
    assert_eq!(session.outcome(2), "yes");
    // A cancellation of one leaves the question of the other open.
    session.ask(3, &run("d", "echo hi > x"));
    let question = inbox.question();
    session.editor_sends(b"{\"method\":\"session/cancel\",\"params\":{\"sessionId\":\"other\"}}\n");
    session.agent_receives();
    inbox.answer(&question, &json!({ "behavior": "allow" }));
    assert_eq!(session.outcome(3), "option allow_once");
}

#[test]
fn question_is_judged_again_where_the_shell_went_meanwhile() {
    let inbox = Inbox::new();
    let project = inbox.place.home().join("../project");
    for directory in ["sub", "docs"] {
        std::fs::create_dir_all(project.join(directory)).unwrap();
    }
    let mut session = AcpSession::begin(&inbox.place);
    session.ask(1, &run("c", "echo hi > notes"));
    let question = inbox.question();
    // Calls at once do not keep each other from being allowed.
    session.ask(2, &run("d", "cd sub && ls"));
    assert_eq!(session.outcome(2), "option allow_once");
    session.ask(3, &run("e", "cd docs && ls"));
    assert_eq!(session.outcome(3), "option allow_once");
    // The file may be another one now.
    inbox.answer(&question, &json!({ "behavior": "allow" }));
    let question = inbox.question();
    inbox.answer(&question, &json!({ "behavior": "deny", "message": "no" }));
    assert_eq!(session.outcome(1), "option reject_once");
}

#[test]
fn place_of_a_denied_question_is_not_lost() {
    let inbox = Inbox::new();
    std::fs::create_dir_all(inbox.place.home().join("../project/.git")).unwrap();
    let mut session = AcpSession::begin(&inbox.place);
    session.ask(1, &run("a", "cd .git && frobnicate a"));
    let first = inbox.question();
    session.ask(2, &run("b", "cd .git && frobnicate b"));
    inbox.answer(&first, &json!({ "behavior": "deny", "message": "no" }));
    assert_eq!(session.outcome(1), "option reject_once");
    let second = inbox.question();
    inbox.answer(&second, &json!({ "behavior": "allow" }));
    assert_eq!(session.outcome(2), "option allow_once");
    session.ask(3, &run("c", "cat config"));
    let question = inbox.question();
    inbox.answer(&question, &json!({ "behavior": "deny", "message": "no" }));
    assert_eq!(session.outcome(3), "option reject_once");
}

#[test]
fn many_places_and_questions_end() {
    let inbox = Inbox::new();
    let project = inbox.place.home().join("../project");
    let mut session = AcpSession::begin(&inbox.place);
    for number in 0..60 {
        std::fs::create_dir_all(project.join(format!("w{number}"))).unwrap();
        let id = format!("c{number}");
        session.update("tool_call", &run(&id, &format!("cd w{number}; cd ../none{number}")));
        session.update("tool_call_update", &json!({ "toolCallId": id, "status": "completed" }));
    }
    for number in 1..3 {
        session.ask(number, &run(&format!("q{number}"), &format!("cd w{number} && frobnicate {number}")));
    }
    for _ in 1..3 {
        let question = inbox.question();
        inbox.answer(&question, &json!({ "behavior": "allow" }));
        inbox.ended(&question);
    }
    // In either order.
    let answers = [session.agent_receives(), session.agent_receives()];
    for answer in answers {
        let answer: Value = serde_json::from_slice(&answer).unwrap();
        assert_eq!(answer["result"]["outcome"]["optionId"], "option allow_once", "{answer}");
    }
}

#[test]
fn call_that_nobody_was_asked_about_moves_the_shell() {
    let inbox = Inbox::new();
    let project = inbox.place.home().join("../project");
    std::fs::create_dir_all(project.join(".git")).unwrap();
    let mut session = AcpSession::begin(&inbox.place);
    let mut call = run("c", "cd .git");
    call["status"] = "in_progress".into();
    session.update("tool_call", &call);
    session.update("tool_call_update", &json!({ "toolCallId": "c", "status": "completed" }));
    // Also one that fails at last.
    session.update("tool_call", &run("f", "cd hooks; false"));
    session.update("tool_call_update", &json!({ "toolCallId": "f", "status": "failed" }));
    session.ask(1, &run("d", "cat config"));
    let question = inbox.question();
    assert!(question["cwd"].as_str().unwrap().ends_with("/.git"), "{question}");
    inbox.answer(&question, &json!({ "behavior": "deny", "message": "no" }));
    assert_eq!(session.outcome(1), "option reject_once");
    // Files with a relative path may lie there, too.
    let read = json!({ "toolCallId": "e", "kind": "read", "rawInput": { "path": "config" } });
    session.ask(2, &read);
    let question = inbox.question();
    inbox.answer(&question, &json!({ "behavior": "deny", "message": "no" }));
    assert_eq!(session.outcome(2), "option reject_once");
}

#[test]
fn agent_can_ask_nothing_without_an_id() {
    let place = TestHome::new();
    let mut session = AcpSession::begin(&place);
    session.agent_sends(b"{\"id\":null,\"method\":\"session/request_permission\",\"params\":{}}\n");
    assert!(session.error().contains("without a request id"));
}
