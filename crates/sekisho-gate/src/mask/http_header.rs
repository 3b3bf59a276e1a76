//! Secrets in HTTP headers, wherever the header is written: in a request, in `curl -H`, in code.
//!
//! Only the credentials are masked. Lists of parameters or cookies are followed pair by pair, so no
//! text after them is masked.

use std::ops::Range;

use super::base64_decode::is_pair;
use super::byte_scan::{at, before, blanks, mixed, part, quote, run, starts_any_case};
use super::detection::Detection;
use super::non_secret;

const SCHEMES: &[&str] = &[
    "basic",
    "bearer",
    "digest",
    "token",
    "negotiate",
    "ntlm",
    "apikey",
    "api-key",
    "key",
    "hmac",
    "aws",
    "aws4-hmac-sha256",
    "oauth",
    "hawk",
    "sharedkey",
    "dpop",
    "bot",
    "ssws",
    "splunk",
    "geniekey",
    "vapid",
    "mutual",
    "hoba",
    "scram-sha-256",
    "signature",
];

/// Longest text that is ruled out at once, so that no text is read repeatedly.
const MAX_LENGTH: usize = 256;

pub(super) fn authorization(bytes: &[u8], hit: Range<usize>) -> Detection {
    let found = credentials(bytes, hit.end).map(|found| whole(bytes, hit.start, found));
    found.map_or(Detection::NOTHING, Detection::Secret)
}

/// Credentials with shell signs in a header in quotes: `'Authorization: Bearer a&b'`.
fn whole(bytes: &[u8], name: usize, found: Range<usize>) -> Range<usize> {
    let mark = before(bytes, name);
    let end = run(bytes, found.end, MAX_LENGTH, |byte| {
        byte != mark && byte.is_ascii_graphic() && !matches!(byte, b'\\' | b'`' | b'$')
    });
    let is_quoted = matches!(mark, b'"' | b'\'') && at(bytes, end) == mark;
    if is_quoted { found.start..end } else { found }
}

fn credentials(bytes: &[u8], from: usize) -> Option<Range<usize>> {
    let start = after_name(bytes, from)?;
    let first = start..word_end(bytes, start);
    let second = blanks(bytes, first.end);
    let scheme = part(bytes, first.start, first.end);
    if scheme.len() > MAX_LENGTH {
        return Some(first);
    }
    let is_scheme = SCHEMES.iter().any(|known| scheme.eq_ignore_ascii_case(known.as_bytes()));
    if second == first.end {
        let alone = !is_scheme && first.len() >= 6;
        return (alone && !non_secret::value(scheme, 0)).then_some(first);
    }
    let credential = second..list_end(bytes, second);
    let word = part(bytes, credential.start, word_end(bytes, second));
    if is_scheme {
        let is_plain = word.is_empty() || non_secret::reference(word, 0) || non_secret::placeholder(word);
        return (!is_plain && !non_secret::opens_reference(bytes, second)).then_some(credential);
    }
    if scheme.len() >= 16 && mixed(scheme) {
        return Some(first);
    }
    (word.len() >= 16 && mixed(word)).then_some(credential)
}

/// Skips what joins a header's name to its value, and an opening quote.
fn after_name(bytes: &[u8], from: usize) -> Option<usize> {
    let closed = quote(bytes, from).map_or(from, |(_, end)| end);
    let joint = blanks(bytes, if at(bytes, closed) == b']' { closed + 1 } else { closed });
    let sign = run(bytes, joint, 2, |byte| matches!(byte, b':' | b'=' | b',' | b'>'));
    if !matches!(part(bytes, joint, sign), b":" | b"=" | b"," | b"=>") {
        return None;
    }
    let start = blanks(bytes, sign);
    Some(quote(bytes, start).map_or(start, |(_, open)| open))
}

