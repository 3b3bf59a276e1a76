//! Text typed into password fields, by a script that drives a browser or by a tool call.
//!
//! The field is recognised by its selector or label, the text by its position next to it:
//! `fill('#password', 'secret')`, `getByLabel('Password').fill('secret')`,
//! `{"selector": "#password", "text": "secret"}`.

use std::ops::Range;

use super::byte_scan::{at, blanks, has, part, quote, run, starts};
use super::detection::Detection;
use super::non_secret;

/// Names of fields for secrets.
pub(super) const KEYS: &[&str] = &[
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "passwort",
    "kennwort",
    "pwd",
    "otp",
    "secret",
    "token",
    "pin",
];

/// Methods that type text, with the field before them or as their first argument.
const TYPING: &[&str] = &[
    "fill(",
    "type(",
    "send_keys(",
    "sendKeys(",
    "val(",
    "set(",
    "setValue(",
    "pressSequentially(",
    "input(",
    "typeText(",
    "type_text(",
    "enter_text(",
    "enterText(",
    "fill_in(",
    "press_sequentially(",
    "replaceText(",
    "set_value(",
    "fill_in ",
    "fill ",
    "type ",
    "input_text ",
    "Input Text ",
    "Input Password ",
];

/// Members that hold the selector or label of a field.
pub(super) const FIELDS: &[&str] =
    &["selector", "element", "locator", "label", "placeholder", "target", "xpath", "field", "css"];

/// Members that hold the typed text.
pub(super) const TEXTS: &[&str] = &["text", "value", "keys", "input", "content", "typed", "characters"];

/// Members that can name anything. They mean a page field if one of the next members gives the field
/// type.
const NAMES: &[&str] = &["name", "id", "title", "aria-label", "type"];
const KINDS: &[&str] = &["type", "role", "ref", "uid", "name", "selector"];

/// How far before the field the call may be, in bytes.
const LEFT: usize = 96;
/// How far after the field the call may be, in bytes.
const RIGHT: usize = 48;
/// The maximum length of a password.
const MAX_LENGTH: usize = 256;
/// How many other members may be between the field and the text.
const MEMBERS: usize = 3;

pub(super) fn look(bytes: &[u8], hit: Range<usize>) -> Detection {
    // Short keys are parts of other words: `shipping`, `spinner`.
    let is_part = hit.len() <= 3 && at(bytes, hit.end).is_ascii_lowercase();
    let Some(from) = field_end(bytes, hit.end).filter(|_| !is_part) else { return Detection::NOTHING };
    let text = second_argument(bytes, &hit, from)
        .or_else(|| called(bytes, from))
        .or_else(|| member(bytes, &hit, from));
    text.map_or(Detection::NOTHING, Detection::Secret)
}

/// Whether this selector or label is one of a field for secrets.
pub(super) fn names_secret(field: &[u8]) -> bool {
    let lower = field.to_ascii_lowercase();
    let is_key = |key: &&&str| has(&lower, key);
    // Shorter keys are parts of other words.
    KEYS.iter().filter(|key| key.len() > 3).any(|key| is_key(&key))
}

/// Skips the rest of the selector or label, and its closing quotes and brackets.
fn field_end(bytes: &[u8], from: usize) -> Option<usize> {
    let tail = run(bytes, from, 24, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b'_' | b'-' | b':' | b'*')
    });
    let end = run(bytes, tail, 8, |byte| matches!(byte, b'"' | b'\'' | b'\\' | b']' | b'`'));
    (end > tail && quote(bytes, end - 1).is_some()).then_some(end)
}

/// `fill('#password', 'secret')`, `type "#password" "secret"`
fn second_argument(bytes: &[u8], hit: &Range<usize>, from: usize) -> Option<Range<usize>> {
    let from = run(bytes, from, 2, |byte| byte == b')');
    let next = blanks(bytes, run(bytes, blanks(bytes, from), 1, |byte| byte == b','));
    let next = if starts(bytes, next, b"with: ") { next + 6 } else { next };
    let text = literal(bytes, next).filter(|_| next > from)?;
    let left = part(bytes, hit.start.saturating_sub(LEFT), hit.start);
    let left = left.rsplit(|byte| matches!(byte, b';' | b'\n')).next().unwrap_or_default();
    TYPING.iter().any(|call| has(left, call)).then_some(text)
}

