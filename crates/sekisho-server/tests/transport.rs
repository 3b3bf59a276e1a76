//! How clients reach a server under test: over TCP or TLS. Tests that work with either are written once.

use std::future::Future;
use std::sync::{Arc, LazyLock};

use rcgen::{CertifiedKey, generate_simple_self_signed};
use sekisho_server::serve::{Listener, tls_acceptor};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, DEFAULT_VERSIONS, RootCertStore, SupportedProtocolVersion};
use tokio_rustls::{TlsAcceptor, TlsConnector};

pub(crate) trait Transport: Send + Sync + 'static {
    type Stream: AsyncRead + AsyncWrite + Send + Unpin;
    const SCHEME: &'static str;
    const SECURE: bool;

    fn listener(listener: TcpListener) -> Listener;
    fn connect(port: u16) -> impl Future<Output = Self::Stream> + Send;
}

pub(crate) struct Tcp;

impl Transport for Tcp {
    type Stream = TcpStream;
    const SCHEME: &'static str = "http";
    const SECURE: bool = false;

    fn listener(listener: TcpListener) -> Listener {
        Listener::Tcp(listener)
    }

    async fn connect(port: u16) -> TcpStream {
        TcpStream::connect(("127.0.0.1", port)).await.unwrap()
    }
}

pub(crate) struct Tls;

impl Transport for Tls {
    type Stream = TlsStream<TcpStream>;
    const SCHEME: &'static str = "https";
    const SECURE: bool = true;

    fn listener(listener: TcpListener) -> Listener {
        Listener::Tls(listener, ENDS.0.clone())
    }

    async fn connect(port: u16) -> TlsStream<TcpStream> {
        connect_as(client(DEFAULT_VERSIONS, &[]), port).await.unwrap()
    }
}

/// A certificate and its key, as PEM.
pub(crate) fn certificate() -> (String, String) {
    let names = ["localhost".into(), "127.0.0.1".into()];
    let CertifiedKey { cert, signing_key } = generate_simple_self_signed(names).unwrap();
    (cert.pem(), signing_key.serialize_pem())
}

/// One certificate for all tests: the server's acceptor, and the roots a client needs to trust it.
static ENDS: LazyLock<(TlsAcceptor, RootCertStore)> = LazyLock::new(|| {
    let (certificate, key) = certificate();
    (tls_acceptor(certificate.as_bytes(), key.as_bytes()).unwrap(), trusting(&certificate))
});

fn trusting(certificate: &str) -> RootCertStore {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(certificate.as_bytes()).unwrap()).unwrap();
    roots
}

/// A client that trusts the tests' certificate, supports these versions and offers these protocols (ALPN).
pub(crate) fn client(
    versions: &[&'static SupportedProtocolVersion],
    protocols: &[&str],
) -> Arc<ClientConfig> {
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_protocol_versions(versions)
        .unwrap()
        .with_root_certificates(ENDS.1.clone());
    let mut config = config.with_no_client_auth();
    config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
    Arc::new(config)
}

/// Connects over TLS.
pub(crate) async fn connect_as(
    config: Arc<ClientConfig>,
    port: u16,
) -> std::io::Result<TlsStream<TcpStream>> {
    let stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    TlsConnector::from(config).connect(ServerName::try_from("127.0.0.1").unwrap(), stream).await
}
