//! Strict JSON request bodies: one parser, unknown fields rejected, errors that name the path of the field.

use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use sekisho_policy::exact_json::{self, ExactJsonError};
use sekisho_policy::strict_deserializer::ObjectDeserializer;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::app::App;
use crate::auth::Identity;
use crate::error::ApiError;
use crate::exclusive_jobs::run_blocking;
use crate::memory_budget::{BudgetReservation, UNCHARGED_BYTES};
use crate::middleware::RequestReservation;
use crate::request_queue::RequestSlot;

/// Estimated memory of an object besides its fields, of a field, of a list element, and of each quote of a
/// string.
const OBJECT: usize = 640;
const FIELD: usize = 2 * (size_of::<String>() + size_of::<Value>());
const ELEMENT: usize = 2 * size_of::<Value>();
const TEXT: usize = 8;

/// Larger bodies are parsed off the async threads.
const LARGE: usize = 64 << 10;

/// A JSON body and the memory reserved for its values. Hold the reservation until they are stored or dropped.
pub(crate) struct JsonBody<T>(pub(crate) T, pub(crate) BudgetReservation);

/// The query parameters of a request.
pub(crate) struct QueryParams<T>(pub(crate) T);

/// A JSON response body.
pub(crate) struct JsonResponse<T>(pub(crate) T);

impl<T: DeserializeOwned + Send + 'static> FromRequest<App> for JsonBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &App) -> Result<JsonBody<T>, ApiError> {
        let content_type =
            request.headers().get(header::CONTENT_TYPE).and_then(|content_type| content_type.to_str().ok());
        let essence = content_type.map(|content_type| {
            content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
        });
        if essence.as_deref() != Some("application/json") {
            let message = format!("the content type is {}, not JSON", content_type.unwrap_or("missing"));
            let error = ApiError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "UnsupportedMediaType", message);
            return Err(error.with_hint("send `Content-Type: application/json`"));
        }
        let who = request.extensions().get::<Identity>().cloned();
        let charge = request.extensions().get::<RequestReservation>().cloned();
        let bytes =
            Bytes::from_request(request, app).await.map_err(|rejection| match rejection.status() {
                StatusCode::PAYLOAD_TOO_LARGE => {
                    ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "TooLarge", "the body is too large")
                }
                _ => ApiError::invalid("the body is incomplete"),
            })?;
        // A body can arrive slowly, and the sender's token may be revoked meanwhile.
        if let Some(who) = &who {
            app.ensure_token_valid(who).await?;
        }
        let credential = who.map(|who| who.credential).unwrap_or_default();
        let Some(charge) = charge else { return Err(ApiError::invalid("the body is empty")) };
        let weight = estimated_memory(&bytes);
        if !charge.try_grow(weight) {
            return Err(ApiError::over_capacity());
        }
        let mut reservation = charge.take(app);
        let parsed = match bytes.len() > LARGE {
            true => parse_queued(app, &credential, bytes).await?,
            false => parse_json_as(&bytes)?,
        };
        reservation.shrink_to(weight);
        Ok(JsonBody(parsed, reservation))
    }
}

/// Parses a large body off the async threads, one at a time, round-robin between credentials.
async fn parse_queued<T: DeserializeOwned + Send + 'static>(
    app: &App,
    credential: &str,
    bytes: Bytes,
) -> Result<T, ApiError> {
    let slot = app.inner.body_parses.acquire(credential).await?;
    run_blocking(move || {
        let parsed = parse_json_as(&bytes);
        drop((bytes, slot));
        parsed
    })
    .await?
}

/// The most memory that the values of a body may use.
fn memory_limit(bytes: &[u8]) -> usize {
    (2 * bytes.len()).max(4 << 20)
}

/// An upper bound of the memory that the values of a body use, from the characters that begin values.
/// Characters inside strings count as well; only parsing could tell them apart. 0 for a small body.
pub(crate) fn estimated_memory(bytes: &[u8]) -> usize {
    if bytes.len() <= UNCHARGED_BYTES {
        return 0;
    }
    let limit = memory_limit(bytes);
    let mut weight = bytes.len();
    for byte in bytes {
        weight += match byte {
            b'{' => OBJECT,
            b':' => FIELD,
            b'[' | b',' => ELEMENT,
            b'"' => TEXT,
            _ => continue,
        };
        if weight >= limit {
            return limit;
        }
    }
    weight
}

