//! The address of a provider: scheme, host, port and the beginning of the path.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use sekisho_gate::display::{Layout, visible};
use url::{Host, Url};

/// The base URL of a provider. Configured by an admin, so it may be any host, also this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::model) struct BaseUrl {
    host: Host<String>,
    port: u16,
    /// The port, if it is not the scheme's own.
    written_port: Option<u16>,
    is_encrypted: bool,
    /// Without a final `/`.
    path: String,
}

impl BaseUrl {
    /// Reads a base URL. The error says what is wrong, and does not show a password.
    pub(in crate::model) fn parse(text: &str) -> Result<BaseUrl, String> {
        let wrong = |why: &str| {
            let head: String = text.chars().take(200).collect();
            format!("The base URL `{}` {why}", visible(&head, Layout::Line))
        };
        let url = Url::parse(text).map_err(|error| match text.contains('@') {
            true => format!("The base URL is not valid: {error}"),
            false => wrong(&format!("is not valid: {error}")),
        })?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err("The base URL has a user name or password; write it without, and set a key".into());
        }
        if !matches!(url.scheme(), "http" | "https") {
            return Err(wrong("is not http or https"));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err("The base URL has a `?` or `#`; write it without".into());
        }
        let (Some(host), Some(port)) = (url.host(), url.port_or_known_default()) else {
            return Err(wrong("has no host"));
        };
        Ok(BaseUrl {
            host: host.to_owned(),
            port,
            written_port: url.port(),
            is_encrypted: url.scheme() == "https",
            path: url.path().trim_end_matches('/').to_owned(),
        })
    }

    /// The beginning of the path, without a final `/`; empty if there is none.
    pub(in crate::model) fn path(&self) -> &str {
        &self.path
    }

    /// The host, for messages and comparisons.
    pub(in crate::model) fn host(&self) -> String {
        self.host.to_string()
    }

    pub(in crate::model) fn is_encrypted(&self) -> bool {
        self.is_encrypted
    }

    /// Whether the host is this machine, for sure: an address, or a name that is never looked up.
    pub(in crate::model) fn is_loopback(&self) -> bool {
        self.known_addresses().is_some_and(|addresses| addresses.iter().all(IpAddr::is_loopback))
    }

    /// The addresses of a host that needs no lookup.
    pub(super) fn known_addresses(&self) -> Option<Vec<IpAddr>> {
        match &self.host {
            Host::Ipv4(address) => Some(vec![IpAddr::V4(*address)]),
            Host::Ipv6(address) => Some(vec![IpAddr::V6(*address)]),
            Host::Domain(name) => {
                let name = name.trim_end_matches('.');
                let is_local = name == "localhost" || name.ends_with(".localhost");
                is_local.then(|| vec![IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)])
            }
        }
    }

    pub(super) fn port(&self) -> u16 {
        self.port
    }

    /// The value of the `Host` header.
    pub(super) fn authority(&self) -> String {
        match self.written_port {
            Some(port) => format!("{}:{port}", self.host),
            None => self.host.to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_urls_are_read() {
        for (text, authority, path, is_loopback) in [
            ("https://api.example.com", "api.example.com", "", false),
            ("https://api.example.com:443/v1/", "api.example.com", "/v1", false),
            ("http://127.0.0.1:11434/v1", "127.0.0.1:11434", "/v1", true),
            ("http://127.1.2.3", "127.1.2.3", "", true),
            ("http://[::1]:8080/a/b//", "[::1]:8080", "/a/b", true),
            ("http://localhost:8000", "localhost:8000", "", true),
            ("http://models.localhost.", "models.localhost.", "", true),
            ("http://10.0.0.1", "10.0.0.1", "", false),
            ("http://localhost.example.com", "localhost.example.com", "", false),
        ] {
            let url = BaseUrl::parse(text).unwrap();
            let found = (url.authority(), url.path().to_owned(), url.is_loopback());
            assert_eq!(found, (authority.to_owned(), path.to_owned(), is_loopback), "{text}");
        }
    }

    #[test]
    fn other_urls_are_refused() {
        for (text, words) in [
            ("", "is not valid"),
            ("api.example.com", "is not valid"),
            ("http://", "is not valid"),
            ("ftp://example.com", "is not http or https"),
            ("https://user:hush@example.com", "has a user name or password"),
            ("https://user:hush@exa mple.com", "is not valid"),
            ("https://example.com/v1?key=hush", "has a `?` or `#`"),
            ("https://example.com/#x", "has a `?` or `#`"),
        ] {
            let why = BaseUrl::parse(text).unwrap_err();
            assert!(why.contains(words) && !why.contains("hush"), "{text}: {why}");
        }
    }
}
