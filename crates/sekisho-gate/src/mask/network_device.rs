//! Keys and communities in settings of routers, switches and firewalls.

use std::ops::Range;

use memchr::memmem;

use super::byte_scan::{at, before, has, is_visible, part, quote, run};
use super::detection::Detection;
use super::non_secret;
use super::random_looking_value;

/// The maximum length of a settings line, and of a word between a setting and its key.
const MAX_LENGTH: usize = 128;

/// Words that are followed by a blank and a key. Except for those in `PROSE`, they occur only in settings.
pub(super) const KEYS: &[&str] = &[
    "snmp-server community ",
    "snmp community ",
    "set community ",
    "tacacs-server key ",
    "radius-server key ",
    "-server host ",
    "aaa-server ",
    "isakmp key ",
    "ikev1 pre-shared-key ",
    "pre-shared-key ",
    "pre-shared-secret ",
    "plaintext-password ",
    "option key ",
    "authentication-key ",
    "message-digest-key ",
    "key-string ",
    "authentication text ",
    "wpa-psk ascii ",
    "set passwd ",
    "set psksecret ",
    "set password ",
    "phash ",
    " : EAP ",
    " : XAUTH ",
];

/// Those of them that also occur in prose. There the key must not look like a word.
const PROSE: &[&str] = &["set community ", "set password ", "set passwd ", "phash ", "authentication text "];

/// Words between the setting and its key: the number and the kind of the key.
const KINDS: &[&str] = &[
    "md5",
    "sha",
    "sha1",
    "sha256",
    "sha512",
    "hmac-sha-256",
    "hmac-md5",
    "ascii-text",
    "hexadecimal",
    "ascii",
    "encrypted",
    "cleartext",
    "plain",
    "local",
    "remote",
    "value",
    "key",
];

/// `snmp-server community s3cret RO`, `ntp authentication-key 1 md5 s3cret`,
/// `aaa-server R host 10.0.0.1 key s3cret`
pub(super) fn look(bytes: &[u8], hit: Range<usize>) -> Detection {
    let setting = part(bytes, hit.start, hit.end);
    let is_word =
        matches!(setting.first(), Some(b'-' | b' ')) || !before(bytes, hit.start).is_ascii_alphanumeric();
    let is_server =
        ["-server host ", "aaa-server "].iter().any(|server| setting.eq_ignore_ascii_case(server.as_bytes()));
    let from = if is_server { past_key_word(bytes, hit.end) } else { Some(past_kinds(bytes, hit.end)) };
    let is_sure = !PROSE.iter().any(|prose| setting.eq_ignore_ascii_case(prose.as_bytes()));
    from.and_then(|from| value(bytes, from, is_sure))
        .filter(|_| is_word)
        .map_or(Detection::NOTHING, Detection::Secret)
}

fn past_kinds(bytes: &[u8], from: usize) -> usize {
    let mut here = from;
    for _ in 0..4 {
        let end = run(bytes, here, MAX_LENGTH, |byte| !byte.is_ascii_whitespace());
        let word = part(bytes, here, end);
        let is_number = word.len() <= 5 && word.iter().all(u8::is_ascii_digit);
        let is_kind = KINDS.iter().any(|kind| word.eq_ignore_ascii_case(kind.as_bytes()));
        if !matches!(at(bytes, end), b' ' | b'\t') || !(is_number || is_kind) {
            break;
        }
        here = end + 1;
    }
    here
}

/// Finds the word `key` on the rest of the line, and returns where its value starts.
fn past_key_word(bytes: &[u8], from: usize) -> Option<usize> {
    let line = part(bytes, from, run(bytes, from, MAX_LENGTH, |byte| !matches!(byte, b'\n' | b'\r' | b';')));
    let key = memmem::find(line, b" key ")?;
    Some(past_kinds(bytes, from + key + 5))
}

fn value(bytes: &[u8], from: usize, is_sure: bool) -> Option<Range<usize>> {
    let (mark, start) = quote(bytes, from).unwrap_or((0, from));
    // Takes the whole word, without a limit: if only its beginning were masked, masking the text again could
    // find another word.
    let end = run(bytes, start, bytes.len(), |byte| {
        is_visible(byte)
            && byte != mark
            && !matches!(byte, b';' | b'"' | b'\'' | b'\\' | b'`' | b'|' | b'<' | b'>')
    });
    let text = part(bytes, start, end);
    let is_word = text.iter().all(|byte| byte.is_ascii_lowercase() || *byte == b'-');
    let is_unlike =
        is_sure || random_looking_value::unlike_words(text) || random_looking_value::password(text);
    let is_masked = has(text, "[masked:");
    (text.len() >= 4 && !is_word && is_unlike && !is_masked && !non_secret::value(text, mark))
        .then_some(start..end)
}
