//! Logins in protocol lines: `AUTH secret` to Redis, `PASS secret` to FTP, `a1 LOGIN me secret` to
//! IMAP, `CONNECT me/secret@host` to SQL*Plus, `HELLO 3 AUTH me secret` to Redis.

use std::ops::Range;

use super::byte_scan::{at, before, blanks, has, is_visible, mixed, part, run};
use super::detection::Detection;
use super::non_secret;

/// How far back the previous line may start, in bytes.
const REACH: usize = 256;
/// The maximum length of a password.
const MAX_LENGTH: usize = 256;
/// A login line has fewer words than this.
const WORDS: usize = 8;
/// The line of a Redis user has fewer words than this.
const RULES: usize = 32;

/// The words that start a login line.
pub(super) const KEYS: &[&str] =
    &["AUTH ", "PASS ", "LOGIN ", "CONNECT ", "CONN ", "SETUSER ", "USER ", "HELLO ", "IDENTIFY ", "/OPER "];

pub(super) fn look(bytes: &[u8], hit: Range<usize>) -> Detection {
    secret(bytes, &hit).map_or(Detection::NOTHING, Detection::Secret)
}

fn secret(bytes: &[u8], hit: &Range<usize>) -> Option<Range<usize>> {
    let verb = part(bytes, hit.start, hit.end - 1).to_ascii_uppercase();
    let written = part(bytes, hit.start, hit.end - 1);
    let opens = is_line_start(bytes, hit.start);
    let most = match verb.as_slice() {
        b"SETUSER" => RULES,
        b"USER" if opens => RULES,
        _ => WORDS,
    };
    let words = line(bytes, hit.end, most);
    let word = |index: usize| words.get(index).cloned();
    let text = |range: &Range<usize>| part(bytes, range.start, range.end);
    let found = match (verb.as_slice(), words.len()) {
        (b"AUTH", 1..=2) => authenticated(bytes, hit.start, &words)?,
        (b"PASS", 1) if opens && written == verb && has_user(bytes, hit.start, word(0)?.end) => word(0)?,
        (b"LOGIN", 2) if written == verb && is_tagged(bytes, hit.start) => word(1)?,
        (b"USER", 2) if opens && is_to_ftp(bytes, hit.start) => word(1)?,
        (b"CONNECT" | b"CONN", _) if opens => slashed(bytes, word(0)?)?,
        (b"IDENTIFY", 1..=2) if is_to_services(bytes, hit.start) => words.last().cloned()?,
        (b"/OPER", 2) => word(1)?,
        (b"HELLO", 4..) => {
            let auth = words.iter().position(|word| text(word).eq_ignore_ascii_case(b"auth"))?;
            word(auth + 2)?
        }
        (b"SETUSER", 2..) => granted(bytes, &words)?,
        (b"USER", 2..) if opens && matches!(text(&word(1)?), b"on" | b"off" | b"reset") => {
            granted(bytes, &words)?
        }
        _ => return None,
    };
    let value = text(&found);
    // The rest of a partly masked word does not count.
    let is_masked = has(value, "[masked:");
    (!value.is_empty() && !is_masked && !non_secret::value(value, 0)).then_some(found)
}

/// `AUTH secret`, `AUTH me secret`, `MIGRATE … AUTH secret`, `stats auth me:secret` of HAProxy.
fn authenticated(bytes: &[u8], start: usize, words: &[Range<usize>]) -> Option<Range<usize>> {
    let (first, last) = (words.first()?, words.last()?);
    let text = |range: &Range<usize>| part(bytes, range.start, range.end);
    if is_line_start(bytes, start) {
        let is_plain = words.len() == 2 && text(first).eq_ignore_ascii_case(b"plain");
        let is_sure = is_plain || is_to_redis(bytes, start) || is_unlike_prose(text(last));
        return is_sure.then(|| last.clone());
    }
    if words.len() > 1 || !is_in_line(bytes, start, "stats ") {
        return (words.len() == 1 && is_in_line(bytes, start, "MIGRATE ")).then(|| last.clone());
    }
    let colon = text(last).iter().position(|byte| *byte == b':')?;
    Some(last.start + colon + 1..last.end)
}

