//! Accepting connections and shutting down.

use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use sekisho_gate::answer::Role;
use sekisho_gate::approval::ApprovalState;
use sekisho_server::serve::{Listener, tls_acceptor};
use serde_json::json;
use tokio::net::TcpStream;

use crate::harness::socket_server::{TestServer, question};
use crate::transport::certificate;

#[tokio::test]
async fn shutdown_releases_waiting_callers_and_keeps_approvals_open() {
    let mut server = TestServer::new().await;
    let (agent, approver) = (server.token(Role::Agent).await, server.token(Role::Approver).await);
    let mut waiting = vec![server.ask(&agent, "c0")];
    let path = format!("/api/approvals/{}/wait?timeoutMs=60000", server.open(1).await[0].id);
    let mut looking = server.connect().await;
    let request = server.request("GET", &path).bearer(&approver).bytes();
    tokio::io::AsyncWriteExt::write_all(&mut looking.0, &request).await.unwrap();
    // Connections are accepted in order, so once these are, the one before them waits too.
    waiting.extend((1..20).map(|number| server.ask(&agent, &format!("c{number}"))));
    server.open(20).await;
    server.stop().await;
    for caller in waiting {
        let reply = caller.await.unwrap().expect("a response");
        assert_eq!((reply.status, reply.code().as_str()), (503, "Closing"));
    }
    assert_eq!(looking.answer().await.expect("a response").code(), "Closing");
    assert_eq!(server.open(20).await.len(), 20, "nothing was withdrawn");
    assert!(TcpStream::connect(("127.0.0.1", server.port)).await.is_err());
    assert!(!server.socket.exists(), "the socket's file is gone");
}

#[tokio::test]
async fn closing_the_connection_withdraws_the_question() {
    let server = TestServer::new().await;
    let (agent, _approver) = (server.token(Role::Agent).await, server.token(Role::Approver).await);
    let caller = server.ask(&agent, "c1");
    let id = server.open(1).await[0].id;
    caller.abort();
    server.open(0).await;
    assert!(matches!(server.approval(id).await.fate.state, ApprovalState::Aborted { .. }));
    // The same on the Unix socket.
    let mut line = server.connect_unix().await;
    let raw_request = server.request("POST", "/api/can-use-tool").bearer(&agent).json(&question("c2"));
    tokio::io::AsyncWriteExt::write_all(&mut line.0, &raw_request.bytes()).await.unwrap();
    server.open(1).await;
    drop(line);
    server.open(0).await;
}

#[tokio::test]
async fn panic_in_a_handler_costs_one_response() {
    let server = TestServer::new().await;
    let admin = server.token(Role::Admin).await;
    let mut line = server.connect().await;
    let raw_request = server.request("GET", "/api/approvals").bearer(&admin).bytes();
    assert_eq!(line.ask(&raw_request).await.unwrap().status, 200);
    let armed = Arc::new(AtomicBool::new(true));
    let trap = Arc::clone(&armed);
    server.ledger.pause_with(Arc::new(move || {
        assert!(!trap.swap(false, Ordering::SeqCst), "on purpose");
        Box::pin(async {})
    }));
    let reply = line.ask(&raw_request).await.unwrap();
    assert_eq!((reply.status, reply.code().as_str()), (500, "Internal"));
    assert!(
        reply.header("content-security-policy").is_some()
            && !String::from_utf8_lossy(&reply.body).contains("purpose")
    );
    assert_eq!(line.ask(&raw_request).await.unwrap().status, 200, "on the same connection");
}

