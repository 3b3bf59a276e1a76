//! Values of Kubernetes Secret manifests, whatever their names.

use std::ops::Range;

use super::byte_scan::{at, before, part, run};
use super::detection::Detection;
use super::non_secret;

/// How far from its data the kind of the manifest may be, in bytes.
const REACH: usize = 1024;
/// How many values are read.
const LINES: usize = 64;

pub(super) fn look(bytes: &[u8], hit: Range<usize>) -> Detection {
    let left = part(bytes, hit.start.saturating_sub(6), hit.start);
    let start = if left.eq_ignore_ascii_case(b"string") { hit.start - 6 } else { hit.start };
    let line = run(bytes, hit.end, 64, |byte| matches!(byte, b' ' | b'\t' | b'\r'));
    if !matches!(before(bytes, start), 0 | b'\n') || at(bytes, line) != b'\n' {
        return Detection::NOTHING;
    }
    let (values, end) = values(bytes, line);
    if values.is_empty()
        || !(is_secret(before_document(bytes, start)) || is_secret(after_document(bytes, end)))
    {
        return Detection::NOTHING;
    }
    Detection::Secrets(values)
}

/// The values of the more deeply indented lines, and where they end.
fn values(bytes: &[u8], from: usize) -> (Vec<Range<usize>>, usize) {
    let mut found = Vec::new();
    let mut here = from;
    for _ in 0..LINES {
        let name = run(bytes, here + 1, 16, |byte| byte == b' ');
        let indent = name - here - 1;
        let sign = run(bytes, name, 64, |byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b'"')
        });
        if at(bytes, here) != b'\n' || name == here + 1 || sign == name || at(bytes, sign) != b':' {
            break;
        }
        let start = run(bytes, sign + 1, 8, |byte| matches!(byte, b' ' | b'"' | b'\''));
        let end =
            run(bytes, start, bytes.len(), |byte| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\''));
        let text = part(bytes, start, end);
        if !text.is_empty() && !non_secret::value(text, 0) && !matches!(text, b"|" | b">" | b"|-" | b">-") {
            found.push(start..end);
        }
        here = run(bytes, end, REACH, |byte| byte != b'\n');
        if matches!(text, b"|" | b">" | b"|-" | b">-") {
            here = block(bytes, here, indent, &mut found);
        }
    }
    (found, here)
}

/// Adds the lines of a block, which are indented more deeply than its name. Returns where they end.
fn block(bytes: &[u8], from: usize, indent: usize, found: &mut Vec<Range<usize>>) -> usize {
    let mut here = from;
    for _ in 0..LINES {
        let start = run(bytes, here + 1, 64, |byte| byte == b' ');
        if at(bytes, here) != b'\n' || start <= here + 1 + indent {
            break;
        }
        let end = run(bytes, start, REACH, |byte| byte != b'\n');
        found.push(start..end);
        here = end;
    }
    here
}

fn before_document(bytes: &[u8], to: usize) -> &[u8] {
    let left = part(bytes, to.saturating_sub(REACH), to);
    let cut = left.windows(4).rposition(|four| four == b"\n---").unwrap_or(0);
    part(left, cut, left.len())
}

fn after_document(bytes: &[u8], from: usize) -> &[u8] {
    let right = part(bytes, from, from.saturating_add(REACH).min(bytes.len()));
    let cut = right.windows(4).position(|four| four == b"\n---").unwrap_or(right.len());
    part(right, 0, cut)
}

fn is_secret(document: &[u8]) -> bool {
    const KIND: &[u8] = b"kind: Secret";
    document
        .windows(KIND.len())
        .enumerate()
        .any(|(start, found)| found == KIND && !at(document, start + KIND.len()).is_ascii_alphanumeric())
}
