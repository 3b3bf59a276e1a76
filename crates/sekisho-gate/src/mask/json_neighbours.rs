//! Secrets in a JSON object that a field beside them announces: the arguments of a program, the input of
//! a command, the parameters of a query, the values of columns.

use std::ops::Range;

use serde_json::{Map, Value};

use super::mask_spans::{FIELD, mask};
use super::non_secret;
use super::program_arguments;
use super::query_parameters;
use super::random_looking_value;
use super::secret_name;
use super::stdin_programs::{StdinSecret, reader_of};

/// Fields that name a program or hold a command.
const PROGRAMS: [&str; 8] = ["program", "command", "cmd", "executable", "tool", "binary", "bin", "exe"];
/// Fields that list arguments.
const ARGUMENTS: [&str; 7] =
    ["args", "arguments", "argv", "params", "parameters", "commandargs", "command_args"];
/// Fields that hold what a command or a terminal reads.
const INPUTS: [&str; 7] = ["stdin", "input", "keys", "std_in", "text", "data", "send"];
/// Fields that hold a query, and those that list its parameters.
const QUERIES: [&str; 4] = ["query", "sql", "statement", "text"];
const PARAMETERS: [&str; 6] = ["params", "parameters", "args", "arguments", "values", "bindings"];
/// Fields that name columns, and those that list rows or values of them.
const COLUMNS: [&str; 5] = ["columns", "header", "headers", "fields", "column_names"];
const ROWS: [&str; 4] = ["values", "rows", "data", "records"];
/// Settings of Redis that are passwords, as words of a list.
const SETTINGS: [&str; 3] = ["requirepass", "masterauth", "tls-key-file-pass"];
/// The maximum number of words that are read.
const WORDS: usize = 256;

/// The value of a field without the secrets that its neighbours announce, or `None` if there are none.
pub(super) fn masked(
    field: &str,
    value: &Value,
    fields: &Map<String, Value>,
    found: &mut dyn FnMut(&str),
) -> Option<Value> {
    let is = |names: &[&str]| names.iter().any(|name| field.eq_ignore_ascii_case(name));
    let beside = |names: &[&str]| {
        let mut others = fields.iter().filter(|(name, _)| name.as_str() != field);
        others.find_map(|(name, value)| {
            names.iter().any(|known| name.eq_ignore_ascii_case(known)).then_some(value)
        })
    };
    let text_beside = |names: &[&str]| beside(names).and_then(Value::as_str);
    match value {
        Value::Array(items) => {
            let program = text_beside(&PROGRAMS).filter(|_| is(&ARGUMENTS));
            let mut places = program.map(|program| arguments(program, items)).unwrap_or_default();
            if is(&PARAMETERS)
                && let Some(query) = text_beside(&QUERIES)
            {
                let at = query_parameters::secret(query.as_bytes());
                places.extend(at.into_iter().filter_map(|at| Some((at, 0..items.get(at)?.as_str()?.len()))));
            }
            let columns = beside(&COLUMNS).and_then(Value::as_array).filter(|_| is(&ROWS));
            if let Some(columns) = columns {
                return rows(columns, items, found);
            }
            if field.eq_ignore_ascii_case("secrets") {
                return Some(Value::Array(items.iter().map(|item| generated(item, found)).collect()));
            }
            cut_all(items, &places, found)
        }
        Value::Object(_) if field.eq_ignore_ascii_case("secrets") => Some(generated(value, found)),
        Value::String(text) if is(&INPUTS) => {
            let range = input(text, text_beside(&PROGRAMS), text_beside(&["prompt"]))?;
            cut(text, &range, found)
        }
        _ => None,
    }
}

/// Where the arguments of a program hold secrets.
fn arguments(program: &str, items: &[Value]) -> Vec<(usize, Range<usize>)> {
    let words: Vec<&[u8]> =
        items.iter().take(WORDS).map(|item| item.as_str().unwrap_or_default().as_bytes()).collect();
    let whole = |at: usize| words.get(at).map(|word| (at, 0..word.len()));
    // `AUTH` of Redis.
    if program.eq_ignore_ascii_case("auth") {
        return words.len().checked_sub(1).and_then(whole).into_iter().collect();
    }
    let own: Vec<&[u8]> = program.split_ascii_whitespace().map(str::as_bytes).collect();
    let named =
        own.iter().enumerate().find_map(|(index, word)| Some((index, program_arguments::named(word)?)));
    let Some((index, named)) = named else { return Vec::new() };
    let before = own.len() - index - 1;
    let all: Vec<&[u8]> = own.iter().skip(index + 1).chain(&words).copied().collect();
    let found = program_arguments::secrets(named, &all).into_iter();
    found.filter_map(|(at, range)| Some((at.checked_sub(before)?, range))).collect()
}

