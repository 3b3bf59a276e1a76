//! HTTP client for a running server: HTTP/1.1 over its Unix socket, TCP or TLS.
//!
//! Every request uses a connection of its own: a person at a terminal makes few, and no request waits behind
//! another.

mod command_hints;
mod connection;
mod error;
mod event_stream;
mod server_address;
mod sse_parser;
mod user_token;

use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::{Method, Request, Response, StatusCode, header};
use serde::Serialize;
use serde::de::DeserializeOwned;

pub(crate) use error::ClientError;
pub(crate) use event_stream::{StreamUpdate, follow_events};
pub(crate) use server_address::ServerAddress;
pub(crate) use user_token::{find as find_token, find_for_agent as find_agent_token};

/// Timeout for a response.
const PATIENCE: Duration = Duration::from_secs(30);
/// Maximum size of a response, in bytes.
const LARGEST: usize = 256 << 20;

/// A server, and the token to use.
#[derive(Clone)]
pub(crate) struct Client {
    address: ServerAddress,
    token: Option<String>,
}

impl Client {
    pub(crate) fn new(address: ServerAddress, token: Option<String>) -> Client {
        Client { address, token }
    }

    pub(crate) async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, ClientError> {
        let request = self.request(Method::GET, path, Bytes::new())?;
        answer(self.send(request).await?).await
    }

    pub(crate) async fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
    ) -> Result<T, ClientError> {
        let request = self.with_body(path, body)?;
        answer(self.send(request).await?).await
    }

    /// Like [`Self::post`], without a timeout, for responses that wait for a human. Dropping the future
    /// closes the connection.
    pub(crate) async fn post_and_wait<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
    ) -> Result<T, ClientError> {
        let request = self.with_body(path, body)?;
        let mut sender = connection::connect(&self.address).await?;
        answer(sender.send_request(request).await.map_err(lost)?).await
    }

    /// Whether the server responds at all, healthy or not.
    pub(crate) async fn ping(&self) -> Result<(), ClientError> {
        let request = self.request(Method::GET, "/healthz", Bytes::new())?;
        self.send(request).await.map(drop)
    }

    pub(crate) async fn put<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
    ) -> Result<T, ClientError> {
        let mut request = self.with_body(path, body)?;
        *request.method_mut() = Method::PUT;
        answer(self.send(request).await?).await
    }

    pub(crate) async fn delete<T: DeserializeOwned>(&self, path: &str) -> Result<T, ClientError> {
        let request = self.request(Method::DELETE, path, Bytes::new())?;
        answer(self.send(request).await?).await
    }

    fn with_body(&self, path: &str, body: &impl Serialize) -> Result<Request<Full<Bytes>>, ClientError> {
        let body = serde_json::to_vec(body).map_err(|error| ClientError::broken(error.to_string()))?;
        let mut request = self.request(Method::POST, path, body.into())?;
        let json = header::HeaderValue::from_static("application/json");
        request.headers_mut().insert(header::CONTENT_TYPE, json);
        Ok(request)
    }

    /// Opens an event stream.
    pub(super) async fn open_event_stream(
        &self,
        path: &str,
        last: Option<&str>,
    ) -> Result<Incoming, ClientError> {
        let mut request = self.request(Method::GET, path, Bytes::new())?;
        let events = header::HeaderValue::from_static("text/event-stream");
        request.headers_mut().insert(header::ACCEPT, events);
        if let Some(last) = last.and_then(|last| header::HeaderValue::from_str(last).ok()) {
            request.headers_mut().insert("last-event-id", last);
        }
        let response = self.send(request).await?;
        match response.status() {
            StatusCode::OK => Ok(response.into_body()),
            status => Err(refused(status, &whole(response).await?)),
        }
    }

    fn request(&self, method: Method, path: &str, body: Bytes) -> Result<Request<Full<Bytes>>, ClientError> {
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header(header::HOST, self.address.host())
            .header(header::USER_AGENT, concat!("sekisho-terminal/", env!("CARGO_PKG_VERSION")));
        if let Some(token) = &self.token {
            let value = header::HeaderValue::from_str(&format!("Bearer {token}"));
            let mut value =
                value.map_err(|_| ClientError::broken("the token contains invalid characters"))?;
            value.set_sensitive(true);
            request = request.header(header::AUTHORIZATION, value);
        }
        request.body(Full::new(body)).map_err(|error| ClientError::broken(error.to_string()))
    }

    async fn send(&self, request: Request<Full<Bytes>>) -> Result<Response<Incoming>, ClientError> {
        let mut sender = connection::connect(&self.address).await?;
        match tokio::time::timeout(PATIENCE, sender.send_request(request)).await {
            Ok(Ok(response)) => Ok(response),
            Ok(Err(error)) => Err(lost(error)),
            Err(_) => Err(ClientError::broken("the server did not answer in time")),
        }
    }
}

async fn answer<T: DeserializeOwned>(response: Response<Incoming>) -> Result<T, ClientError> {
    let status = response.status();
    let body = whole(response).await?;
    if !status.is_success() {
        return Err(refused(status, &body));
    }
    let body: &[u8] = if body.is_empty() { b"null" } else { &body };
    serde_json::from_slice(body).map_err(|error| {
        ClientError::broken(format!(
            "cannot parse the server's response: {error}; check that both are the same version of sekisho"
        ))
    })
}

fn lost(error: hyper::Error) -> ClientError {
    ClientError::broken(format!("the connection broke: {error}"))
}

async fn whole(response: Response<Incoming>) -> Result<Bytes, ClientError> {
    let body = Limited::new(response.into_body(), LARGEST).collect();
    match tokio::time::timeout(PATIENCE, body).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) => Err(ClientError::broken(format!("the response ended early: {error}"))),
        Err(_) => Err(ClientError::broken("the server did not finish its response in time")),
    }
}

fn refused(status: StatusCode, body: &[u8]) -> ClientError {
    match serde_json::from_slice::<sekisho_server::ErrorBody>(body) {
        Ok(body) => ClientError::Refused { status: status.as_u16(), error: body.error },
        Err(_) => ClientError::broken(format!("the server answered {status}; is it sekisho?")),
    }
}
