//! JSON: what stands under a secret-looking name goes, whatever it is; the form stays.

use serde_json::{Map, Value};

use super::merge::mask;
use super::{Masks, name};

pub(super) const NAME: &str = "secret-field";
pub(super) const DEEP: &str = "too-deep";

/// Deeper values are not walked; they are not kept either.
const DEEPEST: usize = 200;

pub(super) fn masked(masks: &Masks, value: &Value) -> Value {
    walk(masks, value, false, 0)
}

fn walk(masks: &Masks, value: &Value, secret: bool, depth: usize) -> Value {
    if depth > DEEPEST {
        return Value::String(mask(DEEP));
    }
    match value {
        Value::Null | Value::Bool(_) => value.clone(),
        Value::String(text) if text.is_empty() || is_mask(text) => value.clone(),
        Value::String(_) | Value::Number(_) if secret => Value::String(mask(NAME)),
        Value::Number(number) => {
            let text = number.to_string();
            let found = masks.text(&text);
            if found.detectors.is_empty() { value.clone() } else { Value::String(found.text.into_owned()) }
        }
        Value::String(text) => Value::String(masks.text(text).text.into_owned()),
        Value::Array(items) => Value::Array(array(masks, items, secret, depth)),
        Value::Object(fields) => Value::Object(object(masks, fields, secret, depth)),
    }
}

fn is_mask(text: &str) -> bool {
    text == mask(NAME) || text == mask(DEEP)
}

/// An array may be the words of a command: what follows `--password` is one.
fn array(masks: &Masks, items: &[Value], secret: bool, depth: usize) -> Vec<Value> {
    let mut after_flag = false;
    items
        .iter()
        .map(|item| {
            let follows = after_flag && item.as_str().is_some_and(|word| !word.starts_with('-'));
            after_flag = item.as_str().is_some_and(is_secret_flag);
            walk(masks, item, secret || follows, depth + 1)
        })
        .collect()
}

fn is_secret_flag(word: &str) -> bool {
    word.starts_with('-')
        && name::secret(word.trim_start_matches('-').as_bytes())
        && !word.contains(['=', ' ', ':'])
}

fn object(masks: &Masks, fields: &Map<String, Value>, secret: bool, depth: usize) -> Map<String, Value> {
    let named = ["name", "key", "header", "field"]
        .iter()
        .filter_map(|field| fields.get(*field)?.as_str())
        .any(is_secret_name);
    let mut masked = Map::new();
    for (field, value) in fields {
        let mut shown = masks.text(field).text.into_owned();
        while masked.contains_key(&shown) {
            shown.push('\'');
        }
        let secret =
            secret || is_secret_name(field) || (named && matches!(field.as_str(), "value" | "values"));
        masked.insert(shown, walk(masks, value, secret, depth + 1));
    }
    masked
}

fn is_secret_name(field: &str) -> bool {
    const HEADERS: [&str; 6] =
        ["authorization", "proxy-authorization", "cookie", "cookies", "set-cookie", "x-amz-security-token"];
    HEADERS.iter().any(|header| field.eq_ignore_ascii_case(header)) || name::secret(field.as_bytes())
}
