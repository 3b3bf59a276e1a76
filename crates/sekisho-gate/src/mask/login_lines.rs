//! `user:password` lines: the input of `chpasswd`, `.pgpass`.

use std::ops::Range;

use super::byte_scan::{at, before, has, part, run};
use super::detection::Detection;
use super::stdin_secret::{is_secret, past_colon};

/// The maximum length of a line.
const REACH: usize = 256;
/// How many lines of a list are read.
const LINES: usize = 64;

/// `chpasswd <<END`, and `user:secret` lines up to the end.
pub(super) fn list(bytes: &[u8], hit: Range<usize>) -> Detection {
    let line = run(bytes, hit.end, REACH, |byte| byte != b'\n');
    let command = part(bytes, hit.end, line);
    if !has(command, "<<") || has(command, "<<<") {
        return Detection::NOTHING;
    }
    let mut found = Vec::new();
    let mut here = line + 1;
    for _ in 0..LINES {
        let end = run(bytes, here, REACH, |byte| !byte.is_ascii_whitespace());
        let Some(start) = past_colon(bytes, here, end) else { break };
        if is_secret(bytes, start, end) {
            found.push(start..end);
        }
        if at(bytes, end) != b'\n' {
            break;
        }
        here = end + 1;
    }
    Detection::Secrets(found)
}

/// `host:5432:database:me:secret`
pub(super) fn pgpass(bytes: &[u8], hit: Range<usize>) -> Detection {
    let field = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'*');
    let database = run(bytes, hit.end, 64, field);
    let user = run(bytes, database + 1, 64, field);
    if !field(before(bytes, hit.start)) || database == hit.end || user == database + 1 {
        return Detection::NOTHING;
    }
    if at(bytes, database) != b':' || at(bytes, user) != b':' {
        return Detection::NOTHING;
    }
    let end = run(bytes, user + 1, REACH, |byte| {
        byte.is_ascii_graphic()
            && !matches!(byte, b'"' | b'\'' | b'\\' | b';' | b'|' | b'&' | b'<' | b'>' | b':')
    });
    if is_secret(bytes, user + 1, end) { Detection::Secret(user + 1..end) } else { Detection::NOTHING }
}
