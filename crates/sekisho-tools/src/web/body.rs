//! Reads the body of a response, with limits while it arrives.

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::Incoming;

use super::decompression::{BodyDecoder, Decoded, Progress};
use super::error::WebError;
use crate::input_fields::shown;

/// The decoded body of a response.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Body {
    /// The bytes, up to the limit.
    pub bytes: Vec<u8>,
    /// Whether the server had more to say.
    pub is_cut: bool,
    /// Whether the compressed data has no end, or a wrong checksum.
    pub is_damaged: bool,
    /// Whether something follows the compressed data that was not decoded.
    pub has_rest: bool,
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
        let pushed;
        (decoder, pushed) = push(decoder, bytes).await?;
        if pushed == Progress::Full || arrived > limit {
            return Ok(Body { bytes: decoder.finish().bytes, is_cut: true, ..Body::default() });
        }
    }
    let Decoded { bytes, is_whole, has_rest } = decoder.finish();
    Ok(Body { bytes, is_cut: false, is_damaged: !is_whole, has_rest })
}

/// Decodes the next bytes, on a thread for long work if they may take long.
async fn push(mut decoder: BodyDecoder, bytes: Bytes) -> Result<(BodyDecoder, Progress), WebError> {
    let is_slow = decoder.is_slow(bytes.len());
    let push = move || decoder.push(&bytes).map(|progress| (decoder, progress));
    let pushed = match is_slow {
        true => tokio::task::spawn_blocking(push).await.unwrap_or_else(|error| Err(error.to_string())),
        false => push(),
    };
    pushed.map_err(WebError::Protocol)
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
