//! How streams are kept open, and how they end.

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
async fn a_revoked_token_ends_its_streams_and_no_other() {
    let house = TestServer::new().await;
    let lost = house.add(Role::Approver, "lost phone", None).await;
    let mut socket = house.device(&lost).await;
    let mut stream = house.follow(&lost, None).await;
    stream.next().await;
    let mut other = house.device(&house.approver).await;
    house.revoke(&lost).await;
    assert_eq!(u16::from(socket.closed().await.code), 1008);
    assert_eq!(stream.block().await, None);
    house.ask_without_waiting(&house.agent, "t1", json!({ "command": "make" })).await;
    other.until("tool_approval_request").await;
    let refused = house.connect(("authorization", format!("Bearer {}", lost.secret))).await;
    assert!(matches!(refused, Err(Error::Http(response)) if response.status() == 401));
}

#[tokio::test]
async fn a_token_that_expires_ends_its_streams() {
    let house = TestServer::new().await;
    let guest = house.add(Role::Viewer, "guest", Some(seconds_after_start(600))).await;
    let mut socket = house.device(&guest).await;
    let mut stream = house.follow(&guest, None).await;
    stream.next().await;
    house.advance(599);
    socket.quiet().await;
    house.advance(1);
    assert_eq!(u16::from(socket.closed().await.code), 1008);
    assert_eq!(stream.block().await, None);
}

#[tokio::test]
async fn a_server_that_stops_says_goodbye_and_keeps_the_questions() {
    let mut plan = TestServerOptions::default();
    // Nobody who listens uses up the time they are given, or this would not end.
    plan.limits.shutdown_grace = Duration::from_secs(3600);
    let mut house = TestServer::of(plan).await;
    let id = house.ask_without_waiting(&house.agent, "t1", json!({ "command": "make" })).await;
    let mut socket = house.device(&house.approver).await;
    let mut stream = house.follow(&house.viewer, None).await;
    stream.next().await;
    let closing = tokio::spawn(async move {
        let code = u16::from(socket.closed().await.code);
        (code, stream.block().await)
    });
    house.stop().await;
    assert_eq!(closing.await.unwrap(), (1001, None));
    let pending = sekisho_gate::ledger::LedgerReader::pending(&house.ledger, None, 10).await.unwrap();
    assert_eq!(pending.iter().map(|approval| approval.id.to_string()).collect::<Vec<_>>(), [id]);
}

#[tokio::test]
async fn one_who_is_there_is_pinged_and_stays() {
    let mut plan = TestServerOptions::default();
    plan.limits.stream_timing.ping_interval = Duration::from_secs(10);
    plan.limits.stream_timing.ping_timeout = Duration::from_secs(30);
    let house = TestServer::of(plan).await;
    let mut device = house.device(&house.approver).await;
    // Time goes on by hand: it would by itself only if everybody were idle.
    tokio::time::pause();
    let busy = tokio::spawn(async {
        loop {
            tokio::task::yield_now().await;
        }
    });
    // Three times as long as somebody may be silent, who says nothing here but that it hears the pings.
    for _ in 0..9 {
        // A timer goes off with the first whole millisecond after its time.
        tokio::time::advance(Duration::from_millis(10_001)).await;
        assert!(matches!(device.socket.next().await, Some(Ok(Message::Ping(_)))));
        // What answers a ping is sent with the next look at the socket, and the server takes it before time goes on.
        device.socket.flush().await.unwrap();
        for _ in 0..2000 {
            tokio::task::yield_now().await;
        }
    }
    device.quiet().await;
    busy.abort();
}

#[tokio::test]
async fn one_of_whom_nothing_is_heard_is_let_go() {
    let mut plan = TestServerOptions::default();
    plan.limits.stream_timing.ping_interval = Duration::from_secs(60);
    plan.limits.stream_timing.ping_timeout = Duration::from_millis(200);
    let house = TestServer::of(plan).await;
    let mut device = house.device(&house.approver).await;
    assert_eq!(u16::from(device.closed().await.code), 1008);
}

#[tokio::test]
async fn a_client_without_headers_brings_its_token_as_a_protocol() {
    let house = TestServer::new().await;
    let offered = format!("sekisho, sekisho.token.{}", house.approver.secret);
    let (mut device, response) = house.connect(("sec-websocket-protocol", offered)).await.unwrap();
    assert_eq!(response.headers().get("sec-websocket-protocol").unwrap(), "sekisho");
    assert_eq!(device.next().await["type"], "snapshot");
    let offered = format!("sekisho, sekisho.token.{}", house.approver.secret.replace("sks_", "skx_"));
    let refused = house.connect(("sec-websocket-protocol", offered)).await;
    assert!(matches!(refused, Err(Error::Http(response)) if response.status() == 401));
}

#[tokio::test]
async fn a_request_that_wants_no_socket_is_told_what_this_is() {
    let house = TestServer::new().await;
    let given = house.send(&house.viewer, "GET", "/api/ws", None).await;
    assert_eq!((given.status, &given.body["error"]["code"]), (426, &json!("UpgradeRequired")));
}

#[tokio::test]
async fn a_peer_on_the_unix_socket_listens_as_an_agent() {
    let house = TestServer::new().await;
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("sekisho.sock");
    house.on_socket(&path);
    house.ask_without_waiting(&house.agent, "t1", json!({ "command": "make" })).await;
    let mut request = format!("ws://{}/api/ws", house.address).into_client_request().unwrap();
    request.headers_mut().insert("origin", format!("http://{}", house.address).parse().unwrap());
    let stream = UnixStream::connect(&path).await.unwrap();
    let (mut socket, _) = client_async(request, stream).await.unwrap();
    let Some(Ok(Message::Text(text))) = socket.next().await else { panic!("a snapshot") };
    let told: serde_json::Value = serde_json::from_str(text.as_str()).unwrap();
    assert_eq!(told["data"]["approvals"], json!([]), "another's question is not its own");
}
