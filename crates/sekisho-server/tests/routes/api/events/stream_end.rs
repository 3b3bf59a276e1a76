//! How streams are kept alive, and how they end.

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use sekisho_gate::answer::Role;
use sekisho_testkit::fixtures::seconds_after_start;
use serde_json::json;
use tokio::net::UnixStream;
use tokio_tungstenite::client_async;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error, Message};

use crate::harness::event_streams::{TestServer, TestServerOptions};

#[tokio::test]
async fn revoked_token_ends_only_its_own_streams() {
    let server = TestServer::new().await;
    let lost = server.add(Role::Approver, "lost phone", None).await;
    let mut socket = server.device(&lost).await;
    let mut stream = server.follow(&lost, None).await;
    stream.next().await;
    let mut other = server.device(&server.approver).await;
    server.revoke(&lost).await;
    assert_eq!(u16::from(socket.closed().await.code), 1008);
    assert_eq!(stream.block().await, None);
    server.ask_without_waiting(&server.agent, "t1", json!({ "command": "make" })).await;
    other.until("tool_approval_request").await;
    let refused = server.connect(("authorization", format!("Bearer {}", lost.secret))).await;
    assert!(matches!(refused, Err(Error::Http(response)) if response.status() == 401));
}

#[tokio::test]
async fn expired_token_ends_its_streams() {
    let server = TestServer::new().await;
    let guest = server.add(Role::Viewer, "guest", Some(seconds_after_start(600))).await;
    let mut socket = server.device(&guest).await;
    let mut stream = server.follow(&guest, None).await;
    stream.next().await;
    server.advance(599);
    socket.quiet().await;
    server.advance(1);
    assert_eq!(u16::from(socket.closed().await.code), 1008);
    assert_eq!(stream.block().await, None);
}

#[tokio::test]
async fn stopping_server_closes_streams_and_keeps_approvals() {
    let mut plan = TestServerOptions::default();
    // Subscribers do not use up the grace period, or this would not end.
    plan.limits.shutdown_grace = Duration::from_secs(3600);
    let mut server = TestServer::of(plan).await;
    let id = server.ask_without_waiting(&server.agent, "t1", json!({ "command": "make" })).await;
    let mut socket = server.device(&server.approver).await;
    let mut stream = server.follow(&server.viewer, None).await;
    stream.next().await;
    let closing = tokio::spawn(async move {
        let code = u16::from(socket.closed().await.code);
        (code, stream.block().await)
    });
    server.stop().await;
    assert_eq!(closing.await.unwrap(), (1001, None));
    let pending = sekisho_gate::ledger::LedgerReader::pending(&server.ledger, None, 10).await.unwrap();
    assert_eq!(pending.iter().map(|approval| approval.id.to_string()).collect::<Vec<_>>(), [id]);
}

#[tokio::test]
async fn client_that_answers_pings_stays_connected() {
    let mut plan = TestServerOptions::default();
    plan.limits.stream_timing.ping_interval = Duration::from_secs(10);
    plan.limits.stream_timing.ping_timeout = Duration::from_secs(30);
    let server = TestServer::of(plan).await;
    let mut device = server.device(&server.approver).await;
    // Time is advanced by hand: by itself it would advance only if everything were idle.
    tokio::time::pause();
    let busy = tokio::spawn(async {
        loop {
            tokio::task::yield_now().await;
        }
    });
    // Three times as long as a client may be silent; this client only answers pings.
    for _ in 0..9 {
        // A timer fires at the first whole millisecond after its time.
        tokio::time::advance(Duration::from_millis(10_001)).await;
        assert!(matches!(device.socket.next().await, Some(Ok(Message::Ping(_)))));
        // The pong is sent at the next poll of the socket, and the server receives it before time advances.
        device.socket.flush().await.unwrap();
        for _ in 0..2000 {
            tokio::task::yield_now().await;
        }
    }
    device.quiet().await;
    busy.abort();
}

#[tokio::test]
async fn silent_client_is_disconnected() {
    let mut plan = TestServerOptions::default();
    plan.limits.stream_timing.ping_interval = Duration::from_secs(60);
    plan.limits.stream_timing.ping_timeout = Duration::from_millis(200);
    let server = TestServer::of(plan).await;
    let mut device = server.device(&server.approver).await;
    assert_eq!(u16::from(device.closed().await.code), 1008);
}

#[tokio::test]
async fn token_can_be_sent_as_a_subprotocol() {
    let server = TestServer::new().await;
    let offered = format!("sekisho, sekisho.token.{}", server.approver.secret);
    let (mut device, response) = server.connect(("sec-websocket-protocol", offered)).await.unwrap();
    assert_eq!(response.headers().get("sec-websocket-protocol").unwrap(), "sekisho");
    assert_eq!(device.next().await["type"], "snapshot");
    let offered = format!("sekisho, sekisho.token.{}", server.approver.secret.replace("sks_", "skx_"));
    let refused = server.connect(("sec-websocket-protocol", offered)).await;
    assert!(matches!(refused, Err(Error::Http(response)) if response.status() == 401));
}

#[tokio::test]
async fn plain_request_to_the_websocket_route_gets_426() {
    let server = TestServer::new().await;
    let result = server.send(&server.viewer, "GET", "/api/ws", None).await;
    assert_eq!((result.status, &result.body["error"]["code"]), (426, &json!("UpgradeRequired")));
}

#[tokio::test]
async fn unix_socket_peer_subscribes_as_an_agent() {
    let server = TestServer::new().await;
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("sekisho.sock");
    server.on_socket(&path);
    server.ask_without_waiting(&server.agent, "t1", json!({ "command": "make" })).await;
    let mut request = format!("ws://{}/api/ws", server.address).into_client_request().unwrap();
    request.headers_mut().insert("origin", format!("http://{}", server.address).parse().unwrap());
    let stream = UnixStream::connect(&path).await.unwrap();
    let (mut socket, _) = client_async(request, stream).await.unwrap();
    let Some(Ok(Message::Text(text))) = socket.next().await else { panic!("a snapshot") };
    let reply: serde_json::Value = serde_json::from_str(text.as_str()).unwrap();
    assert_eq!(reply["data"]["approvals"], json!([]), "another agent's question is not included");
}
