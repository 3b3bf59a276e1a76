//! Attacks on TLS itself. Attacks over TLS are in [`super::over_tls`].

use std::time::Duration;

use sekisho_gate::answer::Role;
use sekisho_gate::token_store::TokenStore;
use sekisho_server::Limits;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::version::{TLS12, TLS13};
use tokio_rustls::rustls::{ClientConnection, DEFAULT_VERSIONS};

use crate::harness::socket_server::{PATIENCE, RawConnection, TestServerOver, limits};
use crate::transport::{Tls, client, connect_as};

type TestServer = TestServerOver<Tls>;

/// How long a handshake may take in tests where it is to be cut off.
const SHORT: Duration = Duration::from_secs(1);

async fn tcp(server: &TestServer) -> TcpStream {
    TcpStream::connect(("127.0.0.1", server.port)).await.unwrap()
}

/// Everything the server sends until it closes the connection.
async fn response(server: &TestServer, bytes: &[u8]) -> Vec<u8> {
    let mut stream = tcp(server).await;
    stream.write_all(bytes).await.unwrap();
    let mut response = Vec::new();
    let read = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut response)).await;
    // A reset closes the connection as well.
    let _ = read.expect("the server closes the connection");
    response
}

async fn is_served(server: &TestServer) {
    assert_eq!(server.send(&server.request("GET", "/healthz")).await.status, 200);
}

#[tokio::test]
async fn cookie_is_sent_over_tls_only() {
    let server = TestServer::new().await;
    let link = json!({ "link": server.link(Role::Approver).await });
    let raw_request = server.request("POST", "/api/session").header("Origin", &server.origin()).json(&link);
    let reply = server.send(&raw_request).await;
    let set = reply.header("set-cookie").unwrap();
    assert!(set.starts_with(&format!("__Host-sekisho-{}=sks_", server.port)), "{set}");
    for flag in ["; Secure", "; HttpOnly", "; SameSite=Strict", "; Path=/;"] {
        assert!(set.contains(flag), "{flag} in {set}");
    }
    assert!(!set.contains("Domain"), "{set}");
    let device = reply.device();
    assert_eq!(server.send(&server.request("GET", "/api/session").device(&device)).await.status, 200);
    // A cookie that anyone on the host can set, on any port and without TLS, is rejected.
    let tossed = device.cookie.replace("__Host-", "");
    let raw_request = server.request("GET", "/api/session").header("Cookie", &tossed);
    assert_eq!(server.send(&raw_request.header("X-Sekisho-Page", &device.page)).await.status, 401);
}

#[tokio::test]
async fn plain_http_gets_no_response() {
    let server = TestServer::new().await;
    let admin = server.token(Role::Admin).await;
    let body = json!({ "name": "plain", "role": "agent" });
    let requests = [
        server.request("GET", "/healthz").bytes(),
        server.request("POST", "/api/tokens").bearer(&admin).json(&body).bytes(),
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec(),
        b"GET /healthz\r\n".to_vec(),
    ];
    for request in requests {
        let response = response(&server, &request).await;
        assert!(
            !response.starts_with(b"HTTP") && response.len() < 100,
            "{}",
            String::from_utf8_lossy(&response)
        );
    }
    assert_eq!(server.ledger.tokens().await.unwrap().len(), 1);
    is_served(&server).await;
}

#[tokio::test]
async fn http_2_is_not_offered() {
    let server = TestServer::new().await;
    for protocols in [&["h2"][..], &["h2c"], &["http/1.0"], &["h3", "spdy/3.1"]] {
        let connected = connect_as(client(DEFAULT_VERSIONS, protocols), server.port).await;
        assert!(connected.is_err(), "{protocols:?}");
    }
    for protocols in [&["h2", "http/1.1"][..], &["http/1.1"]] {
        let stream = connect_as(client(DEFAULT_VERSIONS, protocols), server.port).await.unwrap();
        assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"http/1.1"[..]), "{protocols:?}");
        let reply = RawConnection(stream).ask(&server.request("GET", "/healthz").bytes()).await.unwrap();
        assert_eq!(reply.status, 200);
    }
    // Nor is it used with a client that did not negotiate it.
    let mut line = server.connect().await;
    let settings = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";
    assert!(line.ask(settings).await.is_none_or(|reply| reply.status == 400));
    assert!(line.answer().await.is_none());
}

/// A ClientHello with its version and the versions it supports.
fn hello(version: u16, known: &[u16]) -> Vec<u8> {
    let mut body = version.to_be_bytes().to_vec();
    body.extend([7; 32]);
    body.push(0);
    // ECDHE with ECDSA and RSA, and RSA alone, from that time; and suites of later versions.
    let suites: [u16; 8] = [0xc009, 0xc00a, 0xc013, 0xc014, 0x002f, 0xc02b, 0xc02f, 0x1301];
    body.extend(u16::try_from(suites.len() * 2).unwrap().to_be_bytes());
    body.extend(suites.iter().flat_map(|suite| suite.to_be_bytes()));
    body.extend([1, 0]);
    // Groups, point formats and signatures.
    let mut extensions = vec![0, 10, 0, 6, 0, 4, 0, 29, 0, 23];
    extensions.extend([0, 11, 0, 2, 1, 0]);
    extensions.extend([0, 13, 0, 6, 0, 4, 4, 3, 2, 1]);
    if !known.is_empty() {
        let length = u8::try_from(known.len() * 2).unwrap();
        extensions.extend([0, 43, 0, length + 1, length]);
        extensions.extend(known.iter().flat_map(|version| version.to_be_bytes()));
    }
    body.extend(u16::try_from(extensions.len()).unwrap().to_be_bytes());
    body.extend(extensions);
    let length = u16::try_from(body.len()).unwrap();
    let mut record = vec![22, 3, 1];
    record.extend((length + 4).to_be_bytes());
    record.extend([1, 0]);
    record.extend(length.to_be_bytes());
    record.extend(body);
    record
}

