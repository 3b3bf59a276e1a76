//! The end of a value as a shell reads it: with its closing quote, or with the word.

use super::byte_scan::{at, part, run};
use super::nearby_value;
use super::shell_words;
use super::value_end;

/// The maximum length of a quoted part of a word.
const REACH: usize = 64;
/// A quote that does not close within this many bytes does not count as one.
const QUOTED: usize = 4096;

/// The end of a quoted value. If the quote does not close, or closes only after text that looks like
/// commands, the value ends with its first word: a stray quote must not remove a command from the audit
/// log.
pub(super) fn closing_quote(bytes: &[u8], open: usize, mark: u8, escapes: usize) -> usize {
    let mut here = open;
    let mut first_blank = None;
    let mut commands = false;
    while here < bytes.len() && here - open < QUOTED {
        match at(bytes, here) {
            byte if byte == mark => {
                let is_value = !commands || value_end::is_one(part(bytes, open, here), true);
                return if is_value { here } else { first_blank.unwrap_or(here) };
            }
            b'\\' => {
                let end = run(bytes, here, REACH, |byte| byte == b'\\');
                if at(bytes, end) == mark && end - here <= escapes {
                    return if commands { first_blank.unwrap_or(here) } else { here };
                }
                here = end;
                if escapes == 0 && at(bytes, here) != b'\n' {
                    here += 1;
                }
                continue;
            }
            b'\n' => break,
            byte if byte.is_ascii_whitespace() => {
                first_blank.get_or_insert(here);
            }
            b';' | b'|' | b'&' | b'`' | b'<' | b'>' => commands = true,
            b'$' if at(bytes, here + 1) == b'(' => commands = true,
            _ => {}
        }
        here += 1;
    }
    first_blank
        .unwrap_or_else(|| run(bytes, here, bytes.len(), |byte| !byte.is_ascii_whitespace() && byte != mark))
}

/// The end of an unquoted value, read as a shell word.
pub(super) fn bare_end(bytes: &[u8], from: usize) -> usize {
    let mut here = from;
    while here < bytes.len() {
        match at(bytes, here) {
            b';' | b'|' | b'&' | b'<' | b'>' | b'(' | b')' | b'{' | b'}' | b'`' => break,
            byte if byte.is_ascii_whitespace() || byte.is_ascii_control() => break,
            b'\\' if matches!(at(bytes, here + 1), b'n' | b'r' | b'"' | b'\'' | b'\n') => break,
            b'\\' => here += 2,
            mark @ (b'"' | b'\'') => {
                match quoted_part(bytes, here, mark).or_else(|| shell_words::joined(bytes, here)) {
                    Some(end) if here > from => here = end,
                    _ => break,
                }
            }
            b',' if here > from && nearby_value::opens_option(bytes, here + 1) => break,
            _ => here += 1,
        }
    }
    let end = here.min(bytes.len());
    let trailing = part(bytes, from, end).iter().rev().take_while(|byte| matches!(byte, b',' | b']' | b'.'));
    end - trailing.count()
}

/// `ab"cd"ef` is one word. A quote at the end of a word closes a quote that was opened before the name.
fn quoted_part(bytes: &[u8], at_mark: usize, mark: u8) -> Option<usize> {
    let inside = |byte: u8| byte != mark && !byte.is_ascii_whitespace();
    let end = run(bytes, at_mark + 1, REACH, inside);
    (end > at_mark + 1 && at(bytes, at_mark + 1).is_ascii_alphanumeric() && at(bytes, end) == mark)
        .then_some(end + 1)
}
