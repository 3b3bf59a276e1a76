//! Connects to a host: resolves its name once, checks every address, and connects to a checked one.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;

use super::address_rules::AddressRules;
use super::error::WebError;
use super::resolver::Resolver;
use super::tls_settings::TlsSettings;
use super::web_url::WebUrl;
use crate::input_fields::shown;

/// How long one address has to answer.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// The most addresses of a name that are tried.
const MAX_ATTEMPTS: usize = 4;

/// A connection, plain or encrypted.
pub(super) trait Connection: AsyncRead + AsyncWrite + Unpin + Send {}

impl<S: AsyncRead + AsyncWrite + Unpin + Send> Connection for S {}

/// Connects, and encrypts the connection for https.
pub(super) async fn connect(
    target: &WebUrl,
    resolver: &dyn Resolver,
    rules: AddressRules,
    tls: &TlsSettings,
) -> Result<Box<dyn Connection>, WebError> {
    let addresses = checked_addresses(target, resolver, rules).await?;
    let stream = open(target, &addresses, rules).await?;
    if !target.is_encrypted() {
        return Ok(Box::new(stream));
    }
    let unreachable = |why: String| WebError::Unreachable { host: target.host(), why };
    let name = match target.address() {
        Some(address) => ServerName::IpAddress(address.into()),
        None => {
            ServerName::try_from(target.host()).map_err(|_| unreachable("the name is not valid".into()))?
        }
    };
    let config = tls.config().map_err(unreachable)?;
    let encrypted = TlsConnector::from(config).connect(name, stream).await;
    Ok(Box::new(encrypted.map_err(|error| unreachable(shown(&error.to_string())))?))
}

/// The allowed addresses of a host. Fails if it has none.
async fn checked_addresses(
    target: &WebUrl,
    resolver: &dyn Resolver,
    rules: AddressRules,
) -> Result<Vec<IpAddr>, WebError> {
    let host = target.host();
    let found = match target.address() {
        Some(address) => vec![address],
        None => resolver.resolve(&host).await.map_err(|error| WebError::Unresolved {
            host: host.clone(),
            why: error.to_string().to_lowercase(),
        })?,
    };
    if found.is_empty() {
        return Err(WebError::Unresolved { host, why: "it has no address".into() });
    }
    let allowed: Vec<IpAddr> = found.into_iter().filter(|address| rules.allows_address(*address)).collect();
    if allowed.is_empty() {
        return Err(WebError::Forbidden(format!(
            "`{host}` is not a public address; loopback, private, link-local and metadata addresses are never fetched"
        )));
    }
    Ok(allowed)
}

async fn open(target: &WebUrl, addresses: &[IpAddr], rules: AddressRules) -> Result<TcpStream, WebError> {
    let host = target.host();
    let mut why = "no address answers".to_owned();
    for address in addresses.iter().take(MAX_ATTEMPTS) {
        let address = SocketAddr::new(*address, target.port());
        match timeout(CONNECT_TIMEOUT, TcpStream::connect(address)).await {
            Ok(Ok(stream)) => {
                let is_allowed = match (stream.local_addr(), stream.peer_addr()) {
                    (Ok(local), Ok(peer)) => rules.allows_connection(local.ip(), peer.ip()),
                    _ => false,
                };
                if !is_allowed {
                    return Err(WebError::Forbidden(format!("`{host}` is this machine")));
                }
                return Ok(stream);
            }
            Ok(Err(error)) => why = error.to_string().to_lowercase(),
            Err(_) => why = "it does not answer".into(),
        }
    }
    Err(WebError::Unreachable { host, why })
}
