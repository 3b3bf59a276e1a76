//! Sends POST requests to a provider and reads the responses as they arrive, over HTTP/1.1.

mod base_url;
mod connection;
#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper::body::Incoming;
use hyper::client::conn::http1::{self, SendRequest};
use hyper::header::{ACCEPT_ENCODING, CONTENT_TYPE, HOST, HeaderMap, HeaderName, HeaderValue, USER_AGENT};
use hyper_util::rt::TokioIo;
use sekisho_gate::display::{Layout, visible};
use sekisho_tools::web::{LimitedStream, ReadAllowance, TlsSettings};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_rustls::rustls::RootCertStore;

pub(super) use base_url::BaseUrl;

/// What the client calls itself.
const AGENT: &str = concat!("sekisho/", env!("CARGO_PKG_VERSION"));
/// The most bytes before the head of a response has ended, interim responses included. Without a limit, a server could
/// send them without end, and hyper would read on without a pause.
const MAX_HEAD: u64 = 256 << 10;
/// The most bytes of a response, with all framing.
const MAX_RESPONSE: u64 = 128 << 20;
/// The most open connections that wait for another request.
const MAX_IDLE: usize = 4;
/// How long, and how many bytes, the rest of a response is read for, so that its connection can be used again.
const REST_TIME: Duration = Duration::from_secs(2);
const REST_BYTES: usize = 64 << 10;

/// How long a provider may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timeouts {
    /// For the lookup of its name, for each of its addresses, and for the TLS handshake.
    pub connect: Duration,
    /// Without sending a byte: before the first one and between any two.
    pub idle: Duration,
}

impl Default for Timeouts {
    fn default() -> Timeouts {
        Timeouts { connect: Duration::from_secs(10), idle: Duration::from_secs(120) }
    }
}

/// Why there is no response, or no more of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum HttpError {
    /// No connection, or it broke before the head of the response.
    Unreachable(String),
    /// The connection broke inside the response.
    Broken(String),
    /// Nothing came for too long.
    Silent,
}

/// A client of one provider. Connections are used again.
pub(super) struct HttpClient {
    base: BaseUrl,
    timeouts: Timeouts,
    tls: TlsSettings,
    idle: Arc<Mutex<Vec<OpenConnection>>>,
}

impl fmt::Debug for HttpClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpClient").field("base", &self.base).finish_non_exhaustive()
    }
}

/// A connection that is ready for a request. Dropping it closes it.
struct OpenConnection {
    sender: SendRequest<Full<Bytes>>,
    allowance: ReadAllowance,
    _task: AbortOnDrop,
}

struct AbortOnDrop(JoinHandle<()>);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl HttpClient {
    /// A client. Without `roots` it trusts the system's certificates.
    pub(super) fn new(base: BaseUrl, timeouts: Timeouts, roots: Option<RootCertStore>) -> HttpClient {
        let tls = roots.map(TlsSettings::trusting).unwrap_or_default();
        HttpClient { base, timeouts, tls, idle: Arc::default() }
    }

    /// The address of the provider.
    pub(super) fn base(&self) -> &BaseUrl {
        &self.base
    }

    /// Sends a JSON body and reads the head of the response. Redirects are not followed.
    pub(super) async fn post(
        &self,
        path: &str,
        headers: &[(HeaderName, HeaderValue)],
        body: &Bytes,
    ) -> Result<HttpResponse, HttpError> {
        while let Some(connection) = self.take_idle() {
            // The server may have closed it meanwhile; a fresh connection shows whether it can be reached.
            match self.send(connection, path, headers, body).await {
                Err(HttpError::Unreachable(_)) => {}
                result => return result,
            }
        }
        let connection = self.open().await?;
        self.send(connection, path, headers, body).await
    }

