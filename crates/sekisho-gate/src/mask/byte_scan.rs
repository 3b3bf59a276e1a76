//! Small helpers to step over bytes. None can read past the end.

use memchr::memmem;

pub(super) fn at(bytes: &[u8], index: usize) -> u8 {
    bytes.get(index).copied().unwrap_or(0)
}

pub(super) fn before(bytes: &[u8], index: usize) -> u8 {
    index.checked_sub(1).map_or(0, |index| at(bytes, index))
}

pub(super) fn part(bytes: &[u8], from: usize, to: usize) -> &[u8] {
    bytes.get(from..to).unwrap_or_default()
}

pub(super) fn starts(bytes: &[u8], index: usize, prefix: &[u8]) -> bool {
    bytes.get(index..).is_some_and(|rest| rest.starts_with(prefix))
}

pub(super) fn starts_any_case(bytes: &[u8], index: usize, prefix: &str) -> bool {
    bytes
        .get(index..index.saturating_add(prefix.len()))
        .is_some_and(|found| found.eq_ignore_ascii_case(prefix.as_bytes()))
}

/// Whether this byte is part of a word in any script: not a blank and not a control character.
pub(super) fn is_visible(byte: u8) -> bool {
    byte.is_ascii_graphic() || byte >= 0x80
}

/// The end of the run of matching bytes from `from`, at most `most` bytes.
pub(super) fn run(bytes: &[u8], from: usize, most: usize, fits: impl Fn(u8) -> bool) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    let length = rest.iter().take(most).take_while(|byte| fits(**byte)).count();
    from.saturating_add(length)
}

/// Skips blanks, and the backslash that keeps a blank inside a shell word.
pub(super) fn blanks(bytes: &[u8], from: usize) -> usize {
    let mut here = from;
    for _ in 0..64 {
        here = match at(bytes, here) {
            b' ' | b'\t' => here + 1,
            b'\\' if at(bytes, here + 1) == b' ' => here + 2,
            _ => break,
        };
    }
    here
}

/// A quote, escaped or not: `"`, `'`, `` ` ``, `\"`.
pub(super) fn quote(bytes: &[u8], from: usize) -> Option<(u8, usize)> {
    let escapes = run(bytes, from, 8, |byte| byte == b'\\');
    match at(bytes, escapes) {
        mark @ (b'"' | b'\'') => Some((mark, escapes + 1)),
        mark @ b'`' if escapes == from => Some((mark, escapes + 1)),
        _ => None,
    }
}

/// Whether a text occurs in another.
pub(super) fn has(bytes: &[u8], text: impl AsRef<[u8]>) -> bool {
    memmem::find(bytes, text.as_ref()).is_some()
}

/// Whether both letters and digits occur, as in nearly every generated secret and in few words.
pub(super) fn mixed(bytes: &[u8]) -> bool {
    bytes.iter().any(u8::is_ascii_digit) && bytes.iter().any(u8::is_ascii_alphabetic)
}
