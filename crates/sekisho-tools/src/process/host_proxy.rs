//! A proxy that connects a program in the sandbox to listed hosts.
//!
//! It listens inside the program's network namespace and connects from outside. It knows only `CONNECT` with a
//! host from the list. It resolves the name itself, connects to the address that it checked, and never to an
//! address that is not public: names can point anywhere.

use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream, lookup_host};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::public_address::is_public;

/// The most connections at once.
const MAX_CONNECTIONS: usize = 64;
/// The longest head of a request.
const MAX_HEAD: usize = 8 << 10;
/// How long a request or a connection may take to arrive.
const PATIENCE: Duration = Duration::from_secs(15);
/// The ports of a host that is listed without one.
const PORTS: [u16; 2] = [80, 443];

/// Why a request is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
enum ProxyError {
    Method,
    Malformed,
    Host(String),
    Address(String),
    Unreachable(String),
}

impl fmt::Display for ProxyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProxyError::Method => {
                write!(f, "405 Method Not Allowed\r\n\r\nonly CONNECT is possible; use https\n")
            }
            ProxyError::Malformed => write!(f, "400 Bad Request\r\n\r\nthe request is not understood\n"),
            ProxyError::Host(host) => {
                write!(f, "403 Forbidden\r\n\r\n`{host}` is not in the list of hosts\n")
            }
            ProxyError::Address(host) => write!(f, "403 Forbidden\r\n\r\n`{host}` has no public address\n"),
            ProxyError::Unreachable(why) => write!(f, "502 Bad Gateway\r\n\r\n{why}\n"),
        }
    }
}

/// The hosts that may be reached: `name`, or `name:port`.
#[derive(Clone, Debug)]
pub(super) struct HostProxy {
    hosts: Arc<[String]>,
    is_allowed: fn(IpAddr) -> bool,
}

impl HostProxy {
    pub(super) fn new(hosts: &[String]) -> HostProxy {
        HostProxy { hosts: hosts.iter().map(|host| normal(host)).collect(), is_allowed: is_public }
    }

    /// Serves the port until the future is dropped.
    pub(super) async fn serve(self, port: OwnedFd) -> io::Result<()> {
        let listener = std::net::TcpListener::from(port);
        listener.set_nonblocking(true)?;
        let listener = TcpListener::from_std(listener)?;
        let room = Arc::new(Semaphore::new(MAX_CONNECTIONS));
        let mut connections = JoinSet::new();
        loop {
            let Ok(place) = Arc::clone(&room).acquire_owned().await else { return Ok(()) };
            let (stream, _) = listener.accept().await?;
            let proxy = self.clone();
            connections.spawn(async move {
                // A broken connection concerns only the program that has it.
                let _ = proxy.connect(stream).await;
                drop(place);
            });
            while connections.try_join_next().is_some() {}
        }
    }

    async fn connect(&self, mut client: TcpStream) -> io::Result<()> {
        let opened = match timeout(PATIENCE, read_head(&mut client)).await {
            Ok(Ok(head)) => match self.target(&head) {
                Ok(target) => self.open(&target).await,
                Err(error) => Err(error),
            },
            Ok(Err(error)) => return Err(error),
            Err(_) => Err(ProxyError::Malformed),
        };
        match opened {
            Ok(mut server) => {
                client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await?;
                copy_bidirectional(&mut client, &mut server).await.map(drop)
            }
            Err(error) => {
                client.write_all(format!("HTTP/1.1 {error}").as_bytes()).await?;
                client.shutdown().await
            }
        }
    }

    /// The host and port of a request, if they are in the list.
    fn target(&self, head: &[u8]) -> Result<(String, u16), ProxyError> {
        let head = std::str::from_utf8(head).map_err(|_| ProxyError::Malformed)?;
        let mut words = head.lines().next().unwrap_or_default().split(' ');
        let (method, target, version) = (words.next(), words.next(), words.next());
        if method != Some("CONNECT") {
            return Err(ProxyError::Method);
        }
        let well_formed =
            version.is_some_and(|version| version.starts_with("HTTP/1.")) && words.next().is_none();
        let (host, port) = target.and_then(|target| target.rsplit_once(':')).ok_or(ProxyError::Malformed)?;
        let port: u16 = port.parse().map_err(|_| ProxyError::Malformed)?;
        let host = normal(host);
        let plain = host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_".contains(&byte));
        if !well_formed || host.is_empty() || !plain {
            return Err(ProxyError::Malformed);
        }
        let listed = |entry: &String| match entry.rsplit_once(':') {
            Some((name, number)) => name == host && number.parse() == Ok(port),
            None => *entry == host && PORTS.contains(&port),
        };
        match self.hosts.iter().any(listed) {
            true => Ok((host, port)),
            false => Err(ProxyError::Host(format!("{host}:{port}"))),
        }
    }

