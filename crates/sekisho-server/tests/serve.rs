//! Accepting connections and shutting down.

use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use sekisho_gate::answer::Role;
use sekisho_gate::approval::ApprovalState;
use sekisho_server::serve::{Listener, tls_acceptor};
use serde_json::json;
use tokio::net::TcpStream;

use crate::harness::sockets::{TestServer, question};
use crate::transport::certificate;

#[tokio::test]
async fn shutdown_releases_waiting_callers_and_keeps_approvals_open() {
    let mut house = TestServer::new().await;
    let (agent, approver) = (house.token(Role::Agent).await, house.token(Role::Approver).await);
    let mut waiting = vec![house.ask(&agent, "c0")];
    let path = format!("/api/approvals/{}/wait?timeoutMs=60000", house.open(1).await[0].id);
    let mut looking = house.connect().await;
    let request = house.request("GET", &path).bearer(&approver).bytes();
    tokio::io::AsyncWriteExt::write_all(&mut looking.0, &request).await.unwrap();
    // Connections are accepted in order, so once these are, the one before them waits too.
    waiting.extend((1..20).map(|number| house.ask(&agent, &format!("c{number}"))));
    house.open(20).await;
    house.stop().await;
    for caller in waiting {
        let reply = caller.await.unwrap().expect("an answer");
        assert_eq!((reply.status, reply.code().as_str()), (503, "Closing"));
    }
    assert_eq!(looking.answer().await.expect("an answer").code(), "Closing");
    assert_eq!(house.open(20).await.len(), 20, "nothing was withdrawn");
    assert!(TcpStream::connect(("127.0.0.1", house.port)).await.is_err());
    assert!(!house.socket.exists(), "the socket's file is gone");
}

#[tokio::test]
async fn closing_the_connection_withdraws_the_question() {
    let house = TestServer::new().await;
    let (agent, _approver) = (house.token(Role::Agent).await, house.token(Role::Approver).await);
    let caller = house.ask(&agent, "c1");
    let id = house.open(1).await[0].id;
    caller.abort();
    house.open(0).await;
    assert!(matches!(house.approval(id).await.fate.state, ApprovalState::Aborted { .. }));
    // The same on the Unix socket.
    let mut line = house.connect_unix().await;
    let asking = house.request("POST", "/api/can-use-tool").bearer(&agent).json(&question("c2"));
    tokio::io::AsyncWriteExt::write_all(&mut line.0, &asking.bytes()).await.unwrap();
    house.open(1).await;
    drop(line);
    house.open(0).await;
}

#[tokio::test]
async fn panic_in_a_handler_costs_one_response() {
    let house = TestServer::new().await;
    let admin = house.token(Role::Admin).await;
    let mut line = house.connect().await;
    let asking = house.request("GET", "/api/approvals").bearer(&admin).bytes();
    assert_eq!(line.ask(&asking).await.unwrap().status, 200);
    let armed = Arc::new(AtomicBool::new(true));
    let trap = Arc::clone(&armed);
    house.ledger.pause_with(Arc::new(move || {
        assert!(!trap.swap(false, Ordering::SeqCst), "on purpose");
        Box::pin(async {})
    }));
    let reply = line.ask(&asking).await.unwrap();
    assert_eq!((reply.status, reply.code().as_str()), (500, "Internal"));
    assert!(
        reply.header("content-security-policy").is_some()
            && !String::from_utf8_lossy(&reply.body).contains("purpose")
    );
    assert_eq!(line.ask(&asking).await.unwrap().status, 200, "on the very same connection");
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
    let house = TestServer::new().await;
    let (admin, link) = (house.token(Role::Admin).await, house.link(Role::Viewer).await);
    // A call site that another test's thread reaches first while this subscriber is being set up may be
    // cached as disabled. Once everything has been passed, it is checked again.
    drop(house.call(&admin, "GET", "/api/session", None).await);
    tracing::callsite::rebuild_interest_cache();
    let origin = house.origin();
    let sign_in =
        house.request("POST", "/api/session").header("Origin", &origin).json(&json!({ "link": link }));
    let device = house.send(&sign_in).await.device();
    let secret = |text: &str| text.rsplit_once('_').unwrap().1.to_owned();
    let made =
        house.call(&admin, "POST", "/api/tokens", Some(json!({ "name": "x", "role": "agent" }))).await.json();
    drop(house.send(&house.request("GET", "/api/approvals?state=pending").device(&device)).await);
    drop(house.call(&format!("{admin}0"), "GET", "/api/session", None).await);
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
    let mut house = TestServer::new().await;
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&house.socket), 0o600);
    assert_eq!(mode(house.socket.parent().unwrap()), 0o700);
    let taken = Listener::unix(&house.socket).map(drop).unwrap_err();
    assert!(taken.contains("another server is listening"), "{taken}");
    house.stop().await;
    // The socket of a killed server is replaced.
    drop(std::os::unix::net::UnixListener::bind(&house.socket).unwrap());
    assert!(house.socket.exists());
    drop(Listener::unix(&house.socket).map_err(|why| panic!("{why}")));
    assert!(!house.socket.exists());
    // A socket that a server listens on is not replaced, nor is a file that is not a socket.
    let living = std::os::unix::net::UnixListener::bind(&house.socket).unwrap();
    assert!(Listener::unix(&house.socket).map(drop).unwrap_err().contains("another server"));
    drop(living);
    let file = house.folder().join("run/precious");
    std::fs::write(&file, "text").unwrap();
    assert!(Listener::unix(&file).map(drop).unwrap_err().contains("is not a socket"));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "text");
    let open = house.folder().join("open");
    std::fs::create_dir(&open).unwrap();
    std::fs::set_permissions(&open, PermissionsExt::from_mode(0o777)).unwrap();
    assert!(Listener::unix(&open.join("s")).map(drop).unwrap_err().contains("mode 777"));
}

#[test]
fn certificate_and_key_errors_are_explained() {
    let (certificate, key) = certificate();
    let (_, other) = crate::transport::certificate();
    let locked = "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n";
    for (certificate, key, says) in [
        ("", key.as_str(), "the certificate has no"),
        (key.as_str(), key.as_str(), "the certificate has no"),
        (certificate.as_str(), "", "the key has no"),
        (certificate.as_str(), certificate.as_str(), "the key has no"),
        (certificate.as_str(), locked, "the key is locked"),
        (certificate.as_str(), other.as_str(), "the key does not belong"),
        ("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", key.as_str(), "the certificate"),
    ] {
        let said = tls_acceptor(certificate.as_bytes(), key.as_bytes()).map(drop).unwrap_err();
        assert!(said.contains(says), "{said}");
    }
}

#[tokio::test]
async fn slow_reads_do_not_block_other_requests() {
    let house = TestServer::new().await;
    let (agent, approver) = (house.token(Role::Agent).await, house.token(Role::Approver).await);
    let waiting: Vec<_> = (0..50).map(|number| house.ask(&agent, &format!("c{number}"))).collect();
    for approval in house.open(50).await {
        let path = format!("/api/approvals/{}/answer", approval.id);
        let reply = house.call(&approver, "POST", &path, Some(json!({ "behavior": "allow" }))).await;
        assert_eq!(reply.status, 200);
    }
    for caller in waiting {
        assert_eq!(caller.await.unwrap().unwrap().json()["behavior"], "allow");
    }
}
