//! Sends a request, reads the streamed reply, and tries again where that helps. The same for all providers.

use std::fmt;

use bytes::Bytes;
use hyper::header::{HeaderName, HeaderValue};
use sekisho_gate::ledger::BoxFuture;
use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::event_stream::EventReader;
use super::failure::{Failure, quote, shortened};
use super::http::{HttpClient, HttpError, HttpResponse};
use super::reply_limits::{ReplyLimits, values};
use super::retry::{RetryAdvice, RetryPolicy};
use super::secret_key::SecretKey;
use super::{Model, ModelError, ModelErrorCode, ModelReply, ModelRequest, PieceSink, ReplyPiece};

/// The most bytes of a reply, with all its framing.
const MAX_REPLY: usize = 64 << 20;
/// The most values of an event: each takes a hundred bytes or more.
const MAX_VALUES: usize = 100_000;
/// The most bytes that are read of a response that is an error.
const MAX_ERROR: usize = 64 << 10;

/// What differs between providers.
pub(super) trait Wire: Send + Sync {
    /// The name of the interface, for messages.
    fn name(&self) -> &'static str;

    /// The path that requests are sent to.
    fn path(&self) -> String;

    /// The headers of a request, beside the common ones.
    fn headers(&self) -> &[(HeaderName, HeaderValue)];

    /// The body of a request.
    fn body(&self, request: &ModelRequest) -> Result<Value, Failure>;

    /// Changes a body so that it does without a field that the model does not take. False if it cannot.
    fn remove_field(&self, body: &mut Value, field: &str) -> bool;

    /// Reads the reply to a request.
    fn reply_reader(&self, request: &ModelRequest) -> Box<dyn ReplyReader>;

    /// What an error of the provider means.
    fn failure(&self, status: u16, body: &str) -> Failure;
}

/// Makes a reply from events. It holds no connection.
pub(super) trait ReplyReader: Send {
    /// Takes the data of an event and adds the pieces that it brings.
    fn take(&mut self, data: &str, pieces: &mut Vec<ReplyPiece>) -> Result<Progress, Failure>;

    /// The whole reply, after the last event.
    fn finish(self: Box<Self>) -> Result<ModelReply, Failure>;
}

/// Takes an event, if neither it nor the reply becomes too large.
fn take(
    reply: &mut dyn ReplyReader,
    data: &str,
    pieces: &mut Vec<ReplyPiece>,
    limits: &mut ReplyLimits,
) -> Result<Progress, Failure> {
    if values(data) > MAX_VALUES {
        return Err(Failure::bad_reply(format!("an event has more than {MAX_VALUES} values")));
    }
    let progress = reply.take(data, pieces)?;
    pieces.iter().try_for_each(|piece| limits.count(piece))?;
    Ok(progress)
}

/// Whether a reply goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// More events are to come.
    More,
    /// That was the last event; what follows does not count.
    Complete,
}

/// A client of one provider.
pub(super) struct StreamingClient<W> {
    wire: W,
    http: HttpClient,
    key: Option<SecretKey>,
    retry: RetryPolicy,
}

impl<W: Wire> fmt::Debug for StreamingClient<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct(self.wire.name()).field("http", &self.http).finish_non_exhaustive()
    }
}

impl<W: Wire> Model for StreamingClient<W> {
    fn reply<'a>(
        &'a self,
        request: &'a ModelRequest,
        pieces: &'a dyn PieceSink,
        cancellation: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<ModelReply, ModelError>> {
        Box::pin(async move {
            tokio::select! {
                biased;
                () = cancellation.cancelled() => {
                    Err(Failure::permanent(ModelErrorCode::Cancelled, "The request was cancelled.").error)
                }
                result = self.attempts(request, pieces) => result.map_err(|error| self.masked(error)),
            }
        })
    }
}

impl<W: Wire> StreamingClient<W> {
    /// A client. The key is masked in errors; the wire's headers send it.
    pub(super) fn new(wire: W, http: HttpClient, key: Option<SecretKey>, retry: RetryPolicy) -> Self {
        StreamingClient { wire, http, key, retry }
    }

    async fn attempts(
        &self,
        request: &ModelRequest,
        pieces: &dyn PieceSink,
    ) -> Result<ModelReply, ModelError> {
        let mut body = self.wire.body(request).map_err(|failure| failure.error)?;
        let mut attempts = 0;
        loop {
            let bytes = Bytes::from(body.to_string());
            let failure = match self.attempt(request, &bytes, pieces).await {
                Ok(reply) => return Ok(reply),
                Err(failure) => failure,
            };
            if failure.refused_field.as_ref().is_some_and(|field| self.wire.remove_field(&mut body, field)) {
                continue;
            }
            attempts += 1;
            let Some(wait) = self.retry.wait(attempts, &failure) else { return Err(failure.error) };
            self.retry.sleep(wait).await;
            pieces.restart();
        }
    }

