//! Answers over the WebSocket, and invalid messages.

use sekisho_server::Limits;
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::frame::Frame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};

use futures_util::SinkExt;

use crate::harness::event_streams::{PATIENCE, TestServer, TestServerOptions};

fn is_error(reply: &Value, status: u16, code: &str, id: &Value) {
    assert_eq!(reply["type"], "error", "{reply}");
    let data = &reply["data"];
    assert_eq!((&data["status"], &data["code"], &data["id"]), (&json!(status), &json!(code), id), "{reply}");
    assert!(!data["message"].as_str().unwrap().is_empty());
}

#[tokio::test]
async fn edited_input_reaches_the_caller() {
    let server = TestServer::new().await;
    let mut device = server.device(&server.approver).await;
    let caller = server.ask(&server.agent, "Bash", "t1", json!({ "command": "make all" }));
    let request = device.until("tool_approval_request").await;
    let edited = json!({ "command": "make check" });
    let answer = json!({ "id": request["id"], "behavior": "allow", "updatedInput": edited, "digest": request["digest"] });
    assert_eq!(device.answer(answer).await["type"], "tool_approval_accepted");
    let permission = caller.response().await;
    assert_eq!((&permission["behavior"], &permission["updatedInput"]), (&json!("allow"), &edited));
    assert_eq!(device.until("tool_approval_resolved").await["outcome"]["updatedInput"], edited);
}

#[tokio::test]
async fn denial_can_interrupt_the_run_and_be_remembered() {
    let server = TestServer::new().await;
    let mut device = server.device(&server.approver).await;
    let caller = server.ask(&server.agent, "Bash", "t1", json!({ "command": "make all" }));
    let id = device.until("tool_approval_request").await["id"].clone();
    let remember = json!({ "scope": "session" });
    let answer = json!({ "id": id, "behavior": "deny", "message": "not today", "interrupt": true, "remember": remember });
    let accepted = device.answer(answer).await;
    assert_eq!(accepted["data"]["remembered"]["scope"], "session", "{accepted}");
    let permission = caller.response().await;
    assert_eq!(
        permission,
        json!({ "behavior": "deny", "message": "not today", "code": "denied", "interrupt": true })
    );
    device.until("rules_changed").await;
}

#[tokio::test]
async fn repeated_answer_is_idempotent_and_another_conflicts() {
    let server = TestServer::new().await;
    let mut device = server.device(&server.approver).await;
    let id = json!(server.ask_without_waiting(&server.agent, "t1", json!({ "command": "make" })).await);
    let yes = json!({ "id": id, "behavior": "allow" });
    assert_eq!(device.answer(yes.clone()).await["data"], json!({ "id": id, "again": false }));
    assert_eq!(device.answer(yes).await["data"], json!({ "id": id, "again": true }));
    is_error(&device.answer(json!({ "id": id, "behavior": "deny" })).await, 409, "Conflict", &id);
}

#[tokio::test]
async fn answer_with_another_questions_digest_is_rejected() {
    let server = TestServer::new().await;
    let mut device = server.device(&server.approver).await;
    server.ask_without_waiting(&server.agent, "t1", json!({ "command": "make" })).await;
    server.ask_without_waiting(&server.agent, "t2", json!({ "command": "make install" })).await;
    let harmless = device.until("tool_approval_request").await;
    let other = device.until("tool_approval_request").await;
    let mixed = json!({ "id": other["id"], "behavior": "allow", "digest": harmless["digest"] });
    is_error(&device.answer(mixed).await, 409, "DigestMismatch", &other["id"]);
    let right = json!({ "id": other["id"], "behavior": "allow", "digest": other["digest"] });
    assert_eq!(device.answer(right).await["type"], "tool_approval_accepted");
}

#[tokio::test]
async fn client_that_may_not_answer_gets_an_error_and_stays_connected() {
    let server = TestServer::new().await;
    let id = json!(server.ask_without_waiting(&server.agent, "t1", json!({ "command": "make" })).await);
    for who in [&server.viewer, &server.agent] {
        let mut device = server.device(who).await;
        let reply = device.answer(json!({ "id": id, "behavior": "allow" })).await;
        is_error(&reply, 403, "Forbidden", &id);
        device.quiet().await;
    }
}