/// The password in the rules of a Redis user: `on >secret ~* +@all`.
fn granted(bytes: &[u8], words: &[Range<usize>]) -> Option<Range<usize>> {
    let word = words.iter().find(|word| at(bytes, word.start) == b'>')?;
    Some(word.start + 1..word.end)
}

/// The words up to the end of the line or of its quote. None if there are many, because that is prose.
fn line(bytes: &[u8], from: usize, most: usize) -> Vec<Range<usize>> {
    let mut words = Vec::new();
    let mut here = blanks(bytes, from);
    for _ in 0..most {
        let end = run(bytes, here, MAX_LENGTH, |byte| {
            is_visible(byte) && !matches!(byte, b'\\' | b'"' | b'\'' | b'`' | b';' | b'|' | b'&')
        });
        if end == here {
            return words;
        }
        words.push(here..end);
        here = blanks(bytes, end);
    }
    Vec::new()
}

fn is_line_start(bytes: &[u8], start: usize) -> bool {
    let left = part(bytes, start.saturating_sub(2), start);
    matches!(left, [] | [.., b'\n' | b'"' | b'\''] | [b'\\', b'n'])
        || left.iter().all(|byte| matches!(byte, b' ' | b'\t'))
}

/// Whether these words are before this position on its line.
fn is_in_line(bytes: &[u8], start: usize, words: &str) -> bool {
    let left = part(bytes, start.saturating_sub(REACH), start);
    has(left.rsplit(|byte| *byte == b'\n').next().unwrap_or_default(), words)
}

/// `a1 LOGIN`, `A003 LOGIN`
fn is_tagged(bytes: &[u8], start: usize) -> bool {
    let left = part(bytes, start.saturating_sub(8), start.saturating_sub(1));
    let tag = left.iter().rev().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    before(bytes, start) == b' ' && mixed(part(left, left.len() - tag, left.len()))
}

fn is_to_redis(bytes: &[u8], start: usize) -> bool {
    let left = part(bytes, start.saturating_sub(REACH), start);
    [&b"redis"[..], b"valkey", b"6379"].iter().any(|name| has(left, name))
}

/// `/msg NickServ IDENTIFY`
fn is_to_services(bytes: &[u8], start: usize) -> bool {
    has(&part(bytes, start.saturating_sub(16), start).to_ascii_lowercase(), "nickserv")
}

/// Whether this is input for an FTP client: `ftp -n host <<END`, `open host`.
fn is_to_ftp(bytes: &[u8], start: usize) -> bool {
    let left = part(bytes, start.saturating_sub(REACH), start);
    has(left, "ftp") && ["<<", "open ", "echo ", "-n"].iter().any(|word| has(left, word))
}

/// Whether the previous or next line names the user.
fn has_user(bytes: &[u8], start: usize, end: usize) -> bool {
    let left = part(bytes, start.saturating_sub(REACH), start);
    let right = part(bytes, end, end.saturating_add(16).min(bytes.len()));
    has(left, "USER ") || has(right, "NICK ") || has(right, "USER ")
}

fn is_unlike_prose(word: &[u8]) -> bool {
    word.len() >= 6 && mixed(word)
}

/// `me/secret@host`
fn slashed(bytes: &[u8], word: Range<usize>) -> Option<Range<usize>> {
    let text = part(bytes, word.start, word.end);
    let slash = text.iter().position(|byte| *byte == b'/').filter(|slash| *slash > 0)?;
    let host = text.iter().rposition(|byte| *byte == b'@').filter(|host| *host > slash + 1)?;
    Some(word.start + slash + 1..word.start + host)
}
