//! Slow clients that try to use up the server's time.

use std::time::Duration;

use sekisho_gate::answer::Role;
use sekisho_server::Limits;
use serde_json::json;
use tokio::io::AsyncWriteExt;

use super::TestServer;
use crate::harness::socket_server::{PATIENCE, RawConnection, limits};
use crate::routes::pages::asset;

/// The timeout of clients in these tests. Ordinary clients are much faster, even on a busy machine.
const SHORT: Duration = Duration::from_secs(1);

#[tokio::test]
async fn slow_head_is_cut_off() {
    let server = TestServer::limited(Limits { head_timeout: SHORT, ..limits() }).await;
    let (mut reading, mut writing) = tokio::io::split(server.connect().await.0);
    // It never ends by itself.
    let dripping = tokio::spawn(async move {
        let head = b"GET /healthz HTTP/1.1\r\nX-Slow: ".iter().copied().chain(std::iter::repeat(b'a'));
        for byte in head {
            if writing.write_all(&[byte]).await.is_err() || writing.flush().await.is_err() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    });
    assert_eq!(server.send(&server.request("GET", "/healthz")).await.status, 200, "others are served");
    let mut rest = Vec::new();
    let read = tokio::io::AsyncReadExt::read_to_end(&mut reading, &mut rest);
    let _ = tokio::time::timeout(PATIENCE, read).await.expect("the connection is closed");
    assert!(!rest.starts_with(b"HTTP/1.1 200"));
    dripping.abort();
}

#[tokio::test]
async fn slow_body_is_cut_off() {
    let server = TestServer::limited(Limits { body_timeout: SHORT, ..limits() }).await;
    let admin = server.token(Role::Admin).await;
    let head =
        server.request("POST", "/api/decide").bearer(&admin).header("Content-Type", "application/json");
    let mut line = server.connect().await;
    line.say(&head.header("Content-Length", "5000").bytes()).await.unwrap();
    let (reading, mut writing) = tokio::io::split(line.0);
    // It would take minutes at this pace, and never pauses for long.
    let dripping = tokio::spawn(async move {
        while writing.write_all(b" ").await.is_ok() && writing.flush().await.is_ok() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    });
    let mut line = RawConnection(tokio::io::join(reading, tokio::io::sink()));
    let reply = line.answer().await.unwrap();
    assert_eq!((reply.status, reply.code().as_str()), (408, "TooSlow"));
    assert!(line.hangs_up().await);
    dripping.abort();
}

#[tokio::test]
async fn unauthenticated_client_cannot_send_a_slow_body() {
    let server = TestServer::new().await;
    let head =
        server.request("POST", "/api/decide").bearer("sks_x_y").header("Content-Type", "application/json");
    let reply = server.send(&head.header("Content-Length", "5000")).await;
    assert_eq!(reply.status, 401);
}

#[tokio::test]
async fn idle_connection_is_closed_and_waiting_one_is_not() {
    let server = TestServer::limited(Limits { head_timeout: SHORT, body_timeout: SHORT, ..limits() }).await;
    let (agent, approver) = (server.token(Role::Agent).await, server.token(Role::Approver).await);
    let waiting = server.ask(&agent, "c1");
    let id = server.open(1).await[0].id;
    let mut resting = server.connect().await;
    let twice = server.request("GET", "/healthz").bytes().repeat(2);
    assert_eq!(resting.ask(&twice).await.unwrap().status, 200);
    assert_eq!(resting.answer().await.unwrap().status, 200, "it stays open");
    assert!(resting.hangs_up().await, "but not for ever");
    tokio::time::sleep(SHORT * 2).await;
    assert!(!waiting.is_finished());
    let path = format!("/api/approvals/{id}/answer");
    assert_eq!(server.call(&approver, "POST", &path, Some(json!({ "behavior": "allow" }))).await.status, 200);
    assert_eq!(waiting.await.unwrap().unwrap().json()["behavior"], "allow");
}

#[tokio::test]
async fn client_is_served_when_idle_connections_fill_the_limit() {
    let server = TestServer::limited(Limits { head_timeout: SHORT, connections: 8, ..limits() }).await;
    for _ in 0..3 {
        let mut idlers = Vec::new();
        for _ in 0..12 {
            idlers.push(server.connect().await);
        }
        assert_eq!(server.send(&server.request("GET", "/healthz")).await.status, 200);
        // None of them has left by itself.
        drop(idlers);
    }
}

#[tokio::test]
async fn client_that_never_reads_is_disconnected() {
    let server = TestServer::limited(Limits { body_timeout: SHORT, connections: 1, ..limits() }).await;
    const MANY: usize = 20_000;
    let request = server.request("GET", &format!("/{}", asset(".css").path)).bytes().repeat(MANY);
    let (mut reading, mut writing) = tokio::io::split(server.connect().await.0);
    let deaf = tokio::spawn(async move { (writing.write_all(&request).await, writing) });
    // It waits in the queue until the only slot is free.
    assert_eq!(server.send(&server.request("GET", "/healthz")).await.status, 200);
    // What was sent until then is less than the client requested.
    let mut response = Vec::new();
    let _ = tokio::io::AsyncReadExt::read_to_end(&mut reading, &mut response).await;
    let response = String::from_utf8_lossy(&response).matches("HTTP/1.1 200 OK").count();
    assert!((1..MANY).contains(&response), "{response}");
    deaf.abort();
}
