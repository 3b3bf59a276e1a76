//! Connections: used again, encrypted, and replaced when they break.

use std::sync::Arc;
use std::time::Duration;

use rcgen::{CertifiedKey, generate_simple_self_signed};
use sekisho_agent::conversation::Provider::{Anthropic, Openai};
use sekisho_agent::model::providers::{ProviderConfig, SecretKey, build};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio_rustls::rustls::{RootCertStore, ServerConfig, crypto};
use tokio_util::sync::CancellationToken;

use super::fixture::{DONE, Fixture, KEY, Pieces, chunk, message, request, shown, text_block};
use super::server_double::{Answer, Delivery};

#[tokio::test]
async fn connections_are_used_again() {
    let anthropic = message(text_block(0, "hi"), "end_turn");
    let openai =
        [chunk(json!({ "content": "hi" }), None), chunk(json!({}), Some("stop")), DONE.into()].concat();
    for (provider, body) in [(Anthropic, anthropic), (Openai, openai)] {
        let fixture = Fixture::new(provider, vec![Answer::stream(body); 50]).await;
        let is_reused = || {
            let received = fixture.double.received();
            received.last().is_some_and(|last| last.connection < received.len())
        };
        // The rest of a response is read in the background, so the next request may be too early.
        for _ in 0..50 {
            fixture.ask(&request()).await.unwrap();
            if is_reused() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        assert!(is_reused());
    }
}

#[tokio::test]
async fn cut_connections_are_not_used_again() {
    let answer = || Answer::stream(message(text_block(0, "hi"), "end_turn"));
    let fixture = Fixture::new(Anthropic, [answer().delivered(Delivery::Cut), answer()]).await;
    for _ in 0..2 {
        assert_eq!(shown(&fixture.ask(&request()).await.unwrap()), "\"hi\" -> end_turn");
    }
    let connections: Vec<usize> =
        fixture.double.received().iter().map(|received| received.connection).collect();
    assert_eq!((connections, fixture.clock.waits().len()), (vec![1, 2], 0));
}

#[tokio::test]
async fn certificates_are_checked() {
    let CertifiedKey { cert, signing_key } = generate_simple_self_signed(["127.0.0.1".into()]).unwrap();
    let mut roots = RootCertStore::empty();
    roots.add(cert.der().clone()).unwrap();
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(signing_key.serialize_der()));
    let server = ServerConfig::builder_with_provider(Arc::new(crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], key)
        .unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        let acceptor = TlsAcceptor::from(Arc::new(server));
        let body = message(text_block(0, "encrypted"), "end_turn");
        while let Ok((stream, _)) = listener.accept().await {
            let Ok(mut stream) = acceptor.accept(stream).await else { continue };
            let _ = stream.read(&mut [0; 4096]).await;
            let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", body.len());
            let _ = stream.write_all([head.as_str(), &body].concat().as_bytes()).await;
            let _ = stream.shutdown().await;
        }
    });
    let ask = async |host: &str, roots: RootCertStore| {
        let mut config = ProviderConfig::new(Anthropic);
        config.base_url = Some(format!("https://{host}:{port}"));
        config.key = SecretKey::new(KEY);
        config.roots = Some(roots);
        config.retry.retries = 0;
        let model = build(config).unwrap();
        let reply = model.reply(&request(), &Pieces::default(), &CancellationToken::new()).await;
        reply.map(|reply| shown(&reply)).map_err(|error| error.message)
    };
    assert_eq!(ask("127.0.0.1", roots.clone()).await.as_deref(), Ok("\"encrypted\" -> end_turn"));
    for (host, roots) in [("127.0.0.1", RootCertStore::empty()), ("localhost", roots)] {
        let why = ask(host, roots).await.unwrap_err();
        assert!(why.contains("cannot be reached: invalid peer certificate"), "{why}");
    }
}

/// Interim responses have no body that could be limited.
#[tokio::test]
async fn endless_interim_responses_end_the_request() {
    const MOST: usize = 64 << 20;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let _ = stream.read(&mut [0; 4096]).await;
        let interim = b"HTTP/1.1 100 Continue\r\n\r\n".repeat(100);
        let mut sent = 0;
        while sent < MOST && stream.write_all(&interim).await.is_ok() {
            sent += interim.len();
        }
        sent
    });
    let mut config = ProviderConfig::new(Openai);
    config.base_url = Some(format!("http://127.0.0.1:{port}"));
    config.key = SecretKey::new(KEY);
    config.retry.retries = 0;
    let model = build(config).unwrap();
    let reply = model.reply(&request(), &Pieces::default(), &CancellationToken::new()).await;
    assert!(reply.unwrap_err().message.contains("cannot be reached"));
    drop(model);
    assert!(server.await.unwrap() < MOST, "everything was read");
}
