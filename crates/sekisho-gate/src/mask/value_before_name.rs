//! Values in a field before their name: `{"value": "…", "name": "DB_PASSWORD"}`,
//! `SET value = '…' WHERE name = 'db_password'`.

use std::ops::Range;

use memchr::memmem;

use super::byte_scan::{before, blanks, part, quote, run, starts_any_case};

/// How far back the value may start, in bytes.
const REACH: usize = 512;

/// Fields that name the content of the field before them, and fields that hold a value.
const NAMES: &[&str] =
    &["name", "key", "header", "field", "parameterkey", "variable", "id", "label", "selector", "element"];
const VALUES: &[&str] = &["value", "parametervalue", "optionvalue", "val", "default", "text", "content"];

/// Fields that hold a JSON pointer, and the value that is written there: `"path": "/db/password"`.
const POINTERS: &[&str] = &["path", "pointer"];
const SETTINGS: &[&str] = &["value", "val"];

fn is_in_pointer(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'_' | b'-' | b'.' | b'~' | b'$')
}

/// The value of the field before the one that holds this name.
pub(super) fn value(bytes: &[u8], named: &Range<usize>) -> Option<Range<usize>> {
    let start = named.start.saturating_sub(REACH);
    let left = part(bytes, start, named.start);
    let left = left.strip_suffix(b"#").unwrap_or(left);
    let pointer = left.iter().rev().take_while(|byte| is_in_pointer(**byte)).count();
    let (left, _) = unquoted(part(left, 0, left.len() - pointer));
    let left = past(left, b":=")?;
    let (names, values) = if pointer > 0 { (POINTERS, SETTINGS) } else { (NAMES, VALUES) };
    let left = field(left, names)?;
    let parted = left.trim_ascii_end();
    if let Some(assigned) = parted.len().checked_sub(5).filter(|from| starts_any_case(parted, *from, "where"))
    {
        let range = updated(part(parted, 0, assigned))?;
        return Some(start + range.start..start + range.end);
    }
    let (left, comma) =
        parted.strip_suffix(b",").map_or((parted, false), |left| (left.trim_ascii_end(), true));
    let is_line = part(bytes, start + parted.len(), named.start).contains(&b'\n');
    let (inner, mark) = unquoted(left);
    let value = match mark {
        Some(mark) => {
            let length = inner.iter().rev().take_while(|byte| **byte != mark && **byte != b'\n').count();
            let length = if before(inner, inner.len() - length) == mark { length } else { return None };
            inner.len() - length..inner.len()
        }
        None if comma || is_line => {
            let length = inner
                .iter()
                .rev()
                .take_while(|byte| byte.is_ascii_graphic() && !matches!(byte, b':' | b'='))
                .count();
            inner.len() - length..inner.len()
        }
        None => return None,
    };
    let open = part(inner, 0, value.start);
    let open = if mark.is_some() { unquoted(open).0 } else { open };
    field(past(open, b":=")?, values)?;
    // A count, not a secret.
    if mark.is_none() && value.len() <= 3 {
        return None;
    }
    Some(start + value.start..start + value.end)
}

/// The value that an `UPDATE` assigns before its `WHERE`.
fn updated(text: &[u8]) -> Option<Range<usize>> {
    let lower = text.to_ascii_lowercase();
    let mut here = memmem::rfind(&lower, b" set ")? + 5;
    while here < text.len() {
        let name = run(text, here, REACH, |byte| !matches!(byte, b'=' | b',' | b'\'' | b'"'));
        let value = quote(text, blanks(text, name + 1));
        let Some((mark, open)) = value.filter(|_| text.get(name) == Some(&b'=')) else {
            here = run(text, name, REACH, |byte| byte != b',') + 1;
            continue;
        };
        let end = run(text, open, REACH, |byte| byte != mark && byte != b'\\');
        if field(part(text, here, name).trim_ascii_end(), VALUES).is_some() {
            return (end > open).then_some(open..end);
        }
        here = run(text, end + 1, REACH, |byte| byte != b',') + 1;
    }
    None
}

/// The text without its closing quote, escaped or not.
fn unquoted(text: &[u8]) -> (&[u8], Option<u8>) {
    let [inner @ .., mark @ (b'"' | b'\'')] = text else { return (text, None) };
    let escapes = inner.iter().rev().take_while(|byte| **byte == b'\\').count();
    (part(inner, 0, inner.len() - escapes), Some(*mark))
}

fn past<'t>(text: &'t [u8], signs: &[u8]) -> Option<&'t [u8]> {
    let [inner @ .., last] = text.trim_ascii_end() else { return None };
    signs.contains(last).then(|| inner.trim_ascii_end())
}

/// The text before the name of one of these fields.
fn field<'t>(text: &'t [u8], names: &[&str]) -> Option<&'t [u8]> {
    let (inner, mark) = unquoted(text);
    let length = inner.iter().rev().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    let (left, name) = inner.split_at(inner.len() - length);
    // `option_name`, `meta_value`
    let own = ["_name", "_key", "_value"].iter().find_map(|end| {
        let from = name.len().checked_sub(end.len())?;
        starts_any_case(name, from, end).then(|| part(name, from + 1, name.len()))
    });
    let is_known = names.iter().any(|known| own.unwrap_or(name).eq_ignore_ascii_case(known.as_bytes()));
    is_known.then(|| if mark.is_some() { unquoted(left).0 } else { left })
}
