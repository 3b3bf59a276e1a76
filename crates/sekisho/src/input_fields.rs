//! The input of a call on one line: `customer_id C-10482 · erase_orders true`. JSON that is cut somewhere is hard to
//! read, so rows and cards show fields and are cut between them.
//!
//! Names and texts have no quotes unless they could be mistaken for something else: two inputs that are shown whole never
//! give the same line. The page quotes by the same rule (`ui/src/lib/fieldText.ts`).

use std::borrow::Cow;

use serde_json::Value;

use crate::terminal::{columns, truncate, visible};

/// Between two fields.
const SEPARATOR: &str = " · ";
/// Characters that look like the dot between two fields.
const DOTS: &[char] = &['·', '\u{387}', '•', '‧', '∙', '⋅', '⸱', '・', '･', '\u{16eb}'];

/// The fields of an input on one line; none if it has no fields. What a nested value contains is only counted.
pub(crate) fn input_fields(input: &Value) -> Option<String> {
    let fields = input.as_object().filter(|fields| !fields.is_empty())?;
    let texts: Vec<String> = fields.iter().map(|(name, value)| field(name, value)).collect();
    Some(texts.join(SEPARATOR))
}

fn field(name: &str, value: &Value) -> String {
    let value = match value {
        Value::Array(values) => match values.iter().map(scalar).collect::<Option<Vec<_>>>() {
            Some(texts) if !texts.is_empty() => format!("[{}]", texts.join(", ")),
            _ => counted(values.len(), "item"),
        },
        Value::Object(fields) => counted(fields.len(), "field"),
        value => scalar(value).unwrap_or_default(),
    };
    format!("{} {value}", field_name(name))
}

fn counted(count: usize, what: &str) -> String {
    match count {
        1 => format!("(1 {what})"),
        count => format!("({count} {what}s)"),
    }
}

/// The name of a field. A blank would end it, and a dot would name a field inside another.
pub(crate) fn field_name(name: &str) -> String {
    text_or_quoted(name, is_plain(name) && !name.contains([' ', '.']))
}

/// A value without fields. A text that looks like something else keeps its quotes.
pub(crate) fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        Value::String(text) => Some(text_or_quoted(text, is_plain(text))),
        Value::Array(_) | Value::Object(_) => None,
    }
}

fn text_or_quoted(text: &str, plain: bool) -> String {
    match plain {
        true => visible(text).into_owned(),
        false => visible(&Value::from(text).to_string()).into_owned(),
    }
}

/// Whether a text without quotes is nothing but that text: not another kind of value, a count, a list, a text that was
/// cut, or the beginning of the next field.
fn is_plain(text: &str) -> bool {
    let is_wrapped = |open: char, close: char| text.starts_with(open) && text.ends_with(close);
    !(text.is_empty()
        || text.starts_with([' ', '"', '[', '{'])
        || text.ends_with([' ', '…'])
        || text.contains(DOTS)
        || text.contains(", ")
        || text.contains(char::is_control)
        || is_wrapped('(', ')')
        || is_wrapped('（', '）')
        || matches!(text, "true" | "false" | "null")
        || is_number(text))
}

