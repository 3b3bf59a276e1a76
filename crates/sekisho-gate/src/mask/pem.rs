//! Private keys in ASCII armour, whole or truncated.
//!
//! The markers alone do not count: only text between them that can be armour is masked. Otherwise a
//! command between two markers could be kept out of the log.

use std::ops::Range;

use super::byte_scan::{at, before, blanks, part, quote, run, starts};
use super::detection::Detection;

/// A line of at least this length is base64 text, not a word.
const LINE: usize = 24;
/// How much of a key is masked if its opening marker was cut off, in bytes.
const TAIL: usize = 16 * 1024;

/// The markers that open and close a key.
pub(super) const MARKERS: &[&str] = &["-----BEGIN ", "-----END "];

/// Whether a detector finds keys in armour.
pub(super) fn is_key(detector: &str) -> bool {
    matches!(
        detector,
        "private-key" | "ssh-private-key" | "pgp-private-key" | "service-account-key" | "putty-key"
    )
}

/// The lines of a range that can only be armour: long, without blanks, and random. A line of code, or a path, is not.
pub(super) fn random_lines(bytes: &[u8], range: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let mut start = range.start;
    let lines = part(bytes, range.start, range.end).split(|byte| *byte == b'\n');
    lines.filter_map(move |line| {
        let from = start + line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        start += line.len() + 1;
        let line = line.trim_ascii();
        let has = |is: fn(&u8) -> bool| line.iter().any(is);
        let slashes = line.iter().filter(|byte| **byte == b'/').count();
        let is_random = line.len() >= LINE
            && line.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='))
            && has(u8::is_ascii_uppercase)
            && has(u8::is_ascii_lowercase)
            && has(u8::is_ascii_digit)
            && slashes * 8 <= line.len();
        is_random.then(|| from..from + line.len())
    })
}

/// Any private key except the two below.
pub(super) fn private_key(bytes: &[u8], hit: Range<usize>) -> Detection {
    block(bytes, hit, |label| !label.starts_with(b"OPENSSH") && !label.starts_with(b"PGP"))
}

/// An OpenSSH key.
pub(super) fn ssh(bytes: &[u8], hit: Range<usize>) -> Detection {
    block(bytes, hit, |label| label.starts_with(b"OPENSSH"))
}

/// A PGP key.
pub(super) fn pgp(bytes: &[u8], hit: Range<usize>) -> Detection {
    block(bytes, hit, |label| label.starts_with(b"PGP"))
}

/// The key in a Google service account file, under a name of its own.
pub(super) fn service_account(bytes: &[u8], hit: Range<usize>) -> Detection {
    let Some((_, closed)) = quote(bytes, hit.end) else { return Detection::NOTHING };
    let joint = blanks(bytes, closed);
    let value = blanks(bytes, joint + 1);
    let (b':', Some((_, open))) = (at(bytes, joint), quote(bytes, value)) else { return Detection::NOTHING };
    if !starts(bytes, open, b"-----BEGIN ") {
        return Detection::NOTHING;
    }
    block(bytes, open..open + 11, |_| true)
}

/// The key in a PuTTY file.
pub(super) fn putty(bytes: &[u8], hit: Range<usize>) -> Detection {
    let count = run(bytes, hit.end, 4, |byte| byte.is_ascii_digit());
    let body = gap(bytes, count);
    let end = if count > hit.end && body > count { armour(bytes, body) } else { None };
    end.map_or(Detection::NOTHING, |end| Detection::Secret(body..end))
}

fn block(bytes: &[u8], hit: Range<usize>, is_ours: fn(&[u8]) -> bool) -> Detection {
    let label_end =
        run(bytes, hit.end, 48, |byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b' ');
    let label = part(bytes, hit.end, label_end);
    let private = label.ends_with(b"PRIVATE KEY") || label.ends_with(b"PRIVATE KEY BLOCK");
    if !private || !is_ours(label) || !starts(bytes, label_end, b"-----") {
        return Detection::NOTHING;
    }
    if starts(bytes, hit.start, b"-----END ") {
        let body = tail(bytes, hit.start);
        return if body < hit.start { Detection::Secret(body..label_end + 5) } else { Detection::NOTHING };
    }
    let body = headers(bytes, label_end + 5);
    match armour(bytes, body) {
        Some(end) => Detection::Secret(hit.start..end),
        None => Detection::NOTHING,
    }
}

