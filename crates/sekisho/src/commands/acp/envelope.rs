//! The outside of a JSON-RPC message: which method, which id.
//!
//! What the other side could read as a request for permission must be found here, and its parser may be more tolerant
//! than ours. So a line is a message only if all parsers agree on its outside: one object, each field once, an id that
//! is a short text or a whole number, not both a request and a response, and no line end inside. Bytes that are not UTF-8 are replaced as decoders do it, and
//! parameters of any depth are skipped without being read.

use std::borrow::Cow;

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::Value;

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

/// The longest line whose broken characters are replaced: that takes a multiple of its size.
const LARGEST_BROKEN: usize = 1 << 20;
/// The longest id, in bytes.
const LONGEST_ID: usize = 1024;

/// The text of a line, as a peer would decode it. A long line that is no text of Unicode is nothing clear.
pub(super) fn text_of(line: &[u8]) -> Cow<'_, str> {
    let blank = |c: char| c.is_whitespace() || c == '\u{feff}';
    match std::str::from_utf8(line) {
        Ok(text) => text.trim_matches(blank).into(),
        Err(_) if line.len() <= LARGEST_BROKEN => {
            String::from_utf8_lossy(line).trim_matches(blank).to_owned().into()
        }
        Err(_) => "\u{fffd}".into(),
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

impl<'de> Deserialize<'de> for Envelope {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Envelope, D::Error> {
        deserializer.deserialize_map(EnvelopeVisitor)
    }
}

/// The fields that say what a message is.
const FIELDS: &[&str] = &["method", "id", "params", "result", "error"];

/// An id that every parser reads alike. Anything else is refused before it takes memory.
struct PlainId(Value);

impl<'de> Deserialize<'de> for PlainId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<PlainId, D::Error> {
        deserializer.deserialize_any(IdVisitor)
    }
}

struct IdVisitor;

impl Visitor<'_> for IdVisitor {
    type Value = PlainId;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a short text or a whole number")
    }
    fn visit_unit<E>(self) -> Result<PlainId, E> {
        Ok(PlainId(Value::Null))
    }
    fn visit_i64<E>(self, id: i64) -> Result<PlainId, E> {
        Ok(PlainId(id.into()))
    }
    fn visit_u64<E>(self, id: u64) -> Result<PlainId, E> {
        Ok(PlainId(id.into()))
    }
    fn visit_str<E: Error>(self, id: &str) -> Result<PlainId, E> {
        match id.len() <= LONGEST_ID {
            true => Ok(PlainId(id.into())),
            false => Err(E::custom("the id is too long")),
        }
    }
}

/// Whether a parser that ignores case may take a field for one with this name. Some letters outside ASCII are small or capital
/// forms of letters in it.
fn is_same_but_for_case(field: &str, name: &str) -> bool {
    let plain = |c: char| match c {
        'ſ' => 's',
        'ı' | 'İ' => 'i',
        '\u{212a}' => 'k',
        c => c.to_ascii_lowercase(),
    };
    field.chars().map(plain).eq(name.chars())
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
        let (mut has_result, mut has_error) = (false, false);
        while let Some(field) = fields.next_key::<String>()? {
            // Some parsers ignore case, some take the first of two fields.
            let name = FIELDS.iter().find(|name| is_same_but_for_case(&field, name));
            if name.is_some_and(|name| *name != field || seen.contains(&field)) {
                return Err(A::Error::custom("a field is there twice, or in another case"));
            }
            match field.as_str() {
                "method" => envelope.method = Some(fields.next_value()?),
                "id" => envelope.id = Some(fields.next_value::<PlainId>()?.0),
                // Some libraries send both, one of them `null`.
                "result" => has_result = fields.next_value::<Option<IgnoredAny>>()?.is_some(),
                "error" => has_error = fields.next_value::<Option<IgnoredAny>>()?.is_some(),
                _ => {
                    fields.next_value::<IgnoredAny>()?;
                }
            }
            if name.is_some() {
                seen.push(field);
            }
        }
        // Some parsers look for a result first, and some for a method.
        let is_response = seen.iter().any(|field| matches!(field.as_str(), "result" | "error"));
        if is_response && envelope.method.is_some() {
            return Err(A::Error::custom("a request that is a response"));
        }
        if has_result && has_error {
            return Err(A::Error::custom("a result that is an error"));
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
        for response in [br#"{"result":{}}"#.as_slice(), br#"{"id":1,"result":{},"error":null}"#] {
            assert_eq!(method(response), None);
        }
    }

    #[test]
    fn what_parsers_read_differently_is_unclear() {
        let deep = format!(r#"{{"id":{}1{},"method":"m"}}"#, "[".repeat(200), "]".repeat(200));
        let long_id = format!(r#"{{"id":"{}","method":"m"}}"#, "x".repeat(1025));
        let broken =
            [br#"{"method":""#.as_slice(), vec![0xff; 1 << 20].as_slice(), b"\"}".as_slice()].concat();
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
            br#"{"id":1,"method":"m","result":{}}"#,
            br#"{"id":1,"error":{"code":1},"result":{}}"#,
            "{\"\u{131}d\":1,\"method\":\"m\"}".as_bytes(),
            br#"{"method":1}"#,
            br#"{"method":"m""#,
            b"method",
            b"3",
            deep.as_bytes(),
            long_id.as_bytes(),
            broken.as_slice(),
        ] {
            assert_eq!(Content::of(&text_of(line)), Content::Unclear, "{}", String::from_utf8_lossy(line));
        }
    }
}
