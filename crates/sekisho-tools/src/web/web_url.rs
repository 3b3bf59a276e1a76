//! A URL that a web tool may be asked for: http or https, with a host, and without credentials.

use std::net::IpAddr;

use url::{Host, Url};

use super::error::WebError;
use crate::input_fields::shown;

/// The longest URL in bytes.
const MAX_URL: usize = 8192;

/// A URL with a host and without credentials.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebUrl {
    url: Url,
    host: Host<String>,
    port: u16,
}

impl WebUrl {
    /// Reads a URL from a model. Spaces, control characters and backslashes are refused: parsers drop or move
    /// them, and a person would read another host than the one that is asked.
    pub fn parse(text: &str) -> Result<WebUrl, WebError> {
        let forbidden = |why: &str| WebError::Forbidden(format!("URL `{}` {why}", shown(&head(text))));
        if text.len() > MAX_URL {
            return Err(forbidden(&format!("is longer than {MAX_URL} bytes")));
        }
        if text.chars().any(|c| c.is_whitespace() || c.is_control() || c == '\\') {
            return Err(forbidden(
                "contains a space, a control character or a backslash; write it percent-encoded",
            ));
        }
        let lower = text.get(..8).unwrap_or(text).to_ascii_lowercase();
        if !lower.starts_with("http://") && !lower.starts_with("https://") {
            return Err(WebError::Forbidden("URL must start with http:// or https://".into()));
        }
        let url = Url::parse(text).map_err(|error| forbidden(&format!("is not valid: {error}")))?;
        WebUrl::of(url)
    }

    /// The URL that a redirect leads to.
    pub fn join(&self, location: &str) -> Result<WebUrl, WebError> {
        let wrong = |why: &str| WebError::Protocol(format!("redirect to `{}` {why}", shown(&head(location))));
        if location.len() > MAX_URL || location.chars().any(|c| c.is_control() || c == '\\') {
            return Err(wrong("is too long or contains control characters or backslashes"));
        }
        let mut url = self.url.join(location).map_err(|error| wrong(&format!("is not valid: {error}")))?;
        if url.fragment().is_none() {
            url.set_fragment(self.url.fragment());
        }
        WebUrl::of(url)
    }

    fn of(url: Url) -> Result<WebUrl, WebError> {
        let forbidden =
            |why: &str| WebError::Forbidden(format!("URL `{}` {why}", shown(&head(url.as_str()))));
        if !matches!(url.scheme(), "http" | "https") {
            return Err(forbidden("is not http or https"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            // The URL is not shown: it has a password.
            return Err(WebError::Forbidden("URL has a user name or password; write it without".into()));
        }
        let Some(host) = url.host().map(|host| host.to_owned()) else {
            return Err(forbidden("has no host"));
        };
        if matches!(&host, Host::Domain(name) if name.trim_end_matches('.').is_empty() || name.len() > 255) {
            return Err(forbidden("has no host"));
        }
        let Some(port) = url.port_or_known_default() else { return Err(forbidden("has no port")) };
        Ok(WebUrl { url, host, port })
    }

    /// The URL.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// The address, if the host is one.
    pub fn address(&self) -> Option<IpAddr> {
        match &self.host {
            Host::Ipv4(address) => Some(IpAddr::V4(*address)),
            Host::Ipv6(address) => Some(IpAddr::V6(*address)),
            Host::Domain(_) => None,
        }
    }

    /// The host as it is compared: lower case, without a final dot, IPv6 addresses in brackets.
    pub fn host(&self) -> String {
        match &self.host {
            Host::Domain(name) => name.trim_end_matches('.').to_owned(),
            address => address.to_string(),
        }
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Whether the connection is encrypted.
    pub fn is_encrypted(&self) -> bool {
        self.url.scheme() == "https"
    }

    /// The value of the `Host` header.
    pub(super) fn authority(&self) -> String {
        match self.url.port() {
            Some(port) => format!("{}:{port}", self.host),
            None => self.host.to_string(),
        }
    }

    /// Path and query, as the request line has them.
    pub fn path_and_query(&self) -> String {
        match self.url.query() {
            Some(query) => format!("{}?{query}", self.url.path()),
            None => self.url.path().to_owned(),
        }
    }

    /// Whether the host names this machine by convention, so that no lookup is needed to refuse it.
    pub fn is_local_name(&self) -> bool {
        let host = self.host();
        host == "localhost" || host.ends_with(".localhost")
    }
}

/// The beginning of a URL, for messages.
fn head(text: &str) -> String {
    text.chars().take(200).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Result<(&str, u16), &str>) {
        let found = WebUrl::parse(text);
        match (found, expected) {
            (Ok(url), Ok((host, port))) => {
                assert_eq!((url.host().as_str(), url.port()), (host, port), "{text}")
            }
            (Err(error), Err(words)) => assert!(error.to_string().contains(words), "{text}: {error}"),
            (found, _) => panic!("{text}: {found:?}"),
        }
    }

    #[test]
    fn urls_are_read_as_the_network_sees_them() {
        check("http://Example.COM", Ok(("example.com", 80)));
        check("HTTPS://example.com./x", Ok(("example.com", 443)));
        check("https://example.com:8443/", Ok(("example.com", 8443)));
        check("https://bücher.example/", Ok(("xn--bcher-kva.example", 443)));
        check("http://0x7f.1/", Ok(("127.0.0.1", 80)));
        check("http://[0:0::1]/", Ok(("[::1]", 80)));
    }

    #[test]
    fn everything_else_is_refused() {
        check("ftp://example.com/", Err("URL must start with http:// or https://"));
        check("file:///etc/passwd", Err("URL must start with http:// or https://"));
        check("//example.com/", Err("URL must start with http:// or https://"));
        check("", Err("URL must start with http:// or https://"));
        check("http://", Err("is not valid"));
        check("http://user:secret@example.com/", Err("has a user name or password"));
        check("http://user@example.com/", Err("has a user name or password"));
        check("http://exa mple.com/", Err("contains a space"));
        check("http://exa\nmple.com/", Err("contains a space"));
        check("http://example.com/\r\nX: y", Err("contains a space"));
        check("http://example.com\\@evil.test/", Err("contains a space"));
        check("http://example.com/\u{0}", Err("contains a space"));
        check("http://1.2.3.4.5/", Err("is not valid"));
        check("http://256.256.256.256/", Err("is not valid"));
        check(&format!("http://example.com/{}", "a".repeat(9000)), Err("is longer than"));
        let error = WebUrl::parse("http://user:secret@example.com/").unwrap_err();
        assert!(!error.to_string().contains("secret"), "{error}");
    }
}
