//! Opens HTTP connections.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, UnixStream};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use super::error::ClientError;
use super::server_address::ServerAddress;

/// Timeout for connecting.
const PATIENCE: Duration = Duration::from_secs(10);

pub(super) async fn connect(address: &ServerAddress) -> Result<SendRequest<Full<Bytes>>, ClientError> {
    let absent = |why: String| ClientError::Unreachable { place: address.to_string(), why };
    match tokio::time::timeout(PATIENCE, reach(address)).await {
        Ok(Ok(sender)) => Ok(sender),
        Ok(Err(why)) => Err(absent(why)),
        Err(_) => Err(absent("the connection timed out".into())),
    }
}

async fn reach(address: &ServerAddress) -> Result<SendRequest<Full<Bytes>>, String> {
    let lower_case = |error: std::io::Error| error.to_string().to_lowercase();
    match address {
        ServerAddress::Unix(path) => begin(UnixStream::connect(path).await.map_err(lower_case)?).await,
        ServerAddress::Tcp { host, port, tls } => {
            let bare = host.trim_start_matches('[').trim_end_matches(']');
            let stream = TcpStream::connect((bare, *port)).await.map_err(lower_case)?;
            stream.set_nodelay(true).map_err(lower_case)?;
            if !tls {
                return begin(stream).await;
            }
            let name = ServerName::try_from(bare.to_owned()).map_err(|error| error.to_string())?;
            let stream = connector()?.connect(name, stream).await;
            begin(stream.map_err(|error| format!("TLS failed: {error}"))?).await
        }
    }
}

async fn begin<S>(stream: S) -> Result<SendRequest<Full<Bytes>>, String>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let (sender, connection) = handshake(TokioIo::new(stream)).await.map_err(|error| error.to_string())?;
    // The task ends when the sender and the response body are dropped. They receive any error.
    tokio::spawn(connection);
    Ok(sender)
}

/// TLS with the root certificates of the system, or those in `SSL_CERT_FILE`.
fn connector() -> Result<TlsConnector, String> {
    let mut roots = RootCertStore::empty();
    let found = rustls_native_certs::load_native_certs();
    roots.add_parsable_certificates(found.certs);
    if roots.is_empty() {
        return Err(
            "this machine has no root certificates; set `SSL_CERT_FILE` to a file that has them".into()
        );
    }
    let config = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
    Ok(TlsConnector::from(Arc::new(config)))
}
