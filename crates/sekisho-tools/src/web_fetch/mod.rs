//! `web_fetch`: reads a public web page as Markdown.

mod charset;
mod destination;
mod media_type;
mod page_text;
mod redirects;
mod robots;

use std::future::Future;

use sekisho_gate::ledger::BoxFuture;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::input_fields::required;
use crate::permitted_call::PermittedCall;
use crate::tool::{Tool, ToolCategory, ToolDefinition};
use crate::tool_context::ToolContext;
use crate::tool_result::ToolResult;
use crate::web::{Body, Response, WebClient, WebError, WebUrl};
use destination::check_destination;
use media_type::{Media, MediaType};
pub(crate) use page_text::readable_line;
use page_text::{NoText, PageText, page_text};
pub use redirects::MAX_REDIRECTS;
use redirects::{Arrival, Redirects};

/// The tool's name.
pub const NAME: &str = "web_fetch";
/// The characters of a page that are returned, if the call does not say how many.
pub const DEFAULT_LENGTH: u64 = 50_000;
/// The most characters of a page that are returned.
pub const MAX_LENGTH: u64 = 100_000;
/// The most bytes of a page that are read.
pub const MAX_BODY: usize = 10 << 20;

/// The most characters of a content type that are returned.
const MAX_CONTENT_TYPE: usize = 200;

/// Reads web pages.
#[derive(Clone, Debug)]
pub struct WebFetch {
    client: WebClient,
    max_body: usize,
}

impl Default for WebFetch {
    fn default() -> WebFetch {
        WebFetch::with_client(WebClient::default())
    }
}

impl WebFetch {
    /// A tool that reads public addresses.
    pub fn new() -> WebFetch {
        WebFetch::default()
    }

    /// A tool with another client.
    pub fn with_client(client: WebClient) -> WebFetch {
        WebFetch { client, max_body: MAX_BODY }
    }

    /// Reads at most so many bytes of a page.
    #[must_use]
    pub fn with_max_body(mut self, bytes: usize) -> WebFetch {
        self.max_body = bytes;
        self
    }

    async fn fetch(&self, call: &PermittedCall, ctx: &ToolContext) -> Result<ToolResult, ToolResult> {
        let given = required(call.input(), "url")?;
        let start = WebUrl::parse(given).map_err(|error| ToolResult::error(error.to_string()))?;
        let redirects = Redirects { client: &self.client, ctx, call: call.call() };
        let arrival = redirects.follow(start).await.map_err(request_failed)?;
        if let Some(target) = &arrival.refused {
            return Ok(stopped(given, &arrival, target));
        }
        let status = arrival.response.status();
        if !status.is_success() {
            return Err(ToolResult::error(format!("HTTP {status} for {}", arrival.url.url())));
        }
        let Arrival { url, response, redirects, .. } = arrival;
        let content_type = response.content_type();
        let page = read_page(response, &url, &content_type, self.max_body).await?;
        let head = json!({
            "url": given,
            "status": status.as_u16(),
            "final_url": url.url().as_str(),
            "redirects": redirects,
            "content_type": readable_line(&content_type).chars().take(MAX_CONTENT_TYPE).collect::<String>(),
        });
        Ok(result(head, page, max_length(call.input())))
    }
}

impl Tool for WebFetch {
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

    fn check(&self, input: &Value, ctx: &ToolContext) -> Result<(), String> {
        let given = required(input, "url").map_err(|refused| refused.content)?;
        let url = WebUrl::parse(given).map_err(|error| error.to_string())?;
        check_destination(&url, self.client.rules(), ctx).map_err(|error| error.to_string())
    }

    fn execute<'a>(&'a self, call: PermittedCall, ctx: &'a ToolContext) -> BoxFuture<'a, ToolResult> {
        Box::pin(async move {
            let fetched = within_limits(ctx, self.fetch(&call, ctx)).await;
            fetched.map_err(request_failed).and_then(|fetched| fetched).unwrap_or_else(|failed| failed)
        })
    }
}

/// The tool as a model sees it.
pub fn definition() -> ToolDefinition {
    ToolDefinition {
        name: NAME.into(),
        description:
            "Fetch content from a web URL. Returns the page text content (HTML tags stripped). Use this to \
                      read documentation, articles, or any public web page."
                .into(),
        input_schema: json!({
            "type": "object",
            "properties": {
                "url": {
                    "type": "string",
                    "description": "The URL to fetch (must start with http:// or https://)"
                },
                "max_length": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": MAX_LENGTH,
                    "description": "Maximum characters to return (default: 50000, max: 100000)"
                }
            },
            "required": ["url"]
        }),
    }
}

