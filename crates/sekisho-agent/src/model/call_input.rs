//! Reads and writes the input of a call.

use sekisho_policy::exact_json;
use serde_json::{Value, json};

use crate::conversation::CallInput;

/// The longest name of a tool.
const MAX_NAME: usize = 64;

/// The memory that the inputs of one reply may use, in bytes. A text can become a hundred times its size, and the
/// values are copied on their way to the gate.
const MAX_MEMORY: usize = 16 << 20;
/// Approximate memory of a value besides its texts.
const VALUE: usize = 96;

/// Reads the inputs of the calls of one reply, within a limit of memory.
pub(super) struct InputReader {
    left: usize,
}

impl Default for InputReader {
    fn default() -> InputReader {
        InputReader { left: MAX_MEMORY }
    }
}

impl InputReader {
    /// Reads the JSON text of an input. No text means an input without fields. A text that repeats a key is unreadable:
    /// people and tools could read it differently.
    pub(super) fn read(&mut self, text: &str) -> CallInput {
        if text.trim().is_empty() {
            return CallInput::Object(json!({}));
        }
        match exact_json::read_within(text, self.left) {
            Ok(value) if value.is_object() => {
                self.left = self.left.saturating_sub(memory_of(&value));
                CallInput::Object(value)
            }
            _ => CallInput::Unreadable(text.to_owned()),
        }
    }
}

/// Approximate memory of a value. The parser limits its depth.
fn memory_of(value: &Value) -> usize {
    VALUE
        + match value {
            Value::Null | Value::Bool(_) | Value::Number(_) => 0,
            Value::String(text) => text.len(),
            Value::Array(items) => items.iter().map(memory_of).sum(),
            Value::Object(fields) => {
                fields.iter().map(|(name, value)| VALUE + name.len() + memory_of(value)).sum()
            }
        }
}

/// The input as a conversation repeats it. Providers take objects only, so an unreadable input is put into one.
pub(super) fn repeated(input: &CallInput) -> Value {
    match input {
        CallInput::Object(value) if value.is_object() => value.clone(),
        CallInput::Object(value) => json!({ "unreadable_input": value.to_string() }),
        CallInput::Unreadable(text) => json!({ "unreadable_input": text }),
    }
}

/// Whether both providers take a name of a tool: `^[a-zA-Z0-9_-]{1,64}$`.
pub(super) fn is_tool_name(name: &str) -> bool {
    (1..=MAX_NAME).contains(&name.len()) && name.bytes().all(is_name_byte)
}

/// The name as a conversation repeats it. Models also call tools whose names no provider takes.
pub(super) fn repeated_name(name: &str) -> String {
    let name: String =
        name.bytes().take(MAX_NAME).map(|byte| if is_name_byte(byte) { byte as char } else { '_' }).collect();
    if name.is_empty() { "_".into() } else { name }
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_objects_are_readable() {
        let object = |value| CallInput::Object(value);
        let unreadable = |text: &str| CallInput::Unreadable(text.into());
        let deep = "[".repeat(200) + &"]".repeat(200);
        for (text, expected) in [
            ("", object(json!({}))),
            (" \n", object(json!({}))),
            (r#" {"a": 1} "#, object(json!({ "a": 1 }))),
            ("null", unreadable("null")),
            ("[1]", unreadable("[1]")),
            (r#""{}""#, unreadable(r#""{}""#)),
            (r#"{"a": "x"#, unreadable(r#"{"a": "x"#)),
            (r#"{"x":1}{"y":2}"#, unreadable(r#"{"x":1}{"y":2}"#)),
            (&deep, unreadable(&deep)),
            (r#"{"path":"shown","path":"used"}"#, unreadable(r#"{"path":"shown","path":"used"}"#)),
        ] {
            assert_eq!(InputReader::default().read(text), expected, "{text}");
        }
    }

    #[test]
    fn many_small_values_are_unreadable() {
        let dense = |count: usize| format!(r#"{{"a":[{}0]}}"#, r#"{"":0},"#.repeat(count));
        let is_object = |input: CallInput| matches!(input, CallInput::Object(_));
        let mut reader = InputReader::default();
        assert!(!is_object(reader.read(&dense(100_000))));
        // The limit is for all inputs of a reply.
        let few = dense(10_000);
        let read = (0..100).filter(|_| is_object(reader.read(&few))).count();
        assert!((1..100).contains(&read), "{read}");
        assert!(is_object(InputReader::default().read(&few)));
    }

    #[test]
    fn names_are_made_acceptable() {
        for (name, is_valid, repeated) in [
            ("web_fetch-2", true, "web_fetch-2"),
            ("a.b", false, "a_b"),
            ("", false, "_"),
            ("é", false, "__"),
            (&"x".repeat(64), true, &"x".repeat(64)),
            (&"x".repeat(65), false, &"x".repeat(64)),
        ] {
            assert_eq!((is_tool_name(name), repeated_name(name).as_str()), (is_valid, repeated), "{name}");
        }
    }
}
