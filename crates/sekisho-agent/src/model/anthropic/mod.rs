//! Anthropic's Messages API.

mod error;
mod request;
mod stream;

use hyper::header::{HeaderName, HeaderValue};
use serde_json::Value;

use super::failure::Failure;
use super::http::BaseUrl;
use super::secret_key::SecretKey;
use super::streaming_client::{ReplyReader, Wire};
use super::{ModelErrorCode, ModelRequest};

/// Where Anthropic serves its models.
pub(super) const BASE_URL: &str = "https://api.anthropic.com";
/// The version of the interface that this client speaks.
const VERSION: &str = "2023-06-01";

/// The wire of the Messages API.
pub(super) struct Anthropic {
    path: String,
    headers: Vec<(HeaderName, HeaderValue)>,
}

impl Anthropic {
    /// Fails if a header cannot hold the key.
    pub(super) fn new(base: &BaseUrl, key: &SecretKey) -> Result<Anthropic, Failure> {
        let Some(key) = key.header("") else {
            return Err(Failure::permanent(
                ModelErrorCode::Unauthorized,
                "The key in ANTHROPIC_API_KEY contains characters that no key has.",
            ));
        };
        let prefix = base.path();
        let version = if prefix == "/v1" || prefix.ends_with("/v1") { "" } else { "/v1" };
        Ok(Anthropic {
            path: format!("{prefix}{version}/messages"),
            headers: vec![
                (HeaderName::from_static("x-api-key"), key),
                (HeaderName::from_static("anthropic-version"), HeaderValue::from_static(VERSION)),
            ],
        })
    }
}

impl Wire for Anthropic {
    fn name(&self) -> &'static str {
        "Anthropic API"
    }

    fn path(&self) -> String {
        self.path.clone()
    }

    fn headers(&self) -> &[(HeaderName, HeaderValue)] {
        &self.headers
    }

    fn body(&self, request: &ModelRequest) -> Result<Value, Failure> {
        request::body(request)
    }

    fn remove_field(&self, _body: &mut Value, _field: &str) -> bool {
        false
    }

    fn reply_reader(&self, request: &ModelRequest) -> Box<dyn ReplyReader> {
        Box::new(stream::MessageReader::new(request))
    }

    fn failure(&self, status: u16, body: &str) -> Failure {
        error::response_failure(status, body)
    }
}