    async fn attempt(
        &self,
        request: &ModelRequest,
        body: &Bytes,
        pieces: &dyn PieceSink,
    ) -> Result<ModelReply, Failure> {
        let response = self.http.post(&self.wire.path(), self.wire.headers(), body).await;
        let mut response = response.map_err(|error| self.http_failure(error))?;
        let request_id = ["request-id", "x-request-id"].into_iter().find_map(|name| response.header(name));
        let request_id = request_id.map(quote);
        let is_event_stream = response.status == 200 && !has_json(&response);
        let result = match is_event_stream {
            true => self.read(response, self.wire.reply_reader(request), pieces).await,
            false => Err(self.refusal(&mut response).await),
        };
        result.map_err(|mut failure| {
            failure.error.request_id = failure.error.request_id.or(request_id);
            failure
        })
    }

    async fn read(
        &self,
        mut response: HttpResponse,
        mut reply: Box<dyn ReplyReader>,
        pieces: &dyn PieceSink,
    ) -> Result<ModelReply, Failure> {
        let mut reader = EventReader::default();
        let mut limits = ReplyLimits::default();
        let (mut events, mut new_pieces) = (Vec::new(), Vec::new());
        let (mut arrived, mut has_event) = (0, false);
        let too_long = |_| Failure::bad_reply("an event is longer than 4 MiB");
        while let Some(bytes) = response.bytes().await.map_err(|error| self.http_failure(error))? {
            arrived += bytes.len();
            if arrived > MAX_REPLY {
                return Err(Failure::bad_reply("it is longer than 64 MiB"));
            }
            reader.take(&bytes, &mut events).map_err(too_long)?;
            for data in events.drain(..) {
                has_event = true;
                let progress = take(&mut *reply, &data, &mut new_pieces, &mut limits)?;
                new_pieces.drain(..).for_each(|piece| pieces.take(piece));
                if progress == Progress::Complete {
                    response.keep_connection();
                    return reply.finish();
                }
            }
        }
        // A last event without its empty line counts if it is whole.
        if let Some(data) = reader.finish().map_err(too_long)? {
            has_event = true;
            if is_whole(&data) {
                take(&mut *reply, &data, &mut new_pieces, &mut limits)?;
                new_pieces.drain(..).for_each(|piece| pieces.take(piece));
            }
        }
        if !has_event {
            return Err(self.no_events(&response));
        }
        response.keep_connection();
        reply.finish()
    }

    /// A response that is not a stream of events.
    fn no_events(&self, response: &HttpResponse) -> Failure {
        let kind =
            response.header("content-type").map_or("nothing".into(), |kind| format!("`{}`", quote(kind)));
        let place = self.place();
        Failure::retryable(
            ModelErrorCode::BadReply,
            format!("{place} sent {kind} instead of a stream of events. Check the base URL."),
        )
    }

    /// A response with an error.
    async fn refusal(&self, response: &mut HttpResponse) -> Failure {
        let status = response.status;
        if (300..400).contains(&status) {
            let place = self.place();
            return Failure::permanent(
                ModelErrorCode::BadRequest,
                format!("{place} redirects to another address ({status}). Set the base URL to that address."),
            );
        }
        let advice = RetryAdvice::read(&response.headers, self.retry.clock.now());
        let body = response.text(MAX_ERROR).await;
        let mut failure = self.wire.failure(status, &body);
        failure.error.message = format!("{} ({status}): {}", self.place(), failure.error.message);
        failure.error.retry_after = advice.wait;
        if failure.error.code != ModelErrorCode::OutOfQuota {
            failure.is_retryable = advice.should_retry.unwrap_or(failure.is_retryable);
        }
        failure
    }

    fn http_failure(&self, error: HttpError) -> Failure {
        let place = self.place();
        match error {
            HttpError::Unreachable(why) => {
                Failure::retryable(ModelErrorCode::Unreachable, format!("{place} cannot be reached: {why}"))
            }
            HttpError::Broken(why) => Failure::cut(&format!("the connection to {place} broke: {why}")),
            HttpError::Silent => Failure::cut(&format!("{place} sent nothing for too long")),
        }
    }

    /// The interface and its host, for messages.
    fn place(&self) -> String {
        format!("{} at {}", self.wire.name(), self.http.base().host())
    }

    /// The error without the key, which a provider may have repeated. It is shortened only then, so that no
    /// part of a key is left.
    fn masked(&self, error: ModelError) -> ModelError {
        let masked = |text: String| match &self.key {
            Some(key) => shortened(&key.masked(&text)),
            None => shortened(&text),
        };
        ModelError { message: masked(error.message), request_id: error.request_id.map(masked), ..error }
    }
}

fn has_json(response: &HttpResponse) -> bool {
    response.header("content-type").is_some_and(|kind| kind.trim_start().starts_with("application/json"))
}

/// Whether the data of an event is complete.
fn is_whole(data: &str) -> bool {
    data.trim() == "[DONE]" || serde_json::from_str::<serde::de::IgnoredAny>(data).is_ok()
}
