//! `web_search`: asks the Brave Search API.

use std::fmt;
use std::sync::Arc;

use hyper::header::{ACCEPT, HeaderName, HeaderValue};
use sekisho_gate::ledger::BoxFuture;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::html_markdown::plain_text;
use crate::input_fields::required;
use crate::permitted_call::PermittedCall;
use crate::tool::{Tool, ToolCategory, ToolDefinition};
use crate::tool_context::ToolContext;
use crate::tool_result::ToolResult;
use crate::web::{AddressRules, SystemResolver, WebClient, WebError, WebUrl};
use crate::web_fetch::{readable_line, within_limits};

/// The tool's name.
pub const NAME: &str = "web_search";
/// The results of a search, if the call does not say how many.
pub const DEFAULT_RESULTS: u64 = 5;
/// The most results of a search.
pub const MAX_RESULTS: u64 = 20;
/// The endpoint of the Brave Search API.
pub const ENDPOINT: &str = "https://api.search.brave.com/res/v1/web/search";
/// The longest query in characters.
const MAX_QUERY: usize = 2000;
/// The most bytes of a response.
const MAX_BODY: usize = 2 << 20;
/// The most characters of a title or a description.
const MAX_TEXT: usize = 2000;
/// The most characters of an error of the API.
const MAX_ERROR: usize = 500;

/// A key of the API. It is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

impl ApiKey {
    /// A key. Surrounding white space is removed.
    pub fn new(key: impl Into<String>) -> ApiKey {
        ApiKey(key.into().trim().to_owned())
    }

    /// A text of the API without the key.
    fn removed_from(&self, text: &str) -> String {
        if self.0.is_empty() { text.to_owned() } else { text.replace(&self.0, "[key]") }
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(…)")
    }
}

/// Searches the web.
#[derive(Clone, Debug)]
pub struct WebSearch {
    client: WebClient,
    endpoint: WebUrl,
    key: Option<ApiKey>,
}

impl WebSearch {
    /// A tool that asks Brave's own endpoint.
    pub fn new(key: Option<ApiKey>) -> Result<WebSearch, WebError> {
        let endpoint = WebUrl::parse(ENDPOINT)?;
        Ok(WebSearch { client: WebClient::default(), endpoint, key })
    }

    /// A tool that asks an endpoint of the user's choice, which may be on any address. Without TLS the key would be
    /// readable on the way, so http is for this machine only.
    pub fn at_endpoint(endpoint: &str, key: Option<ApiKey>) -> Result<WebSearch, WebError> {
        let endpoint = WebUrl::parse(endpoint)?;
        let is_local =
            endpoint.is_local_name() || endpoint.address().is_some_and(|address| address.is_loopback());
        if !endpoint.is_encrypted() && !is_local {
            return Err(WebError::Forbidden(format!("`{}` must be https", endpoint.url())));
        }
        let client = WebClient::new(Arc::new(SystemResolver), AddressRules::any());
        Ok(WebSearch { client, endpoint, key })
    }

    async fn search(&self, input: &Value) -> Result<ToolResult, ToolResult> {
        let query = required(input, "query")?;
        let Some(key) = self.key.as_ref().filter(|key| !key.0.is_empty()) else {
            return Err(ToolResult::error(
                "BRAVE_SEARCH_API_KEY not configured. Set this environment variable to enable web search.",
            ));
        };
        let count = num_results(input);
        let bytes = self.ask(query, count, key).await?;
        let response: SearchResponse = serde_json::from_slice(&bytes).map_err(|error| {
            ToolResult::error(format!(
                "Failed to parse search results: {}",
                key.removed_from(&error.to_string())
            ))
        })?;
        let found = response.web.unwrap_or_default().results;
        let results: Vec<Value> = found.into_iter().take(count).map(|result| result.shown(key)).collect();
        Ok(ToolResult::ok(
            json!({ "query": key.removed_from(query), "num_results": results.len(), "results": results })
                .to_string(),
        ))
    }

