//! Values under a telling name: `FOO_TOKEN=…`, `"api_key": "…"`, `--password …`, `token: …`, `<password>…</password>`.
//!
//! How sure the form is decides how much is asked of the value. After `NAME=` or in quotes any value is one; after a
//! bare colon, as in prose and in type annotations, it must stand alone on its line or look generated.

use std::ops::Range;

use super::detector::Looked;
use super::name;
use super::plain;
use super::scan::{at, before, blanks, mixed, part, quote, run, starts};

/// Longer names than this are not names.
const REACH: usize = 64;
/// A quote that does not close within this many bytes is not one.
const QUOTED: usize = 4096;
/// No word of prose or code is longer; and what is ruled out may not be long, or it would be read again and again.
const LONG: usize = 256;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `NAME=value`, `"name": value`.
    Sure,
    /// `--name value`
    Flag,
    /// `name: value`, `name = value`
    Loose,
}

pub(super) fn look(bytes: &[u8], hit: Range<usize>) -> Looked {
    value(bytes, hit).map_or(Looked::NOTHING, Looked::Secret)
}

fn value(bytes: &[u8], hit: Range<usize>) -> Option<Range<usize>> {
    let named = name_around(bytes, &hit)?;
    let name = part(bytes, named.start, named.end);
    if !name::secret(name) {
        return None;
    }
    if before(bytes, named.start) == b'{' && at(bytes, named.end) == b':' {
        return default(bytes, named.end);
    }
    if before(bytes, named.start) == b'<' && at(bytes, named.end) == b'>' {
        let end = run(bytes, named.end + 1, QUOTED, |byte| !matches!(byte, b'<' | b'\n'));
        return real(bytes, named.end + 1..end, b'<');
    }
    let (form, from) = separator(bytes, &named)?;
    if starts(bytes, from, b"${") {
        return default(
            bytes,
            run(bytes, from + 2, REACH, |byte| byte.is_ascii_alphanumeric() || byte == b'_'),
        );
    }
    if let Some((mark, open)) = quote(bytes, from) {
        let range = open..closing(bytes, open, mark, open - from - 1);
        return if names(bytes, &range) { None } else { real(bytes, range, mark) };
    }
    let range = from..bare_end(bytes, from);
    if names(bytes, &range) {
        return None;
    }
    let word = part(bytes, range.start, range.end);
    let doubtful =
        word == name || at(bytes, range.end) == b'(' || !fits(bytes, form, &named, word, range.end);
    if doubtful && word.len() <= LONG {
        return None;
    }
    real(bytes, range, 0)
}

fn real(bytes: &[u8], range: Range<usize>, mark: u8) -> Option<Range<usize>> {
    (!range.is_empty() && !plain::value(part(bytes, range.start, range.end), mark)).then_some(range)
}

/// Whether what would be the value is the name of the next one, as in `--pass token: …`: taken for a value, it would hide
/// that what follows it is one.
fn names(bytes: &[u8], range: &Range<usize>) -> bool {
    let word = part(bytes, range.start, range.end);
    let name = word.strip_suffix(b":").or_else(|| word.strip_suffix(b"=")).unwrap_or(word);
    let joint = blanks(bytes, quote(bytes, range.end).map_or(range.end, |(_, end)| end));
    let sign = run(bytes, joint, 1, |byte| matches!(byte, b':' | b'='));
    let is_signed = name.len() < word.len() || sign > joint;
    let is_followed = !matches!(at(bytes, blanks(bytes, sign)), 0 | b'\n' | b'\r');
    name.len() <= REACH && is_signed && is_followed && name::secret(name)
}

/// The whole name around the key, without the dashes of a flag.
fn name_around(bytes: &[u8], hit: &Range<usize>) -> Option<Range<usize>> {
    let named = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let left = part(bytes, hit.start.saturating_sub(REACH), hit.start);
    let back = left.iter().rev().take_while(|byte| named(**byte)).count();
    let start = run(bytes, hit.start - back, back, |byte| matches!(byte, b'-' | b'.'));
    let end = run(bytes, hit.end, REACH, named);
    (end - hit.end < REACH).then_some(start..end)
}

/// What `${NAME:-value}` falls back to.
fn default(bytes: &[u8], from: usize) -> Option<Range<usize>> {
    let from = run(bytes, from, 1, |byte| byte == b':');
    if !matches!(at(bytes, from), b'-' | b'=') {
        return None;
    }
    let end = run(bytes, from + 1, QUOTED, |byte| !byte.is_ascii_whitespace() && byte != b'}');
    real(bytes, from + 1..end, 0)
}

