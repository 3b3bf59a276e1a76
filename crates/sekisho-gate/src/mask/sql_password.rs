//! Passwords in SQL statements.

use std::ops::Range;

use memchr::memmem;

use super::byte_scan::{at, before, blanks, has, part, quote, run, starts_any_case};
use super::detection::Detection;
use super::non_secret;
use super::value_end;

/// How far before `PASSWORD '…'` its statement may start, in bytes.
const REACH: usize = 256;
/// The maximum length of a password.
const MAX_LENGTH: usize = 512;

const STATEMENTS: &[&str] = &[
    "create user",
    "alter user",
    "create role",
    "alter role",
    "create login",
    "alter login",
    "set password",
    "create database link",
    "create subscription",
    "user mapping",
    "alter system",
    "grant ",
];

/// `IDENTIFIED BY 'secret'`, `IDENTIFIED WITH plugin AS 'secret'`
pub(super) fn identified(bytes: &[u8], hit: Range<usize>) -> Detection {
    let mut here = blanks(bytes, hit.end);
    for _ in 0..4 {
        let end = run(bytes, here, 64, |byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let joint = blanks(bytes, end);
        let is_joined =
            ["by", "as"].iter().any(|word| part(bytes, here, end).eq_ignore_ascii_case(word.as_bytes()));
        if is_joined && starts_any_case(bytes, joint, "password ") {
            return found(literal(bytes, blanks(bytes, joint + 9)));
        }
        if is_joined {
            return found(
                literal(bytes, joint).or_else(|| bare(bytes, joint).filter(|_| is_statement(bytes, &hit))),
            );
        }
        if joint == end {
            break;
        }
        here = joint;
    }
    Detection::NOTHING
}

/// The text before a quoted key.
pub(super) const KEYS: &[&str] = &["pragma key", "pragma rekey", "pragma hexkey", " secret '", " key '"];

/// `PRAGMA key = 'secret'`, `ATTACH 'a.db' AS b KEY 'secret'`, `CREATE SECRET s (SECRET 'secret')`
pub(super) fn keyed(bytes: &[u8], hit: Range<usize>) -> Detection {
    let name = part(bytes, hit.start, hit.end).to_ascii_lowercase();
    let left = part(bytes, hit.start.saturating_sub(REACH), hit.start);
    let left = left.rsplit(|byte| *byte == b';').next().unwrap_or(left).to_ascii_lowercase();
    let is_statement = match name.as_slice() {
        b" secret '" => has(&left, "create secret") || has(&left, "replace secret"),
        b" key '" => has(&left, "attach "),
        _ => true,
    };
    if !is_statement {
        return Detection::NOTHING;
    }
    let end = if name.ends_with(b"'") { hit.end - 1 } else { hit.end };
    let sign = blanks(bytes, run(bytes, blanks(bytes, end), 1, |byte| byte == b'='));
    found(literal(bytes, sign))
}

/// `CREATE ROLE me PASSWORD 'secret'`, `SET PASSWORD FOR me = PASSWORD('secret')`
pub(super) fn password(bytes: &[u8], hit: Range<usize>) -> Detection {
    let mut here = blanks(bytes, hit.end);
    if starts_any_case(bytes, here, "for ") {
        here = blanks(bytes, run(bytes, here + 4, 128, |byte| !matches!(byte, b'=' | b'\n' | b';')));
    }
    here = blanks(bytes, run(bytes, here, 1, |byte| byte == b'='));
    here = blanks(bytes, run(bytes, here, 1, |byte| byte == b'('));
    found(literal(bytes, here).filter(|_| is_statement(bytes, &hit)))
}

fn is_statement(bytes: &[u8], hit: &Range<usize>) -> bool {
    let left = part(bytes, hit.start.saturating_sub(REACH), hit.end);
    let left = left.rsplit(|byte| *byte == b';').next().unwrap_or(left);
    // Every entry of `STATEMENTS` contains a blank.
    if !left.contains(&b' ') {
        return false;
    }
    let left = left.to_ascii_lowercase();
    STATEMENTS.iter().any(|words| {
        memmem::find_iter(&left, words).any(|index| !before(&left, index).is_ascii_alphanumeric())
    })
}

fn found(range: Option<Range<usize>>) -> Detection {
    range.map_or(Detection::NOTHING, Detection::Secret)
}

/// A quoted text; only its first word if it looks like more than a password.
fn literal(bytes: &[u8], from: usize) -> Option<Range<usize>> {
    // `'\''` closes a shell quote, writes a quote, and opens it again.
    let from = if bytes.get(from..).is_some_and(|rest| rest.starts_with(b"'\\''")) { from + 3 } else { from };
    let (mark, open) = quote(bytes, from)?;
    let close = run(bytes, open, MAX_LENGTH, |byte| byte != mark && !matches!(byte, b'\\' | b'\n'));
    if at(bytes, close) == mark && value_end::is_one(part(bytes, open, close), true) {
        return real(bytes, open..close);
    }
    let end = run(bytes, open, MAX_LENGTH, |byte| byte != mark && !matches!(byte, b'\\' | b'\n' | b';'));
    let text = part(bytes, open, end);
    let end = match text.iter().position(u8::is_ascii_whitespace) {
        Some(blank) if at(bytes, end) != mark => open + blank,
        _ => end,
    };
    real(bytes, open..end)
}

fn bare(bytes: &[u8], from: usize) -> Option<Range<usize>> {
    let end = run(bytes, from, MAX_LENGTH, |byte| {
        byte.is_ascii_graphic() && !matches!(byte, b';' | b'"' | b'\'' | b'\\' | b')')
    });
    real(bytes, from..end)
}

fn real(bytes: &[u8], range: Range<usize>) -> Option<Range<usize>> {
    let text = part(bytes, range.start, range.end);
    (!text.is_empty() && !non_secret::reference(text, 0) && !non_secret::placeholder(text)).then_some(range)
}
