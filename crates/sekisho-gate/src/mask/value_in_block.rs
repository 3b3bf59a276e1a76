//! Values one level below their name: `variable "db_password" { default = "…" }`,
//! `"adminPassword": { "value": "…" }`, `DbPassword:` with `Default: …` under it.

use std::ops::Range;

use super::byte_scan::{at, before, blanks, is_visible, part, quote, run};

/// How far the members are read, in bytes.
const REACH: usize = 512;

/// Members that hold the value of their parent.
const VALUES: &[&str] = &["default", "value", "defaultvalue", "default_value", "const", "example", "_value"];

/// The value of the member that holds it.
pub(super) fn value(bytes: &[u8], named: &Range<usize>) -> Option<Range<usize>> {
    let closed = quote(bytes, named.end).map_or(named.end, |(_, end)| end);
    let sign = run(bytes, blanks(bytes, closed), 1, |byte| matches!(byte, b':' | b'='));
    let open = blanks(bytes, sign);
    let limit = (open + REACH).min(bytes.len());
    match at(bytes, open) {
        b'{' if is_named(bytes, named, sign > closed) => in_braces(bytes, open + 1, limit),
        b'\n' | b'\r' if sign > closed && before(bytes, sign) == b':' => {
            indented(bytes, named.start, open, limit)
        }
        _ => None,
    }
}

/// Whether the text before the brace is the name of a member or variable.
fn is_named(bytes: &[u8], named: &Range<usize>, is_member: bool) -> bool {
    let left = part(bytes, named.start.saturating_sub(16), named.start.saturating_sub(1)).trim_ascii_end();
    is_member || left.ends_with(b"variable") || left.ends_with(b"param")
}

fn in_braces(bytes: &[u8], from: usize, limit: usize) -> Option<Range<usize>> {
    let mut here = from;
    while here < limit {
        let start = run(bytes, here, REACH, |byte| byte.is_ascii_whitespace() || matches!(byte, b',' | b';'));
        if at(bytes, start) == b'}' {
            return None;
        }
        if let Some(range) = member(bytes, start) {
            return Some(range);
        }
        let end = run(bytes, start, limit.saturating_sub(start), |byte| {
            !matches!(byte, b',' | b';' | b'\n' | b'}' | b'{')
        });
        if end == start || matches!(at(bytes, end), b'{' | b'}') {
            return None;
        }
        here = end;
    }
    None
}

/// Lines that are indented more deeply than the one with the name.
fn indented(bytes: &[u8], name: usize, from: usize, limit: usize) -> Option<Range<usize>> {
    let left = part(bytes, name.saturating_sub(64), name);
    let indent = left.iter().rev().take_while(|byte| matches!(byte, b' ' | b'-' | b'"' | b'\'')).count();
    let mut here = from;
    while here < limit {
        let line = run(bytes, here, 2, |byte| matches!(byte, b'\n' | b'\r'));
        let start = run(bytes, line, 64, |byte| byte == b' ');
        if line == here || start - line <= indent {
            return None;
        }
        if let Some(range) = member(bytes, start) {
            return Some(range);
        }
        here = run(bytes, start, limit.saturating_sub(start), |byte| !matches!(byte, b'\n' | b'\r'));
    }
    None
}

/// `default = "…"`, `"value": "…"`
fn member(bytes: &[u8], from: usize) -> Option<Range<usize>> {
    let start = quote(bytes, from).map_or(from, |(_, open)| open);
    let end = run(bytes, start, 24, |byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let sign = blanks(bytes, quote(bytes, end).map_or(end, |(_, end)| end));
    let is_value = VALUES.iter().any(|known| part(bytes, start, end).eq_ignore_ascii_case(known.as_bytes()));
    if !is_value || !matches!(at(bytes, sign), b':' | b'=') {
        return None;
    }
    let value = blanks(bytes, sign + 1);
    let Some((mark, open)) = quote(bytes, value) else {
        let end = run(bytes, value, REACH, |byte| is_visible(byte) && !matches!(byte, b',' | b'}' | b';'));
        return (end > value).then_some(value..end);
    };
    let close = run(bytes, open, REACH, |byte| byte != mark && is_visible(byte) && byte != b'\\');
    (quote(bytes, close).is_some() && close > open).then_some(open..close)
}
