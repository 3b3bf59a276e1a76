//! Reads and writes the input of a call.

use serde_json::{Value, json};

use crate::conversation::CallInput;

/// The longest name of a tool.
const MAX_NAME: usize = 64;

/// Reads the JSON text of an input. No text means an input without fields.
pub(super) fn read(text: &str) -> CallInput {
    if text.trim().is_empty() {
        return CallInput::Object(json!({}));
    }
    match serde_json::from_str::<Value>(text) {
        Ok(value) if value.is_object() => CallInput::Object(value),
        _ => CallInput::Unreadable(text.to_owned()),
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
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
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
