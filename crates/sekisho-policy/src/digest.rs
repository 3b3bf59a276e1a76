//! The digest of a call. It ensures that the call that was displayed and approved is the call that runs.

use std::fmt;

use crate::call::Call;
use crate::descriptor::SourcedDescriptor;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// SHA-256 over the canonical JSON (RFC 8785) of a call's server, tool, input, directory and descriptor (if
/// any).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub struct Digest(pub [u8; 32]);

impl Digest {
    /// The digest of a call. Fails if its input has a number that two parsers could read differently.
    pub fn of(call: &Call) -> Result<Digest, String> {
        exact(&call.input)?;
        let server = call.server.as_ref().map(|server| &server.id);
        let whole = DigestInput {
            cwd: call.cwd.as_deref(),
            descriptor: call.descriptor.as_deref(),
            input: &call.input,
            server,
            tool: &call.tool,
        };
        let canonical = serde_jcs::to_vec(&whole).map_err(|error| error.to_string())?;
        Ok(Digest(Sha256::digest(canonical).into()))
    }
}

/// The hashed parts of a call. Inputs can be large, so nothing is copied.
#[derive(Serialize)]
struct DigestInput<'a> {
    cwd: Option<&'a str>,
    /// Omitted if absent, so that calls without a descriptor keep the digest they had before descriptors
    /// existed.
    #[serde(skip_serializing_if = "Option::is_none")]
    descriptor: Option<&'a SourcedDescriptor>,
    input: &'a Value,
    server: Option<&'a String>,
    tool: &'a str,
}

/// Integers beyond 2^53 are not exact as doubles, and canonical JSON writes doubles.
fn exact(value: &Value) -> Result<(), String> {
    match value {
        Value::Number(number) => {
            let limit = 1_u64 << 53;
            let fits = match (number.as_u64(), number.as_i64()) {
                (Some(whole), _) => whole <= limit,
                (None, Some(whole)) => whole.unsigned_abs() <= limit,
                (None, None) => number.as_f64().is_some_and(f64::is_finite),
            };
            if fits {
                Ok(())
            } else {
                Err(format!("the number `{number}` in the input cannot be represented exactly as a double"))
            }
        }
        Value::Array(values) => values.iter().try_for_each(exact),
        Value::Object(fields) => fields.values().try_for_each(exact),
        Value::Null | Value::Bool(_) | Value::String(_) => Ok(()),
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut digits = [0; 64];
        for (pair, byte) in digits.as_chunks_mut::<2>().0.iter_mut().zip(self.0) {
            *pair = [hex_digit(byte >> 4), hex_digit(byte & 0x0f)];
        }
        f.write_str(std::str::from_utf8(&digits).unwrap_or_default())
    }
}

fn hex_digit(value: u8) -> u8 {
    if value < 10 { b'0' + value } else { b'a' + value - 10 }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> String {
        digest.to_string()
    }
}

impl TryFrom<String> for Digest {
    type Error = String;
    fn try_from(text: String) -> Result<Digest, String> {
        text.parse()
    }
}

impl std::str::FromStr for Digest {
    type Err = String;
    fn from_str(text: &str) -> Result<Digest, String> {
        let wrong = || format!("`{text}` is not a digest of 64 hexadecimal digits");
        let digits: Vec<u8> = text
            .chars()
            .map(|c| c.to_digit(16).and_then(|digit| u8::try_from(digit).ok()))
            .collect::<Option<_>>()
            .ok_or_else(wrong)?;
        let bytes: Vec<u8> =
            digits.chunks(2).map(|pair| pair.iter().fold(0_u8, |byte, digit| (byte << 4) | digit)).collect();
        if digits.len() == 64 { bytes.try_into().map(Digest).map_err(|_| wrong()) } else { Err(wrong()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::descriptor::Descriptor;
    use serde_json::json;

    #[test]
    fn key_order_and_number_spelling_do_not_matter() {
        let digest = |text: &str| Digest::of(&Call::new("t", serde_json::from_str(text).unwrap()));
        let same = digest(r#"{"a":1.0,"b":[null,"é"]}"#).unwrap();
        assert_eq!(digest(r#"{ "b": [null, "\u00e9"], "a": 1 }"#).unwrap(), same);
        assert_ne!(digest(r#"{"a":1,"b":[null,"e"]}"#).unwrap(), same);
        assert!(digest(r#"{"a":9007199254740993}"#).unwrap_err().contains("9007199254740993"));
    }

    #[test]
    fn a_call_without_a_descriptor_keeps_its_digest() {
        // Stored approvals contain digests.
        let digest = Digest::of(&Call::new("t", json!({}))).unwrap().to_string();
        assert_eq!(digest, "cdde8840987d4f1fc841f88a5e85e99811cb813f6f700f66a621bd28146d0491");
    }

    #[test]
    fn descriptor_is_part_of_the_digest() {
        let tool = |written| serde_json::from_value::<Descriptor>(written).unwrap();
        let call = Call::new("t", json!({}));
        let shell = tool(json!({ "kind": "shell", "commands": ["a"] }));
        let all = [
            call.clone(),
            call.clone().with_descriptor(SourcedDescriptor::claimed(tool(json!({ "kind": "unknown" })))),
            call.clone().with_descriptor(SourcedDescriptor::claimed(shell.clone())),
            call.clone().with_descriptor(SourcedDescriptor::by_registry(shell.clone())),
            call.clone().with_descriptor(SourcedDescriptor::claimed(tool(
                json!({ "kind": "shell", "commands": ["b"] }),
            ))),
        ];
        let digests: std::collections::BTreeSet<_> =
            all.iter().map(|call| Digest::of(call).unwrap()).collect();
        assert_eq!(digests.len(), all.len());
        let same = tool(json!({ "kind": "shell", "commands": ["/a"] }));
        let same = Digest::of(&call.with_descriptor(SourcedDescriptor::claimed(same))).unwrap();
        assert_eq!(Digest::of(&all[2]).unwrap(), same);
    }

    #[test]
    fn server_tool_and_directory_are_part_of_the_digest() {
        let call = Call::new("t", json!({}));
        let all = [
            call.clone(),
            call.clone().on_server("s"),
            call.clone().in_directory("/w"),
            Call::new("u", json!({})),
        ];
        let digests: std::collections::BTreeSet<_> =
            all.iter().map(|call| Digest::of(call).unwrap()).collect();
        assert_eq!(digests.len(), all.len());
    }

    #[test]
    fn digest_is_hexadecimal() {
        let digest = Digest::of(&Call::new("t", json!({}))).unwrap();
        assert_eq!(digest.to_string().parse(), Ok(digest));
        for wrong in ["", "0", "zz", &"0".repeat(63), &"0".repeat(66), "é"] {
            assert!(wrong.parse::<Digest>().is_err(), "{wrong}");
        }
    }
}
