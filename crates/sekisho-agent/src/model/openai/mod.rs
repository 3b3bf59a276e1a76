//! OpenAI's chat completions, also spoken by Ollama, vLLM, llama.cpp and OpenRouter.

mod call_pieces;
mod error;
mod request;
mod stream;

use hyper::header::{AUTHORIZATION, HeaderName, HeaderValue};
use serde_json::Value;

use super::failure::Failure;
use super::http::BaseUrl;
use super::secret_key::SecretKey;
use super::streaming_client::{ReplyReader, Wire};
use super::{ModelErrorCode, ModelRequest};
pub use request::MaxTokensField;

/// Where OpenAI serves its models.
pub(super) const BASE_URL: &str = "https://api.openai.com/v1";

/// The wire of chat completions.
pub(super) struct OpenAi {
    path: String,
    headers: Vec<(HeaderName, HeaderValue)>,
    max_tokens_field: MaxTokensField,
}

impl OpenAi {
    /// Fails if a header cannot hold the key.
    pub(super) fn new(
        base: &BaseUrl,
        key: Option<&SecretKey>,
        max_tokens_field: Option<MaxTokensField>,
    ) -> Result<OpenAi, Failure> {
        let mut headers = Vec::new();
        if let Some(key) = key {
            let Some(key) = key.header("Bearer ") else {
                return Err(Failure::permanent(
                    ModelErrorCode::Unauthorized,
                    "The key in OPENAI_API_KEY contains characters that no key has.",
                ));
            };
            headers.push((AUTHORIZATION, key));
        }
        // Base URLs have the version in their path. One without any path gets the usual version.
        let prefix = if base.path().is_empty() { "/v1" } else { base.path() };
        let default = MaxTokensField::for_host(&base.host());
        Ok(OpenAi {
            path: format!("{prefix}/chat/completions"),
            headers,
            max_tokens_field: max_tokens_field.unwrap_or(default),
        })
    }
}

impl Wire for OpenAi {
    fn name(&self) -> &'static str {
        "OpenAI API"
    }

    fn path(&self) -> String {
        self.path.clone()
    }

    fn headers(&self) -> &[(HeaderName, HeaderValue)] {
        &self.headers
    }

    fn body(&self, request: &ModelRequest) -> Result<Value, Failure> {
        request::body(request, self.max_tokens_field)
    }

    fn remove_field(&self, body: &mut Value, field: &str) -> bool {
        request::remove_field(body, field)
    }

    fn reply_reader(&self, request: &ModelRequest) -> Box<dyn ReplyReader> {
        Box::new(stream::ChunkReader::new(request))
    }

    fn failure(&self, status: u16, body: &str) -> Failure {
        error::response_failure(status, body)
    }
}
