//! Checks the host name that a request uses, and the page that made a browser send it.
//!
//! A foreign name that was made to point at this machine is rejected (DNS rebinding). A foreign page can make
//! a browser send requests here, with our cookie if the page is on the same site. So a request that changes
//! something must come from one of our pages, or from a program that sends its token itself, which a page
//! cannot make a browser do. Values are compared whole; there are no patterns to get around.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, HOST, ORIGIN, UPGRADE};
use axum::http::{HeaderMap, HeaderName, Method, StatusCode, Version};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::body_limit::error_and_close;
use super::credentials::PAGE_HEADER;
use crate::app::App;
use crate::auth::Peer;
use crate::error::ApiError;
use crate::settings::Settings;

const FETCH_SITE: &str = "sec-fetch-site";

/// Headers that may appear once. If there are two, a proxy may use the other one.
const ONCE: [HeaderName; 5] =
    [HOST, ORIGIN, AUTHORIZATION, CONTENT_TYPE, HeaderName::from_static(PAGE_HEADER)];

/// Passes requests that use one of our host names and do not come from a foreign page.
pub(super) async fn check_host_and_origin(State(app): State<App>, request: Request, next: Next) -> Response {
    if let Err(error) = verify(app.settings(), &request) {
        app.inner.metrics.rejected_requests.add();
        // A proxy in between may have parsed it differently, so nothing after it on the connection is read.
        let ambiguous = error.status == StatusCode::BAD_REQUEST;
        return if ambiguous { error_and_close(error) } else { error.into_response() };
    }
    next.run(request).await
}

fn verify(settings: &Settings, request: &Request) -> Result<(), ApiError> {
    for name in ONCE {
        once(request.headers(), &name)?;
    }
    let on_socket = matches!(request.extensions().get::<Peer>(), Some(Peer::Unix(_)));
    if !on_socket {
        host(settings, request)?;
    }
    let headers = request.headers();
    let changes = ![Method::GET, Method::HEAD, Method::OPTIONS].contains(request.method());
    let upgrades = headers.contains_key(UPGRADE);
    fetch_site(headers, changes || upgrades || is_api(request.uri().path()))?;
    if !changes && !upgrades {
        return Ok(());
    }
    match text(headers, ORIGIN)? {
        Some(origin) if settings.origins.iter().any(|ours| ours == origin) => Ok(()),
        Some(_) => Err(origin_not_allowed("the request comes from a page that is not this server's")),
        // A browser always sends the origin. A program that sends its own token is not a browser.
        None if on_socket || (!upgrades && headers.contains_key(AUTHORIZATION)) => Ok(()),
        None if upgrades => Err(origin_not_allowed("a WebSocket request needs an `Origin`")),
        None => Err(origin_not_allowed("a request without an `Origin` needs a token in `Authorization`")),
    }
}

fn is_api(path: &str) -> bool {
    path == "/api" || path.starts_with("/api/") || path.starts_with("/mastra/")
}

/// Checks `Host`, and the authority in the request target if there is one.
fn host(settings: &Settings, request: &Request) -> Result<(), ApiError> {
    if request.version() < Version::HTTP_11 {
        return Err(ApiError::invalid("this server needs HTTP/1.1"));
    }
    let Some(host) = text(request.headers(), HOST)? else {
        return Err(ApiError::invalid("the request has no `Host`"));
    };
    let target = request.uri().authority().map(axum::http::uri::Authority::as_str);
    for name in std::iter::once(host).chain(target) {
        if !is_ours(settings, name) {
            let message = "the host name in the request is not one of this server's";
            return Err(ApiError::new(StatusCode::FORBIDDEN, "HostNotAllowed", message)
                .with_hint("use the address that the server printed when it started"));
        }
    }
    match target.is_none_or(|target| is_same(settings, target, host)) {
        true => Ok(()),
        false => Err(ApiError::invalid("the request target names a different host than `Host`")),
    }
}

fn is_ours(settings: &Settings, name: &str) -> bool {
    settings.hosts.iter().any(|ours| is_same(settings, ours, name))
}

/// Whether two host names are equal, however they are written.
fn is_same(settings: &Settings, one: &str, other: &str) -> bool {
    let default_port = if settings.secure { 443 } else { 80 };
    let parse = |name| HostPort::parse(name, default_port);
    one == other || parse(one).is_some_and(|one| parse(other) == Some(one))
}

