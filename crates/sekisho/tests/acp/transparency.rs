//! Every clear message but requests for permission passes through unchanged.

use std::io::Write;

use serde_json::json;

use super::acp_session::{AcpSession, spawn_proxy};
use crate::test_home::TestHome;

/// Messages, and empty lines.
fn messages() -> Vec<Vec<u8>> {
    let long =
        format!("{{\"method\":\"session/update\",\"params\":\"tool_call {}\"}}\n", "x".repeat(1 << 20));
    [
        br#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}"#.as_slice(),
        br#"{"id":1,"method":"fs/read_text_file","params":{"path":"/x"}}"#,
        b"{ \"id\" : 1,\t\"result\":{\"sessionId\":\"talk\"} , \"other\":{} }\r",
        br#"{"jsonrpc":"2.0","method":"session\/update","params":{"update":{"sessionUpdate":"tool_call"}}}"#,
        br#"{"method":"session/update","params":{"sessionId":1,"update":["tool_call"]}}"#,
        br#"{"jsonrpc":"2.0","id":"a","method":"fs/write_text_file","params":{"path":"/x","content":"\ud800"}}"#,
        br#"{"id":3,"method":"terminal/create","params":{"command":"ls"}}"#,
        br#"{"method":"session/new","id":4,"params":{}}"#,
        br#"{"method":"session/cancel","params":{"sessionId":"nobody"}}"#,
        br#"{"method":"$/cancel_request","params":{"requestId":9}}"#,
        br#"{"text":"session/request_permission"}"#,
        b"",
        b"\r",
        b"{\"method\":\"x\",\"params\":\"\xff\xfe\"}",
    ]
    .map(|line| [line, b"\n"].concat())
    .into_iter()
    .chain([long.into_bytes()])
    .collect()
}

/// Lines in which an editor could read something else than we do.
fn unclear_lines() -> Vec<Vec<u8>> {
    [
        br#"[{"method":"batch"}]"#.as_slice(),
        br#"{"id":1.0,"result":{"sessionId":"talk"},"result":{}}"#,
        b"not JSON",
        b"{\"method\":\"session/request_permission\"",
        b"\xff\xfe \x00",
        b"{\"method\":\"x\"}\r{\"id\":1,\"method\":\"session/request_permission\"}",
        br#"{"id":"\ud800","method":"session/request_permission","params":{}}"#,
        br#"{"id":1,"method":"session/request_permission","result":{}}"#,
        br#"{"id":{"x":1},"method":"session/request_permission","params":{}}"#,
    ]
    .map(|line| [line, b"\n"].concat())
    .to_vec()
}

#[test]
fn unclear_lines_are_not_passed_on() {
    let place = TestHome::new();
    let mut session = AcpSession::start(&place);
    for line in unclear_lines() {
        session.agent_sends(&line);
        let error = session.error();
        assert!(error.contains("of the agent was not passed on"), "{}", String::from_utf8_lossy(&line));
        session.editor_sends(&line);
        let error = session.error();
        assert!(error.contains("of the editor was not passed on"), "{}", String::from_utf8_lossy(&line));
    }
    session.editor_sends(b"{\"method\":\"last\"}\n");
    assert_eq!(session.agent_receives(), b"{\"method\":\"last\"}\n");
    session.agent_sends(b"{\"method\":\"last\"}\n");
    assert_eq!(session.editor_receives(), b"{\"method\":\"last\"}\n");
}

#[test]
fn messages_pass_unchanged_in_both_directions() {
    let place = TestHome::new();
    let mut session = AcpSession::start(&place);
    for line in messages() {
        session.editor_sends(&line);
        assert_eq!(session.agent_receives(), line, "{}", String::from_utf8_lossy(&line));
        session.agent_sends(&line);
        assert_eq!(session.editor_receives(), line, "{}", String::from_utf8_lossy(&line));
    }
    // Many at once keep their order.
    for number in 0..500 {
        session.agent_sends(&numbered(number));
        session.editor_sends(&numbered(number));
    }
    for number in 0..500 {
        assert_eq!(session.editor_receives(), numbered(number));
        assert_eq!(session.agent_receives(), numbered(number));
    }
}

fn numbered(number: i32) -> Vec<u8> {
    format!("{{\"method\":\"m\",\"params\":{number}}}\n").into_bytes()
}

#[test]
fn last_line_needs_no_line_end() {
    const TWO: &[u8] = b"{\"method\":\"one\"}\n{\"method\":\"no line end\"}";
    let place = TestHome::new();
    let mut child = spawn_proxy(&place, &["--", "cat"], &[]);
    child.stdin.take().unwrap().write_all(TWO).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.stdout.as_slice(), output.status.code()), (TWO, Some(0)));
}

#[test]
fn unreadable_requests_for_permission_are_refused_and_not_passed_on() {
    let place = TestHome::new();
    let mut session = AcpSession::start(&place);
    let deep = format!("{}{}", "[".repeat(500), "]".repeat(500));
    let mut refused = |request: String, id: i64| {
        session.agent_sends(format!("{request}\n").as_bytes());
        let response: serde_json::Value = serde_json::from_slice(&session.agent_receives()).unwrap();
        assert_eq!((&response["id"], &response["error"]["code"]), (&json!(id), &json!(-32602)), "{response}");
        assert!(session.error().starts_with("sekisho: the agent"));
    };
    refused(r#"{"id":1,"method":"session/request_permission"}"#.into(), 1);
    refused(r#"{"id":2,"method":"session\/request_permission","params":{"sessionId":"s"}}"#.into(), 2);
    refused(format!(r#"{{"id":3,"params":{{"x":{deep}}},"method":"session/request_permission"}}"#), 3);
    session.agent_sends(b"{\"method\":\"session/request_permission\"}\n{\"method\":\"last\"}\n");
    assert!(session.error().contains("without a request id"));
    assert_eq!(session.editor_receives(), b"{\"method\":\"last\"}\n");
}
