//! The input of a call on one line: `customer_id C-10482 · erase_orders true`. JSON that is cut somewhere is hard to
//! read, so rows and cards show fields and are cut between them.

use std::borrow::Cow;

use serde_json::Value;

use crate::terminal::{columns, truncate, visible};

/// Between two fields.
const SEPARATOR: &str = " · ";

/// The fields of an input on one line; none if it has no fields. What a nested value contains is only counted.
pub(crate) fn input_fields(input: &Value) -> Option<String> {
    let fields = input.as_object().filter(|fields| !fields.is_empty())?;
    let texts: Vec<String> = fields.iter().map(|(name, value)| field(name, value)).collect();
    Some(texts.join(SEPARATOR))
}

fn field(name: &str, value: &Value) -> String {
    let value = match value {
        Value::Array(values) => match values.iter().map(scalar).collect::<Option<Vec<_>>>() {
            Some(texts) if !texts.is_empty() => texts.join(", "),
            _ => counted(values.len(), "item"),
        },
        Value::Object(fields) => counted(fields.len(), "field"),
        value => scalar(value).unwrap_or_default(),
    };
    format!("{} {value}", visible(name))
}

fn counted(count: usize, what: &str) -> String {
    match count {
        1 => format!("(1 {what})"),
        count => format!("({count} {what}s)"),
    }
}

/// A value without fields. A text that looks like another value keeps its quotes.
pub(crate) fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        Value::String(text) if text.is_empty() || serde_json::from_str::<Value>(text).is_ok() => {
            Some(visible(&value.to_string()).into_owned())
        }
        Value::String(text) => Some(visible(&text.replace(['\n', '\t'], " ")).into_owned()),
        Value::Array(_) | Value::Object(_) => None,
    }
}

/// A line of fields cut to at most `width` columns: between two fields if at least one fits.
pub(crate) fn truncate_fields(line: &str, width: usize) -> Cow<'_, str> {
    if columns(line) <= width {
        return Cow::Borrowed(line);
    }
    let ends = line.match_indices(SEPARATOR).map(|(at, _)| line.get(..at).unwrap_or(""));
    match ends.take_while(|whole| columns(whole) < width).last() {
        Some(whole) if columns(whole) + 4 <= width => Cow::Owned(format!("{whole}{SEPARATOR}…")),
        Some(whole) => Cow::Owned(format!("{whole}…")),
        None => truncate(line, width),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_are_shown_without_json() {
        for (input, expected) in [
            (
                json!({ "customer_id": "C-10482", "erase_orders": true }),
                Some("customer_id C-10482 · erase_orders true"),
            ),
            (json!({ "n": "12", "e": "", "z": null }), Some("n \"12\" · e \"\" · z null")),
            (json!({ "to": ["a", "b"], "deep": [{}], "of": { "x": 1 } }), {
                Some("to a, b · deep (1 item) · of (1 field)")
            }),
            (json!({ "text": "a\nb\u{202e}" }), Some("text a b\\u{202e}")),
            (json!({}), None),
            (json!("x"), None),
        ] {
            let shown = input_fields(&input);
            let expected = expected.map(|text| {
                let mut fields: Vec<&str> = text.split(SEPARATOR).collect();
                fields.sort_unstable();
                fields.join(SEPARATOR)
            });
            let shown = shown.map(|text| {
                let mut fields: Vec<&str> = text.split(SEPARATOR).collect();
                fields.sort_unstable();
                fields.join(SEPARATOR)
            });
            assert_eq!(shown, expected, "{input}");
        }
    }

    #[test]
    fn line_is_cut_between_fields() {
        let line = "customer_id C-10482 · erase_orders true · reason spring cleaning";
        assert_eq!(truncate_fields(line, 80), line);
        assert_eq!(truncate_fields(line, 50), "customer_id C-10482 · erase_orders true · …");
        assert_eq!(truncate_fields(line, 30), "customer_id C-10482 · …");
        assert_eq!(truncate_fields(line, 21), "customer_id C-10482…");
        assert_eq!(truncate_fields(line, 12), "customer_id…");
    }
}
