//! Bodies that are too large or malformed.

use sekisho_gate::answer::Role;
use sekisho_server::Limits;
use serde_json::json;

use super::TestServer;
use crate::harness::socket_server::{PATIENCE, eventually, limits};

#[tokio::test]
async fn oversized_body_is_not_read() {
    let server = TestServer::limited(Limits { body: 1000, ..limits() }).await;
    let admin = server.token(Role::Admin).await;
    let large = json!({ "toolName": "Read", "input": { "path": "x".repeat(1000) } });
    let reply = server.call(&admin, "POST", "/api/decide", Some(large)).await;
    assert_eq!((reply.status, reply.code().as_str()), (413, "TooLarge"));
    // Only announced: the response comes without a byte of the body.
    let head =
        server.request("POST", "/api/decide").bearer(&admin).header("Content-Type", "application/json");
    let reply = server.send(&head.header("Content-Length", "99999999999")).await;
    assert_eq!(reply.status, 413);
}

#[tokio::test]
async fn oversized_chunked_body_is_cut_off() {
    let server = TestServer::limited(Limits { body: 1000, ..limits() }).await;
    let admin = server.token(Role::Admin).await;
    let head =
        server.request("POST", "/api/decide").bearer(&admin).header("Content-Type", "application/json");
    let mut bytes = head.header("Transfer-Encoding", "chunked").bytes();
    for _ in 0..20 {
        bytes.extend_from_slice(format!("64\r\n{}\r\n", "x".repeat(100)).as_bytes());
    }
    let reply = server.connect().await.ask(&bytes).await.unwrap();
    assert_eq!((reply.status, reply.code().as_str()), (413, "TooLarge"));
}

