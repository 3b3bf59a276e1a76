//! Masks JSON by field name. Any value under a secret-looking name is masked; the structure stays.

use std::borrow::Cow;
use std::ops::Range;

use serde_json::{Map, Value};

use super::base64_decode::is_pair;
use super::browser_input::{self, FIELDS};
use super::mask_spans::{FIELD, TOO_DEEP, mask};
use super::masks::Masks;
use super::secret_name::NameHint;
use super::span_cache::SpanCache;
use super::text_kind::TextKind;
use super::unique_field_names::UniqueNames;
use super::{
    connection_string, json_message, json_neighbours, jwk, login_array, non_secret, program_arguments,
    random_looking_value, secret_name, setting_path, text_kind,
};

/// The maximum depth. Deeper values are neither searched nor kept.
const MAX_DEPTH: usize = 200;
/// The maximum number of command words that are read.
const WORDS: usize = 256;

impl Masks {
    /// Masks the secrets of a JSON value: strings are masked as text, and values under a secret-looking
    /// name are masked as a whole. Objects and arrays keep their structure.
    pub fn value(&self, value: &Value) -> Value {
        masked(&SpanCache::new(self), value)
    }
}

/// Where a value is.
#[derive(Clone, Copy)]
struct Place {
    /// Whether a name around it says that it is secret.
    secret: bool,
    kind: TextKind,
    depth: usize,
    /// Whether it is an element of an array.
    is_element: bool,
}

const OUTERMOST: Place = Place { secret: false, kind: TextKind::Plain, depth: 0, is_element: false };

impl Place {
    fn inside(self, secret: bool, kind: TextKind) -> Place {
        Place { secret, kind, depth: self.depth + 1, is_element: false }
    }
}

/// The value with its secrets masked.
pub(super) fn masked(reader: &SpanCache<'_>, value: &Value) -> Value {
    walk(reader, value, OUTERMOST, &mut |_| {})
}

/// Reports every text that is masked, in whole or in part.
pub(super) fn secrets(reader: &SpanCache<'_>, value: &Value, found: &mut dyn FnMut(&str)) {
    walk(reader, value, OUTERMOST, found);
}

fn walk(reader: &SpanCache<'_>, value: &Value, place: Place, found: &mut dyn FnMut(&str)) -> Value {
    let Place { secret, kind, depth, .. } = place;
    if depth > MAX_DEPTH {
        return Value::String(mask(TOO_DEEP));
    }
    match value {
        Value::Null | Value::Bool(_) => value.clone(),
        Value::String(text) if text.is_empty() || is_mask(text) => value.clone(),
        Value::String(text) if secret && non_secret::only_reference(text.as_bytes()) => value.clone(),
        Value::String(text) if secret => {
            found(text);
            Value::String(mask(FIELD))
        }
        Value::Number(number) if secret => {
            found(&number.to_string());
            Value::String(mask(FIELD))
        }
        Value::Number(number) => {
            let text = number.to_string();
            let masked = reader.text(&text, TextKind::Plain);
            if masked.detectors.is_empty() { value.clone() } else { Value::String(masked.text.into_owned()) }
        }
        Value::String(text) => Value::String(reader.text_reporting(text, kind, found).text.into_owned()),
        Value::Array(items) => Value::Array(array(reader, items, place, found)),
        Value::Object(fields) => Value::Object(object(reader, fields, place, found)),
    }
}

fn is_mask(text: &str) -> bool {
    text == mask(FIELD) || text == mask(TOO_DEEP)
}