#[tokio::test]
async fn malformed_message_gets_an_error_with_its_id() {
    let server = TestServer::new().await;
    let mut device = server.device(&server.approver).await;
    let none = json!(null);
    let bad: [(&str, u16, &str, Value); 10] = [
        ("{", 400, "InvalidRequest", none.clone()),
        ("[]", 400, "InvalidRequest", none.clone()),
        (
            r#"{"type":"tool_approval_response","data":{"id":"x","id":"q-1"}}"#,
            400,
            "InvalidRequest",
            json!("q-1"),
        ),
        (
            r#"{"type":"tool_approval_response","data":{"behavior":"allow"}}"#,
            400,
            "InvalidRequest",
            none.clone(),
        ),
        (
            r#"{"type":"tool_approval_response","data":{"id":"q-2","behavior":"allow"}}"#,
            404,
            "NotFound",
            json!("q-2"),
        ),
        (
            r#"{"type":"tool_approval_response","data":{"id":7,"behavior":"allow"}}"#,
            400,
            "InvalidRequest",
            none.clone(),
        ),
        (r#"{"type":"tool_approval_response"}"#, 400, "InvalidRequest", none.clone()),
        (r#"{"type":"launch","data":{"id":"q-3"}}"#, 400, "InvalidRequest", json!("q-3")),
        (r#"{"type":"ping","more":1}"#, 400, "InvalidRequest", none.clone()),
        (
            r#"{"type":"tool_approval_response","data":{"id":"00000000-0000-7000-8000-000000000000","behavior":"maybe"}}"#,
            400,
            "InvalidRequest",
            json!("00000000-0000-7000-8000-000000000000"),
        ),
    ];
    for (text, status, code, id) in bad {
        device.say_text(text).await;
        is_error(&device.next().await, status, code, &id);
    }
    device.socket.send(Message::binary(vec![1, 2, 3])).await.unwrap();
    is_error(&device.next().await, 400, "InvalidRequest", &none);
    device.quiet().await;
}

#[tokio::test]
async fn oversized_message_is_rejected_and_unbounded_one_closes_the_socket() {
    let limits = Limits { body: 4096, ..Limits::default() };
    let server = TestServer::of(TestServerOptions { limits, ..TestServerOptions::default() }).await;
    let mut device = server.device(&server.approver).await;
    device.say_text(&" ".repeat(4097)).await;
    is_error(&device.next().await, 413, "TooLarge", &json!(null));
    device.quiet().await;
    device.say_text(&" ".repeat(100_000)).await;
    is_error(&device.next().await, 413, "TooLarge", &json!(null));
    assert_eq!(u16::from(device.closed().await.code), 1009);
}

#[tokio::test]
async fn client_that_may_not_answer_has_a_small_message_limit() {
    let server = TestServer::new().await;
    for (who, most) in [(&server.viewer, 64 << 10), (&server.approver, 1 << 20)] {
        let mut device = server.device(who).await;
        device.say_text(&" ".repeat(most + 1)).await;
        is_error(&device.next().await, 413, "TooLarge", &json!(null));
        device.quiet().await;
        device.say_text(&" ".repeat(2 * most + 1)).await;
        is_error(&device.next().await, 413, "TooLarge", &json!(null));
        assert_eq!(u16::from(device.closed().await.code), 1009);
    }
}

#[tokio::test]
async fn client_that_sends_only_malformed_messages_is_disconnected() {
    let server = TestServer::new().await;
    let mut device = server.device(&server.approver).await;
    for _ in 0..15 {
        device.say_text("nonsense").await;
        device.until("error").await;
    }
    device.quiet().await;
    for _ in 0..16 {
        device.say_text("nonsense").await;
    }
    assert_eq!(u16::from(device.closed().await.code), 1008);
}

#[tokio::test]
async fn messages_count_towards_the_rate_limit() {
    let limits = Limits { requests: (1, 5), ..Limits::default() };
    let server = TestServer::of(TestServerOptions { limits, ..TestServerOptions::default() }).await;
    let mut device = server.device(&server.approver).await;
    for _ in 0..8 {
        device.say(&json!({ "type": "ping" })).await;
    }
    is_error(
        &json!({ "type": "error", "data": device.until("error").await }),
        429,
        "RateLimited",
        &json!(null),
    );
}

#[tokio::test]
async fn messages_are_charged_to_the_memory_budget() {
    // A quarter of it, 1 MiB, is for each credential.
    let limits = Limits { memory_budget: 4 << 20, requests: (10_000, 10_000), ..Limits::default() };
    let server = TestServer::of(TestServerOptions { limits, ..TestServerOptions::default() }).await;
    let mut device = server.device(&server.approver).await;
    // A text of 36 KB that would need 4 MiB in memory. It can be sent again.
    let dense = format!(r#"{{"type":"ping","data":{{"x":[{}0]}}}}"#, r#"{"":0},"#.repeat(5000));
    for _ in 0..20 {
        device.say_text(&dense).await;
        is_error(&device.next().await, 503, "NoRoom", &json!(null));
    }
    device.quiet().await;
    // An incomplete message is charged as well, for as long as it is held.
    let part = || Message::Frame(Frame::message(vec![b' '; 900_000], OpCode::Data(Data::Text), false));
    device.socket.send(part()).await.unwrap();
    let arrived = async {
        while server.app.in_flight() < 890_000 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, arrived).await.expect("the incomplete message is not charged");
    let whole = " ".repeat(500_000);
    let mut other = server.device(&server.approver).await;
    other.say_text(&whole).await;
    assert!(!matches!(other.heard().await, Some(Ok(Message::Text(_)))), "the budget was exceeded");
    let mut viewer = server.device(&server.viewer).await;
    viewer.say_text(&" ".repeat(60_000)).await;
    is_error(&viewer.next().await, 400, "InvalidRequest", &json!(null));
    drop(device);
    let taken = async {
        loop {
            let mut other = server.device(&server.approver).await;
            other.say_text(&whole).await;
            let Some(Ok(Message::Text(_))) = other.heard().await else { continue };
            return;
        }
    };
    tokio::time::timeout(PATIENCE, taken).await.expect("the dropped message is still charged");
}
