//! Follows redirects one by one. Each address is checked and judged like the first.

use jiff::Timestamp;
use sekisho_policy::{Call, Decision, JudgeContext, judge};
use serde_json::Value;

use super::destination::check_destination;
use super::robots;
use crate::tool_context::ToolContext;
use crate::web::{Response, WebClient, WebError, WebUrl};

use hyper::header::{ACCEPT, HeaderName, HeaderValue};

/// The most redirects that are followed.
pub const MAX_REDIRECTS: usize = 5;
/// The most bytes of a `robots.txt`.
const MAX_ROBOTS: usize = 512 << 10;
/// What is asked for.
const ACCEPTED: &str = "text/html,application/xhtml+xml,text/plain;q=0.9,application/json;q=0.9,*/*;q=0.5";

/// Where the redirects ended.
pub(super) struct Arrival {
    /// The address that answered.
    pub(super) url: WebUrl,
    pub(super) response: Response,
    /// The addresses that redirects led to, in order.
    pub(super) redirects: Vec<String>,
    /// A redirect of the response that was not followed.
    pub(super) refused: Option<WebUrl>,
}

/// A permitted call that is being fetched.
pub(super) struct Redirects<'a> {
    pub(super) client: &'a WebClient,
    pub(super) ctx: &'a ToolContext,
    pub(super) call: &'a Call,
}

impl Redirects<'_> {
    /// Fetches an address and follows redirects.
    pub(super) async fn follow(&self, start: WebUrl) -> Result<Arrival, WebError> {
        let first_host = start.host();
        let (mut url, mut redirects) = (start, Vec::new());
        let mut robots = Vec::new();
        loop {
            check_destination(&url, self.client.rules(), self.ctx)
                .map_err(|error| behind(&redirects, error))?;
            if self.ctx.respect_robots {
                self.check_robots(&url, &mut robots).await?;
            }
            let response =
                self.client.get(&url, &accept()).await.map_err(|error| behind(&redirects, error))?;
            let Some(location) = response.redirect() else {
                return Ok(Arrival { url, response, redirects, refused: None });
            };
            if redirects.len() >= MAX_REDIRECTS {
                return Err(WebError::Protocol(format!("there are more than {MAX_REDIRECTS} redirects")));
            }
            let next = url.join(&location)?;
            check_destination(&next, self.client.rules(), self.ctx)
                .map_err(|error| behind(&[next.url().to_string()], error))?;
            if next.host() != first_host && !self.is_allowed(&next) {
                return Ok(Arrival { url, response, redirects, refused: Some(next) });
            }
            redirects.push(next.url().to_string());
            url = next;
        }
    }

    /// Whether the policy allows the same call for another address without asking.
    fn is_allowed(&self, url: &WebUrl) -> bool {
        let mut call = self.call.clone();
        if let Some(field) = call.input.get_mut("url") {
            *field = Value::String(url.url().to_string());
        }
        let text = |path: &std::path::Path| path.to_str().map(str::to_owned);
        let context = JudgeContext {
            root: text(&self.ctx.root),
            home: self.ctx.home.as_deref().and_then(text),
            ..JudgeContext::at(Timestamp::now())
        };
        judge(&self.ctx.policy, &call, &context).decision == Decision::Allow
    }

    /// Refuses a path that the site excludes. `known` has the files that were read, by origin.
    async fn check_robots(&self, url: &WebUrl, known: &mut Vec<(String, String)>) -> Result<(), WebError> {
        let origin = url.url().origin().ascii_serialization();
        let found = known.iter().find(|(own, _)| *own == origin).map(|(_, text)| text.clone());
        let text = match found {
            Some(text) => text,
            None => {
                let text = self.robots(url).await?;
                known.push((origin, text.clone()));
                text
            }
        };
        let own_name = env!("CARGO_PKG_NAME").split('-').next().unwrap_or_default();
        match robots::permits(&text, own_name, &url.path_and_query()) {
            true => Ok(()),
            false => Err(WebError::Forbidden(format!(
                "`{}` asks programs not to read this page in its robots.txt",
                url.host()
            ))),
        }
    }

    /// The `robots.txt` of a site; empty if it has none.
    async fn robots(&self, url: &WebUrl) -> Result<String, WebError> {
        let response = self.client.get(&url.join("/robots.txt")?, &accept()).await?;
        match response.status() {
            status if status.is_success() => {
                let body = response.body(MAX_ROBOTS).await?;
                Ok(String::from_utf8_lossy(&body.bytes).into_owned())
            }
            status if status.is_server_error() => Err(WebError::Protocol(format!(
                "the robots.txt of `{}` cannot be read: HTTP {status}",
                url.host()
            ))),
            _ => Ok(String::new()),
        }
    }
}

fn accept() -> [(HeaderName, HeaderValue); 1] {
    [(ACCEPT, HeaderValue::from_static(ACCEPTED))]
}

/// An error, with the redirect that led to it.
fn behind(redirects: &[String], error: WebError) -> WebError {
    match (redirects.last(), error) {
        (Some(url), WebError::Forbidden(why)) => WebError::Forbidden(format!("redirect to {url}: {why}")),
        (_, error) => error,
    }
}
