//! Default values of environment variables that hold secrets: `process.env.DB_PASSWORD || "…"`,
//! `getenv("DB_PASSWORD") ?: "…"`, `config("DB_PASSWORD", default="…")`, `${DB_PASSWORD:-…}`,
//! `${db.password:…}`.

use std::ops::Range;

use super::byte_scan::{at, before, blanks, has, part, quote, run, starts};
use super::non_secret;
use super::random_looking_value;
use super::secret_name;

/// The maximum length of a name, and of the distance to the function that reads it.
const REACH: usize = 64;
/// The maximum length of a default.
const MAX_LENGTH: usize = 4096;

/// Operators that join a default to a lookup, after the brackets that close the lookup.
const SIGNS: &[&str] = &[
    "||=",
    "||",
    "??=",
    "??",
    "?:",
    "or ",
    ".unwrap_or(",
    ".unwrap_or_else(|_| ",
    ".orElse(",
    ".getOrElse(",
    "|default(",
    "| default(",
    "| default ",
    ", default=",
    ",default=",
    ", default: ",
];

/// Words beside a name that mean it is read from the environment or config.
const READERS: &[&str] = &["env", "config(", "getproperty("];

/// The default after the lookup of this name.
pub(super) fn value(bytes: &[u8], named: &Range<usize>) -> Option<Range<usize>> {
    let (sign, from) = joined(bytes, closed(bytes, named.end), at(bytes, named.end) == b'}')?;
    let range = literal(bytes, from)?;
    let text = part(bytes, range.start, range.end);
    let is_sure = sign.contains("default") || is_read(bytes, named);
    let name = part(bytes, named.start, named.end);
    let own = name.rsplit(|byte| *byte == b'.').next().unwrap_or(name);
    // An error message: `API_KEY is not set`.
    if !own.is_empty() && has(text, own) {
        return None;
    }
    (is_sure || is_made(text)).then_some(range)
}

fn is_read(bytes: &[u8], named: &Range<usize>) -> bool {
    let left = part(bytes, named.start.saturating_sub(REACH), named.start);
    let left = left.rsplit(|byte| matches!(byte, b'\n' | b';' | b',' | b'=')).next().unwrap_or_default();
    let reading = [left, part(bytes, named.start, named.end)].concat().to_ascii_lowercase();
    READERS.iter().any(|reader| has(&reading, reader))
}

/// The default after a lookup whose own name is not secret-looking, but the name it is assigned to is:
/// `password = os.getenv("DBP") or "…"`.
pub(super) fn after(bytes: &[u8], read: &Range<usize>) -> Option<Range<usize>> {
    let source = part(bytes, read.start, read.end);
    if !non_secret::source(source) {
        return None;
    }
    let arguments = run(bytes, read.end, 1, |byte| byte == b'(');
    let inside = run(bytes, arguments, REACH, |byte| !matches!(byte, b'(' | b')' | b'\n' | b';'));
    let closed = if arguments > read.end { inside } else { read.end };
    let closed = run(bytes, closed, 2, |byte| matches!(byte, b')' | b']'));
    let range = literal(bytes, joined(bytes, closed, false)?.1)?;
    let is_sure = has(&source.to_ascii_lowercase(), "env");
    (is_sure || is_made(part(bytes, range.start, range.end))).then_some(range)
}

fn is_made(text: &[u8]) -> bool {
    random_looking_value::password(text) || random_looking_value::unlike_words(text)
}

/// Skips the quote and brackets that close the lookup.
fn closed(bytes: &[u8], name_end: usize) -> usize {
    let unquoted = quote(bytes, name_end).map_or(name_end, |(_, end)| end);
    run(bytes, unquoted, 2, |byte| matches!(byte, b']' | b')' | b'}'))
}

