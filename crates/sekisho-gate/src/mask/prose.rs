//! Passwords in sentences: `The password for the router is …`, `Das Passwort lautet …`,
//! `login is admin / …`.
//!
//! Prose about passwords is far more common than passwords in prose. So a value must not look like a
//! word, or must be where nothing else can be.

use std::ops::Range;

use super::byte_scan::{at, before, blanks, is_visible, part, quote, run};
use super::detection::Detection;
use super::non_secret;
use super::random_looking_value;
use super::secret_name;
use super::value_after_blank::ends_clause;

/// How many words may be between the name and the joint to the value.
const WORDS: usize = 8;
/// The maximum length of a password in a sentence.
const MAX_LENGTH: usize = 128;

/// Words and punctuation that join a value to a name, each with whether it states that the value is the
/// secret.
const JOINTS: &[(&str, bool)] = &[
    ("is", true),
    ("was", true),
    ("are", true),
    ("lautet", true),
    ("ist", true),
    ("war", true),
    ("est", true),
    ("es", true),
    ("è", true),
    ("é", true),
    ("är", true),
    ("er", true),
    ("jest", true),
    ("to", false),
    ("now", false),
    ("auf", false),
    ("->", false),
    ("=>", false),
    ("→", false),
    ("—", false),
    ("–", false),
];

/// Words that a colon may also follow: `password reset for user: …`.
const OTHERS: &[&str] = &[
    "user", "username", "host", "pod", "account", "file", "error", "reason", "see", "at", "id", "page",
    "users", "hosts", "servers", "accounts", "version", "versions", "in", "example", "note",
];

/// Words of error messages, which report a failure and not a password.
const FAILURES: &[&str] = &[
    "failed",
    "invalid",
    "wrong",
    "incorrect",
    "expired",
    "rejected",
    "error",
    "missing",
    "not",
    "mismatch",
    "policy",
    "hashing",
    "algorithm",
    "manager",
    "format",
];

/// The value that the words after this name lead to.
pub(super) fn value(bytes: &[u8], named: &Range<usize>) -> Option<Range<usize>> {
    let name = part(bytes, named.start, named.end);
    if before(bytes, named.start) == b'-' || !matches!(at(bytes, named.end), b' ' | b':') {
        return None;
    }
    let mut here = named.end;
    let mut last = name;
    for count in 0..=WORDS {
        let start = blanks(bytes, here);
        if at(bytes, start) == b':' {
            let from = blanks(bytes, start + 1);
            if count == 0 && !is_phrase(name) {
                return announced(bytes, name, from);
            }
            let is_apart = from > start + 1 && !is_any(last, OTHERS);
            return is_apart.then(|| secret_word(bytes, name, from, false)).flatten();
        }
        let end = run(bytes, start, 48, is_of_sentence);
        if end == start || start == here {
            return None;
        }
        let word = part(bytes, start, end);
        if is_any(word, FAILURES) {
            return None;
        }
        if let Some((_, is_stated)) = JOINTS.iter().find(|(joint, _)| word == joint.as_bytes()) {
            let from = blanks(bytes, end);
            let from = if at(bytes, from) == b':' { blanks(bytes, from + 1) } else { from };
            let found = secret_word(bytes, name, from, *is_stated && count == 0);
            if found.is_some() {
                return found;
            }
        }
        (here, last) = (end, word);
    }
    None
}

fn is_any(word: &[u8], words: &[&str]) -> bool {
    words.iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes()))
}

fn is_of_sentence(byte: u8) -> bool {
    let ends = b":;,(){}[]\"'`|&$<";
    is_visible(byte) && !ends.contains(&byte)
}

/// The word at this position, if it can only be a secret. `is_stated`: the sentence states that it is.
fn secret_word(bytes: &[u8], name: &[u8], from: usize, is_stated: bool) -> Option<Range<usize>> {
    if is_phrase(name) {
        return phrase(bytes, from);
    }
    let from = quote(bytes, from).map_or(from, |(_, open)| open);
    let range = from..word_end(bytes, from);
    let text = part(bytes, range.start, range.end);
    if is_field(text) {
        return None;
    }
    if is_code(name) {
        return random_looking_value::unlike_words(text).then(|| codes(bytes, range));
    }
    let ends = ends_clause(bytes, range.end) || at(bytes, blanks(bytes, range.end)) == b'(';
    let is_one = if secret_name::password(name) {
        random_looking_value::unlike_words(text)
            || (ends && is_made(text))
            || (ends && is_stated && random_looking_value::passphrase(text))
    } else {
        random_looking_value::value(text) && text.iter().any(u8::is_ascii_uppercase)
    };
    (is_one && !non_secret::value(text, 0)).then_some(range)
}

fn is_made(text: &[u8]) -> bool {
    random_looking_value::numbered(text)
        || random_looking_value::strong(text)
        || random_looking_value::capitalised(text)
        || random_looking_value::signed(text)
        || random_looking_value::scrambled(text)
}

