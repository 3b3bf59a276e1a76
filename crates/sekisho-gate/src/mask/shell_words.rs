//! The words of a command, as written in a shell or in an array of arguments.
//!
//! The text may itself be inside quotes, so a quote that cannot open anything ends the command. A quote
//! opens a part of a word only if it closes on the same line.

use std::ops::Range;

use super::byte_scan::{at, before, blanks, has, is_visible, part, quote, run, starts};

/// How far after the program its words are read, in bytes.
pub(super) const REACH: usize = 1024;
/// The maximum number of words read from a command.
pub(super) const MAX_WORDS: usize = 96;

/// The maximum number of parts of a word, and the maximum length of one in quotes.
const JOINED: usize = 32;
const PIECE: usize = 128;

/// The words from `from` to the end of the command, without the quotes around them.
pub(super) fn words(bytes: &[u8], from: usize) -> Vec<Range<usize>> {
    let limit = from.saturating_add(REACH);
    let mut found = Vec::new();
    let mut here = from;
    let listed = is_listed(bytes, from);
    while here < limit && found.len() < MAX_WORDS {
        let next = if listed { item(bytes, here) } else { word(bytes, here) };
        let Some((word, end)) = next else { break };
        found.push(word);
        here = end;
    }
    found
}

/// Whether the program is an element of a list and its arguments are the next elements.
pub(super) fn is_listed(bytes: &[u8], from: usize) -> bool {
    quote(bytes, from).is_some_and(|(_, end)| at(bytes, blanks(bytes, end)) == b',')
}

/// The next shell word and where to continue, or `None` at the end of the command.
pub(super) fn word(bytes: &[u8], from: usize) -> Option<(Range<usize>, usize)> {
    let start = joint(bytes, from);
    if start == from || start >= bytes.len() {
        return None;
    }
    let mut here = start;
    let mut only_quoted = None;
    let is_path = is_windows_path(bytes, start);
    while here < bytes.len() && here - start < REACH {
        match at(bytes, here) {
            byte if byte.is_ascii_whitespace() => break,
            b';' | b'|' | b'&' | b'(' | b')' | b'<' | b'>' | b'`' => break,
            b'$' if here == start && at(bytes, here + 1) == b'\'' => {
                here += 1;
            }
            b'\\' if is_apostrophe(bytes, here) => here += 2,
            b'"' | b'\'' | b'\\' if quote(bytes, here).is_some() => {
                let Some((inner, end)) = quoted(bytes, here) else { break };
                only_quoted = (here == start).then_some(inner);
                here = end;
                continue;
            }
            b'\\' if matches!(at(bytes, here + 1), b'\n' | b'\r') => break,
            b'\\' if matches!(at(bytes, here + 1), b'n' | b'r') && !is_path => break,
            b'\\' => here += 2,
            _ => here += 1,
        }
        only_quoted = None;
    }
    let end = here.min(bytes.len());
    (end > start).then(|| (only_quoted.unwrap_or(start..end), end))
}

/// `'a'\\''b'`: a quote sign between two quoted parts of a word.
fn is_apostrophe(bytes: &[u8], here: usize) -> bool {
    starts(bytes, here, b"\\''") && before(bytes, here) == b'\''
}

/// `C:\new`, `CORP\rudi`: a backslash that separates names. Elsewhere it would be an escaped line end.
fn is_windows_path(bytes: &[u8], start: usize) -> bool {
    let name =
        run(bytes, start, 32, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'%' | b'.' | b'-'));
    let colon = run(bytes, name, 1, |byte| byte == b':');
    let is_drive = name == start + 1 && colon > name;
    let is_domain = name > start + 1 && part(bytes, start, name).iter().all(u8::is_ascii_uppercase);
    at(bytes, colon) == b'\\'
        && at(bytes, colon + 1).is_ascii_alphanumeric()
        && (is_drive || (is_domain && colon == name))
}

/// A quoted part and its end. A quote before a blank or an operator closes one that was opened before
/// the command.
fn quoted(bytes: &[u8], from: usize) -> Option<(Range<usize>, usize)> {
    let (mark, open) = quote(bytes, from)?;
    let first = at(bytes, open);
    if first.is_ascii_whitespace() || matches!(first, 0 | b';' | b'|' | b'&' | b')' | b']' | b'}' | b',') {
        return None;
    }
    let escapes = open - from - 1;
    let mut here = open;
    while here - open < REACH {
        here = run(bytes, here, REACH, |byte| byte != mark && byte != b'\n' && byte != b'\\');
        let slashes = run(bytes, here, REACH, |byte| byte == b'\\');
        if at(bytes, slashes) == mark && (slashes - here == escapes || (escapes == 0 && mark == b'\'')) {
            return Some((open..slashes - escapes.min(slashes - here), slashes + 1));
        }
        if slashes == here || slashes >= bytes.len() {
            return None;
        }
        here = slashes + 1;
    }
    None
}