/// The operator of a default, and where the default starts.
fn joined(bytes: &[u8], closed: usize, in_braces: bool) -> Option<(&'static str, usize)> {
    let joint = run(bytes, closed, REACH, |byte| byte.is_ascii_whitespace());
    if in_braces && starts(bytes, joint, b"//") {
        return Some(("//", blanks(bytes, joint + 2)));
    }
    if before(bytes, closed) == b')' && joint > closed && starts(bytes, joint, b"{ ") {
        return Some(("{", joint + 2));
    }
    let sign = SIGNS.iter().find(|sign| starts(bytes, joint, sign.as_bytes()))?;
    (joint > closed || *sign != "or ").then(|| (*sign, blanks(bytes, joint + sign.len())))
}

/// A quoted text that cannot be a command: a shell uses `||` too. It may have several words, but not
/// look like commands.
fn literal(bytes: &[u8], from: usize) -> Option<Range<usize>> {
    let (mark, open) = quote(bytes, from).filter(|(mark, _)| *mark != b'`')?;
    let end = run(bytes, open, 96, |byte| byte != mark && byte != b'\\' && !byte.is_ascii_control());
    let text = part(bytes, open, end);
    let (found, closed) = quote(bytes, end)?;
    let is_last = matches!(
        at(bytes, blanks(bytes, closed)),
        0 | b'\n' | b'\r' | b';' | b',' | b')' | b'}' | b']' | b'.' | b'"' | b'\'' | b'\\' | b'#' | b'%'
    );
    let commands = |byte: &u8| matches!(byte, b';' | b'|' | b'&' | b'<' | b'>' | b'`' | b'(' | b'/');
    let is_text = !text.contains(&b' ') || !text.iter().any(commands);
    (found == mark && is_last && is_text && text.len() >= 3 && !non_secret::label(text)).then_some(open..end)
}

/// The default in `${NAME:-value}`.
pub(super) fn expansion(bytes: &[u8], from: usize) -> Option<Range<usize>> {
    shell(bytes, run(bytes, from + 2, REACH, |byte| byte.is_ascii_alphanumeric() || byte == b'_'))
}

/// The default in `${NAME:-value}`, `${NAME-value}` and `${name:value}`, if the name starts here.
pub(super) fn in_braces(bytes: &[u8], named: &Range<usize>) -> Option<Range<usize>> {
    shell(bytes, named.end).or_else(|| property(bytes, named.end + 1))
}

/// The name in `${NAME-value}`, whose value could be taken for a part of it.
pub(super) fn short_name(bytes: &[u8], named: &Range<usize>) -> Option<Range<usize>> {
    let end = run(bytes, named.start, REACH, |byte| {
        byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_'
    });
    let is_expansion = part(bytes, 0, named.start).ends_with(b"${") && at(bytes, end) == b'-';
    (is_expansion && secret_name::secret(part(bytes, named.start, end))).then_some(named.start..end)
}

/// The text after the operator of a shell expansion.
fn shell(bytes: &[u8], from: usize) -> Option<Range<usize>> {
    let from = run(bytes, from, 1, |byte| byte == b':');
    if !matches!(at(bytes, from), b'-' | b'=') {
        return None;
    }
    let end = run(bytes, from + 1, MAX_LENGTH, |byte| !byte.is_ascii_whitespace() && byte != b'}');
    Some(from + 1..end)
}

/// The default in `${name:value}`, as in Spring. In a shell this syntax takes a substring of a variable
/// or changes it.
fn property(bytes: &[u8], from: usize) -> Option<Range<usize>> {
    let end = run(bytes, from, REACH, |byte| byte.is_ascii_graphic() && byte != b'}');
    let text = part(bytes, from, end);
    let is_word = text.first().is_some_and(u8::is_ascii_alphanumeric)
        && !text.iter().any(|byte| matches!(byte, b'$' | b'{' | b'(' | b':' | b'/'));
    let is_number = text.iter().all(u8::is_ascii_digit);
    (at(bytes, end) == b'}' && is_word && !is_number && text.len() >= 4).then_some(from..end)
}