/// Checks `Sec-Fetch-Site`. A page on the same site but another origin belongs to another server.
fn fetch_site(headers: &HeaderMap, matters: bool) -> Result<(), ApiError> {
    let ours = |site: &[u8]| matches!(site, b"same-origin" | b"none");
    match matters && headers.get_all(FETCH_SITE).iter().any(|site| !ours(site.as_bytes())) {
        true => Err(origin_not_allowed("the request comes from another site's page")),
        false => Ok(()),
    }
}

fn origin_not_allowed(message: &str) -> ApiError {
    ApiError::new(StatusCode::FORBIDDEN, "OriginNotAllowed", message)
}

/// Rejects a header that appears more than once.
fn once(headers: &HeaderMap, name: &HeaderName) -> Result<(), ApiError> {
    match headers.get_all(name).iter().nth(1) {
        None => Ok(()),
        Some(_) => Err(ApiError::invalid(format!("`{name}` appears more than once"))),
    }
}

/// The value of a header.
fn text(headers: &HeaderMap, name: HeaderName) -> Result<Option<&str>, ApiError> {
    let read = headers.get(&name).map(axum::http::HeaderValue::to_str).transpose();
    read.map_err(|_| ApiError::invalid(format!("`{name}` is not valid text")))
}

/// A host and a port, in normal form.
#[derive(Debug, PartialEq, Eq)]
struct HostPort {
    host: Host,
    port: u16,
}

#[derive(Debug, PartialEq, Eq)]
enum Host {
    Address(IpAddr),
    Name(String),
}

impl HostPort {
    /// Parses `name`, `name:port`, `1.2.3.4:port` or `[::1]:port`; without a port it is the default port.
    fn parse(text: &str, default_port: u16) -> Option<HostPort> {
        let (host, port) = match text.strip_prefix('[') {
            Some(rest) => {
                let (address, after) = rest.split_once(']')?;
                let address: Ipv6Addr = address.parse().ok()?;
                let port = if after.is_empty() { None } else { Some(after.strip_prefix(':')?) };
                (Host::Address(address.into()), port)
            }
            None => {
                let (name, port) =
                    text.split_once(':').map_or((text, None), |(name, port)| (name, Some(port)));
                (Host::parse(name)?, port)
            }
        };
        let port = match port {
            None => default_port,
            Some(port) if !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) => {
                port.parse().ok()?
            }
            Some(_) => return None,
        };
        Some(HostPort { host, port })
    }
}

impl Host {
    fn parse(name: &str) -> Option<Host> {
        if let Ok(address) = name.parse::<Ipv4Addr>() {
            return Some(Host::Address(address.into()));
        }
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
        (!name.is_empty() && name.bytes().all(plain)).then(|| Host::Name(name.to_ascii_lowercase()))
    }
}

#[cfg(test)]
mod tests {
    use super::HostPort;

    #[test]
    fn equal_hosts_can_be_written_differently() {
        for (one, other) in [
            ("localhost:8787", "LocalHost:8787"),
            ("[::1]:8787", "[0:0:0:0:0:0:0:1]:8787"),
            ("example.org", "example.org:443"),
            ("[::1]", "[::1]:443"),
        ] {
            let read = HostPort::parse(one, 443);
            assert!(read.is_some(), "{one}");
            assert_eq!(read, HostPort::parse(other, 443), "{one} is {other}");
        }
    }

    #[test]
    fn other_and_malformed_hosts_are_not_ours() {
        let ours =
            ["localhost:8787", "127.0.0.1:8787", "[::1]:8787"].map(|host| HostPort::parse(host, 80).unwrap());
        for other in [
            "",
            ":8787",
            "localhost",
            "localhost:",
            "localhost:+8787",
            "localhost:8787:8787",
            "localhost.:8787",
            "localhost:87870",
            "user@localhost:8787",
            "localhost:8787 ",
            "127.1:8787",
            "2130706433:8787",
            "::1:8787",
            "[::1",
            "[::1]8787",
            "[::1%lo]:8787",
            "[::ffff:127.0.0.1]:8787",
            "localhost.evil.example:8787",
            "evil.example:8787",
            "localhost,evil.example:8787",
            "0.0.0.0:8787",
        ] {
            let read = HostPort::parse(other, 80);
            assert!(read.is_none_or(|read| !ours.contains(&read)), "{other}");
        }
    }
}
