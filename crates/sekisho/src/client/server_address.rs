//! The address of a server.

use std::net::IpAddr;
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::terminal::visible;

/// The address of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ServerAddress {
    Unix(PathBuf),
    /// A TCP port, with or without TLS.
    Tcp {
        host: String,
        port: u16,
        tls: bool,
    },
}

impl ServerAddress {
    /// The default socket of a server on this machine.
    pub(crate) fn local(state: &Path) -> ServerAddress {
        ServerAddress::Unix(state.join("sekisho.sock"))
    }

    /// Parses `http://host:port`, `https://host` or `unix:PATH`.
    pub(crate) fn parse(text: &str) -> Result<ServerAddress, Failure> {
        let nonsense = || {
            Failure::usage(format!(
                "`{}` is not a server address; use `http://127.0.0.1:8787`, `https://host` or `unix:PATH`",
                visible(text)
            ))
        };
        if let Some(path) = text.strip_prefix("unix:").filter(|path| !path.is_empty()) {
            return Ok(ServerAddress::Unix(path.strip_prefix("//").unwrap_or(path).into()));
        }
        let uri: hyper::Uri = text.parse().map_err(|_| nonsense())?;
        let tls = match uri.scheme_str() {
            Some("http") => false,
            Some("https") => true,
            _ => return Err(nonsense()),
        };
        // A path would be silently ignored, and a user name is not a token.
        let bare = matches!(uri.path(), "" | "/") && uri.query().is_none();
        let authority = uri.authority().filter(|authority| bare && !authority.as_str().contains('@'));
        let authority = authority.ok_or_else(nonsense)?;
        let port = authority.port_u16().unwrap_or(if tls { 443 } else { 80 });
        Ok(ServerAddress::Tcp { host: authority.host().to_owned(), port, tls })
    }

    /// The value of `Host`.
    pub(super) fn host(&self) -> String {
        match self {
            ServerAddress::Unix(_) => "localhost".into(),
            ServerAddress::Tcp { host, port, tls } if *port == if *tls { 443 } else { 80 } => host.clone(),
            ServerAddress::Tcp { host, port, .. } => format!("{host}:{port}"),
        }
    }

    /// Whether the server is on this machine.
    pub(crate) fn is_local(&self) -> bool {
        match self {
            ServerAddress::Unix(_) => true,
            ServerAddress::Tcp { host, .. } => {
                let bare = host.trim_start_matches('[').trim_end_matches(']');
                host == "localhost" || bare.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
            }
        }
    }

    /// Whether others can read the traffic.
    pub(crate) fn is_plaintext_remote(&self) -> bool {
        matches!(self, ServerAddress::Tcp { tls: false, .. }) && !self.is_local()
    }
}

impl std::fmt::Display for ServerAddress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ServerAddress::Unix(path) => write!(f, "{}", path.display()),
            ServerAddress::Tcp { tls, .. } => {
                write!(f, "http{}://{}", if *tls { "s" } else { "" }, self.host())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ServerAddress;

    #[test]
    fn addresses_are_parsed() {
        for (text, host, shown, local) in [
            ("http://127.0.0.1:8787", "127.0.0.1:8787", "http://127.0.0.1:8787", true),
            ("http://[::1]:8787/", "[::1]:8787", "http://[::1]:8787", true),
            ("https://gate.example", "gate.example", "https://gate.example", false),
            ("http://gate.example:80", "gate.example", "http://gate.example", false),
            ("unix:/run/x.sock", "localhost", "/run/x.sock", true),
        ] {
            let address = ServerAddress::parse(text).unwrap();
            assert_eq!((address.host().as_str(), address.to_string().as_str()), (host, shown));
            assert_eq!(address.is_local(), local, "{text}");
        }
        for text in ["", "gate", "ftp://x", "http://", "http://x/path", "http://u@x", "http://x?q", "unix:"] {
            assert!(ServerAddress::parse(text).is_err(), "{text}");
        }
    }
}