#[tokio::test]
async fn old_tls_versions_are_rejected() {
    const PROTOCOL_VERSION: u8 = 70;
    let server = TestServer::new().await;
    for (what, hello) in [
        ("SSL 3.0", hello(0x0300, &[])),
        ("TLS 1.0", hello(0x0301, &[])),
        ("TLS 1.1", hello(0x0302, &[])),
        ("TLS 1.0 and 1.1 among the known", hello(0x0303, &[0x0302, 0x0301])),
    ] {
        let response = response(&server, &hello).await;
        assert!(matches!(response[..], [21, 3, _, 0, 2, 2, PROTOCOL_VERSION]), "{what} gave {response:?}");
    }
    // The same message with a supported version is answered, so it was not rejected for another reason.
    let mut stream = tcp(&server).await;
    stream.write_all(&hello(0x0303, &[])).await.unwrap();
    let read = tokio::time::timeout(PATIENCE, stream.read_u8()).await;
    assert_eq!(read.unwrap().unwrap(), 22, "TLS 1.2 goes on");
    for version in [&TLS12, &TLS13] {
        let stream = connect_as(client(&[version], &[]), server.port).await.unwrap();
        let reply = RawConnection(stream).ask(&server.request("GET", "/healthz").bytes()).await.unwrap();
        assert_eq!(reply.status, 200);
    }
}

/// A valid ClientHello.
fn good_hello() -> Vec<u8> {
    let name = ServerName::try_from("127.0.0.1").unwrap();
    let mut connection = ClientConnection::new(client(DEFAULT_VERSIONS, &[]), name).unwrap();
    let mut bytes = Vec::new();
    connection.write_tls(&mut bytes).unwrap();
    bytes
}

/// Clients with unfinished handshakes: some send nothing, some half a message, some the whole first message.
async fn half_open(server: &TestServer, many: usize) -> Vec<TcpStream> {
    let hello = good_hello();
    let mut streams = Vec::new();
    for number in 0..many {
        let mut stream = tcp(server).await;
        let sent_length = [0, 3, hello.len() / 2, hello.len()][number % 4];
        stream.write_all(&hello[..sent_length]).await.unwrap();
        streams.push(stream);
    }
    streams
}

#[tokio::test]
async fn unfinished_handshake_is_cut_off() {
    let server = TestServer::limited(Limits { head_timeout: SHORT, ..limits() }).await;
    for mut stream in half_open(&server, 4).await {
        let mut response = Vec::new();
        let read = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut response)).await;
        let _ = read.expect("the server closes the connection");
    }
}

#[tokio::test]
async fn unfinished_handshakes_do_not_delay_others() {
    let server =
        TestServer::limited(Limits { head_timeout: PATIENCE * 10, connections: 40, ..limits() }).await;
    let idle = half_open(&server, 32).await;
    for _ in 0..8 {
        is_served(&server).await;
    }
    let would_block = |error: std::io::Error| error.kind() == std::io::ErrorKind::WouldBlock;
    let held = |stream: &TcpStream| match stream.try_read(&mut [0; 4096]) {
        // The server's first message.
        Ok(length) => length > 0,
        Err(error) => would_block(error),
    };
    assert!(idle.iter().all(held), "no connection was closed to serve others");
}

#[tokio::test]
async fn client_is_served_when_unfinished_handshakes_fill_the_limit() {
    let server = TestServer::limited(Limits { head_timeout: SHORT, connections: 4, ..limits() }).await;
    let idle = half_open(&server, 8).await;
    is_served(&server).await;
    drop(idle);
}

#[tokio::test]
async fn malformed_handshake_does_not_affect_others() {
    let server = TestServer::new().await;
    let mut oversized = vec![22, 3, 1, 0xff, 0xff];
    oversized.extend([0; 100]);
    let mut damaged = good_hello();
    damaged[5] = 0xee;
    for (what, bytes) in [
        ("a record that is too large", oversized),
        ("a message of no kind", damaged),
        ("data before the handshake", vec![23, 3, 3, 0, 5, 1, 2, 3, 4, 5]),
        ("an alert", vec![21, 3, 3, 0, 2, 2, 40]),
        ("the first message of a server", vec![22, 3, 3, 0, 4, 2, 0, 0, 0]),
    ] {
        let response = response(&server, &bytes).await;
        assert!(matches!(response[..], [] | [21, ..]), "{what} gave {response:?}");
        is_served(&server).await;
    }
}

#[tokio::test]
async fn request_truncated_below_tls_does_nothing() {
    let server = TestServer::new().await;
    let admin = server.token(Role::Admin).await;
    let body = json!({ "name": "cut", "role": "agent" });
    let whole = server.request("POST", "/api/tokens").bearer(&admin).json(&body).bytes();
    let mut line = server.connect().await;
    line.say(&whole[..whole.len() - 1]).await.unwrap();
    // The end of the TCP stream, without the message that ends TLS.
    line.0.get_mut().0.shutdown().await.unwrap();
    assert!(line.answer().await.is_none_or(|reply| reply.status == 400));
    assert_eq!(server.ledger.tokens().await.unwrap().len(), 1);
}
