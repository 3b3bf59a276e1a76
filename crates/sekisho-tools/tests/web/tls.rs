//! https: the certificate has to be for the name that was asked.

use std::sync::Arc;

use rcgen::{CertifiedKey, generate_simple_self_signed};
use sekisho_tools::web::WebClient;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio_rustls::rustls::{RootCertStore, ServerConfig, crypto};

use super::server_double::{PUBLIC, response};
use super::web_fixture::{MadeUpNames, WebFixture, test_rules};

#[tokio::test(flavor = "multi_thread")]
async fn certificate_must_fit_the_name() {
    let CertifiedKey { cert, signing_key } = generate_simple_self_signed(["good.example".into()]).unwrap();
    let mut roots = RootCertStore::empty();
    roots.add(cert.der().clone()).unwrap();
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(signing_key.serialize_der()));
    let config = ServerConfig::builder_with_provider(Arc::new(crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key)
        .unwrap();
    let listener = TcpListener::bind((PUBLIC, 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        let acceptor = TlsAcceptor::from(Arc::new(config));
        while let Ok((stream, _)) = listener.accept().await {
            let Ok(mut stream) = acceptor.accept(stream).await else { continue };
            let mut head = [0; 4096];
            let _ = stream.read(&mut head).await;
            let _ = stream.write_all(&response("text/plain", "encrypted")).await;
            let _ = stream.shutdown().await;
        }
    });

    let names = MadeUpNames::default();
    let allow = json!({ "allow": [{ "tool": "web_fetch" }] });
    let client = WebClient::new(Arc::new(names.clone()), test_rules());
    let trusting = WebFixture::with_client(&allow, client.clone().trusting(roots), names.clone());
    for name in ["good.example", "other.example"] {
        names.set(name, &[&["127.0.0.2"]]);
    }
    assert_eq!(trusting.content(&format!("https://good.example:{port}/")).await, "encrypted");
    let why = trusting.failure(&format!("https://other.example:{port}/")).await;
    assert!(why.contains("`other.example` cannot be reached: invalid peer certificate"), "{why}");
    let why = trusting.failure(&format!("https://127.0.0.2:{port}/")).await;
    assert!(why.contains("invalid peer certificate"), "{why}");

    let strict = WebFixture::with_client(&allow, client.trusting(RootCertStore::empty()), names.clone());
    let why = strict.failure(&format!("https://good.example:{port}/")).await;
    assert!(why.contains("invalid peer certificate"), "{why}");

    let plain = std::net::TcpListener::bind((PUBLIC, 0)).unwrap();
    let port = plain.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for mut stream in plain.incoming().map_while(Result::ok) {
            drop(std::io::Write::write_all(&mut stream, b"HTTP/1.1 400 Bad Request\r\n\r\n"));
        }
    });
    let why = trusting.failure(&format!("https://good.example:{port}/")).await;
    assert!(why.contains("`good.example` cannot be reached"), "{why}");
}
