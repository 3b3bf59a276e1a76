//! Passwords that are arguments of a program, under a flag too short to tell.

use std::ops::Range;

use super::detector::Looked;
use super::header::pairs;
use super::plain;
use super::scan::{at, before, part, quote, run};

/// How far after the program its flag may stand.
const REACH: usize = 1024;

/// `mysql -psecret`, `sshpass -p secret`, `redis-cli -a secret`
pub(super) fn password(bytes: &[u8], hit: Range<usize>) -> Looked {
    let program = part(bytes, hit.start, hit.end);
    let (flag, apart): (&[u8], bool) = match program.first().map(u8::to_ascii_lowercase) {
        Some(b'm') => (b"-p", false),
        Some(b's') => (b"-p", true),
        _ => (b"-a", true),
    };
    let value = flags(bytes, &hit).find_map(|word| {
        let start = word.start + flag.len();
        if !part(bytes, word.start, word.end).starts_with(flag) {
            return None;
        }
        match (start == word.end, apart) {
            (false, _) => Some(start..word.end),
            (true, true) => argument(bytes, word.end),
            (true, false) => None,
        }
    });
    found(value.map(|value| unquoted(bytes, value)).filter(|value| is_secret(bytes, value)))
}

/// `curl -u user:secret`
pub(super) fn user(bytes: &[u8], hit: Range<usize>) -> Looked {
    let names: [&[u8]; 4] = [b"-u", b"--user", b"-U", b"--proxy-user"];
    let value = flags(bytes, &hit).find_map(|word| {
        let text = part(bytes, word.start, word.end);
        if names.contains(&text) {
            return argument(bytes, word.end);
        }
        let joined = if text.starts_with(b"--user=") { 7 } else { 2 };
        let short = text.starts_with(b"-u") && text.contains(&b':');
        (joined == 7 || short).then(|| word.start + joined..word.end)
    });
    let secret = value.map(|value| unquoted(bytes, value)).and_then(|value| {
        let colon = part(bytes, value.start, value.end).iter().position(|byte| *byte == b':')?;
        Some(value.start + colon + 1..value.end)
    });
    found(secret.filter(|value| is_secret(bytes, value)))
}

/// `curl -b name=secret`
pub(super) fn cookie(bytes: &[u8], hit: Range<usize>) -> Looked {
    let value = flags(bytes, &hit)
        .find_map(|word| (part(bytes, word.start, word.end) == b"-b").then(|| argument(bytes, word.end))?);
    found(
        value.and_then(|value| pairs(bytes, quote(bytes, value.start).map_or(value.start, |(_, open)| open))),
    )
}

fn found(range: Option<Range<usize>>) -> Looked {
    range.map_or(Looked::NOTHING, Looked::Secret)
}

fn is_secret(bytes: &[u8], value: &Range<usize>) -> bool {
    !value.is_empty() && !plain::reference(part(bytes, value.start, value.end), 0)
}

fn unquoted(bytes: &[u8], value: Range<usize>) -> Range<usize> {
    let Some((mark, open)) = quote(bytes, value.start) else { return value };
    open..run(bytes, open, value.end.saturating_sub(open), |byte| byte != mark && byte != b'\\')
}

/// The words after the program that start with a dash, up to the end of its command.
fn flags<'t>(bytes: &'t [u8], hit: &Range<usize>) -> impl Iterator<Item = Range<usize>> + use<'t> {
    let stands =
        !before(bytes, hit.start).is_ascii_alphanumeric() && !matches!(before(bytes, hit.start), b'-' | b'_');
    let limit = if stands { hit.end.saturating_add(REACH) } else { 0 };
    let mut here =
        run(bytes, hit.end, 32, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'));
    std::iter::from_fn(move || {
        while here < limit {
            let word = argument(bytes, here)?;
            here = word.end;
            if at(bytes, word.start) == b'-' {
                return Some(word);
            }
        }
        None
    })
}

/// The next shell word, unless the command ends first.
fn argument(bytes: &[u8], from: usize) -> Option<Range<usize>> {
    let mut start = from;
    while start - from < REACH {
        start = match at(bytes, start) {
            b' ' | b'\t' => start + 1,
            b'\\' if matches!(at(bytes, start + 1), b'\n' | b'\r') => start + 2,
            _ => break,
        };
    }
    if start == from || start >= bytes.len() {
        return None;
    }
    let mut here = start;
    while here < bytes.len() && here - start < REACH {
        match at(bytes, here) {
            byte if byte.is_ascii_whitespace() => break,
            b';' | b'|' | b'&' | b'(' | b')' | b'<' | b'>' | b'`' => break,
            mark @ (b'"' | b'\'') => {
                here = run(bytes, here + 1, REACH, |byte| byte != mark && byte != b'\n') + 1
            }
            b'\\' => here += 2,
            _ => here += 1,
        }
    }
    (here > start).then(|| start..here.min(bytes.len()))
}