fn word_end(bytes: &[u8], from: usize) -> usize {
    run(bytes, from, bytes.len(), |byte| {
        !byte.is_ascii_whitespace()
            && !byte.is_ascii_control()
            && !matches!(byte, b'"' | b'\'' | b'`' | b'\\' | b'<' | b'>' | b'(' | b')' | b';' | b'|' | b'&')
    })
}

/// The end of `token`, or of `name="value", name=value, …`.
fn list_end(bytes: &[u8], from: usize) -> usize {
    let mut end = word_end(bytes, from);
    loop {
        if before(bytes, end) == b'='
            && let Some((mark, open)) = quote(bytes, end)
        {
            let close = run(bytes, open, 1024, |byte| byte != mark && byte != b'\n');
            if at(bytes, close) != mark {
                return end;
            }
            end = word_end(bytes, close + 1);
        }
        let next = blanks(bytes, end);
        let name = run(bytes, next, 32, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
        if before(bytes, end) != b',' || name == next || at(bytes, name) != b'=' {
            return end;
        }
        end = word_end(bytes, next);
    }
}

const BEARER: &str = "bearer";

/// `Bearer …` outside its header.
pub(super) fn bearer(bytes: &[u8], hit: Range<usize>) -> Detection {
    let start = match at(bytes, hit.end) {
        b'+' => hit.end + 1,
        b'%' if starts_any_case(bytes, hit.end, "%20") => hit.end + 3,
        _ => blanks(bytes, hit.end),
    };
    if start == hit.end {
        return Detection::NOTHING;
    }
    let end = run(bytes, start, bytes.len(), |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'~' | b'+' | b'/' | b'=' | b'-')
    });
    if end - start >= 16
        && mixed(part(bytes, start, end))
        && !non_secret::placeholder(part(bytes, start, end))
    {
        return Detection::Secret(start..end);
    }
    // The word may itself announce a token: `bearer bearer …`.
    let announces = end.saturating_sub(BEARER.len()).max(start);
    Detection::Nothing { read: if starts_any_case(bytes, announces, BEARER) { announces } else { end } }
}

/// `Basic …` outside its header, if user and password in base64 follow.
pub(super) fn basic(bytes: &[u8], hit: Range<usize>) -> Detection {
    let start = blanks(bytes, hit.end);
    let end = run(bytes, start, 1024, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'-' | b'_')
    });
    if is_pair(part(bytes, start, end)) { Detection::Secret(start..end) } else { Detection::NOTHING }
}

pub(super) fn cookie(bytes: &[u8], hit: Range<usize>) -> Detection {
    let flag = before(bytes, hit.start) == b'-' && matches!(at(bytes, hit.end), b' ' | b'=');
    let start = if flag {
        let start = blanks(bytes, hit.end + 1);
        Some(quote(bytes, start).map_or(start, |(_, open)| open))
    } else {
        after_name(bytes, hit.end)
    };
    start.and_then(|start| pairs(bytes, start)).map_or(Detection::NOTHING, Detection::Secret)
}

/// `name=value; name=value`
pub(super) fn pairs(bytes: &[u8], start: usize) -> Option<Range<usize>> {
    let mut next = start;
    let mut end = None;
    while let Some(value) = pair(bytes, next) {
        end = Some(value);
        next = blanks(bytes, value + 1);
        if at(bytes, value) != b';' || next == value + 1 {
            break;
        }
    }
    end.map(|end| start..end)
}

fn pair(bytes: &[u8], start: usize) -> Option<usize> {
    let name = run(bytes, start, 128, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'%' | b'!' | b'~' | b'+')
    });
    if name == start || at(bytes, name) != b'=' {
        return None;
    }
    let end = run(bytes, name + 1, bytes.len(), |byte| {
        byte.is_ascii_graphic()
            && !matches!(byte, b'"' | b'\'' | b',' | b';' | b'\\' | b'`' | b'<' | b'(' | b')')
    });
    let value = part(bytes, name + 1, end);
    (!value.is_empty() && !non_secret::reference(value, 0)).then_some(end)
}
