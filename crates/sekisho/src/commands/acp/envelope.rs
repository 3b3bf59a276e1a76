//! The outside of a JSON-RPC message: which method, which id.
//!
//! What the other side could read as a request for permission must be found here. Its parser may be more tolerant than
//! ours: bytes that are not UTF-8 are replaced as decoders do it, a field that occurs twice counts the last time, and
//! parameters of any depth are skipped without being read.

use std::borrow::Cow;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::{Map, Value};

/// The method and the id of a message.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Envelope {
    pub(super) method: Option<String>,
    pub(super) id: Option<Value>,
}

/// What a line contains.
#[derive(Debug, PartialEq)]
pub(super) enum Content {
    Message(Envelope),
    /// Several messages at once. ACP has no batches.
    Batch(Vec<Envelope>),
    /// Nothing that a JSON-RPC peer could act on.
    Other,
}

/// The text of a line, as a peer would decode it.
pub(super) fn text_of(line: &[u8]) -> Cow<'_, str> {
    let blank = |c: char| c.is_whitespace() || c == '\u{feff}';
    match String::from_utf8_lossy(line) {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim_matches(blank)),
        Cow::Owned(text) => Cow::Owned(text.trim_matches(blank).to_owned()),
    }
}

impl Content {
    pub(super) fn of(text: &str) -> Content {
        let read = match text.starts_with('[') {
            true => serde_json::from_str(text).map(Content::Batch),
            false => serde_json::from_str(text).map(Content::Message),
        };
        read.unwrap_or(Content::Other)
    }
}

/// A field of a message that is an object. `None` if the message cannot be read, for example because it is nested too
/// deeply.
pub(super) fn object_in(text: &str, field: &str) -> Option<Map<String, Value>> {
    let mut message: Map<String, Value> = serde_json::from_str(text).ok()?;
    match message.remove(field) {
        Some(Value::Object(object)) => Some(object),
        _ => None,
    }
}

impl<'de> Deserialize<'de> for Envelope {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Envelope, D::Error> {
        deserializer.deserialize_map(EnvelopeVisitor)
    }
}

struct EnvelopeVisitor;

impl<'de> Visitor<'de> for EnvelopeVisitor {
    type Value = Envelope;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a JSON-RPC message")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Envelope, A::Error> {
        let mut envelope = Envelope::default();
        while let Some(field) = fields.next_key::<String>()? {
            match field.as_str() {
                "method" => envelope.method = fields.next_value::<Value>()?.as_str().map(str::to_owned),
                "id" => envelope.id = Some(fields.next_value()?),
                _ => {
                    fields.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(envelope)
    }
}

#[cfg(test)]
mod tests {
    use super::{Content, text_of};

    fn method(line: &[u8]) -> Option<String> {
        match Content::of(&text_of(line)) {
            Content::Message(envelope) => envelope.method,
            _ => None,
        }
    }

    #[test]
    fn method_is_found_however_it_is_written() {
        let deep = format!(r#"{{"params":{}{},"method":"m"}}"#, "[".repeat(5000), "]".repeat(5000));
        for line in [
            br#"{"jsonrpc":"2.0","id":1,"method":"m","params":{}}"#.as_slice(),
            b" \xef\xbb\xbf{\"\\u006dethod\":\"\\u006d\"}\r\n",
            br#"{"method":"other","method":"m"}"#,
            b"{\"params\":{\"text\":\"\xff\"},\"method\":\"m\"}\n",
            br#"{"params":{"text":"\ud800"},"method":"m"}"#,
            br#"{"params":1e999,"method":"m"}"#,
            deep.as_bytes(),
        ] {
            assert_eq!(method(line).as_deref(), Some("m"), "{}", String::from_utf8_lossy(line));
        }
        for line in
            [b"".as_slice(), b"\n", b"method", br#"{"method":"m""#, br#"{"method":1}"#, b"\"m\"", b"3"]
        {
            assert_eq!(method(line), None, "{}", String::from_utf8_lossy(line));
        }
        let Content::Batch(batch) = Content::of(r#"[{"method":"a"},{"method":"m","id":2}]"#) else {
            panic!()
        };
        assert_eq!(batch[1].id, Some(2.into()));
    }
}
