//! `user:password` lines: the input of `chpasswd`, `.pgpass`, the relay passwords of Postfix.

use std::ops::Range;

use super::byte_scan::{at, before, blanks, has, part, run};
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
        let end = run(bytes, here, REACH, |byte| !matches!(byte, b'\n' | b'\r'));
        let is_user = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'$');
        let start = past_colon(bytes, here, end);
        let Some(start) = start.filter(|start| part(bytes, here, start - 1).iter().all(is_user)) else {
            break;
        };
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
    let left = part(bytes, hit.start.saturating_sub(64), hit.start);
    let host = left.iter().rev().take_while(|byte| field(**byte)).count();
    let mark = before(bytes, hit.start - host);
    let is_quoted = matches!(mark, b'"' | b'\'');
    // The last field goes to the end of the line, or of the quotes around it.
    let end = run(bytes, user + 1, REACH, |byte| match is_quoted {
        true => byte != mark && !matches!(byte, b'\n' | b'\\'),
        false => {
            byte.is_ascii_graphic()
                && !matches!(byte, b'"' | b'\'' | b'\\' | b';' | b'|' | b'&' | b'<' | b'>')
        }
    });
    if is_secret(bytes, user + 1, end) { Detection::Secret(user + 1..end) } else { Detection::NOTHING }
}

/// The ports of a mail relay, followed by a blank, and a table of Postfix with one login.
pub(super) const RELAYS: &[&str] = &[
    ":587 ",
    ":465 ",
    ":25 ",
    ":2525 ",
    ":submission ",
    ":smtps ",
    ":smtp ",
    "maps = static:",
    "maps=static:",
];

/// `[smtp.example.com]:587 me@example.com:secret`
pub(super) fn relay(bytes: &[u8], hit: Range<usize>) -> Detection {
    let is_host = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let start = blanks(bytes, hit.end);
    let user = run(bytes, start, REACH, |byte| is_host(byte) || matches!(byte, b'@' | b'+' | b'='));
    let is_address = part(bytes, start, user).contains(&b'@');
    let is_login = match before(bytes, hit.start) {
        _ if before(bytes, hit.end) == b':' => user > start,
        b']' => user > start && is_bracketed(part(bytes, hit.start.saturating_sub(REACH), hit.start - 1)),
        byte => is_host(byte) && is_address,
    };
    if !is_login || at(bytes, start) == b'-' || at(bytes, user) != b':' {
        return Detection::NOTHING;
    }
    let end =
        run(bytes, user + 1, REACH, |byte| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\'' | b'\\'));
    if is_secret(bytes, user + 1, end) { Detection::Secret(user + 1..end) } else { Detection::NOTHING }
}

/// `[smtp.example.com`: whether the text ends in an opened bracket and a host. A mask is no host.
fn is_bracketed(left: &[u8]) -> bool {
    let is_host = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.');
    let host = left.iter().rev().take_while(|byte| is_host(byte)).count();
    host > 0 && before(left, left.len() - host) == b'['
}
