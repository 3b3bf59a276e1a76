//! Sends one GET request over one connection.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use http_body_util::Empty;
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper::header::{
    ACCEPT_ENCODING, CONNECTION, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderMap, HeaderName,
    HeaderValue, LOCATION, USER_AGENT,
};
use hyper::{Request, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::task::JoinHandle;
use tokio_rustls::rustls::RootCertStore;

use super::address_rules::AddressRules;
use super::body::{self, Body};
use super::connection;
use super::error::WebError;
use super::read_limit::{LimitedStream, ReadAllowance};
use super::resolver::{Resolver, SystemResolver};
use super::tls_settings::TlsSettings;
use super::web_url::WebUrl;

/// What the tools call themselves.
pub const AGENT: &str = concat!("sekisho/", env!("CARGO_PKG_VERSION"));
/// The most bytes before the body: the head, with all interim responses, and the handshake.
const MAX_HEAD: u64 = 256 << 10;
/// The most header fields of a response.
const MAX_HEADERS: usize = 128;
/// Bytes of framing that a body may cost beside its limit.
const FRAMING: u64 = 1 << 20;

/// Makes requests. Cheap to clone.
#[derive(Clone)]
pub struct WebClient {
    resolver: Arc<dyn Resolver>,
    rules: AddressRules,
    tls: TlsSettings,
}

impl fmt::Debug for WebClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebClient").field("rules", &self.rules).finish_non_exhaustive()
    }
}

impl Default for WebClient {
    fn default() -> WebClient {
        WebClient::new(Arc::new(SystemResolver), AddressRules::public())
    }
}

impl WebClient {
    /// A client with a resolver and rules of its own. [`WebClient::default`] is the one for public addresses.
    pub fn new(resolver: Arc<dyn Resolver>, rules: AddressRules) -> WebClient {
        WebClient { resolver, rules, tls: TlsSettings::default() }
    }

    /// Trusts these certificates instead of the system's.
    #[must_use]
    pub fn trusting(mut self, roots: RootCertStore) -> WebClient {
        self.tls = TlsSettings::trusting(roots);
        self
    }

    /// Which addresses it connects to.
    pub fn rules(&self) -> AddressRules {
        self.rules
    }

    /// Sends a GET request and reads the head of the response. Redirects are not followed. There is no time
    /// limit: the caller drops the future.
    pub async fn get(
        &self,
        url: &WebUrl,
        headers: &[(HeaderName, HeaderValue)],
    ) -> Result<Response, WebError> {
        let request = request(url, headers)?;
        let stream = connection::connect(url, &*self.resolver, self.rules, &self.tls).await?;
        let allowance = ReadAllowance::new(MAX_HEAD);
        let stream = TokioIo::new(LimitedStream::new(stream, allowance.clone()));
        let protocol = |error: hyper::Error| match allowance.is_used_up() {
            true => WebError::Protocol(format!("the head of the response is larger than {MAX_HEAD} bytes")),
            false => WebError::Protocol(body::cause(&error)),
        };
        let (mut sender, connection) =
            http1::Builder::new().max_headers(MAX_HEADERS).handshake(stream).await.map_err(protocol)?;
        // The connection ends with the response, which aborts it.
        let connection = AbortOnDrop(tokio::spawn(async move { drop(connection.await) }));
        let response = sender.send_request(request).await.map_err(protocol)?;
        let (head, body) = response.into_parts();
        Ok(Response { status: head.status, headers: head.headers, body, allowance, _connection: connection })
    }
}

fn request(url: &WebUrl, headers: &[(HeaderName, HeaderValue)]) -> Result<Request<Empty<Bytes>>, WebError> {
    let mut request = Request::get(url.path_and_query())
        .header(HOST, url.authority())
        .header(USER_AGENT, AGENT)
        .header(ACCEPT_ENCODING, "gzip, deflate")
        .header(CONNECTION, "close");
    for (name, value) in headers {
        request = request.header(name, value);
    }
    request
        .body(Empty::new())
        .map_err(|error| WebError::Protocol(format!("the request cannot be written: {error}")))
}

/// Ends a task with its owner.
struct AbortOnDrop(JoinHandle<()>);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// A response whose body has not been read.
pub struct Response {
    status: StatusCode,
    headers: HeaderMap,
    body: Incoming,
    allowance: ReadAllowance,
    _connection: AbortOnDrop,
}

impl Response {
    /// The status.
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// Where a redirect leads. None if this is no redirect.
    pub fn redirect(&self) -> Option<String> {
        let is_redirect = matches!(self.status.as_u16(), 301 | 302 | 303 | 307 | 308);
        let location = self.headers.get(LOCATION).filter(|_| is_redirect)?;
        Some(String::from_utf8_lossy(location.as_bytes()).trim().to_owned())
    }

    /// The value of `Content-Type`; empty if there is none.
    pub fn content_type(&self) -> String {
        self.text(CONTENT_TYPE)
    }

    /// The length that the server claims.
    pub fn claimed_length(&self) -> Option<u64> {
        self.text(CONTENT_LENGTH).parse().ok()
    }

    fn text(&self, name: HeaderName) -> String {
        let value = self.headers.get(name).map(HeaderValue::as_bytes).unwrap_or_default();
        String::from_utf8_lossy(value).into_owned()
    }

    /// Reads the body, at most `limit` bytes, both as it arrives and decoded.
    pub async fn body(self, limit: usize) -> Result<Body, WebError> {
        let encoding = self.text(CONTENT_ENCODING);
        self.allowance.add(limit as u64 + FRAMING);
        body::read(self.body, &encoding, limit).await
    }
}
