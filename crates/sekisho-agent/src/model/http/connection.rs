//! Opens connections to a provider, plain or encrypted.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use sekisho_gate::display::{Layout, visible};
use sekisho_tools::web::TlsSettings;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, lookup_host};
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;

use super::base_url::BaseUrl;

/// The most addresses of a name that are tried.
const MAX_ATTEMPTS: usize = 4;

/// A connection.
pub(super) trait Connection: AsyncRead + AsyncWrite + Unpin + Send {}

impl<S: AsyncRead + AsyncWrite + Unpin + Send> Connection for S {}

/// Connects, and encrypts the connection for https. `limit` is the time that the lookup, each address and the
/// handshake may take.
pub(super) async fn connect(
    target: &BaseUrl,
    tls: &TlsSettings,
    limit: Duration,
) -> Result<Box<dyn Connection>, String> {
    let addresses = addresses(target, limit).await?;
    let stream = open(&addresses, limit).await?;
    // Requests are written whole, and pieces of replies should be seen at once.
    drop(stream.set_nodelay(true));
    if !target.is_encrypted() {
        return Ok(Box::new(stream));
    }
    let host = target.host();
    let name = ServerName::try_from(host.trim_matches(['[', ']']).trim_end_matches('.').to_owned())
        .map_err(|_| "the name is not valid".to_owned())?;
    let handshake = TlsConnector::from(tls.config()?).connect(name, stream);
    match timeout(limit, handshake).await {
        Ok(Ok(stream)) => Ok(Box::new(stream)),
        Ok(Err(error)) => Err(visible(&error.to_string(), Layout::Line).into_owned()),
        Err(_) => Err("the TLS handshake takes too long".into()),
    }
}

async fn addresses(target: &BaseUrl, limit: Duration) -> Result<Vec<SocketAddr>, String> {
    let with_port = |address: IpAddr| SocketAddr::new(address, target.port());
    if let Some(known) = target.known_addresses() {
        return Ok(known.into_iter().map(with_port).collect());
    }
    match timeout(limit, lookup_host((target.host(), target.port()))).await {
        Ok(Ok(found)) => Ok(found.collect()),
        Ok(Err(error)) => Err(error.to_string().to_lowercase()),
        Err(_) => Err("the lookup of its name takes too long".into()),
    }
}

async fn open(addresses: &[SocketAddr], limit: Duration) -> Result<TcpStream, String> {
    let mut why = "it has no address".to_owned();
    for address in addresses.iter().take(MAX_ATTEMPTS) {
        match timeout(limit, TcpStream::connect(address)).await {
            Ok(Ok(stream)) => return Ok(stream),
            Ok(Err(error)) => why = error.to_string().to_lowercase(),
            Err(_) => why = "it does not answer".into(),
        }
    }
    Err(why)
}
