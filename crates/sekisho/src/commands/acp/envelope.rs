//! The outside of a JSON-RPC message: which method, which id.
//!
//! What the other side could read as a request for permission must be found here, and its parser may be more tolerant
//! than ours. So a line is a message only if all parsers agree on its outside: one object, each field once, an id that
//! is a text or a whole number, and no line end inside. Bytes that are not UTF-8 are replaced as decoders do it, and
//! parameters of any depth are skipped without being read.

use std::borrow::Cow;

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
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
    /// Blanks.
    Nothing,
    /// Anything else, such as a batch, which ACP does not have. A peer may read a request in it.
    Unclear,
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
        if text.is_empty() {
            return Content::Nothing;
        }
        // Some readers end a line at a carriage return.
        if text.contains('\r') {
            return Content::Unclear;
        }
        serde_json::from_str(text).map_or(Content::Unclear, Content::Message)
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

/// The fields that say what a message is.
const FIELDS: &[&str] = &["method", "id", "params", "result", "error"];

/// An id that every parser reads alike.
fn plain_id<E: Error>(id: Value) -> Result<Value, E> {
    let is_plain = match &id {
        Value::Null | Value::String(_) => true,
        Value::Number(number) => number.is_i64() || number.is_u64(),
        _ => false,
    };
    if is_plain { Ok(id) } else { Err(E::custom("the id is not a text or a whole number")) }
}

struct EnvelopeVisitor;

impl<'de> Visitor<'de> for EnvelopeVisitor {
    type Value = Envelope;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a JSON-RPC message")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Envelope, A::Error> {
        let mut envelope = Envelope::default();
        let mut seen = Vec::new();
        while let Some(field) = fields.next_key::<String>()? {
            // Some parsers ignore case, some take the first of two fields.
            let name = FIELDS.iter().find(|name| field.eq_ignore_ascii_case(name));
            if name.is_some_and(|name| *name != field || seen.contains(&field)) {
                return Err(A::Error::custom("a field is there twice, or in another case"));
            }
            match field.as_str() {
                "method" => envelope.method = Some(fields.next_value()?),
                "id" => envelope.id = Some(fields.next_value().and_then(plain_id)?),
                _ => {
                    fields.next_value::<IgnoredAny>()?;
                }
            }
            if name.is_some() {
                seen.push(field);
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
            b"{\"params\":{\"text\":\"\xff\"},\"method\":\"m\"}\n",
            br#"{"params":{"text":"\ud800"},"method":"m"}"#,
            br#"{"params":1e999,"method":"m"}"#,
            deep.as_bytes(),
        ] {
            assert_eq!(method(line).as_deref(), Some("m"), "{}", String::from_utf8_lossy(line));
        }
        for line in [b"".as_slice(), b"\n", b" \r\n"] {
            assert_eq!(Content::of(&text_of(line)), Content::Nothing);
        }
        assert_eq!(method(br#"{"result":{}}"#), None);
    }

    #[test]
    fn what_parsers_read_differently_is_unclear() {
        let deep = format!(r#"{{"id":{}1{},"method":"m"}}"#, "[".repeat(200), "]".repeat(200));
        for line in [
            br#"{"id":"\ud800","method":"m"}"#.as_slice(),
            br#"{"\udc00":0,"method":"m"}"#,
            br#"{"id":1e999,"method":"m"}"#,
            br#"{"id":1.5,"method":"m"}"#,
            br#"{"id":1,"x":NaN,"method":"m"}"#,
            br#"{"method":"other","method":"m"}"#,
            br#"{"method":"other","Method":"m"}"#,
            br#"{"id":1,"id":2,"method":"m"}"#,
            b"{\"method\":\"other\"}\r{\"method\":\"m\"}",
            b"{\"method\":\"other\",\"params\":\r{\"method\":\"m\"}\r}",
            br#"{"method":"other"}{"method":"m"}"#,
            br#"[{"method":"m"}]"#,
            br#"{"method":1}"#,
            br#"{"method":"m""#,
            b"method",
            b"3",
            deep.as_bytes(),
        ] {
            assert_eq!(Content::of(&text_of(line)), Content::Unclear, "{}", String::from_utf8_lossy(line));
        }
    }
}
