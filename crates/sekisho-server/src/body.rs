//! Bodies, read strictly: one way to read them, every field known, faults named by where they are.

use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use sekisho_policy::exact_json::{self, Unread};
use sekisho_policy::typed_json::Typed;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::app::App;
use crate::auth::Identity;
use crate::edge::{Charge, SMALL, Taken};
use crate::errands::aside;
use crate::error::Fault;
use crate::turns::Turn;

/// What an object takes besides its fields, what each field takes, what an element of a list, and what each quote of a text.
const OBJECT: usize = 640;
const FIELD: usize = 2 * (size_of::<String>() + size_of::<Value>());
const ELEMENT: usize = 2 * size_of::<Value>();
const TEXT: usize = 8;

/// What is larger is not read on the threads that serve everybody.
const LARGE: usize = 64 << 10;

/// A JSON body, and the memory that is reserved for what it became: to be held until that is stored or dropped.
pub(crate) struct Body<T>(pub(crate) T, pub(crate) Taken);

/// The query of a request.
pub(crate) struct Query<T>(pub(crate) T);

/// JSON to give.
pub(crate) struct Json<T>(pub(crate) T);

impl<T: DeserializeOwned + Send + 'static> FromRequest<App> for Body<T> {
    type Rejection = Fault;

    async fn from_request(request: Request, app: &App) -> Result<Body<T>, Fault> {
        let kind = request.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        let essence = kind.map(|kind| kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase());
        if essence.as_deref() != Some("application/json") {
            let message = format!("the content type is {}, not JSON", kind.unwrap_or("not given"));
            let fault = Fault::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "UnsupportedMediaType", message);
            return Err(fault.hint("send `Content-Type: application/json`"));
        }
        let who = request.extensions().get::<Identity>().cloned();
        let charge = request.extensions().get::<Charge>().cloned();
        let bytes =
            Bytes::from_request(request, app).await.map_err(|rejection| match rejection.status() {
                StatusCode::PAYLOAD_TOO_LARGE => {
                    Fault::new(StatusCode::PAYLOAD_TOO_LARGE, "TooLarge", "the body is larger than is taken")
                }
                _ => Fault::invalid("the body did not arrive whole"),
            })?;
        // A body can be made to take long, and its sender's token be revoked meanwhile.
        if let Some(who) = &who {
            app.still_knows(who).await?;
        }
        let credential = who.map(|who| who.credential).unwrap_or_default();
        let Some(charge) = charge else { return Err(Fault::invalid("the body is empty")) };
        let weight = weight(&bytes);
        if !charge.more(weight) {
            return Err(Fault::no_room());
        }
        let mut taken = charge.hand_over(app);
        let read = match bytes.len() > LARGE {
            true => read_in_turn(app, &credential, bytes).await?,
            false => read(&bytes)?,
        };
        taken.shrink(weight);
        Ok(Body(read, taken))
    }
}

/// Reads a large body where nobody else waits for it, one after the other and in turn between credentials.
async fn read_in_turn<T: DeserializeOwned + Send + 'static>(
    app: &App,
    credential: &str,
    bytes: Bytes,
) -> Result<T, Fault> {
    let turn = app.inner.parsing.take(credential).await?;
    aside(move || {
        let read = read(&bytes);
        drop((bytes, turn));
        read
    })
    .await?
}

/// The memory that the values of a body may take.
fn memory(bytes: &[u8]) -> usize {
    (2 * bytes.len()).max(4 << 20)
}

/// The memory that the values of a body take at most, told by the characters that begin them. Those inside of texts count
/// as well: telling them apart is left to reading it. Nothing where it is small.
pub(crate) fn weight(bytes: &[u8]) -> usize {
    if bytes.len() <= SMALL {
        return 0;
    }
    let most = memory(bytes);
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
pub(crate) fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Fault> {
    let text = std::str::from_utf8(bytes).map_err(|_| Fault::invalid("the body is not UTF-8"))?;
    typed(value(text, "body")?)
}

/// Reads a JSON text that somebody sent.
pub(crate) fn value(text: &str, what: &str) -> Result<Value, Fault> {
    let most = memory(text.as_bytes());
    exact_json::read_within(text, most).map_err(|unread| match unread {
        Unread::Wrong(why) => Fault::invalid(format!("the {what}: {why}")),
        Unread::TooLarge => {
            let message =
                format!("the {what} has too many values: they would take over {most} bytes of memory");
            let fault = Fault::new(StatusCode::PAYLOAD_TOO_LARGE, "TooManyValues", message);
            fault.hint("send long lists in several calls, or as text")
        }
    })
}

/// Reads a JSON value as a type.
pub(crate) fn typed<T: DeserializeOwned>(value: Value) -> Result<T, Fault> {
    serde_path_to_error::deserialize(Typed(value)).map_err(|error| {
        let path = error.path().to_string();
        let fault = error.into_inner();
        Fault::invalid(if path == "." { fault.to_string() } else { format!("`{path}`: {fault}") })
    })
}

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Query<T> {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Query<T>, Fault> {
        let query = axum::extract::Query::<T>::try_from_uri(&parts.uri);
        let query =
            query.map_err(|rejection| Fault::invalid(format!("the query: {}", rejection.body_text())))?;
        Ok(Query(query.0))
    }
}

/// Writes an answer that may be large, where nobody else waits for it. The turn of whoever read it ends with that.
pub(crate) async fn written<T: Serialize>(
    turn: Turn,
    answer: impl FnOnce() -> T + Send + 'static,
) -> Result<Response, Fault> {
    aside(move || {
        let response = Json(answer()).into_response();
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

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        match serde_json::to_vec(&self.0) {
            Ok(bytes) => ([(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))], bytes)
                .into_response(),
            Err(error) => {
                let message = format!("the answer cannot be written: {error}");
                Fault::new(StatusCode::INTERNAL_SERVER_ERROR, "Internal", message).into_response()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use sekisho_policy::exact_json::read_within;

    use super::{SMALL, memory, weight};

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
            let weight = weight(text.as_bytes());
            assert!(text.len() > SMALL && weight < memory(text.as_bytes()), "{piece}");
            assert!(read_within(&text, weight).is_ok(), "{piece} takes more than {weight}");
        }
    }

    #[test]
    fn no_body_weighs_more_than_it_may_take_and_small_ones_nothing() {
        let dense = |size: usize| "[{\"\":0},".repeat(size / 8);
        assert_eq!(weight(dense(SMALL).as_bytes()), 0);
        assert_eq!(weight(dense(64 << 10).as_bytes()), 4 << 20);
        assert_eq!(weight(dense(4 << 20).as_bytes()), 8 << 20);
        assert_eq!(weight("x".repeat(100_000).as_bytes()), 100_000);
    }
}
