//! Messages that show the JSON input of a call.

use serde_json::Value;

/// The name of the tool, and its input, if the message is exactly these two.
pub(super) fn parts(message: &str) -> Option<(&str, Value)> {
    let (name, shown) = message.split_once(": ")?;
    if !shown.starts_with("{\"") {
        return None;
    }
    let input: Value = serde_json::from_str(shown).ok()?;
    let written = input.to_string();
    (written == shown).then_some((name, input))
}

#[cfg(test)]
mod tests {
    use super::parts;

    #[test]
    fn only_whole_json_is_read() {
        for (message, is_json) in [
            (r#"x: {"a":[1]}"#, true),
            (r#"x: {"a": [1]}"#, false),
            (r#"x: {"a":[1]} … and 9 more bytes"#, false),
            (r#"x: {"a":1,"a":2}"#, false),
            ("x: ls", false),
            ("x", false),
        ] {
            assert_eq!(parts(message).is_some(), is_json, "{message}");
        }
    }
}
