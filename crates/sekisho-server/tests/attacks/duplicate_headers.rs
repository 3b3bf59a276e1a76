//! Requests with a duplicate of a header that may appear once: a proxy may use one of them, and the server
//! the other.

use sekisho_gate::answer::Role;

use super::TestServer;
use crate::harness::socket_server::RawRequest;

#[tokio::test]
async fn duplicate_headers_are_rejected() {
    let server = TestServer::new().await;
    let admin = format!("Bearer {}", server.token(Role::Admin).await);
    let agent = format!("Bearer {}", server.token(Role::Agent).await);
    let (host, origin) = (format!("127.0.0.1:{}", server.port), server.origin());
    let localhost = format!("localhost:{}", server.port);
    for (name, values) in [
        ("Authorization", [admin.as_str(), &agent]),
        ("Authorization", [&agent, &admin]),
        ("Authorization", [&admin, &admin]),
        ("Authorization", [&admin, "Basic eDp5"]),
        ("Host", [&host, &host]),
        ("Host", [&host, &localhost]),
        ("Host", [&host, "evil.example"]),
        ("Origin", [&origin, &origin]),
        ("Content-Type", ["application/json", "text/plain"]),
        ("X-Sekisho-Page", ["0", "1"]),
    ] {
        let usual =
            [("Host", &host), ("Authorization", &admin)].into_iter().filter(|(usual, _)| *usual != name);
        let once = usual.fold(RawRequest::new("GET", "/api/tokens"), |request, (name, value)| {
            request.header(name, value)
        });
        let twice = values.iter().fold(once, |request, value| request.header(name, value)).bytes();
        let behind = server.request("GET", "/healthz").bytes();
        let mut line = server.connect().await;
        let reply = line.ask(&[twice.clone(), behind].concat()).await.unwrap();
        assert_eq!((reply.status, reply.code().as_str()), (400, "InvalidRequest"), "{name}");
        assert!(line.answer().await.is_none(), "{name}: the connection is closed");
        let reply = server.connect_unix().await.ask(&twice).await.unwrap();
        assert_eq!((reply.status, reply.code().as_str()), (400, "InvalidRequest"), "{name} on the socket");
    }
}

#[tokio::test]
async fn websocket_with_two_tokens_is_rejected() {
    let server = TestServer::new().await;
    let (admin, agent) = (server.token(Role::Admin).await, server.token(Role::Agent).await);
    let request = || server.request("GET", "/api/ws").upgrade().header("Origin", &server.origin());
    let offering = |line: &str| request().header("Sec-WebSocket-Protocol", line);
    for (one, other) in [(&admin, &agent), (&agent, &admin)] {
        let both = offering(&format!("sekisho, sekisho.token.{one}, sekisho.token.{other}"));
        assert_eq!(server.send(&both).await.status, 400);
        let lines = offering(&format!("sekisho, sekisho.token.{one}"));
        let lines = lines.header("Sec-WebSocket-Protocol", &format!("sekisho.token.{other}"));
        assert_eq!(server.send(&lines).await.status, 400);
    }
    let pages = offering("sekisho, sekisho.page.0, sekisho.page.1");
    assert_eq!(server.send(&pages).await.status, 400);
}
