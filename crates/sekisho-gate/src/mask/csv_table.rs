//! Passwords in a column of comma-separated values.

use std::ops::Range;

use super::byte_scan::{part, run};
use super::detection::Detection;
use super::stdin_secret::is_secret;
use super::{non_secret, secret_name};

/// Parts of header lines.
pub(super) const KEYS: &[&str] = &[
    ",password",
    "password,",
    ",passwd",
    "passwd,",
    ",secret",
    ",token",
    "token,",
    ",api_key",
    ",apikey",
    ",pwd",
];

/// The maximum length of a line, and of the table.
const LINE: usize = 512;
const ROWS: usize = 64;

/// Finds the values of secret columns below a header line.
pub(super) fn look(bytes: &[u8], hit: Range<usize>) -> Detection {
    let left = part(bytes, hit.start.saturating_sub(LINE), hit.start);
    let start = hit.start - left.iter().rev().take_while(|byte| **byte != b'\n').count();
    let end = run(bytes, hit.end, LINE, |byte| !matches!(byte, b'\n' | b'\r'));
    let header: Vec<&[u8]> = part(bytes, start, end).split(|byte| *byte == b',').collect();
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let is_header = header.len() > 1
        && header.iter().all(|name| !name.is_empty() && name.len() <= 40 && name.iter().all(is_name));
    let secret: Vec<usize> = (0..header.len())
        .filter(|at| header.get(*at).is_some_and(|name| secret_name::secret(name)))
        .collect();
    // Only the first secret column leads to the values, so that they are not read for each of them.
    let commas = part(bytes, start, hit.start + 1).iter().filter(|byte| **byte == b',').count();
    // A line below another of the table is no header.
    let above = part(bytes, start.saturating_sub(LINE), start.saturating_sub(1));
    let above = above.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    let is_first = above.iter().filter(|byte| **byte == b',').count() + 1 != header.len();
    if !is_header || !is_first || secret.first() != Some(&commas) {
        return Detection::NOTHING;
    }
    let (mut here, mut found) = (end, Vec::new());
    for _ in 0..ROWS {
        let from = run(bytes, here, 2, |byte| matches!(byte, b'\n' | b'\r'));
        let end = run(bytes, from, LINE, |byte| !matches!(byte, b'\n' | b'\r'));
        let cells = cells(bytes, from..end);
        if from == here || cells.len() != header.len() {
            break;
        }
        let values = secret.iter().filter_map(|at| cells.get(*at).cloned());
        found.extend(values.filter(|value| {
            let text = part(bytes, value.start, value.end);
            is_secret(bytes, value.start, value.end)
                && !non_secret::value(text, b'"')
                && !secret_name::secret(text)
        }));
        here = end;
    }
    Detection::Secrets(found)
}

/// The cells of a line, without quotes around them.
fn cells(bytes: &[u8], line: Range<usize>) -> Vec<Range<usize>> {
    let mut start = line.start;
    let mut cells = Vec::new();
    for cell in part(bytes, line.start, line.end).split(|byte| *byte == b',') {
        let range = start..start + cell.len();
        start = range.end + 1;
        let is_quoted = cell.len() > 1 && cell.starts_with(b"\"") && cell.ends_with(b"\"");
        cells.push(if is_quoted { range.start + 1..range.end - 1 } else { range });
    }
    cells
}