/// The end of the parts that continue a word from here: `'a'"b"c`, `'a'\\''b'`. `None` if the word
/// ends here.
///
/// A quote before a blank or an operator closes one that was opened before the word.
pub(super) fn joined(bytes: &[u8], from: usize) -> Option<usize> {
    let mut here = from;
    let mut is_apostrophe = false;
    for _ in 0..JOINED {
        let mark = at(bytes, here);
        let inside = |byte: u8| {
            byte != mark
                && (is_visible(byte) || (is_apostrophe && byte == b' '))
                && !matches!(
                    byte,
                    b';' | b'|' | b'&' | b'<' | b'>' | b'(' | b')' | b'`' | b'$' | b',' | b':' | b'='
                )
        };
        if self::is_apostrophe(bytes, here) {
            (here, is_apostrophe) = (here + 2, true);
            continue;
        }
        if !matches!(mark, b'"' | b'\'') {
            let end = unquoted(bytes, here);
            if end == here {
                break;
            }
            (here, is_apostrophe) = (end, false);
            continue;
        }
        let end = run(bytes, here + 1, PIECE, inside);
        if end == here + 1 || at(bytes, end) != mark {
            break;
        }
        is_apostrophe = part(bytes, here + 1, end) == b"'" && at(bytes, end + 1) == b'\'';
        here = end + 1;
    }
    (here > from).then_some(here)
}

/// The end of an unquoted part that continues a word: `-c` in `"ab"-c`. A point at its end may end a sentence.
fn unquoted(bytes: &[u8], from: usize) -> usize {
    let begins = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    if !begins(at(bytes, from)) {
        return from;
    }
    let end = run(bytes, from, REACH, |byte| {
        begins(byte) || matches!(byte, b'.' | b'+' | b'/' | b'%' | b'^' | b'~')
    });
    let points = part(bytes, from, end).iter().rev().take_while(|byte| **byte == b'.');
    end - points.count()
}

/// The next element of `", "…", "…"]`, where `from` is at the closing quote of the previous one.
pub(super) fn item(bytes: &[u8], from: usize) -> Option<(Range<usize>, usize)> {
    let (_, closed) = quote(bytes, from)?;
    let comma = blanks(bytes, closed);
    if at(bytes, comma) != b',' {
        return None;
    }
    let start = run(bytes, comma + 1, 64, |byte| byte.is_ascii_whitespace());
    let (mark, open) = quote(bytes, start)?;
    let end = run(bytes, open, REACH, |byte| byte != mark && byte != b'\\' && byte != b'\n');
    quote(bytes, end).map(|_| (open..end, end))
}

/// Skips blanks and joined lines.
fn joint(bytes: &[u8], from: usize) -> usize {
    let mut here = from;
    while here - from < REACH {
        here = match at(bytes, here) {
            b' ' | b'\t' => here + 1,
            b'\\' if matches!(at(bytes, here + 1), b'\n' | b'\r') => here + 2,
            b'\n' if matches!(part(bytes, here.saturating_sub(2), here), b"\\\r") => here + 1,
            _ => break,
        };
    }
    here
}

/// A value without the quotes around it. If it looks like commands, only its first word: a quote must
/// not remove a command from the audit log.
pub(super) fn bare(bytes: &[u8], value: Range<usize>) -> Range<usize> {
    let inner = match quote(bytes, value.start) {
        Some((mark, open)) if open <= value.end => {
            let from = open - 1;
            match quoted(bytes, from) {
                Some((inner, end)) if end >= value.end => inner,
                Some(_) => value,
                None => open..run(bytes, open, value.end - open, |byte| byte != mark && byte != b'\\'),
            }
        }
        _ => without_last_quote(bytes, value),
    };
    let text = part(bytes, inner.start, inner.end);
    let reads_as_commands =
        text.iter().any(|byte| matches!(byte, b';' | b'|' | b'&' | b'`' | b'<' | b'>')) || has(text, "$(");
    match text.iter().position(u8::is_ascii_whitespace) {
        Some(blank) if reads_as_commands => inner.start..inner.start + blank,
        _ => inner,
    }
}

/// Without the quote that closes one before the value: `'user:it'\\''s'` from `it` on.
fn without_last_quote(bytes: &[u8], value: Range<usize>) -> Range<usize> {
    let text = part(bytes, value.start, value.end);
    let is_odd = |mark: u8| {
        let marks =
            text.iter().enumerate().filter(|(index, byte)| **byte == mark && before(text, *index) != b'\\');
        marks.count() % 2 == 1
    };
    match text.last() {
        Some(mark @ (b'"' | b'\'')) if is_odd(*mark) => value.start..value.end - 1,
        _ => value,
    }
}