/// An array may be the words of a command, where a secret follows `--password`.
fn array(reader: &SpanCache<'_>, items: &[Value], place: Place, found: &mut dyn FnMut(&str)) -> Vec<Value> {
    let mut after_flag = false;
    let kind = text_kind::of_words(place.kind, items);
    let arguments = arguments(items);
    let is_pair = place.is_element && json_neighbours::is_pair(items);
    items
        .iter()
        .enumerate()
        .map(|(index, item)| {
            let follows = (after_flag && item.as_str().is_some_and(|word| !word.starts_with('-')))
                || (is_pair && index == 1);
            after_flag =
                item.as_str().is_some_and(|word| is_secret_flag(word) || json_neighbours::announces(word));
            let range = arguments.iter().find(|(at, _)| *at == index).map(|(_, range)| range);
            let cut = range.and_then(|range| cut(item, range));
            if let (Some(_), Some(range), Value::String(word)) = (&cut, range, item) {
                found(word.get(range.clone()).unwrap_or_default());
            }
            let inner = Place { is_element: true, ..place.inside(place.secret || follows, kind) };
            walk(reader, cut.as_ref().unwrap_or(item), inner, found)
        })
        .collect()
}

/// The positions of secrets in the words of a listed program.
fn arguments(items: &[Value]) -> Vec<(usize, Range<usize>)> {
    let words: Vec<&[u8]> =
        items.iter().take(WORDS).map(|item| item.as_str().unwrap_or_default().as_bytes()).collect();
    let named =
        words.iter().enumerate().find_map(|(index, word)| Some((index, program_arguments::named(word)?)));
    let Some((index, program)) = named else { return Vec::new() };
    let rest = words.get(index + 1..).unwrap_or_default();
    let found = program_arguments::secrets(program, rest);
    found.into_iter().map(|(at, range)| (at + index + 1, range)).collect()
}

/// The word with its secret part masked.
fn cut(item: &Value, range: &Range<usize>) -> Option<Value> {
    let word = item.as_str()?;
    let secret = word.get(range.clone())?;
    if secret.is_empty() || non_secret::reference(secret.as_bytes(), 0) || secret == mask(FIELD) {
        return None;
    }
    Some(Value::String([word.get(..range.start)?, &mask(FIELD), word.get(range.end..)?].concat()))
}

fn is_secret_flag(word: &str) -> bool {
    word.starts_with('-')
        && secret_name::secret(word.trim_start_matches('-').as_bytes())
        && !word.contains(['=', ' ', ':'])
}

fn object(
    reader: &SpanCache<'_>,
    fields: &Map<String, Value>,
    place: Place,
    found: &mut dyn FnMut(&str),
) -> Map<String, Value> {
    let named = fields.iter().any(|(field, value)| {
        NAMING.iter().any(|naming| field.eq_ignore_ascii_case(naming))
            && value.as_str().is_some_and(is_secret_name)
    });
    let is_pointed = setting_path::is_in(fields);
    let hinting = fields.iter().find_map(|(field, value)| {
        let is_naming = NAMING.iter().any(|naming| field.eq_ignore_ascii_case(naming));
        value.as_str().filter(|name| is_naming && is_key_name(name))
    });
    let text = |name: &str| fields.get(name).and_then(Value::as_str);
    let is_key = text("kty").is_some();
    let is_manifest = text("kind") == Some("Secret");
    let is_input = text("ref").is_some();
    let is_typed = fields.iter().any(|(field, value)| {
        (FIELDS.contains(&field.as_str()) || (is_input && field == "name"))
            && value.as_str().is_some_and(|text| browser_input::names_secret(text.as_bytes()))
    });
    let mut masked = Map::new();
    let mut unique = UniqueNames::default();
    for (field, value) in fields {
        let shown =
            unique.of(reader.text_reporting(field, TextKind::Plain, found).text.into_owned(), &masked);
        let is_login = login_array::is_login(field, text("method"), value);
        let secret = place.secret
            || (is_secret_name(field) && !is_connection(field, value))
            || is_hinted(field, value)
            || (is_pointed && setting_path::is_value(field))
            || (named && (is_value(field) || is_word_value(field, value)))
            || (is_value(field) && hinting.is_some_and(|name| is_key_value(name, value)))
            || (is_key && jwk::is_secret(field))
            || (is_manifest && matches!(field.as_str(), "data" | "stringData"))
            || (is_typed && browser_input::TEXTS.contains(&field.as_str()));
        let login = is_login.then(|| without_password(value, found)).flatten();
        let inner = place.inside(secret, text_kind::of_field(field, value, fields, place.kind));
        let value = login
            .or_else(|| json_neighbours::masked(field, value, fields, found))
            .or_else(|| message(reader, field, value, place, found))
            .map_or(Cow::Borrowed(value), Cow::Owned);
        masked.insert(shown, walk(reader, &value, inner, found));
    }
    masked
}