/// The part of an input that is a password, if the command beside it, or the prompt, asks for one.
fn input(text: &str, command: Option<&str>, prompt: Option<&str>) -> Option<Range<usize>> {
    let reader = command.and_then(|command| reader_of(command.as_bytes()));
    let asks = prompt.is_some_and(|prompt| prompt.to_ascii_lowercase().contains("assword"));
    let line_end = |from: usize| {
        let length = text.get(from..)?.find(['\n', '\r']);
        Some(length.map_or(text.len(), |length| from + length))
    };
    let end = line_end(0)?;
    let second = text.get(end..)?.find(|c| !matches!(c, '\n' | '\r')).map(|skipped| end + skipped);
    let (start, end) = match (reader.map(|reader| reader.takes), second) {
        (Some(StdinSecret::Pair), _) => (text.get(..end)?.find(':')? + 1, end),
        (Some(StdinSecret::Login), Some(second)) => (second, line_end(second)?),
        _ => (0, end),
    };
    let secret = text.get(start..end)?;
    let has_blank = secret.contains([' ', '\t']);
    let is_taken = match reader {
        Some(reader) => reader.takes.accepts(secret.as_bytes()) && (reader.reads_only_secret() || !has_blank),
        None => asks && !has_blank,
    };
    (is_taken && is_secret(secret)).then_some(start..end)
}

/// Masks the columns of rows whose names are secret.
fn rows(columns: &[Value], items: &[Value], found: &mut dyn FnMut(&str)) -> Option<Value> {
    let secret: Vec<usize> = columns
        .iter()
        .enumerate()
        .filter(|(_, name)| name.as_str().is_some_and(|name| secret_name::secret(name.as_bytes())))
        .map(|(at, _)| at)
        .collect();
    if secret.is_empty() {
        return None;
    }
    let mut row = |cells: &[Value]| {
        let cell = |at: &usize| Some((*at, 0..cells.get(*at)?.as_str()?.len()));
        let places: Vec<_> = secret.iter().filter_map(cell).collect();
        cut_all(cells, &places, found)
    };
    if items.iter().all(Value::is_array) {
        let rows = items
            .iter()
            .map(|item| item.as_array().and_then(|cells| row(cells)).unwrap_or_else(|| item.clone()));
        return Some(rows.collect());
    }
    row(items)
}

/// A list or map of secrets, without those that look generated. Others are names.
fn generated(value: &Value, found: &mut dyn FnMut(&str)) -> Value {
    match value {
        Value::String(text) if random_looking_value::password(text.as_bytes()) && is_secret(text) => {
            found(text);
            Value::String(mask(FIELD))
        }
        Value::Array(items) => items.iter().map(|item| generated(item, found)).collect(),
        Value::Object(fields) => {
            let fields = fields.iter().map(|(name, value)| (name.clone(), generated(value, found)));
            Value::Object(fields.collect())
        }
        other => other.clone(),
    }
}

/// The words of a list whose next word is a secret: `CONFIG SET requirepass …`.
pub(super) fn announces(word: &str) -> bool {
    SETTINGS.iter().any(|setting| word.eq_ignore_ascii_case(setting))
}

/// `["API_KEY", "…"]`: whether a pair in a list holds a secret under its name.
pub(super) fn is_pair(items: &[Value]) -> bool {
    match items {
        [Value::String(name), Value::String(value)] => {
            let is_name = !name.contains([' ', '\n', '=', ':']);
            is_name && secret_name::secret(name.as_bytes()) && !secret_name::secret(value.as_bytes())
        }
        _ => false,
    }
}

fn cut_all(items: &[Value], places: &[(usize, Range<usize>)], found: &mut dyn FnMut(&str)) -> Option<Value> {
    if places.is_empty() {
        return None;
    }
    let item = |(index, item): (usize, &Value)| {
        let range = places.iter().find(|(at, _)| *at == index).map(|(_, range)| range);
        let masked = range.and_then(|range| cut(item.as_str()?, range, found));
        masked.unwrap_or_else(|| item.clone())
    };
    Some(items.iter().enumerate().map(item).collect())
}

/// A text with this range masked.
fn cut(text: &str, range: &Range<usize>, found: &mut dyn FnMut(&str)) -> Option<Value> {
    let secret = text.get(range.clone()).filter(|secret| is_secret(secret))?;
    found(secret);
    Some(Value::String([text.get(..range.start)?, &mask(FIELD), text.get(range.end..)?].concat()))
}

fn is_secret(text: &str) -> bool {
    let bytes = text.as_bytes();
    !text.is_empty()
        && !text.contains("[masked:")
        && !non_secret::reference(bytes, 0)
        && !non_secret::placeholder(bytes)
}
