//! Secrets joined to their name by a blank only: in a statement of a build script, or in a sentence.

use std::ops::Range;

use super::byte_scan::{at, before, blanks, has, part, quote, run, starts_any_case};
use super::non_secret;
use super::random_looking_value;
use super::secret_name;

/// How far before the name words are read, in bytes.
const REACH: usize = 64;

/// `storePassword "…"`: a statement of a name and one quoted word.
pub(super) fn is_statement(bytes: &[u8], named: &Range<usize>, value: &Range<usize>) -> bool {
    let left = part(bytes, named.start.saturating_sub(REACH), named.start);
    let left = part(left, 0, left.len() - left.iter().rev().take_while(|byte| is_blank(**byte)).count());
    let starts = named.start == 0 || matches!(left.last(), None | Some(b'\n' | b'{' | b';'));
    let Some((mark, closed)) = quote(bytes, value.end) else { return false };
    let ends = matches!(at(bytes, blanks(bytes, closed)), 0 | b'\n' | b'\r' | b';' | b'}' | b',' | b'#')
        || part(bytes, blanks(bytes, closed), blanks(bytes, closed) + 2) == b"//";
    let name = part(bytes, named.start, named.end);
    let text = part(bytes, value.start, value.end);
    // `has_secure_token "auth_token"`, `jwt "example.com/jwt"`
    let is_other = secret_name::secret(text) || text.contains(&b'/') || non_secret::label(text);
    let is_one_word = text.len() >= 4 && text.iter().all(u8::is_ascii_graphic);
    starts
        && ends
        && mark != b'`'
        && is_one_word
        && !is_other
        && (secret_name::password(name) || secret_name::several(name))
}

/// `key K006…`, `key = K006…`: whether a generated value follows this word after a blank, or is its
/// setting on a line. Otherwise, `key` is the key of a map or of a keyboard.
pub(super) fn is_key(bytes: &[u8], named: &Range<usize>) -> bool {
    let name = part(bytes, named.start, named.end);
    let from = blanks(bytes, named.end);
    if !name.eq_ignore_ascii_case(b"key") || from == named.end {
        return false;
    }
    let left = part(bytes, named.start.saturating_sub(REACH), named.start).trim_ascii_end();
    let previous = left.rsplit(u8::is_ascii_whitespace).next().unwrap_or_default();
    let is_setting = at(bytes, from) == b'=' && matches!(before(bytes, named.start), 0 | b'\n');
    let from = if is_setting { blanks(bytes, from + 1) } else { from };
    let text = part(bytes, from, run(bytes, from, 2 * REACH, |byte| byte.is_ascii_graphic()));
    let has = |fits: fn(&u8) -> bool| text.iter().any(fits);
    random_looking_value::value(text)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_digit)
        && !starts_any_case(text, 0, "sha")
        && !secret_name::is_open_key(previous)
}

/// Programs that search for the words after them.
const SEARCHES: &[&str] =
    &["grep", "egrep", "fgrep", "zgrep", "rg", "ag", "ack", "find", "test", "sed", "awk"];

/// Whether this program searches for the words after it.
pub(super) fn is_search(path: &[u8]) -> bool {
    let program = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    SEARCHES.iter().any(|search| program == search.as_bytes())
}

/// `use password b1sh0p-u2`: a sentence in which the word after the name can only be a password.
pub(super) fn is_stated(bytes: &[u8], named: &Range<usize>, value: &Range<usize>) -> bool {
    let text = part(bytes, value.start, value.end);
    let name = part(bytes, named.start, named.end);
    let is_short = name.eq_ignore_ascii_case(b"pw");
    let is_ended = random_looking_value::numbered(text) || (is_short && is_joined(text));
    let is_one = random_looking_value::unlike_words(text) || (is_ended && ends_clause(bytes, value.end));
    (is_short || secret_name::password(name)) && is_one && is_sentence(bytes, named)
}

/// `opensesame-Bob`: lower-case letters, a dash, and a capital after it.
fn is_joined(text: &[u8]) -> bool {
    text.len() >= 10
        && text.first().is_some_and(u8::is_ascii_lowercase)
        && text.iter().all(|byte| byte.is_ascii_alphabetic() || *byte == b'-')
        && text.windows(2).any(|two| matches!(two, [b'-', b'A'..=b'Z']))
}

/// Words before a user's name.
const USERS: &[&str] =
    &["user", "username", "usr", "login", "account", "email", "mail", "benutzer", "usuario", "utilisateur"];

/// `user: me, pw: …`: whether the password of the named user follows. In code this is a list of
/// arguments.
pub(super) fn is_paired(bytes: &[u8], named: &Range<usize>, value: &Range<usize>) -> bool {
    let left = part(bytes, named.start.saturating_sub(2 * REACH), named.start);
    let line = left.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    let Some(user) = line.trim_ascii_end().strip_suffix(b",") else { return false };
    let mut words = user.rsplit(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let (Some(_), Some(label)) = (words.next(), words.next()) else { return false };
    let label = label.strip_suffix(b":").unwrap_or_default();
    let text = part(bytes, value.start, value.end);
    let is_announced =
        ["creds", "credentials", "login ", "zugang"].iter().any(|word| has(&line.to_ascii_lowercase(), word));
    USERS.iter().any(|known| label.eq_ignore_ascii_case(known.as_bytes()))
        && secret_name::any_password(part(bytes, named.start, named.end))
        && !line.iter().any(|byte| matches!(byte, b'{' | b'(' | b'['))
        && text.len() >= 6
        && (is_announced || !text.iter().all(u8::is_ascii_lowercase))
        && !secret_name::secret(text)
        && ends_clause(bytes, value.end)
}

/// Whether the previous word belongs to a sentence, and is not a flag or command.
fn is_sentence(bytes: &[u8], named: &Range<usize>) -> bool {
    let left = part(bytes, named.start.saturating_sub(REACH), named.start);
    if !matches!(before(bytes, named.start), 0 | b' ' | b'\t' | b'\n' | b'"' | b'\'' | b'(' | b':' | b'/') {
        return false;
    }
    let last = left.trim_ascii_end().rsplit(u8::is_ascii_whitespace).next().unwrap_or_default();
    !last.starts_with(b"-") && !is_search(last)
}

/// Words that may follow a password in a sentence.
const JOINTS: &[&str] = &["for", "to", "on", "in", "at", "and", "as", "with", "until", "from", "by", "is"];

/// Whether a sentence, or a part of it, ends here.
pub(super) fn ends_clause(bytes: &[u8], end: usize) -> bool {
    let next = blanks(bytes, end);
    match at(bytes, next) {
        0 | b'\n' | b'\r' | b'"' | b'\'' | b',' | b';' | b')' | b'\\' => true,
        b'.' | b'!' => matches!(at(bytes, next + 1), 0 | b' ' | b'\n' | b'"' | b'\''),
        _ => {
            let word = part(bytes, next, run(bytes, next, 8, |byte| byte.is_ascii_alphabetic()));
            JOINTS.iter().any(|joint| word == joint.as_bytes())
        }
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}
