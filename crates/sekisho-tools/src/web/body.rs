//! Reads the body of a response, with limits while it arrives.

use http_body_util::BodyExt;
use hyper::body::Incoming;

use super::decompression::{BodyDecoder, Progress};
use super::error::WebError;
use crate::input_fields::shown;

/// The decoded body of a response.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Body {
    /// The bytes, up to the limit.
    pub bytes: Vec<u8>,
    /// Whether the server had more to say.
    pub is_cut: bool,
}

/// Reads a body. `limit` counts both the bytes that arrive and those that they decode to.
pub(super) async fn read(mut incoming: Incoming, encoding: &str, limit: usize) -> Result<Body, WebError> {
    let Some(mut decoder) = BodyDecoder::new(encoding, limit) else {
        return Err(WebError::Protocol(format!(
            "the server sent the encoding `{}`, although only gzip and deflate were offered",
            shown(&encoding.chars().take(50).collect::<String>())
        )));
    };
    let mut arrived = 0;
    while let Some(frame) = incoming.frame().await {
        let frame = frame.map_err(|error| WebError::Protocol(cause(&error)))?;
        let Ok(bytes) = frame.into_data() else { continue };
        arrived += bytes.len();
        let progress = decoder.push(&bytes).map_err(WebError::Protocol)?;
        if progress == Progress::Full || arrived > limit {
            return Ok(Body { bytes: decoder.finish(), is_cut: true });
        }
    }
    Ok(Body { bytes: decoder.finish(), is_cut: false })
}

/// What went wrong at the bottom of an error of hyper, in its words.
pub(super) fn cause(error: &hyper::Error) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(inner) = source {
        text = inner.to_string();
        source = inner.source();
    }
    shown(&text)
}
