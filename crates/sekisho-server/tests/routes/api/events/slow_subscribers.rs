//! A slow subscriber delays nobody, gets a new snapshot, and is disconnected if it reads nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use futures_util::future::join_all;
use sekisho_gate::WriteAccess;
use sekisho_gate::ledger::Ledger;
use sekisho_testkit::{ManualClock, fixtures};
use serde_json::json;
use tokio::time::timeout;

use crate::harness::event_streams::{PATIENCE, TestServer, TestServerOptions};

/// Larger than what the system buffers for a client that does not read.
const LARGE: usize = 200_000;
const QUESTIONS: usize = 24;

/// Opens large approvals, each read by a subscriber that keeps up.
async fn flood(server: &TestServer, quick: &mut crate::harness::event_streams::WebSocketClient) {
    for n in 0..QUESTIONS {
        let input = json!({ "text": "x".repeat(LARGE) });
        let id = server.ask_without_waiting(&server.agent, &format!("t{n}"), input).await;
        assert_eq!(quick.until("tool_approval_request").await["id"], json!(id));
    }
}

#[tokio::test]
async fn slow_subscriber_delays_nobody_and_gets_a_new_snapshot() {
    let mut plan = TestServerOptions::default();
    plan.limits.stream_timing.send_timeout = PATIENCE;
    let server = TestServer::of(plan).await;
    let mut slow = server.deaf_device(&server.viewer).await;
    let mut quick = server.device(&server.viewer).await;
    flood(&server, &mut quick).await;
    // More than the gate keeps in memory; the fast subscriber receives them all.
    for batch in 0..12 {
        let records =
            (0..100).map(|n| fixtures::rules_changed_record(ManualClock::start(), &format!("{batch}-{n}")));
        server.ledger.append_records(WriteAccess::TESTS, records.collect()).await.unwrap();
        for _ in 0..100 {
            quick.until("rules_changed").await;
        }
    }
    let mut last = 0;
    let mut snapshots = 0;
    let mut requests = 0;
    while snapshots < 2 {
        let message = slow.next().await;
        let seq = message["seq"].as_u64().unwrap();
        let again = message["type"] == "snapshot";
        if last > 0 {
            assert!(if again { seq > last + 1000 } else { seq == last + 1 }, "{seq} after {last}");
        }
        (snapshots, requests) = (snapshots + usize::from(again), requests + usize::from(!again));
        if snapshots == 2 {
            assert_eq!(message["data"]["approvals"].as_array().unwrap().len(), QUESTIONS);
        }
        last = seq;
    }
    assert!(requests < QUESTIONS, "it was not behind");
    server.ask_without_waiting(&server.agent, "last", json!({ "command": "make" })).await;
    // Events after that snapshot arrive without a gap.
    let mut received = json!(null);
    while received["type"] != "tool_approval_request" {
        received = slow.next().await;
        last += 1;
        assert_eq!(received["seq"], json!(last));
    }
}

#[tokio::test]
async fn subscriber_that_reads_nothing_is_disconnected() {
    let mut plan = TestServerOptions::default();
    plan.limits.stream_timing.send_timeout = Duration::from_millis(800);
    plan.limits.listeners = 2;
    let server = TestServer::of(plan).await;
    let mut slow = server.deaf_device(&server.viewer).await;
    let mut stream = server.follow(&server.viewer, None).await;
    let enter = || server.connect(("authorization", format!("Bearer {}", server.viewer.secret)));
    assert!(enter().await.is_err(), "there are two already");
    for n in 0..QUESTIONS {
        server
            .ask_without_waiting(&server.agent, &format!("t{n}"), json!({ "text": "x".repeat(LARGE) }))
            .await;
    }
    // Both slots become free, though neither client said goodbye.
    let mut others = Vec::new();
    let begun = Instant::now();
    while others.len() < 2 {
        assert!(begun.elapsed() < PATIENCE, "they keep their slots");
        match enter().await {
            Ok(device) => others.push(device),
            Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
    let mut heard = 0;
    while let Some(Ok(_)) = timeout(PATIENCE, slow.socket.next()).await.expect("the stream ends") {
        heard += 1;
    }
    assert!(heard <= QUESTIONS, "the end is missing");
    let mut received = 0;
    while stream.block().await.is_some() {
        received += 1;
    }
    assert!(received <= QUESTIONS, "the end is missing");
    drop(others);
}

#[tokio::test]
async fn concurrent_subscribers_share_one_snapshot_read() {
    let server = TestServer::new().await;
    for n in 0..50 {
        server.ask_without_waiting(&server.agent, &format!("t{n}"), json!({ "command": "make" })).await;
    }
    drop(server.device(&server.approver).await);
    let count = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&count);
    server.ledger.pause_with(Arc::new(move || {
        counted.fetch_add(1, Ordering::Relaxed);
        Box::pin(tokio::task::yield_now())
    }));
    let devices = join_all((0..60).map(|_| server.deaf_device(&server.approver))).await;
    let snapshots = join_all(devices.into_iter().map(|mut device| async move { device.next().await })).await;
    for snapshot in &snapshots {
        assert_eq!(snapshot["data"]["approvals"].as_array().unwrap().len(), 50);
    }
    // Two for every operation.
    let operations = count.load(Ordering::Relaxed) / 2;
    assert!(operations < 10, "{operations} operations of the ledger for 60 devices");
}