    async fn open(&self) -> Result<OpenConnection, HttpError> {
        let stream = connection::connect(&self.base, &self.tls, self.timeouts.connect);
        let stream = stream.await.map_err(HttpError::Unreachable)?;
        let allowance = ReadAllowance::new(MAX_HEAD);
        let stream = TokioIo::new(LimitedStream::new(stream, allowance.clone()));
        let (sender, connection) = http1::handshake(stream).await.map_err(unreachable)?;
        let task = AbortOnDrop(tokio::spawn(async move { drop(connection.await) }));
        Ok(OpenConnection { sender, allowance, _task: task })
    }

    async fn send(
        &self,
        mut connection: OpenConnection,
        path: &str,
        headers: &[(HeaderName, HeaderValue)],
        body: &Bytes,
    ) -> Result<HttpResponse, HttpError> {
        let mut request = Request::post(path)
            .header(HOST, self.base.authority())
            .header(USER_AGENT, AGENT)
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT_ENCODING, "identity");
        for (name, value) in headers {
            request = request.header(name, value);
        }
        let request = request
            .body(Full::new(body.clone()))
            .map_err(|error| HttpError::Unreachable(format!("the request cannot be written: {error}")))?;
        connection.allowance.set(MAX_HEAD);
        let sending = async {
            connection.sender.ready().await?;
            connection.sender.send_request(request).await
        };
        let response = timeout(self.timeouts.idle, sending).await.map_err(|_| HttpError::Silent)?;
        let (head, body) = response.map_err(unreachable)?.into_parts();
        connection.allowance.set(MAX_RESPONSE);
        Ok(HttpResponse {
            status: head.status.as_u16(),
            headers: head.headers,
            body,
            limit: self.timeouts.idle,
            connection,
            idle: Arc::clone(&self.idle),
        })
    }

    fn take_idle(&self) -> Option<OpenConnection> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.retain(|connection| !connection.sender.is_closed());
        idle.pop()
    }
}

/// A response whose body has not been read. Dropping it closes the connection.
pub(super) struct HttpResponse {
    pub(super) status: u16,
    pub(super) headers: HeaderMap,
    body: Incoming,
    limit: Duration,
    connection: OpenConnection,
    idle: Arc<Mutex<Vec<OpenConnection>>>,
}

impl HttpResponse {
    /// The next bytes of the body; `None` at its end.
    pub(super) async fn bytes(&mut self) -> Result<Option<Bytes>, HttpError> {
        loop {
            let frame = timeout(self.limit, self.body.frame()).await.map_err(|_| HttpError::Silent)?;
            match frame {
                None => return Ok(None),
                Some(Err(error)) => return Err(HttpError::Broken(cause(&error))),
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(bytes) if !bytes.is_empty() => return Ok(Some(bytes)),
                    // Trailers, or a chunk without content.
                    _ => {}
                },
            }
        }
    }

    /// The beginning of the body as text. Whatever goes wrong ends it.
    pub(super) async fn text(&mut self, limit: usize) -> String {
        let mut text = Vec::new();
        while let Ok(Some(bytes)) = self.bytes().await {
            text.extend_from_slice(&bytes);
            if text.len() >= limit {
                text.truncate(limit);
                break;
            }
        }
        String::from_utf8_lossy(&text).into_owned()
    }

    /// The value of a header, if it is text.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Reads the rest of the body, if it is short, and keeps the connection for the next request.
    pub(super) fn keep_connection(mut self) {
        tokio::spawn(timeout(REST_TIME, async move {
            let mut rest = 0;
            while let Ok(Some(bytes)) = self.bytes().await {
                rest += bytes.len();
                if rest > REST_BYTES {
                    return;
                }
            }
            let mut connection = self.connection;
            if connection.sender.ready().await.is_ok() {
                let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
                if idle.len() < MAX_IDLE {
                    idle.push(connection);
                }
            }
        }));
    }
}

fn unreachable(error: hyper::Error) -> HttpError {
    HttpError::Unreachable(cause(&error))
}

/// What went wrong at the bottom of an error of hyper.
fn cause(error: &hyper::Error) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(inner) = source {
        text = inner.to_string();
        source = inner.source();
    }
    visible(&text, Layout::Line).into_owned()
}
