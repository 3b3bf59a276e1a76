//! Bodies, read strictly: one way to read them, every field known, faults named by where they are.

use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use sekisho_policy::exact_json::{self, ExactJsonError};
use sekisho_policy::typed_json::ObjectDeserializer;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::app::App;
use crate::auth::Identity;
use crate::error::ApiError;
use crate::exclusive_jobs::run_blocking;
use crate::fair_queue::QueueSlot;
use crate::middleware::{BudgetReservation, RequestReservation, UNCHARGED_BYTES};

/// What an object takes besides its fields, what each field takes, what an element of a list, and what each quote of a text.
const OBJECT: usize = 640;
const FIELD: usize = 2 * (size_of::<String>() + size_of::<Value>());
const ELEMENT: usize = 2 * size_of::<Value>();
const TEXT: usize = 8;

/// What is larger is not read on the threads that serve everybody.
const LARGE: usize = 64 << 10;

/// A JSON body, and the memory that is reserved for what it became: to be held until that is stored or dropped.
pub(crate) struct JsonBody<T>(pub(crate) T, pub(crate) BudgetReservation);

/// The query of a request.
pub(crate) struct QueryParams<T>(pub(crate) T);

/// JSON to give.
pub(crate) struct JsonResponse<T>(pub(crate) T);

impl<T: DeserializeOwned + Send + 'static> FromRequest<App> for JsonBody<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, app: &App) -> Result<JsonBody<T>, ApiError> {
        let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        let essence = kind.map(|kind| kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase());
        if essence.as_deref() != Some("application/json") {
            let message = format!("the content type is {}, not JSON", kind.unwrap_or("not given"));
            let fault = ApiError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "UnsupportedMediaType", message);
            return Err(fault.with_hint("send `Content-Type: application/json`"));
        }
        let who = request.extensions().get::<Identity>().cloned();
        let charge = request.extensions().get::<RequestReservation>().cloned();
        let bytes =
            Bytes::from_request(request, app).await.map_err(|rejection| match rejection.status() {
                StatusCode::PAYLOAD_TOO_LARGE => ApiError::new(
                    StatusCode::PAYLOAD_TOO_LARGE,
                    "TooLarge",
                    "the body is larger than is taken",
                ),
                _ => ApiError::invalid("the body did not arrive whole"),
            })?;
        // A body can be made to take long, and its sender's token be revoked meanwhile.
        if let Some(who) = &who {
            app.ensure_token_valid(who).await?;
        }
        let credential = who.map(|who| who.credential).unwrap_or_default();
        let Some(charge) = charge else { return Err(ApiError::invalid("the body is empty")) };
        let weight = estimated_memory(&bytes);
        if !charge.try_grow(weight) {
            return Err(ApiError::over_capacity());
        }
        let mut taken = charge.take(app);
        let read = match bytes.len() > LARGE {
            true => parse_queued(app, &credential, bytes).await?,
            false => parse_json_as(&bytes)?,
        };
        taken.shrink_to(weight);
        Ok(JsonBody(read, taken))
    }
}

/// Reads a large body where nobody else waits for it, one after the other and in turn between credentials.
async fn parse_queued<T: DeserializeOwned + Send + 'static>(
    app: &App,
    credential: &str,
    bytes: Bytes,
) -> Result<T, ApiError> {
    let turn = app.inner.body_parses.acquire(credential).await?;
    run_blocking(move || {
        let read = parse_json_as(&bytes);
        drop((bytes, turn));
        read
    })
    .await?
}

/// The memory that the values of a body may take.
fn memory_limit(bytes: &[u8]) -> usize {
    (2 * bytes.len()).max(4 << 20)
}

/// The memory that the values of a body take at most, told by the characters that begin them. Those inside of texts count
/// as well: telling them apart is left to reading it. Nothing where it is small.
pub(crate) fn estimated_memory(bytes: &[u8]) -> usize {
    if bytes.len() <= UNCHARGED_BYTES {
        return 0;
    }
    let most = memory_limit(bytes);
    let mut weight = bytes.len();
    for byte in bytes {
        weight += match byte {
            b'{' => OBJECT,
            b':' => FIELD,
            b'[' | b',' => ELEMENT,
            b'"' => TEXT,
            _ => continue,
        };
        if weight >= most {
            return most;
        }
    }
    weight
}

/// Reads a JSON text as a type.
pub(crate) fn parse_json_as<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    let text = std::str::from_utf8(bytes).map_err(|_| ApiError::invalid("the body is not UTF-8"))?;
    from_json_value(parse_json(text, "body")?)
}

/// Reads a JSON text that somebody sent.
pub(crate) fn parse_json(text: &str, what: &str) -> Result<Value, ApiError> {
    let most = memory_limit(text.as_bytes());
    exact_json::read_within(text, most).map_err(|unread| match unread {
        ExactJsonError::Invalid(why) => ApiError::invalid(format!("the {what}: {why}")),
        ExactJsonError::TooLarge => {
            let message =
                format!("the {what} has too many values: they would take over {most} bytes of memory");
            let fault = ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "TooManyValues", message);
            fault.with_hint("send long lists in several calls, or as text")
        }
    })
}

/// Reads a JSON value as a type.
pub(crate) fn from_json_value<T: DeserializeOwned>(value: Value) -> Result<T, ApiError> {
    serde_path_to_error::deserialize(ObjectDeserializer(value)).map_err(|error| {
        let path = error.path().to_string();
        let fault = error.into_inner();
        ApiError::invalid(if path == "." { fault.to_string() } else { format!("`{path}`: {fault}") })
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

/// Writes an answer that may be large, where nobody else waits for it. The turn of whoever read it ends with that.
pub(crate) async fn respond_with_json<T: Serialize>(
    turn: QueueSlot,
    answer: impl FnOnce() -> T + Send + 'static,
) -> Result<Response, ApiError> {
    run_blocking(move || {
        let response = JsonResponse(answer()).into_response();
        drop(turn);
        response
    })
    .await
}

/// How many bytes something is as JSON.
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
    // What cannot be written is told where it is to be given.
    let _ = serde_json::to_writer(&mut length, what);
    length.0
}

impl<T: Serialize> IntoResponse for JsonResponse<T> {
    fn into_response(self) -> Response {
        match serde_json::to_vec(&self.0) {
            Ok(bytes) => ([(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))], bytes)
                .into_response(),
            Err(error) => {
                let message = format!("the answer cannot be written: {error}");
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
    fn values_take_no_more_than_a_body_weighs() {
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
    fn no_body_weighs_more_than_it_may_take_and_small_ones_nothing() {
        let dense = |size: usize| "[{\"\":0},".repeat(size / 8);
        assert_eq!(estimated_memory(dense(UNCHARGED_BYTES).as_bytes()), 0);
        assert_eq!(estimated_memory(dense(64 << 10).as_bytes()), 4 << 20);
        assert_eq!(estimated_memory(dense(4 << 20).as_bytes()), 8 << 20);
        assert_eq!(estimated_memory("x".repeat(100_000).as_bytes()), 100_000);
    }
}