/// Parses JSON as a type.
pub(crate) fn parse_json_as<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    let text = std::str::from_utf8(bytes).map_err(|_| ApiError::invalid("the body is not UTF-8"))?;
    from_json_value(parse_json(text, "body")?)
}

/// Parses JSON from a caller. `what` names it in errors.
pub(crate) fn parse_json(text: &str, what: &str) -> Result<Value, ApiError> {
    let limit = memory_limit(text.as_bytes());
    exact_json::read_within(text, limit).map_err(|unread| match unread {
        ExactJsonError::Invalid(why) => ApiError::invalid(format!("the {what}: {why}")),
        ExactJsonError::TooLarge => {
            let message =
                format!("the {what} has too many values: they would take over {limit} bytes of memory");
            let error = ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "TooManyValues", message);
            error.with_hint("send long lists in several calls, or as text")
        }
    })
}

/// Converts a JSON value to a type.
pub(crate) fn from_json_value<T: DeserializeOwned>(value: Value) -> Result<T, ApiError> {
    serde_path_to_error::deserialize(ObjectDeserializer(value)).map_err(|error| {
        let path = error.path().to_string();
        let error = error.into_inner();
        ApiError::invalid(if path == "." { error.to_string() } else { format!("`{path}`: {error}") })
    })
}

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for QueryParams<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<QueryParams<T>, ApiError> {
        let query = axum::extract::Query::<T>::try_from_uri(&parts.uri);
        let query =
            query.map_err(|rejection| ApiError::invalid(format!("the query: {}", rejection.body_text())))?;
        Ok(QueryParams(query.0))
    }
}

/// Serializes a response that may be large off the async threads, then releases the queue slot it was read
/// with.
pub(crate) async fn respond_with_json<T: Serialize>(
    slot: RequestSlot,
    answer: impl FnOnce() -> T + Send + 'static,
) -> Result<Response, ApiError> {
    run_blocking(move || {
        let response = JsonResponse(answer()).into_response();
        drop(slot);
        response
    })
    .await
}

/// The length of a value as JSON, in bytes.
pub(crate) fn length(what: &impl Serialize) -> usize {
    struct Length(usize);
    impl std::io::Write for Length {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut length = Length(0);
    // A serialization error is reported when the response is written.
    let _ = serde_json::to_writer(&mut length, what);
    length.0
}

impl<T: Serialize> IntoResponse for JsonResponse<T> {
    fn into_response(self) -> Response {
        match serde_json::to_vec(&self.0) {
            Ok(bytes) => ([(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))], bytes)
                .into_response(),
            Err(error) => {
                let message = format!("cannot write the response: {error}");
                ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "Internal", message).into_response()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use sekisho_policy::exact_json::read_within;

    use super::{UNCHARGED_BYTES, estimated_memory, memory_limit};

    #[test]
    fn values_use_no_more_memory_than_estimated() {
        for piece in [
            r#"{"":0}"#,
            r#"{"":{"":{"":{}}}}"#,
            r#"{"a":1,"b":2}"#,
            r#"{"a":{"b":[0,"c"]}}"#,
            "[0]",
            "[[[[]]]]",
            "0",
            "\"\"",
            r#""text {[,:\"""#,
            "\n 1.5 ",
        ] {
            let text = format!("[{}{piece}]", format!("{piece},").repeat(9000 / piece.len()));
            let weight = estimated_memory(text.as_bytes());
            assert!(text.len() > UNCHARGED_BYTES && weight < memory_limit(text.as_bytes()), "{piece}");
            assert!(read_within(&text, weight).is_ok(), "{piece} takes more than {weight}");
        }
    }

    #[test]
    fn estimate_is_capped_and_zero_for_small_bodies() {
        let dense = |size: usize| "[{\"\":0},".repeat(size / 8);
        assert_eq!(estimated_memory(dense(UNCHARGED_BYTES).as_bytes()), 0);
        assert_eq!(estimated_memory(dense(64 << 10).as_bytes()), 4 << 20);
        assert_eq!(estimated_memory(dense(4 << 20).as_bytes()), 8 << 20);
        assert_eq!(estimated_memory("x".repeat(100_000).as_bytes()), 100_000);
    }
}