/// `access_token=…`: a name with a value of its own.
fn is_field(text: &[u8]) -> bool {
    let name = run(text, 0, 48, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'));
    at(text, name) == b'=' && secret_name::name_hint(part(text, 0, name)) != secret_name::NameHint::Nothing
}

/// `Generated root password: …`: the word at the end of a line, if it can only be a password because of
/// a sign in it.
fn announced(bytes: &[u8], name: &[u8], from: usize) -> Option<Range<usize>> {
    let end = run(bytes, from, MAX_LENGTH, is_visible);
    let is_last = matches!(at(bytes, blanks(bytes, end)), 0 | b'\n' | b'\r');
    let is_one = secret_name::any_password(name) && random_looking_value::signed(part(bytes, from, end));
    (is_one && is_last && before(bytes, from) == b' ').then_some(from..end)
}

fn word_end(bytes: &[u8], from: usize) -> usize {
    let end =
        run(bytes, from, MAX_LENGTH, |byte| is_visible(byte) && !matches!(byte, b'"' | b'\'' | b'`' | b'\\'));
    let ends = |byte: &&u8| matches!(byte, b',' | b'.' | b';' | b':' | b')');
    end - part(bytes, from, end).iter().rev().take_while(ends).count()
}

fn is_phrase(name: &[u8]) -> bool {
    let lower = name.to_ascii_lowercase();
    (lower.ends_with(b"phrase") && !lower.ends_with(b"passphrase")) || lower.ends_with(b"mnemonic")
}

fn is_code(name: &[u8]) -> bool {
    ["code", "codes"].iter().any(|code| name.eq_ignore_ascii_case(code.as_bytes()))
}

/// The seed phrase of a wallet: 12, 15, 18, 21 or 24 words.
fn phrase(bytes: &[u8], from: usize) -> Option<Range<usize>> {
    let from = quote(bytes, from).map_or(from, |(_, open)| open);
    let mut here = from;
    for count in 1..=24 {
        let end = run(bytes, here, 9, |byte| byte.is_ascii_lowercase());
        if !(3..=8).contains(&(end - here)) {
            return None;
        }
        let goes_on = at(bytes, end) == b' ' && at(bytes, end + 1).is_ascii_lowercase();
        if !goes_on {
            let is_whole = count >= 12 && count % 3 == 0 && !at(bytes, end).is_ascii_alphanumeric();
            return is_whole.then_some(from..end);
        }
        here = end + 1;
    }
    None
}

/// This code and those that follow it in a list.
fn codes(bytes: &[u8], first: Range<usize>) -> Range<usize> {
    let mut end = first.end;
    for _ in 0..16 {
        let next = blanks(bytes, run(bytes, end, 1, |byte| matches!(byte, b',' | b';' | b'\n')));
        let next_end = word_end(bytes, next);
        if next == end || !random_looking_value::unlike_words(part(bytes, next, next_end)) {
            break;
        }
        end = next_end;
    }
    first.start..end
}

/// Words that announce a user and a password.
pub(super) const LOGINS: &[&str] =
    &["login", "log in", "logging in", "sign in", "creds", "credentials", "zugang", "user/pass", "account"];

/// `login is admin / secret`, `creds: me/secret`
pub(super) fn login(bytes: &[u8], hit: Range<usize>) -> Detection {
    pair(bytes, &hit).map_or(Detection::NOTHING, Detection::Secret)
}

fn pair(bytes: &[u8], hit: &Range<usize>) -> Option<Range<usize>> {
    let end = run(bytes, hit.end, 16, |byte| byte.is_ascii_alphabetic());
    let joint = blanks(bytes, end);
    if is_visible(before(bytes, hit.start)) && !matches!(before(bytes, hit.start), b'(' | b'"' | b'\'' | b'*')
    {
        return None;
    }
    let word = run(bytes, joint, 8, |byte| byte.is_ascii_alphabetic());
    let is_joined = ["is", "are", "was", "with", "as", "lautet", "sind", "mit"]
        .iter()
        .any(|known| part(bytes, joint, word) == known.as_bytes());
    let sign = if is_joined { word } else { run(bytes, joint, 1, |byte| matches!(byte, b':' | b'=')) };
    let user = blanks(bytes, sign);
    let user_end = run(bytes, user, 48, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'@' | b'\\')
    });
    let slash = blanks(bytes, user_end);
    if sign == joint || user == sign || user_end == user || at(bytes, slash) != b'/' {
        return None;
    }
    let from = blanks(bytes, slash + 1);
    let range = from..word_end(bytes, from);
    let text = part(bytes, range.start, range.end);
    let is_one = random_looking_value::unlike_words(text) || random_looking_value::password(text);
    let ends = ends_clause(bytes, range.end) || at(bytes, blanks(bytes, range.end)) == b'(';
    (is_one && ends && !text.contains(&b'/') && !non_secret::value(text, 0)).then_some(range)
}
