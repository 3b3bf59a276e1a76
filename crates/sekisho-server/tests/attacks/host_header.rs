//! Foreign host names: a page whose name was made to point to this machine.

use sekisho_gate::answer::Role;

use super::TestServer;
use crate::harness::socket_server::RawRequest;

#[tokio::test]
async fn rebound_host_name_is_rejected_on_every_path() {
    let server = TestServer::new().await;
    let admin = server.token(Role::Admin).await;
    for path in [
        "/",
        "/healthz",
        "/api/session",
        "/api/approvals",
        "/rules",
        "/assets/plain.css",
        "/favicon.svg",
        "/nothing",
    ] {
        let host = format!("evil.example:{}", server.port);
        let reply = server.send(&RawRequest::new("GET", path).header("Host", &host).bearer(&admin)).await;
        assert_eq!((reply.status, reply.code().as_str()), (403, "HostNotAllowed"), "{path}");
        assert!(
            !String::from_utf8_lossy(&reply.body).contains("127.0.0.1"),
            "the response does not name the server"
        );
    }
}

#[tokio::test]
async fn host_must_match_exactly() {
    let server = TestServer::new().await;
    let port = server.port;
    for host in [
        "127.0.0.1".to_owned(),
        format!("127.0.0.1:{}", port.wrapping_add(1)),
        format!("localhost.:{port}"),
        format!("localhost.evil.example:{port}"),
        format!("evil.example@localhost:{port}"),
        format!("127.1:{port}"),
        format!("[::ffff:127.0.0.1]:{port}"),
        format!("0.0.0.0:{port}"),
        String::new(),
    ] {
        let reply = server.send(&RawRequest::new("GET", "/healthz").header("Host", &host)).await;
        assert!([400, 403].contains(&reply.status), "`{host}` gave {}", reply.status);
    }
    for host in [format!("LOCALHOST:{port}"), format!("[::1]:{port}"), format!("[0:0:0:0:0:0:0:1]:{port}")] {
        let reply = server.send(&RawRequest::new("GET", "/healthz").header("Host", &host)).await;
        assert_eq!(reply.status, 200, "`{host}`");
    }
}

#[tokio::test]
async fn missing_or_duplicate_host_and_old_http_are_rejected() {
    let server = TestServer::new().await;
    let ours = format!("127.0.0.1:{}", server.port);
    let reply = server.send(&RawRequest::new("GET", "/healthz")).await;
    assert_eq!(reply.status, 400);
    let twice = RawRequest::new("GET", "/healthz").header("Host", &ours).header("Host", "evil.example");
    assert_eq!(server.send(&twice).await.status, 400);
    let old = format!("GET /healthz HTTP/1.0\r\nHost: {ours}\r\n\r\n");
    assert_eq!(server.connect().await.ask(old.as_bytes()).await.unwrap().status, 400);
}

#[tokio::test]
async fn host_in_the_target_must_be_ours_too() {
    let server = TestServer::new().await;
    let (ours, port) = (format!("127.0.0.1:{}", server.port), server.port);
    let called = |target: &str, host: &str| {
        RawRequest::new("GET", &format!("http://{target}/healthz")).header("Host", host)
    };
    assert_eq!(server.send(&called("evil.example", &ours)).await.code(), "HostNotAllowed");
    assert_eq!(server.send(&called(&ours, "evil.example")).await.code(), "HostNotAllowed");
    assert_eq!(server.send(&called(&ours, &ours)).await.status, 200);
    let (upper, lower) = (format!("LOCALHOST:{port}"), format!("localhost:{port}"));
    assert_eq!(server.send(&called(&upper, &lower)).await.status, 200, "one host written in two ways");
}

#[tokio::test]
async fn two_of_our_names_in_one_request_are_rejected() {
    let server = TestServer::new().await;
    let (one, other) = (format!("127.0.0.1:{}", server.port), format!("localhost:{}", server.port));
    for (target, host) in [(&one, &other), (&other, &one)] {
        let request = RawRequest::new("GET", &format!("http://{target}/healthz")).header("Host", host);
        let mut line = server.connect().await;
        let reply = line.ask(&request.bytes().repeat(2)).await.unwrap();
        assert_eq!((reply.status, reply.code().as_str()), (400, "InvalidRequest"));
        assert!(line.answer().await.is_none(), "the connection is closed");
    }
}

#[tokio::test]
async fn unix_socket_ignores_the_host() {
    let server = TestServer::new().await;
    let reply =
        server.connect_unix().await.ask(b"GET /healthz HTTP/1.1\r\nHost: sekisho\r\n\r\n").await.unwrap();
    assert_eq!(reply.status, 200);
}