    /// The body of a successful response.
    async fn ask(&self, query: &str, count: usize, key: &ApiKey) -> Result<Vec<u8>, ToolResult> {
        let failed = |error: WebError| {
            ToolResult::error(format!("Search API request failed: {}", key.removed_from(&error.to_string())))
        };
        let mut url = self.endpoint.url().clone();
        url.query_pairs_mut().append_pair("q", query).append_pair("count", &count.to_string());
        let url = WebUrl::parse(url.as_str()).map_err(failed)?;
        let Ok(mut token) = HeaderValue::from_str(&key.0) else {
            return Err(ToolResult::error(
                "BRAVE_SEARCH_API_KEY contains characters that a key cannot have.",
            ));
        };
        token.set_sensitive(true);
        let headers = [
            (HeaderName::from_static("x-subscription-token"), token),
            (ACCEPT, HeaderValue::from_static("application/json")),
        ];
        let response = self.client.get(&url, &headers).await.map_err(failed)?;
        let status = response.status();
        let body = response.body(MAX_BODY).await.map_err(failed)?;
        if !status.is_success() {
            let text = key.removed_from(&String::from_utf8_lossy(&body.bytes));
            let text: String = readable_line(&text).chars().take(MAX_ERROR).collect();
            return Err(ToolResult::error(format!("Search API error ({status}): {text}")));
        }
        if body.is_cut {
            return Err(failed(WebError::Protocol(format!("the response is larger than {MAX_BODY} bytes"))));
        }
        Ok(body.bytes)
    }
}

impl Tool for WebSearch {
    fn name(&self) -> &str {
        NAME
    }

    fn category(&self) -> ToolCategory {
        ToolCategory::ReadOnly
    }

    fn needs_workspace(&self) -> bool {
        false
    }

    fn definition(&self) -> ToolDefinition {
        definition()
    }

    fn check(&self, input: &Value, _ctx: &ToolContext) -> Result<(), String> {
        let query = required(input, "query").map_err(|refused| refused.content)?;
        if query.trim().is_empty() {
            return Err("Invalid 'query' parameter: it is empty".into());
        }
        match query.chars().count() > MAX_QUERY {
            true => Err(format!("Invalid 'query' parameter: it is longer than {MAX_QUERY} characters")),
            false => Ok(()),
        }
    }

    fn execute<'a>(&'a self, call: PermittedCall, ctx: &'a ToolContext) -> BoxFuture<'a, ToolResult> {
        Box::pin(async move {
            let failed = |error: WebError| ToolResult::error(format!("Search API request failed: {error}"));
            let found = within_limits(ctx, self.search(call.input())).await;
            found.map_err(failed).and_then(|found| found).unwrap_or_else(|failed| failed)
        })
    }
}

/// The tool as a model sees it.
pub fn definition() -> ToolDefinition {
    ToolDefinition {
        name: NAME.into(),
        description: "Search the web for information. Returns a list of search results with titles, URLs, and snippets. \
                      Use this to find recent information, documentation, or market research."
            .into(),
        input_schema: json!({
            "type": "object",
            "properties": {
                "query": {
                    "type": "string",
                    "description": "The search query"
                },
                "num_results": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": MAX_RESULTS,
                    "description": "Number of results to return (default: 5, max: 20)"
                }
            },
            "required": ["query"]
        }),
    }
}

fn num_results(input: &Value) -> usize {
    let given = input.get("num_results").and_then(Value::as_u64).unwrap_or(DEFAULT_RESULTS);
    usize::try_from(given.clamp(1, MAX_RESULTS)).unwrap_or(usize::MAX)
}

/// What is read of a response. Everything else in it is skipped without being stored.
#[derive(Debug, Deserialize)]
struct SearchResponse {
    #[serde(default)]
    web: Option<WebResults>,
}

#[derive(Debug, Default, Deserialize)]
struct WebResults {
    #[serde(default)]
    results: Vec<SearchResult>,
}

#[derive(Debug, Deserialize)]
struct SearchResult {
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    url: Option<String>,
    #[serde(default)]
    description: Option<String>,
}

impl SearchResult {
    /// The result without markup, with everything invisible escaped.
    fn shown(self, key: &ApiKey) -> Value {
        let text = |html: Option<String>| {
            let html: String = html.unwrap_or_default().chars().take(MAX_TEXT).collect();
            key.removed_from(&readable_line(&plain_text(&html)))
        };
        let url: String = self.url.unwrap_or_default().chars().take(MAX_TEXT).collect();
        json!({
            "title": text(self.title),
            "url": key.removed_from(&readable_line(&url)),
            "description": text(self.description),
        })
    }
}