#[tokio::test]
async fn malformed_body_is_a_client_error() {
    let server = TestServer::new().await;
    let admin = server.token(Role::Admin).await;
    let deep =
        format!("{{\"toolName\":\"Read\",\"input\":{}{}}}", "{\"a\":".repeat(50_000), "}".repeat(50_000));
    let lists = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let bodies: [(&str, Vec<u8>); 9] = [
        ("deep nesting", deep.into_bytes()),
        ("deep lists", lists.into_bytes()),
        ("duplicate keys", br#"{"toolName":"Read","toolName":"Bash","input":{}}"#.to_vec()),
        ("duplicate keys below", br#"{"toolName":"Read","input":{"a":1,"a":2}}"#.to_vec()),
        ("invalid UTF-8", b"{\"toolName\":\"\xff\xfe\"}".to_vec()),
        ("truncated", br#"{"toolName":"Re"#.to_vec()),
        ("two values", br#"{"toolName":"Read"} {"toolName":"Bash"}"#.to_vec()),
        ("unknown field", br#"{"toolName":"Read","approved":true}"#.to_vec()),
        ("empty", Vec::new()),
    ];
    for (what, body) in bodies {
        let request = server.request("POST", "/api/decide").bearer(&admin).body("application/json", body);
        let reply = server.send(&request).await;
        assert_eq!((reply.status, reply.code().as_str()), (400, "InvalidRequest"), "{what}");
    }
}

#[tokio::test]
async fn incomplete_body_does_nothing() {
    let server = TestServer::new().await;
    let admin = server.token(Role::Admin).await;
    let whole = json!({ "name": "x", "role": "admin" });
    let head =
        server.request("POST", "/api/tokens").bearer(&admin).header("Content-Type", "application/json");
    let mut bytes = head.header("Content-Length", "1000").bytes();
    bytes.extend_from_slice(whole.to_string().as_bytes());
    let mut line = server.connect().await;
    line.say(&bytes).await.unwrap();
    tokio::io::AsyncWriteExt::shutdown(&mut line.0).await.unwrap();
    let reply = line.answer().await;
    assert!(reply.is_none_or(|reply| reply.status == 400));
    let tokens = server.call(&admin, "GET", "/api/tokens", None).await.json();
    assert_eq!(tokens["tokens"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn oversized_head_is_rejected() {
    let server = TestServer::new().await;
    let many =
        (0..200).fold(server.request("GET", "/healthz"), |request, n| request.header(&format!("X-{n}"), "y"));
    assert_eq!(server.send(&many).await.status, 431);
    let large = server.request("GET", "/healthz").header("X-Large", &"y".repeat(100_000));
    assert_eq!(server.send(&large).await.status, 431);
    let long = server.request("GET", &format!("/{}", "y".repeat(100_000)));
    assert!([414, 431].contains(&server.send(&long).await.status));
    assert_eq!(server.send(&server.request("GET", "/healthz")).await.status, 200);
}

#[tokio::test]
async fn open_route_accepts_only_small_bodies() {
    let server = TestServer::new().await;
    let link = |length| json!({ "link": "x".repeat(length) });
    let request = || server.request("POST", "/api/session").header("Origin", &server.origin());
    let reply = server.send(&request().json(&link(3000))).await;
    assert_eq!((reply.status, reply.code().as_str()), (401, "Unauthenticated"));
    let reply = server.send(&request().json(&link(5000))).await;
    assert_eq!((reply.status, reply.code().as_str()), (413, "TooLarge"));
}

/// Sends the head of a request and a part of its body.
async fn unfinished(
    server: &TestServer,
    token: &str,
    sent: usize,
) -> crate::harness::socket_server::RawConnection<impl Sized + use<>> {
    let head = server.request("POST", "/api/decide").bearer(token).header("Content-Type", "application/json");
    let mut bytes = head.header("Content-Length", &(sent + 1).to_string()).bytes();
    bytes.extend(std::iter::repeat_n(b' ', sent));
    let mut line = server.connect().await;
    line.say(&bytes).await.unwrap();
    line
}

/// A server with a small body budget, a quarter of it for each credential.
async fn cramped() -> TestServer {
    TestServer::limited(Limits { body: 1 << 20, memory_budget: 4 << 20, body_timeout: PATIENCE, ..limits() })
        .await
}

fn body(length: usize) -> serde_json::Value {
    json!({ "toolName": "Read", "input": { "path": "x".repeat(length) } })
}

/// Waits until the server has read this many bytes. A client that sends more before that may use the budget
/// first.
async fn arrived(server: &TestServer, bytes: usize) {
    eventually("the bytes never arrived", async || (server.app.in_flight() >= bytes).then_some(())).await;
}

async fn refused(server: &TestServer, token: &str) {
    let full = server.call(token, "POST", "/api/decide", Some(body(100_000))).await;
    assert_eq!((full.status, full.code().as_str()), (503, "NoRoom"));
    assert_eq!(full.header("retry-after"), Some("1"));
}

#[tokio::test]
async fn bodies_in_flight_share_one_budget() {
    let server = cramped().await;
    let admin = server.token(Role::Admin).await;
    let mut lines = Vec::new();
    for _ in 0..4 {
        let agent = server.token(Role::Agent).await;
        lines.push(unfinished(&server, &agent, 510_000).await);
        lines.push(unfinished(&server, &agent, 510_000).await);
    }
    arrived(&server, 8 * 500_000).await;
    refused(&server, &admin).await;
    assert_eq!(server.call(&admin, "POST", "/api/decide", Some(body(1000))).await.status, 200);
    drop(lines);
    eventually("the memory was never released", async || {
        let reply = server.call(&admin, "POST", "/api/decide", Some(body(100_000))).await;
        (reply.status == 200).then_some(())
    })
    .await;
}

#[tokio::test]
async fn one_credential_cannot_use_the_whole_budget() {
    let server = cramped().await;
    let (agent, other) = (server.token(Role::Agent).await, server.token(Role::Agent).await);
    let mut lines = Vec::new();
    for _ in 0..12 {
        lines.push(unfinished(&server, &agent, 500_000).await);
    }
    arrived(&server, 2 * 490_000).await;
    refused(&server, &agent).await;
    assert_eq!(server.call(&other, "POST", "/api/decide", Some(body(100_000))).await.status, 200);
}

#[tokio::test]
async fn body_is_charged_for_the_memory_of_its_values() {
    let server = cramped().await;
    let agent = server.token(Role::Agent).await;
    let dense = |count: usize| json!({ "toolName": "note", "input": { "x": vec![json!({ "": 0 }); count] } });
    let reply = server.call(&agent, "POST", "/api/decide", Some(dense(5000))).await;
    assert_eq!((reply.status, reply.code().as_str()), (503, "NoRoom"));
    // The same number of bytes as text needs little memory, and a small body is free.
    assert_eq!(server.call(&agent, "POST", "/api/decide", Some(body(35_000))).await.status, 200);
    assert_eq!(server.call(&agent, "POST", "/api/decide", Some(dense(500))).await.status, 200);
}
