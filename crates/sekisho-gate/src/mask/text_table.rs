//! Passwords in text tables, as in Markdown and the output of database clients.
//!
//! A name says less as a column header than before `=`: documentation about tokens has such tables too.
//! So a cell must look like a password.

use std::ops::Range;

use super::byte_scan::{at, mixed, part, run, starts};
use super::detection::Detection;
use super::non_secret;
use super::random_looking_value;
use super::secret_name;

/// Longer lines are not rows.
const LINE: usize = 512;
/// How many rows are read.
const ROWS: usize = 64;

/// How the line between the header and the rows starts.
pub(super) const KEYS: &[&str] = &["|-", "| -", "|:-", "| :-", "-|", "- |", "+-"];

/// `| user | password |`, a line of dashes, and rows with a password each.
pub(super) fn look(bytes: &[u8], hit: Range<usize>) -> Detection {
    columns(bytes, hit.start).map_or(Detection::NOTHING, Detection::Secrets)
}

fn columns(bytes: &[u8], hit: usize) -> Option<Vec<Range<usize>>> {
    let rule = line_start(bytes, hit)?;
    // Only at the first such character of a line, so that a line is read once.
    let is_first = !part(bytes, rule, hit).iter().any(|byte| matches!(byte, b'|' | b'+'));
    let line = rule..line_end(bytes, rule);
    if !is_first || !is_rule(part(bytes, line.start, line.end)) {
        return None;
    }
    let head_end = part(bytes, 0, rule).strip_suffix(b"\n").map_or(rule.saturating_sub(2), <[u8]>::len);
    let head = line_start(bytes, head_end)?..head_end;
    if !part(bytes, head.start, head.end).contains(&b'|') {
        return None;
    }
    let names: Vec<(usize, Range<usize>)> = cells(bytes, &head)
        .into_iter()
        .enumerate()
        .filter(|(_, cell)| secret_name::secret(part(bytes, cell.start, cell.end)))
        .collect();
    let mut found = Vec::new();
    let mut here = line.end;
    for _ in 0..ROWS {
        let Some(start) = line_break(bytes, here).filter(|_| !names.is_empty()) else { break };
        let row = start..line_end(bytes, start);
        let text = part(bytes, row.start, row.end);
        if !text.contains(&b'|') || is_rule(text) {
            break;
        }
        let row_cells = cells(bytes, &row);
        for (index, name) in &names {
            let Some(cell) = row_cells.get(*index) else { continue };
            if is_secret(part(bytes, name.start, name.end), part(bytes, cell.start, cell.end)) {
                found.push(cell.clone());
            }
        }
        here = row.end;
    }
    Some(found)
}

/// `| DB password | hunter2x |`: the cell after the one that ends with this name.
pub(super) fn cell(bytes: &[u8], named: &Range<usize>) -> Option<Range<usize>> {
    let bar = run(bytes, named.end, 64, |byte| matches!(byte, b' ' | b'\t' | b'*' | b'`'));
    if at(bytes, bar) != b'|' {
        return None;
    }
    let line = line_start(bytes, named.start)?;
    // A command continues on this line.
    if part(bytes, 0, line).ends_with(b"\\\n") {
        return None;
    }
    if at(bytes, run(bytes, line, 64, |byte| matches!(byte, b' ' | b'>'))) != b'|' {
        return None;
    }
    let end = run(bytes, bar + 1, LINE, |byte| !matches!(byte, b'|' | b'\n'));
    let cell = trimmed(bytes, bar + 1..end);
    let text = part(bytes, cell.start, cell.end);
    (at(bytes, end) == b'|' && is_secret(part(bytes, named.start, named.end), text)).then_some(cell)
}

/// Whether this looks like a password under this name.
fn is_secret(name: &[u8], text: &[u8]) -> bool {
    let is_long = text.len() >= 10 && random_looking_value::unlike_words(text);
    let is_password = secret_name::any_password(name)
        && text.len() >= 6
        && mixed(text)
        && (random_looking_value::unlike_words(text) || random_looking_value::numbered(text));
    (is_long || is_password || random_looking_value::value(text)) && !non_secret::value(text, 0)
}

/// The cells between the bars of a row.
fn cells(bytes: &[u8], row: &Range<usize>) -> Vec<Range<usize>> {
    let text = part(bytes, row.start, row.end);
    let indent = text.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'>' | b'"')).count();
    let from = run(bytes, row.start + indent, 1, |byte| byte == b'|');
    let mut start = from;
    part(bytes, from, row.end)
        .split(|byte| *byte == b'|')
        .map(|cell| {
            let range = start..start + cell.len();
            start = range.end + 1;
            trimmed(bytes, range)
        })
        .collect()
}

/// Without surrounding blanks and emphasis marks.
fn trimmed(bytes: &[u8], range: Range<usize>) -> Range<usize> {
    let text = part(bytes, range.start, range.end);
    let marks = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\r' | b'*' | b'`');
    let left = text.iter().take_while(marks).count();
    let right = text.iter().rev().take_while(marks).count();
    range.start + left..(range.end - right).max(range.start + left)
}

/// Dashes with separators between the columns.
fn is_rule(line: &[u8]) -> bool {
    line.iter().all(|byte| matches!(byte, b'-' | b'|' | b'+' | b':' | b' ' | b'\t' | b'\r' | b'>'))
        && line.contains(&b'-')
}

/// The start of the line at this position. Line ends may be escaped.
fn line_start(bytes: &[u8], from: usize) -> Option<usize> {
    let left = part(bytes, from.saturating_sub(LINE), from);
    let break_at = left.iter().rposition(|byte| *byte == b'\n').map(|at| at + 1);
    let escape_at = left.windows(2).rposition(|two| two == b"\\n").map(|at| at + 2);
    match break_at.max(escape_at) {
        Some(start) => Some(from - left.len() + start),
        None => (left.len() == from).then_some(0),
    }
}

fn line_end(bytes: &[u8], from: usize) -> usize {
    let mut here = from;
    while here < bytes.len() && here - from < LINE && line_break(bytes, here).is_none() {
        here += 1;
    }
    here
}

fn line_break(bytes: &[u8], from: usize) -> Option<usize> {
    if at(bytes, from) == b'\n' {
        return Some(from + 1);
    }
    starts(bytes, from, b"\\n").then_some(from + 2)
}
