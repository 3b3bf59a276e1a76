//! Callers who take their time, so that nobody else gets any.

use std::time::Duration;

use sekisho_gate::answer::Role;
use sekisho_server::Limits;
use serde_json::json;
use tokio::io::AsyncWriteExt;

use super::TestServer;
use crate::harness::sockets::{PATIENCE, RawConnection, limits};
use crate::routes::pages::asset;

/// How long callers may take. Those who are well are much quicker even on a machine that has much else to do.
const SHORT: Duration = Duration::from_secs(1);

#[tokio::test]
async fn a_head_that_drips_is_cut() {
    let house = TestServer::limited(Limits { head_timeout: SHORT, ..limits() }).await;
    let (mut reading, mut writing) = tokio::io::split(house.connect().await.0);
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
    assert_eq!(house.send(&house.request("GET", "/healthz")).await.status, 200, "others are served");
    let mut rest = Vec::new();
    let read = tokio::io::AsyncReadExt::read_to_end(&mut reading, &mut rest);
    let _ = tokio::time::timeout(PATIENCE, read).await.expect("it is cut");
    assert!(!rest.starts_with(b"HTTP/1.1 200"));
    dripping.abort();
}

#[tokio::test]
async fn a_body_that_drips_is_cut() {
    let house = TestServer::limited(Limits { body_timeout: SHORT, ..limits() }).await;
    let admin = house.token(Role::Admin).await;
    let head = house.request("POST", "/api/decide").bearer(&admin).header("Content-Type", "application/json");
    let mut line = house.connect().await;
    line.say(&head.header("Content-Length", "5000").bytes()).await.unwrap();
    let (reading, mut writing) = tokio::io::split(line.0);
    // It would take minutes at this pace, and never rests for long.
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
async fn who_is_not_known_does_not_get_to_send_a_body_slowly() {
    let house = TestServer::new().await;
    let head =
        house.request("POST", "/api/decide").bearer("sks_x_y").header("Content-Type", "application/json");
    let reply = house.send(&head.header("Content-Length", "5000")).await;
    assert_eq!(reply.status, 401);
}

#[tokio::test]
async fn a_connection_that_rests_is_cut_and_one_that_waits_is_not() {
    let house = TestServer::limited(Limits { head_timeout: SHORT, body_timeout: SHORT, ..limits() }).await;
    let (agent, approver) = (house.token(Role::Agent).await, house.token(Role::Approver).await);
    let waiting = house.ask(&agent, "c1");
    let id = house.open(1).await[0].id;
    let mut resting = house.connect().await;
    let twice = house.request("GET", "/healthz").bytes().repeat(2);
    assert_eq!(resting.ask(&twice).await.unwrap().status, 200);
    assert_eq!(resting.answer().await.unwrap().status, 200, "it is kept");
    assert!(resting.hangs_up().await, "but not for ever");
    tokio::time::sleep(SHORT * 2).await;
    assert!(!waiting.is_finished());
    let path = format!("/api/approvals/{id}/answer");
    assert_eq!(house.call(&approver, "POST", &path, Some(json!({ "behavior": "allow" }))).await.status, 200);
    assert_eq!(waiting.await.unwrap().unwrap().json()["behavior"], "allow");
}

#[tokio::test]
async fn when_every_place_is_taken_by_idlers_the_next_is_served_all_the_same() {
    let house = TestServer::limited(Limits { head_timeout: SHORT, connections: 8, ..limits() }).await;
    for _ in 0..3 {
        let mut idlers = Vec::new();
        for _ in 0..12 {
            idlers.push(house.connect().await);
        }
        assert_eq!(house.send(&house.request("GET", "/healthz")).await.status, 200);
        // None of them has left by itself.
        drop(idlers);
    }
}

#[tokio::test]
async fn who_asks_and_never_reads_loses_the_place() {
    let house = TestServer::limited(Limits { body_timeout: SHORT, connections: 1, ..limits() }).await;
    const MANY: usize = 20_000;
    let asking = house.request("GET", &format!("/{}", asset(".css").path)).bytes().repeat(MANY);
    let (mut reading, mut writing) = tokio::io::split(house.connect().await.0);
    let deaf = tokio::spawn(async move { (writing.write_all(&asking).await, writing) });
    // It waits in the queue until the only place is free.
    assert_eq!(house.send(&house.request("GET", "/healthz")).await.status, 200);
    // What it was told until then is less than it had asked for.
    let mut told = Vec::new();
    let _ = tokio::io::AsyncReadExt::read_to_end(&mut reading, &mut told).await;
    let told = String::from_utf8_lossy(&told).matches("HTTP/1.1 200 OK").count();
    assert!((1..MANY).contains(&told), "{told}");
    deaf.abort();
}
