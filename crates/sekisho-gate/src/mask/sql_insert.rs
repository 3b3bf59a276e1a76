//! `INSERT INTO users (name, password) VALUES ('me', 'secret')`: values by the names of their columns.

use std::ops::Range;

use super::byte_scan::{at, part, quote, run, starts_any_case};
use super::detection::Detection;
use super::non_secret;
use super::secret_name;

/// The maximum length of the list of columns, and of one row.
const REACH: usize = 1024;
/// How many rows are read.
const ROWS: usize = 64;

pub(super) fn look(bytes: &[u8], hit: Range<usize>) -> Detection {
    let open = run(bytes, hit.end, 128, |byte| !matches!(byte, b'(' | b')' | b';' | b'\n'));
    let close = run(bytes, open + 1, REACH, |byte| !matches!(byte, b'(' | b')' | b';'));
    if at(bytes, open) != b'(' || at(bytes, close) != b')' {
        return Detection::NOTHING;
    }
    let columns: Vec<bool> =
        part(bytes, open + 1, close).split(|byte| *byte == b',').map(is_secret).collect();
    let values = run(bytes, close + 1, 64, |byte| byte.is_ascii_whitespace());
    if !columns.contains(&true) || !starts_any_case(bytes, values, "values") {
        return Detection::NOTHING;
    }
    let mut found = Vec::new();
    let mut here = values + 6;
    for _ in 0..ROWS {
        here = run(bytes, here, 64, |byte| byte.is_ascii_whitespace() || byte == b',');
        let Some((items, end)) = row(bytes, here) else { break };
        let secret = items.iter().zip(&columns).filter(|(_, is_secret)| **is_secret);
        found.extend(secret.filter_map(|(item, _)| literal(bytes, item)));
        here = end;
    }
    // The rows have been read; no other statement starts inside them.
    if found.is_empty() { Detection::Nothing { read: here } } else { Detection::Secrets(found) }
}

fn is_secret(column: &[u8]) -> bool {
    let column = column.trim_ascii();
    let trimmed = column.iter().position(u8::is_ascii_alphanumeric).unwrap_or(0);
    let column = part(column, trimmed, column.len());
    secret_name::secret(column) || column.to_ascii_lowercase().starts_with(b"password")
}

/// The items of `(a, 'b', f('c'))`, and the end of the row.
fn row(bytes: &[u8], open: usize) -> Option<(Vec<Range<usize>>, usize)> {
    if at(bytes, open) != b'(' {
        return None;
    }
    let (mut items, mut item, mut depth) = (Vec::new(), open + 1, 0);
    let mut here = open + 1;
    while here - open < REACH {
        match at(bytes, here) {
            0 | b';' => return None,
            mark @ (b'\'' | b'"') => {
                here = run(bytes, here + 1, REACH, |byte| byte != mark && byte != b'\n');
            }
            b'(' => depth += 1,
            b')' if depth > 0 => depth -= 1,
            b')' => {
                items.push(item..here);
                return Some((items, here + 1));
            }
            b',' if depth == 0 => {
                items.push(item..here);
                item = here + 1;
            }
            _ => {}
        }
        here += 1;
    }
    None
}

/// The first quoted text, also as an argument: `crypt('secret', …)`.
fn literal(bytes: &[u8], item: &Range<usize>) -> Option<Range<usize>> {
    let before = run(bytes, item.start, item.len(), |byte| !matches!(byte, b'\'' | b'"'));
    let (mark, open) = quote(bytes, before).filter(|_| before < item.end)?;
    let end = run(bytes, open, item.end.saturating_sub(open), |byte| byte != mark && byte != b'\\');
    let text = part(bytes, open, end);
    (!text.is_empty() && !non_secret::value(text, 0)).then_some(open..end)
}