/// Runs something with the time limit of web requests, until it is aborted.
pub(crate) async fn within_limits<T>(
    ctx: &ToolContext,
    work: impl Future<Output = T>,
) -> Result<T, WebError> {
    tokio::select! {
        biased;
        () = ctx.cancellation.cancelled() => Err(WebError::Aborted),
        done = tokio::time::timeout(ctx.time_left(ctx.http_timeout), work) => done.map_err(|_| WebError::TimedOut),
    }
}

fn request_failed(error: WebError) -> ToolResult {
    ToolResult::error(format!("HTTP request failed: {error}"))
}

fn max_length(input: &Value) -> usize {
    let given = input.get("max_length").and_then(Value::as_u64).unwrap_or(DEFAULT_LENGTH);
    usize::try_from(given.clamp(1, MAX_LENGTH)).unwrap_or(usize::MAX)
}

/// Reads a response and makes text of it, on a thread for long work.
async fn read_page(
    response: Response,
    url: &WebUrl,
    content_type: &str,
    max_body: usize,
) -> Result<PageText, ToolResult> {
    let media = MediaType::parse(content_type);
    let binary = |kind: &str, size: Option<u64>| {
        let size = size.map_or("unknown size".to_owned(), |size| format!("{size} bytes"));
        let kind = readable_line(kind);
        ToolResult::error(format!("{} is {kind} ({size}), which cannot be returned as text", url.url()))
    };
    if let Media::Binary(kind) = &media.media {
        return Err(binary(kind, response.claimed_length()));
    }
    let body = response.body(max_body).await;
    let body = body.map_err(|error| ToolResult::error(format!("Failed to read response body: {error}")))?;
    let size = body.bytes.len() as u64;
    let notes = body_notes(&body, max_body);
    let stop = CancellationToken::new();
    // Dropping this future, at the end of the time limit, ends the thread's work.
    let _stops_with_this_future = stop.clone().drop_guard();
    let base = url.url().clone();
    let made =
        tokio::task::spawn_blocking(move || page_text(&body.bytes, &media, &base, &|| stop.is_cancelled()));
    match made.await {
        Ok(Ok(mut page)) => {
            page.notes.extend(notes);
            Ok(page)
        }
        Ok(Err(NoText::Binary(kind))) => Err(binary(&kind, Some(size))),
        Ok(Err(NoText::Charset(why))) => {
            Err(ToolResult::error(format!("Failed to read response body: {why}")))
        }
        Ok(Err(NoText::Stopped)) => Err(request_failed(WebError::Aborted)),
        Err(_) => Err(ToolResult::error("Failed to read response body: the page cannot be converted")),
    }
}

/// What a reader must know about a body.
fn body_notes(body: &Body, max_body: usize) -> Vec<String> {
    let mut notes = Vec::new();
    if body.is_damaged {
        notes.push("the compressed response is damaged or cut off; its text may be wrong".into());
    }
    if body.has_rest {
        notes.push("more data follows the end of the compressed response; it was not read".into());
    }
    if body.is_cut {
        notes.push(format!("the response is larger than {max_body} bytes; the rest was not read"));
    }
    notes
}

fn result(mut head: Value, page: PageText, max_length: usize) -> ToolResult {
    let PageText { title, text, charset, notes } = page;
    let total = text.chars().count();
    let content = match text.char_indices().nth(max_length) {
        Some((end, _)) => {
            let kept = text.get(..end).unwrap_or_default();
            format!("{kept}...\n\n[Truncated: {total} total chars]")
        }
        None => text,
    };
    let more = json!({
        "content_length": content.chars().count(),
        "content": content,
        "total_length": total,
        "truncated_chars": total.saturating_sub(max_length),
        "charset": charset,
        "title": title,
        "notes": notes,
    });
    if let (Value::Object(head), Value::Object(more)) = (&mut head, more) {
        head.extend(more);
    }
    ToolResult::ok(head.to_string())
}

/// The result of a redirect that the policy does not allow by itself.
fn stopped(given: &str, arrival: &Arrival, target: &WebUrl) -> ToolResult {
    let target = target.url().as_str();
    let content = format!(
        "Redirect to {target} was not followed: the policy does not allow that host without asking. To read it, call \
         web_fetch with that URL."
    );
    ToolResult::ok(
        json!({
            "url": given,
            "status": arrival.response.status().as_u16(),
            "content_length": content.chars().count(),
            "content": content,
            "final_url": arrival.url.url().as_str(),
            "redirects": arrival.redirects,
            "redirect_not_followed": target,
        })
        .to_string(),
    )
}