/// The log output.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn access_log_names_the_caller_and_no_secret() {
    let lines = Lines::default();
    let writer = lines.clone();
    let subscriber = tracing_subscriber::fmt().with_ansi(false).with_max_level(tracing::Level::TRACE);
    let _logging = tracing::subscriber::set_default(subscriber.with_writer(move || writer.clone()).finish());
    let server = TestServer::new().await;
    let (admin, link) = (server.token(Role::Admin).await, server.link(Role::Viewer).await);
    // A call site that another test's thread reaches first while this subscriber is being set up may be
    // cached as disabled. Once everything has been passed, it is checked again.
    drop(server.call(&admin, "GET", "/api/session", None).await);
    tracing::callsite::rebuild_interest_cache();
    let origin = server.origin();
    let sign_in =
        server.request("POST", "/api/session").header("Origin", &origin).json(&json!({ "link": link }));
    let device = server.send(&sign_in).await.device();
    let secret = |text: &str| text.rsplit_once('_').unwrap().1.to_owned();
    let made = server
        .call(&admin, "POST", "/api/tokens", Some(json!({ "name": "x", "role": "agent" })))
        .await
        .json();
    drop(server.send(&server.request("GET", "/api/approvals?state=pending").device(&device)).await);
    drop(server.call(&format!("{admin}0"), "GET", "/api/session", None).await);
    let logged = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
    let line = logged.lines().find(|line| line.contains("/api/tokens")).expect(&logged);
    for part in ["DEBUG", "method=POST", "status=201", "micros=", "by=\"admin\""] {
        assert!(line.contains(part), "{part} in {line}");
    }
    assert!(logged.contains("by=\"phone\"") && !logged.contains("state=pending"), "{logged}");
    for secret in [
        secret(&admin),
        secret(&link),
        secret(&device.cookie),
        device.page.clone(),
        secret(made["secret"].as_str().unwrap()),
    ] {
        assert!(!logged.contains(&secret), "{logged}");
    }
}

#[tokio::test]
async fn socket_is_private_and_not_taken_over() {
    let mut server = TestServer::new().await;
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&server.socket), 0o600);
    assert_eq!(mode(server.socket.parent().unwrap()), 0o700);
    let taken = Listener::unix(&server.socket).map(drop).unwrap_err();
    assert!(taken.contains("another server is listening"), "{taken}");
    server.stop().await;
    // The socket of a killed server is replaced.
    drop(std::os::unix::net::UnixListener::bind(&server.socket).unwrap());
    assert!(server.socket.exists());
    drop(Listener::unix(&server.socket).map_err(|why| panic!("{why}")));
    assert!(!server.socket.exists());
    // A socket that a server listens on is not replaced, nor is a file that is not a socket.
    let living = std::os::unix::net::UnixListener::bind(&server.socket).unwrap();
    assert!(Listener::unix(&server.socket).map(drop).unwrap_err().contains("another server"));
    drop(living);
    let file = server.folder().join("run/precious");
    std::fs::write(&file, "text").unwrap();
    assert!(Listener::unix(&file).map(drop).unwrap_err().contains("is not a socket"));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "text");
    let open = server.folder().join("open");
    std::fs::create_dir(&open).unwrap();
    std::fs::set_permissions(&open, PermissionsExt::from_mode(0o777)).unwrap();
    assert!(Listener::unix(&open.join("s")).map(drop).unwrap_err().contains("mode 777"));
}

#[test]
fn certificate_and_key_errors_are_explained() {
    let (certificate, key) = certificate();
    let (_, other) = crate::transport::certificate();
    let encrypted = "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n";
    for (certificate, key, says) in [
        ("", key.as_str(), "the certificate does not contain"),
        (key.as_str(), key.as_str(), "the certificate does not contain"),
        (certificate.as_str(), "", "the key does not contain"),
        (certificate.as_str(), certificate.as_str(), "the key does not contain"),
        (certificate.as_str(), encrypted, "the key is protected"),
        (certificate.as_str(), other.as_str(), "the key does not belong"),
        ("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", key.as_str(), "the certificate"),
    ] {
        let message = tls_acceptor(certificate.as_bytes(), key.as_bytes()).map(drop).unwrap_err();
        assert!(message.contains(says), "{message}");
    }
}

#[tokio::test]
async fn slow_reads_do_not_block_other_requests() {
    let server = TestServer::new().await;
    let (agent, approver) = (server.token(Role::Agent).await, server.token(Role::Approver).await);
    let waiting: Vec<_> = (0..50).map(|number| server.ask(&agent, &format!("c{number}"))).collect();
    for approval in server.open(50).await {
        let path = format!("/api/approvals/{}/answer", approval.id);
        let reply = server.call(&approver, "POST", &path, Some(json!({ "behavior": "allow" }))).await;
        assert_eq!(reply.status, 200);
    }
    for caller in waiting {
        assert_eq!(caller.await.unwrap().unwrap().json()["behavior"], "allow");
    }
}
