//! The strings of one field of a call's input.

use serde_json::Value;

/// Calls `found` with every string of a value that is a string or a list of strings, and with `None` for anything else.
pub(crate) fn each_string<'a>(value: Option<&'a Value>, found: &mut dyn FnMut(Option<&'a str>)) {
    match value {
        None | Some(Value::Null) => {}
        Some(Value::String(text)) => found(Some(text)),
        Some(Value::Array(elements)) => elements.iter().for_each(|element| found(element.as_str())),
        Some(_) => found(None),
    }
}