    /// Connects to the first allowed address that answers.
    async fn open(&self, (host, port): &(String, u16)) -> Result<TcpStream, ProxyError> {
        let unreachable = |error: io::Error| ProxyError::Unreachable(error.to_string().to_lowercase());
        let found = lookup_host((host.as_str(), *port)).await.map_err(unreachable)?;
        let allowed: Vec<SocketAddr> = found.filter(|address| (self.is_allowed)(address.ip())).collect();
        if allowed.is_empty() {
            return Err(ProxyError::Address(host.clone()));
        }
        match timeout(PATIENCE, TcpStream::connect(allowed.as_slice())).await {
            Ok(connected) => connected.map_err(unreachable),
            Err(_) => Err(ProxyError::Unreachable("the host does not answer".into())),
        }
    }
}

async fn read_head(client: &mut TcpStream) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    // Byte by byte: what follows the head belongs to the connection.
    while !head.ends_with(b"\r\n\r\n") && head.len() < MAX_HEAD {
        head.push(client.read_u8().await?);
    }
    Ok(head)
}

fn normal(host: &str) -> String {
    host.trim_end_matches('.').to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_listed_hosts_are_targets() {
        let proxy = HostProxy::new(&["Example.com".into(), "db.example.com:5432".into()]);
        let forbidden = |host: &str| Err(ProxyError::Host(host.into()));
        for (line, expected) in [
            ("CONNECT example.com:443 HTTP/1.1", Ok(("example.com".to_owned(), 443))),
            ("CONNECT EXAMPLE.com.:80 HTTP/1.0", Ok(("example.com".to_owned(), 80))),
            ("CONNECT db.example.com:5432 HTTP/1.1", Ok(("db.example.com".to_owned(), 5432))),
            ("CONNECT example.com:22 HTTP/1.1", forbidden("example.com:22")),
            ("CONNECT db.example.com:443 HTTP/1.1", forbidden("db.example.com:443")),
            ("CONNECT evil-example.com:443 HTTP/1.1", forbidden("evil-example.com:443")),
            ("CONNECT example.com.evil:443 HTTP/1.1", forbidden("example.com.evil:443")),
            ("CONNECT 127.0.0.1:443 HTTP/1.1", forbidden("127.0.0.1:443")),
            ("CONNECT [::1]:443 HTTP/1.1", Err(ProxyError::Malformed)),
            ("CONNECT user@example.com:443 HTTP/1.1", Err(ProxyError::Malformed)),
            ("CONNECT example.com HTTP/1.1", Err(ProxyError::Malformed)),
            ("CONNECT example.com:443", Err(ProxyError::Malformed)),
            ("CONNECT example.com:443 HTTP/1.1 x", Err(ProxyError::Malformed)),
            ("CONNECT example.com\0:443 HTTP/1.1", Err(ProxyError::Malformed)),
            ("CONNECT example.com:99999 HTTP/1.1", Err(ProxyError::Malformed)),
            ("GET http://example.com/ HTTP/1.1", Err(ProxyError::Method)),
            ("", Err(ProxyError::Method)),
        ] {
            assert_eq!(proxy.target(format!("{line}\r\n\r\n").as_bytes()), expected, "{line}");
        }
    }

    async fn ask(proxy: HostProxy, request: String) -> String {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let serving = tokio::spawn(proxy.serve(listener.into()));
        let mut client = TcpStream::connect(address).await.unwrap();
        client.write_all(request.as_bytes()).await.unwrap();
        client.shutdown().await.unwrap();
        let mut answer = String::new();
        client.read_to_string(&mut answer).await.unwrap();
        serving.abort();
        answer
    }

    #[tokio::test]
    async fn names_of_private_addresses_are_refused() {
        let server = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = server.local_addr().unwrap().port();
        let proxy = HostProxy::new(&[format!("localhost:{port}")]);
        let request = format!("CONNECT localhost:{port} HTTP/1.1\r\n\r\n");
        let answer = ask(proxy.clone(), request.clone()).await;
        assert!(answer.starts_with("HTTP/1.1 403") && answer.contains("no public address"), "{answer}");
        let open = HostProxy { is_allowed: |address| address.is_ipv4(), ..proxy };
        let echo = async {
            let (mut stream, _) = server.accept().await.unwrap();
            stream.write_all(b"hello").await.unwrap();
        };
        let (answer, ()) = tokio::join!(ask(open, request), echo);
        assert_eq!(answer, "HTTP/1.1 200 Connection established\r\n\r\nhello");
    }
}