/// How name and value are joined, and where the value starts.
fn separator(bytes: &[u8], named: &Range<usize>) -> Option<(Form, usize)> {
    let flag = before(bytes, named.start) == b'-';
    let closed = quote(bytes, named.end).map(|(_, end)| end);
    let joint = blanks(bytes, closed.unwrap_or(named.end));
    if flag && at(bytes, joint) == b',' && closed.is_some() {
        let from = blanks(bytes, joint + 1);
        return quote(bytes, from).map(|_| (Form::Sure, from));
    }
    if flag && at(bytes, named.end) != b'=' {
        return (joint > named.end).then_some((Form::Flag, joint));
    }
    let sign = run(bytes, joint, 3, |byte| matches!(byte, b'=' | b':' | b'>' | b'?' | b'+'));
    if !matches!(part(bytes, joint, sign), b"=" | b":" | b":=" | b"=>" | b"==" | b"===" | b"?=" | b"+=") {
        return None;
    }
    if part(bytes, joint, sign) == b":" && starts(bytes, sign, b"//") {
        return None;
    }
    let from = blanks(bytes, sign);
    let tight = joint == named.end && from == sign && at(bytes, joint) == b'=';
    let header = quote(bytes, named.start.saturating_sub(1)).is_some() && at(bytes, joint) == b':';
    Some((if tight || closed.is_some() || header { Form::Sure } else { Form::Loose }, from))
}

/// The end of a quoted value. Where the quote does not close, or closes only after what reads as commands, it is the
/// end of the first word: a stray quote must not take a command out of the record.
fn closing(bytes: &[u8], open: usize, mark: u8, escapes: usize) -> usize {
    let mut here = open;
    let mut first_blank = None;
    let mut commands = false;
    while here < bytes.len() && here - open < QUOTED {
        match at(bytes, here) {
            byte if byte == mark => return if commands { first_blank.unwrap_or(here) } else { here },
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

/// The end of a value without quotes around it, read as a shell word.
fn bare_end(bytes: &[u8], from: usize) -> usize {
    let mut here = from;
    while here < bytes.len() {
        match at(bytes, here) {
            b';' | b'|' | b'&' | b'<' | b'>' | b'(' | b')' | b'{' | b'}' | b'`' => break,
            byte if byte.is_ascii_whitespace() || byte.is_ascii_control() => break,
            b'\\' if matches!(at(bytes, here + 1), b'n' | b'r' | b'"' | b'\'' | b'\n') => break,
            b'\\' => here += 2,
            mark @ (b'"' | b'\'') => match quoted_part(bytes, here, mark) {
                Some(end) => here = end,
                None => break,
            },
            _ => here += 1,
        }
    }
    let end = here.min(bytes.len());
    let trailing = part(bytes, from, end).iter().rev().take_while(|byte| matches!(byte, b',' | b']' | b'.'));
    end - trailing.count()
}

/// `ab"cd"ef` is one word; a quote followed by the end of a word closes one that was opened before the name.
fn quoted_part(bytes: &[u8], at_mark: usize, mark: u8) -> Option<usize> {
    let inside = |byte: u8| byte != mark && !byte.is_ascii_whitespace();
    let end = run(bytes, at_mark + 1, REACH, inside);
    (end > at_mark + 1 && at(bytes, at_mark + 1).is_ascii_alphanumeric() && at(bytes, end) == mark)
        .then_some(end + 1)
}

fn fits(bytes: &[u8], form: Form, named: &Range<usize>, word: &[u8], end: usize) -> bool {
    match form {
        Form::Sure => word.len() > 3 || !word.iter().all(u8::is_ascii_digit),
        Form::Flag => word.first() != Some(&b'-') && !plain::prose(word),
        Form::Loose => (word.len() >= 6 && mixed(word)) || alone(bytes, named, end),
    }
}

/// Whether name and value are all that is on the line, as in YAML.
fn alone(bytes: &[u8], named: &Range<usize>, end: usize) -> bool {
    let left = part(bytes, named.start.saturating_sub(REACH), named.start);
    let indent = left.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t' | b'-')).count();
    let starts_line = matches!(before(bytes, named.start - indent), 0 | b'\n');
    starts_line && matches!(at(bytes, blanks(bytes, end)), 0 | b'\n' | b'\r' | b'#')
}