/// Whether a text reads like a JSON number.
fn is_number(text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let text = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.strip_prefix(['+', '-']).unwrap_or(exponent)),
        None => (text, "0"),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    digits(whole) && digits(fraction) && digits(exponent)
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
    use std::collections::HashMap;

    use serde_json::json;

    use super::*;

    /// Reads the same fields in any order: whether objects keep theirs depends on the build.
    fn sorted(line: &str) -> Vec<&str> {
        let mut fields: Vec<&str> = line.split(SEPARATOR).collect();
        fields.sort_unstable();
        fields
    }

    #[test]
    fn fields_are_shown_without_json() {
        for (input, expected) in [
            (
                json!({ "customer_id": "C-10482", "erase_orders": true }),
                Some("customer_id C-10482 · erase_orders true"),
            ),
            (json!({ "n": "12", "e": "", "z": null }), Some("n \"12\" · e \"\" · z null")),
            (json!({ "to": ["a", "b"], "deep": [{}], "of": { "x": 1 } }), {
                Some("to [a, b] · deep (1 item) · of (1 field)")
            }),
            (json!({ "text": "a\nb\u{202e}" }), Some("text \"a\\nb\\u{202e}\"")),
            (json!({ "day": "2026-11-18", "version": "1.2.3", "why": "it (the old one)" }), {
                Some("day 2026-11-18 · version 1.2.3 · why it (the old one)")
            }),
            (json!({}), None),
            (json!("x"), None),
        ] {
            let shown = input_fields(&input);
            assert_eq!(shown.as_deref().map(sorted), expected.map(sorted), "{input}");
        }
    }

    #[test]
    fn text_that_looks_like_something_else_keeps_its_quotes() {
        for (input, expected) in [
            (json!({ "customer": "C-1 · dry_run true" }), r#"customer "C-1 · dry_run true""#),
            (json!({ "customer": "C-1 • dry_run true" }), r#"customer "C-1 • dry_run true""#),
            (json!({ "customer · dry_run true": 1 }), r#""customer · dry_run true" 1"#),
            (json!({ "a b": "c" }), r#""a b" c"#),
            (json!({ "a.b": 1 }), r#""a.b" 1"#),
            (json!({ "": 1 }), r#""" 1"#),
            (json!({ "deep": "(1 field)" }), r#"deep "(1 field)""#),
            (json!({ "to": ["a, b", "c"] }), r#"to ["a, b", c]"#),
            (json!({ "to": "[a]" }), r#"to "[a]""#),
            (json!({ "n": "-1.5e+3" }), r#"n "-1.5e+3""#),
            (json!({ "t": "a\tb" }), r#"t "a\tb""#),
            (json!({ "t": "\u{7f}" }), r#"t "\u{7f}""#),
            (json!({ "t": "true " }), r#"t "true ""#),
            (json!({ "t": "cut…" }), r#"t "cut…""#),
        ] {
            assert_eq!(input_fields(&input).as_deref(), Some(expected));
        }
    }

    /// Names and values made to be mistaken for each other.
    const TEXTS: &[&str] = &[
        "",
        " ",
        "a",
        "b",
        "a b",
        "a 1",
        "1",
        "1.0",
        "-0",
        "1e5",
        "01",
        "true",
        "false",
        "null",
        "a.b",
        ".",
        "a · b 1",
        "a \u{b7}",
        "·",
        ", ",
        "a, b",
        "a,",
        "\"",
        "\"a\"",
        "\\",
        "\\n",
        "a\nb",
        "a\tb",
        "[",
        "[a]",
        "[a, b]",
        "{}",
        "(1 item)",
        "(1 field)",
        "(0 items)",
        "a…",
        "\u{200b}",
        "\\u{200b}",
        "a\u{202e}",
        " a",
        "a ",
        "関",
        "\u{301}",
        "1 · b \"a\"",
        "b\" · \"a",
    ];

    /// Inputs of one and two fields.
    #[test]
    fn different_inputs_give_different_lines() {
        let mut values: Vec<Value> = TEXTS.iter().map(|text| json!(text)).collect();
        values.extend([
            json!(null),
            json!(true),
            json!(false),
            json!(1),
            json!(1.0),
            json!(-1),
            json!([]),
            json!({}),
        ]);
        for text in TEXTS {
            values.push(json!([text]));
            values.push(json!([text, "a"]));
            values.push(json!(["a", text, 1]));
        }
        values.extend([json!([1]), json!([null]), json!([true, 1])]);
        let mut seen: HashMap<String, Value> = HashMap::new();
        let mut check = |input: Value| {
            let line = input_fields(&input).unwrap();
            assert!(!line.contains(char::is_control), "{line:?}");
            if let Some(other) = seen.insert(line.clone(), input.clone()) {
                assert_eq!(other, input, "both are shown as {line}");
            }
        };
        for &name in TEXTS {
            for value in &values {
                check(json!({ name: value }));
                for (other, second) in
                    [("a", json!(1)), ("b", json!("a")), ("a b", json!("")), ("z", json!(["a"]))]
                {
                    if other != name {
                        check(json!({ name: value, other: second }));
                    }
                }
            }
        }
        assert!(seen.len() > 10_000, "{}", seen.len());
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
