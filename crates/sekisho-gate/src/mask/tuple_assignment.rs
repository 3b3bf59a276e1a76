//! Several variables assigned in one statement: `user, password = "me", "…"`.

use std::ops::Range;

use super::byte_scan::{at, before, blanks, part, quote, run};
use super::shell_value;

/// The maximum length of the statement before its values.
const REACH: usize = 128;
/// The maximum number of variables.
const MAX_NAMES: usize = 8;

/// The value of this name, if it is one of several on the left side of an assignment.
/// `Some(None)` if its value is no text.
pub(super) fn value(bytes: &[u8], named: &Range<usize>) -> Option<Option<Range<usize>>> {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.');
    let is_list = |byte: u8| is_name(byte) || matches!(byte, b',' | b' ');
    let left = part(bytes, named.start.saturating_sub(REACH), named.start);
    let length = left.iter().rev().take_while(|byte| is_list(**byte)).count();
    let is_statement = matches!(before(left, left.len() - length), 0 | b'\n' | b';' | b'"' | b'\'' | b'`');
    let left = part(left, left.len() - length, left.len()).trim_ascii_start();
    let index = left.iter().filter(|byte| **byte == b',').count();
    let sign = run(bytes, named.end, REACH, is_list);
    // Each comma must separate two names.
    let names: Vec<&[u8]> = left.split(|byte| *byte == b',').map(<[u8]>::trim_ascii).collect();
    let is_names = names.iter().rev().skip(1).all(|name| !name.is_empty() && !name.contains(&b' '));
    let is_assigned = at(bytes, sign) == b'=' && at(bytes, sign + 1) != b'=';
    let has_other = index > 0 || part(bytes, named.end, sign).contains(&b',');
    let is_list = has_other && index <= MAX_NAMES && is_names && before(bytes, sign) == b' ';
    let is_tuple = is_list && is_statement && is_assigned;
    is_tuple.then(|| item(bytes, blanks(bytes, sign + 1), index))
}

/// The text at this index of a list of texts in quotes.
fn item(bytes: &[u8], from: usize, index: usize) -> Option<Range<usize>> {
    let mut here = from;
    for _ in 0..index {
        let (mark, open) = quote(bytes, here)?;
        here = blanks(bytes, shell_value::closing_quote(bytes, open, mark, 0) + 1);
        if at(bytes, here) != b',' {
            return None;
        }
        here = blanks(bytes, here + 1);
    }
    let (mark, open) = quote(bytes, here)?;
    Some(open..shell_value::closing_quote(bytes, open, mark, 0))
}
