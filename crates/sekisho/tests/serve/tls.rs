//! TLS with a given certificate.

use std::net::TcpStream;
use std::sync::Arc;

use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use super::test_server::{TestServer, exchange};
use crate::test_home::TestHome;

#[test]
fn certificate_enables_tls() {
    let place = TestHome::new();
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let (cert, key) = (place.home().join("cert.pem"), place.home().join("key.pem"));
    TestHome::write(&cert, made.cert.pem());
    TestHome::write(&key, made.signing_key.serialize_pem());
    let arguments = ["--tls-cert", cert.to_str().unwrap(), "--tls-key", key.to_str().unwrap()];
    let server = TestServer::start(&place, &arguments);
    assert!(server.link.as_ref().unwrap().starts_with("https://127.0.0.1:"), "{:?}", server.link);
    let unsafe_key = |line: &serde_json::Value| {
        line["hazard"].as_str().is_some_and(|text| text.contains("others may read"))
    };
    assert!(server.log.iter().any(unsafe_key), "everyone can read its key");

    let mut roots = RootCertStore::empty();
    roots.add(made.cert.der().clone()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from("localhost").unwrap();
    let config = Arc::new(config);
    let host = format!("localhost:{}", server.port);
    let ask = |ask: &str, headers: &[(&str, &str)], body: Option<&serde_json::Value>| {
        let connection = ClientConnection::new(Arc::clone(&config), name.clone()).unwrap();
        let stream = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
        exchange(StreamOwned::new(connection, stream), &host, ask, headers, body)
    };
    let answer = ask("GET /healthz", &[], None);
    assert_eq!((answer.status, answer.text.as_str()), (200, "ok"));
    assert!(answer.head.contains("strict-transport-security: max-age="), "{}", answer.head);
    let link = server.link.as_ref().unwrap().split_once("#link=").unwrap().1;
    let origin = format!("https://{host}");
    let sign_in = serde_json::json!({ "link": link });
    let foreign = ask("POST /api/session", &[("Origin", &format!("http://{host}"))], Some(&sign_in));
    assert_eq!(foreign.status, 403, "a page without TLS has another origin");
    let signed_in = ask("POST /api/session", &[("Origin", &origin)], Some(&sign_in));
    assert_eq!(signed_in.status, 200, "{}", signed_in.text);
    assert!(signed_in.head.contains("set-cookie: __Host-sekisho-"), "{}", signed_in.head);
    assert!(signed_in.head.contains("; Secure"), "{}", signed_in.head);
    assert_eq!(server.request("GET /healthz", &[], None).status, 0, "connections without TLS are refused");
    server.stop();
}

#[test]
fn invalid_key_is_reported_first() {
    let place = TestHome::new();
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let other = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let (cert, key) = (place.home().join("cert.pem"), place.home().join("key.pem"));
    TestHome::write(&cert, made.cert.pem());
    let arguments = [
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--tls-cert",
        cert.to_str().unwrap(),
        "--tls-key",
        key.to_str().unwrap(),
    ];
    for (text, expected) in [
        ("nonsense".to_owned(), "TLS: the key does not contain a readable PEM private key"),
        (other.signing_key.serialize_pem(), "TLS: the key does not belong to the certificate"),
    ] {
        TestHome::write(&key, text);
        let output = place.run(&arguments);
        assert!(output.code == 1 && output.err.contains(expected), "{}", output.err);
        assert!(
            output.err.contains("[PLACE]/home/key.pem") && output.err.lines().count() == 1,
            "{}",
            output.err
        );
    }
}