/// Skips `Proc-Type: …`, `DEK-Info: …`, `Version: …`.
fn headers(bytes: &[u8], from: usize) -> usize {
    let mut here = from;
    for _ in 0..6 {
        let line = gap(bytes, here);
        let name = run(bytes, line, 16, |byte| byte.is_ascii_alphabetic() || byte == b'-');
        let known = [&b"Proc-Type"[..], b"DEK-Info", b"Version", b"Comment", b"Hash", b"Charset"];
        if !known.contains(&part(bytes, line, name)) || at(bytes, name) != b':' {
            break;
        }
        here = run(bytes, name, 120, |byte| !matches!(byte, b'\n' | b'\r' | b'\\' | b';' | b'|' | b'&'));
    }
    here
}

/// The end of the armoured text and of the marker after it. None if there is no such text.
fn armour(bytes: &[u8], from: usize) -> Option<usize> {
    let mut end = None;
    let mut here = gap(bytes, from);
    let mut full = 0;
    loop {
        let line = run(bytes, here, bytes.len(), is_armour);
        let next = gap(bytes, line);
        let closes = starts(bytes, next, b"-----END ");
        if !is_line(part(bytes, here, line), full, closes) {
            break;
        }
        full = line - here;
        end = Some(line);
        here = next;
    }
    let end = end?;
    let marker = gap(bytes, end);
    if !starts(bytes, marker, b"-----END ") {
        return Some(end);
    }
    let label =
        run(bytes, marker + 9, 48, |byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b' ');
    Some(run(bytes, label, 5, |byte| byte == b'-'))
}

/// The start of the armoured text before a closing marker, if its opening marker was cut off. Markers
/// are not armoured text, so no two of them read the same bytes.
fn tail(bytes: &[u8], marker: usize) -> usize {
    let mut start = marker;
    let mut closes = true;
    let mut is_key = false;
    while marker - start < TAIL {
        let end = gap_before(bytes, start);
        let left = part(bytes, end.saturating_sub(TAIL), end);
        let from = end - left.iter().rev().take_while(|byte| is_armour(**byte)).count();
        let is_escaped = before(bytes, from) == b'\\' && matches!(at(bytes, from), b'n' | b'r' | b't');
        let from = from + usize::from(is_escaped);
        if end == start || from >= end || !is_line(part(bytes, from, end), LINE, closes) {
            break;
        }
        closes = false;
        is_key |= end - from >= LINE;
        start = from;
    }
    if is_key { start } else { marker }
}

/// Where the previous line ends.
fn gap_before(bytes: &[u8], from: usize) -> usize {
    let mut here = from;
    while from - here < 32 {
        here = match part(bytes, here.saturating_sub(2), here) {
            [b'\\', b'n' | b'r' | b't'] => here - 2,
            [.., b'\\' | b'"' | b'\'' | b',' | b'>' | b'#' | b'*'] => here - 1,
            [.., byte] if byte.is_ascii_whitespace() => here - 1,
            _ => break,
        };
    }
    here
}

fn is_armour(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// A full line; or a last line, shorter than the previous one or closed by the marker; or a checksum.
fn is_line(line: &[u8], before: usize, closes: bool) -> bool {
    match line.len() {
        0 => false,
        LINE.. => true,
        5 if line.first() == Some(&b'=') => before > 0,
        _ if closes => true,
        8.. => before >= LINE,
        _ => before >= LINE && line.last() == Some(&b'='),
    }
}

/// Skips what may separate two lines: line ends, escaped or not, indentation, quotes, and characters
/// that quote or join lines.
fn gap(bytes: &[u8], from: usize) -> usize {
    let mut here = from;
    while here - from < 256 {
        here = match at(bytes, here) {
            b'\\' if matches!(at(bytes, here + 1), b'n' | b'r' | b't') => here + 2,
            b'+' if at(bytes, here + 1).is_ascii_whitespace() => here + 1,
            b'\\' | b'"' | b'\'' | b',' | b'>' | b'#' | b'*' => here + 1,
            byte if byte.is_ascii_whitespace() => here + 1,
            _ => break,
        };
    }
    here
}