/// A message with the input of a call, masked as JSON.
fn message(
    reader: &SpanCache<'_>,
    field: &str,
    value: &Value,
    place: Place,
    found: &mut dyn FnMut(&str),
) -> Option<Value> {
    let text = value.as_str().filter(|_| field == text_kind::MESSAGE)?;
    let (name, input) = json_message::parts(text)?;
    let input = walk(reader, &input, place.inside(false, TextKind::Plain), found);
    Some(Value::String(format!("{name}: {input}")))
}

/// A two-element list of user and password, with the password masked.
fn without_password(value: &Value, found: &mut dyn FnMut(&str)) -> Option<Value> {
    let [user, Value::String(password)] = value.as_array()?.as_slice() else { return None };
    if is_mask(password) {
        return None;
    }
    found(password);
    Some(Value::Array(vec![user.clone(), Value::String(mask(FIELD))]))
}

/// Fields that name the content of the `value` field next to them.
const NAMING: [&str; 10] =
    ["name", "key", "header", "field", "parameterkey", "variable", "id", "label", "setting", "column"];

/// `BILLING_KEY`: a name under which a value that looks like a password is one.
fn is_key_name(name: &str) -> bool {
    let is_constant =
        name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
    let hint = secret_name::name_hint(name.as_bytes());
    is_constant && matches!(hint, NameHint::Generated | NameHint::Unusual | NameHint::Service)
}

fn is_key_value(name: &str, value: &Value) -> bool {
    value.as_str().is_some_and(|text| random_looking_value::unusual(text.as_bytes()))
        || is_hinted(name, value)
}

/// A field that holds a value or a sentence. A sentence is no secret.
fn is_word_value(field: &str, value: &Value) -> bool {
    let is_named =
        ["data", "new_value", "newvalue", "text"].iter().any(|known| field.eq_ignore_ascii_case(known));
    is_named && value.as_str().is_some_and(|text| !text.contains(char::is_whitespace))
}

fn is_value(field: &str) -> bool {
    ["value", "values", "parametervalue", "val", "default", "content"]
        .iter()
        .any(|known| field.eq_ignore_ascii_case(known))
}

fn is_connection(field: &str, value: &Value) -> bool {
    value.as_str().is_some_and(|text| connection_string::masks_itself(field.as_bytes(), text.as_bytes()))
}

/// Whether the name suggests a secret and the value confirms it.
fn is_hinted(field: &str, value: &Value) -> bool {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => return false,
    };
    match secret_name::name_hint(field.as_bytes()) {
        NameHint::Likely | NameHint::Generated => {
            random_looking_value::value(text.as_bytes()) || is_pair(text.as_bytes())
        }
        NameHint::Service => {
            let bytes = text.as_bytes();
            !non_secret::value(bytes, 0) && !secret_name::repeats(field.as_bytes(), bytes)
        }
        NameHint::Unusual => random_looking_value::unusual(text.as_bytes()),
        NameHint::Issued => {
            random_looking_value::value(text.as_bytes()) || random_looking_value::is_uuid(text.as_bytes())
        }
        NameHint::Digits => (3..=8).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit()),
        NameHint::Secret | NameHint::Nothing => false,
    }
}

fn is_secret_name(field: &str) -> bool {
    const HEADERS: [&str; 6] =
        ["authorization", "proxy-authorization", "cookie", "cookies", "set-cookie", "x-amz-security-token"];
    HEADERS.iter().any(|header| field.eq_ignore_ascii_case(header)) || secret_name::secret(field.as_bytes())
}