/// `…').fill('secret')`, `…').value = 'secret'`
fn called(bytes: &[u8], from: usize) -> Option<Range<usize>> {
    let mut here = run(bytes, from, 2, |byte| byte == b')');
    if here == from {
        return None;
    }
    let end = here + RIGHT;
    while here < end && at(bytes, here) == b'.' {
        here += 1;
        if starts(bytes, here, b"value = ") {
            return literal(bytes, here + 8);
        }
        if let Some(call) =
            TYPING.iter().find(|call| call.ends_with('(') && starts(bytes, here, call.as_bytes()))
        {
            return literal(bytes, here + call.len());
        }
        // A call without arguments in between: `.first().fill(…)`.
        let name = run(bytes, here, 24, |byte| byte.is_ascii_alphanumeric() || byte == b'_');
        here = run(bytes, name, 2, |byte| matches!(byte, b'(' | b')'));
    }
    None
}

/// `"#password", "ref": "e12", "text": "secret"`
fn member(bytes: &[u8], hit: &Range<usize>, from: usize) -> Option<Range<usize>> {
    let member = member_before(bytes, hit.start);
    let is_field = is_known(FIELDS, member);
    let mut is_input = false;
    if !is_field && !NAMES.iter().any(|name| member.eq_ignore_ascii_case(name.as_bytes())) {
        return None;
    }
    let blank = |byte: u8| byte.is_ascii_whitespace();
    let mut here = from;
    for _ in 0..MEMBERS {
        here = run(bytes, here, 32, blank);
        if at(bytes, here) != b',' {
            return None;
        }
        let open = run(bytes, here + 1, 32, blank);
        let open = quote(bytes, open).map_or(open, |(_, open)| open);
        let end = run(bytes, open, 24, |byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let sign = blanks(bytes, quote(bytes, end).map_or(end, |(_, closed)| closed));
        if at(bytes, sign) != b':' {
            return None;
        }
        let value = blanks(bytes, sign + 1);
        let name = part(bytes, open, end);
        let is_text = TEXTS.iter().any(|text| name == text.as_bytes());
        if (is_field && is_text) || (is_input && name == b"value") {
            return literal(bytes, value);
        }
        is_input |= KINDS.iter().any(|kind| name == kind.as_bytes());
        let (mark, inner) = quote(bytes, value).unwrap_or((b',', value));
        let end = run(bytes, inner, 64, |byte| byte != mark && !matches!(byte, b'\n' | b'}' | b'\\'));
        here = if mark == b',' { end } else { quote(bytes, end)?.1 };
    }
    None
}

/// The name of the member that contains this text.
fn member_before(bytes: &[u8], start: usize) -> &[u8] {
    let left = part(bytes, start.saturating_sub(LEFT), start);
    let left = left.rsplit(|byte| matches!(byte, b'{' | b',' | b'\n')).next().unwrap_or_default();
    let sign = left.iter().position(|byte| *byte == b':').unwrap_or(0);
    let is_sign = |byte: &&u8| !byte.is_ascii_alphanumeric();
    let name = part(left, 0, sign);
    let (before, after) =
        (name.iter().take_while(is_sign).count(), name.iter().rev().take_while(is_sign).count());
    part(name, before, name.len() - after)
}

fn is_known(fields: &[&str], name: &[u8]) -> bool {
    fields
        .iter()
        .any(|field| name.windows(field.len()).any(|found| found.eq_ignore_ascii_case(field.as_bytes())))
}

/// The quoted text at this position, if it is one word.
fn literal(bytes: &[u8], from: usize) -> Option<Range<usize>> {
    let (mark, open) = quote(bytes, from)?;
    let end = run(bytes, open, MAX_LENGTH, |byte| byte != mark && byte.is_ascii_graphic() && byte != b'\\');
    let text = part(bytes, open, end);
    (quote(bytes, end).is_some() && !text.is_empty() && !non_secret::value(text, mark)).then_some(open..end)
}
