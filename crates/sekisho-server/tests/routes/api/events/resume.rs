//! Resuming server-sent events.

use serde_json::json;

use crate::harness::event_streams::TestServer;

#[tokio::test]
async fn stream_begins_with_a_snapshot() {
    let server = TestServer::new().await;
    let id = server.ask_without_waiting(&server.agent, "t1", json!({ "command": "make" })).await;
    let mut stream = server.follow(&server.viewer, None).await;
    let first = stream.next().await;
    assert_eq!((first.kind.as_str(), &first.data["seq"]), ("snapshot", &json!(first.id)));
    assert_eq!(first.data["approvals"][0]["id"], json!(id));
    let id = server.ask_without_waiting(&server.agent, "t2", json!({ "command": "make" })).await;
    let second = stream.next().await;
    assert_eq!((second.kind.as_str(), second.id), ("tool_approval_request", first.id + 1));
    assert_eq!(second.data["id"], json!(id));
}

#[tokio::test]
async fn resumed_stream_has_no_gaps_or_duplicates() {
    let server = TestServer::new().await;
    let mut stream = server.follow(&server.viewer, None).await;
    let mut last = stream.next().await.id;
    let mut asked = Vec::new();
    let mut heard = Vec::new();
    for round in 0..10 {
        for n in 0..3 {
            let id = format!("t{round}-{n}");
            asked.push(server.ask_without_waiting(&server.agent, &id, json!({ "command": id })).await);
        }
        // It receives some of them, and is disconnected.
        for _ in 0..2 {
            let event = stream.next().await;
            assert_eq!((event.kind.as_str(), event.id), ("tool_approval_request", last + 1));
            heard.push(event.data["id"].as_str().unwrap().to_owned());
            last = event.id;
        }
        stream = match round % 2 {
            0 => server.follow(&server.viewer, Some(last)).await,
            _ => server.follow_at(&server.viewer, &format!("/api/events?lastEventId={last}"), "").await,
        };
    }
    while heard.len() < asked.len() {
        let event = stream.next().await;
        assert_eq!(event.id, last + 1);
        heard.push(event.data["id"].as_str().unwrap().to_owned());
        last = event.id;
    }
    assert_eq!(heard, asked);
}

#[tokio::test]
async fn last_event_id_header_takes_precedence_over_the_query() {
    let server = TestServer::new().await;
    let begun = server.follow(&server.viewer, None).await.next().await.id;
    for n in 0..2 {
        server.ask_without_waiting(&server.agent, &format!("t{n}"), json!({ "command": "make" })).await;
    }
    let mut all = server.follow(&server.viewer, Some(begun)).await;
    let (first, second) = (all.next().await.id, all.next().await);
    let path = format!("/api/events?lastEventId={begun}");
    let mut stream = server.follow_at(&server.viewer, &path, &format!("Last-Event-ID: {first}\r\n")).await;
    assert_eq!(stream.next().await, second);
}

#[tokio::test]
async fn resume_after_lost_events_gets_a_snapshot() {
    let server = TestServer::new().await;
    server.ask_without_waiting(&server.agent, "t1", json!({ "command": "make" })).await;
    for from in [u64::MAX, 1_000_000] {
        let mut stream = server.follow(&server.viewer, Some(from)).await;
        let first = stream.next().await;
        assert_eq!(first.kind, "snapshot");
        assert_eq!(first.data["approvals"].as_array().unwrap().len(), 1);
    }
}

#[tokio::test]
async fn malformed_event_id_is_rejected() {
    let server = TestServer::new().await;
    for bad in ["x", "-1", "+1", "1.5", "99999999999999999999", "%20"] {
        let reply = server.send(&server.viewer, "GET", &format!("/api/events?lastEventId={bad}"), None).await;
        assert_eq!(reply.status, 400, "{bad}: {reply:?}");
        assert_eq!(reply.body["error"]["code"], "InvalidRequest");
    }
    let reply = server.send(&server.viewer, "GET", "/api/events?lastEventId=1&since=2", None).await;
    assert_eq!(reply.status, 400);
}

#[tokio::test]
async fn idle_stream_gets_comments() {
    let mut plan = crate::harness::event_streams::TestServerOptions::default();
    plan.limits.stream_timing.comment_interval = std::time::Duration::from_millis(30);
    let server = TestServer::of(plan).await;
    let mut stream = server.follow(&server.viewer, None).await;
    assert_eq!(stream.next().await.kind, "snapshot");
    assert_eq!(stream.block().await.as_deref(), Some(":"));
    assert_eq!(stream.block().await.as_deref(), Some(":"));
}
