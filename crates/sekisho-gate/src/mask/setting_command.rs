//! Secrets that a command stores under a name, and secrets behind a label in markup:
//! `tool config set api_key …`, `**Password:** …`.

use std::ops::Range;

use super::byte_scan::{at, before, blanks, part, quote, run, starts};
use super::random_looking_value;
use super::secret_name;
use super::shell_words::word;

/// How far before the name the command is read, in bytes.
const REACH: usize = 32;
/// The maximum length of a value.
const MAX_LENGTH: usize = 256;

/// Words before a name and its value.
const SETTERS: [&[u8]; 5] = [b"config set", b"configure set", b"settings set", b"secrets set", b"secret set"];

/// The word after the name in a command that stores it.
pub(super) fn value(bytes: &[u8], named: &Range<usize>) -> Option<Range<usize>> {
    let left = part(bytes, named.start.saturating_sub(REACH), named.start);
    let is_setter = matches!(before(bytes, named.start), b' ' | b'\t')
        && SETTERS.iter().any(|setter| left.trim_ascii_end().ends_with(setter));
    let follows = matches!(at(bytes, named.end), b' ' | b'\t');
    let (value, _) = word(bytes, named.end).filter(|_| is_setter && follows)?;
    let text = part(bytes, value.start, value.end);
    (!text.starts_with(b"-")).then_some(value)
}

/// What may close a label.
const CLOSING: [&[u8]; 6] = [b"**", b"__", b"</b>", b"</strong>", b"</em>", b"</dt>"];

/// The word after a label in markup, if it is marked as code or looks like a password.
pub(super) fn labelled(bytes: &[u8], named: &Range<usize>) -> Option<Range<usize>> {
    if !matches!(before(bytes, named.start), b'*' | b'_' | b'>') {
        return None;
    }
    let colon = run(bytes, named.end, 1, |byte| byte == b':');
    let close = CLOSING.iter().find(|close| starts(bytes, colon, close))?;
    let after = run(bytes, colon + close.len(), 1, |byte| byte == b':');
    let has_colon = colon > named.end || after > colon + close.len();
    let from = blanks(bytes, after);
    let (mark, open) = match at(bytes, from) {
        b'`' => (Some(b'`'), from + 1),
        _ => quote(bytes, from).map_or((None, from), |(mark, open)| (Some(mark), open)),
    };
    let end = run(bytes, open, MAX_LENGTH, |byte| match mark {
        Some(mark) => byte != mark && byte != b'\n',
        None => byte.is_ascii_graphic() && byte != b'<',
    });
    let text = part(bytes, open, end);
    let is_code = mark == Some(b'`') && at(bytes, end) == b'`' && !text.contains(&b' ');
    let is_value = is_code || random_looking_value::password(text);
    let is_named = secret_name::secret(text);
    (has_colon && is_value && !is_named).then_some(open..end)
}
