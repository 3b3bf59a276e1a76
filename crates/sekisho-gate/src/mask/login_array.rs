//! User and password as a two-element list: `"login": ["me", "s3cret"]`.

use std::ops::Range;

use serde_json::Value;

use super::byte_scan::{at, has, part, quote, run};
use super::detection::Detection;
use super::non_secret;

/// Members that hold a user and a password.
const LOGINS: &[&str] = &["login", "auth", "credentials", "basic_auth", "basicAuth", "userpass"];
/// How far before the arguments of a call its name may be, in bytes.
const REACH: usize = 96;
/// The maximum length of a user or password.
const MAX_LENGTH: usize = 128;

/// The members as written in text.
pub(super) const KEYS: &[&str] = &[
    "login\"",
    "auth\"",
    "credentials\"",
    "params\"",
    "login\\\"",
    "auth\\\"",
    "params\\\"",
    "login'",
    "auth'",
];

/// Finds the password of a login list in a text.
pub(super) fn look(bytes: &[u8], hit: Range<usize>) -> Detection {
    let name = part(bytes, hit.start, hit.end);
    let left = part(bytes, hit.start.saturating_sub(REACH), hit.start).to_ascii_lowercase();
    let is_call = name.starts_with(b"params");
    if is_call && !has(&left, "login") && !has(&left, "auth") {
        return Detection::NOTHING;
    }
    second(bytes, hit.end).map_or(Detection::NOTHING, Detection::Secret)
}

fn second(bytes: &[u8], from: usize) -> Option<Range<usize>> {
    let blanks = |from: usize| run(bytes, from, 16, |byte| byte.is_ascii_whitespace());
    let sign = blanks(from);
    let open = blanks(sign + 1);
    if at(bytes, sign) != b':' || at(bytes, open) != b'[' {
        return None;
    }
    let user = text(bytes, blanks(open + 1))?;
    let comma = blanks(quote(bytes, user.end)?.1);
    let password = text(bytes, blanks(comma + 1)).filter(|_| at(bytes, comma) == b',')?;
    let close = blanks(quote(bytes, password.end)?.1);
    let value = part(bytes, password.start, password.end);
    (at(bytes, close) == b']' && !non_secret::value(value, b'"')).then_some(password)
}

/// One quoted word.
fn text(bytes: &[u8], from: usize) -> Option<Range<usize>> {
    let (mark, open) = quote(bytes, from)?;
    let end = run(bytes, open, MAX_LENGTH, |byte| byte != mark && byte != b'\\' && byte.is_ascii_graphic());
    (end > open && quote(bytes, end).is_some()).then_some(open..end)
}

/// Whether the second element of the list under this name is a password. `call` is the method it is an
/// argument of.
pub(super) fn is_login(field: &str, call: Option<&str>, value: &Value) -> bool {
    let is_call = field == "params"
        && call.is_some_and(|call| {
            let call = call.to_ascii_lowercase();
            call.contains("login") || call.contains("auth")
        });
    let is_named = is_call || LOGINS.contains(&field);
    match value {
        Value::Array(items) if is_named => match items.as_slice() {
            [Value::String(user), Value::String(password)] => {
                let is_word = |text: &str| !text.is_empty() && !text.contains(char::is_whitespace);
                is_word(user) && is_word(password) && !non_secret::value(password.as_bytes(), b'"')
            }
            _ => false,
        },
        _ => false,
    }
}
