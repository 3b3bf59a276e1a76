//! Connection strings: `Server=db;User Id=me;Password=…;Encrypt=true`.

use std::ops::Range;

use super::byte_scan::{at, before, blanks, part, run};
use super::secret_name;

/// The maximum length of a connection string.
const MAX_LENGTH: usize = 512;

/// Whether this is the connection string that its name promises and its password is found by the name
/// inside it. Then the server and the other parts stay readable.
pub(super) fn masks_itself(name: &[u8], text: &[u8]) -> bool {
    if !is_named(name) || text.len() > MAX_LENGTH {
        return false;
    }
    let (mut pairs, mut secrets, mut others) = (0, 0, 0);
    for pair in parts(text).filter(|pair| !pair.trim_ascii().is_empty()) {
        let Some(sign) = pair.iter().position(|byte| *byte == b'=') else { return false };
        let (name, value) = (pair.get(..sign).unwrap_or_default(), pair.get(sign + 1..).unwrap_or_default());
        pairs += 1;
        if secret_name::secret(name.trim_ascii()) {
            if !is_plain(value) {
                return false;
            }
            secrets += 1;
        } else if !PUBLIC.iter().any(|known| name.trim_ascii().eq_ignore_ascii_case(known.as_bytes())) {
            others += 1;
        }
    }
    (pairs >= 2 && secrets > 0) || (pairs > 0 && others == 0)
}

/// Parts that hold no secret. A string of nothing else has no password.
const PUBLIC: &[&str] = &[
    "server",
    "host",
    "data source",
    "address",
    "port",
    "database",
    "initial catalog",
    "user",
    "user id",
    "uid",
    "username",
    "name",
    "provider",
    "driver",
    "dsn",
    "trusted_connection",
    "integrated security",
    "persist security info",
    "encrypt",
    "trustservercertificate",
    "multipleactiveresultsets",
    "connect timeout",
    "connection timeout",
    "timeout",
    "pooling",
    "application name",
    "sslmode",
    "attachdbfilename",
];

/// The parts between semicolons. That of an entity of XML separates nothing.
fn parts(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut start = 0;
    std::iter::from_fn(move || {
        if start > text.len() {
            return None;
        }
        let mut end = start;
        loop {
            end = run(text, end, text.len(), |byte| !matches!(byte, b';' | b'&'));
            match entity(text, end) {
                Some(past) => end = past,
                None if at(text, end) == b'&' => end += 1,
                None => break,
            }
        }
        let found = part(text, start, end);
        start = end + 1;
        Some(found)
    })
}

/// The end of an entity of XML: `&amp;`, `&#38;`
pub(super) fn entity(bytes: &[u8], from: usize) -> Option<usize> {
    let end = run(bytes, from + 1, 8, |byte| byte.is_ascii_alphanumeric() || byte == b'#');
    let name = part(bytes, from + 1, end);
    let is_known = matches!(name, b"amp" | b"lt" | b"gt" | b"quot" | b"apos") || name.starts_with(b"#");
    (at(bytes, from) == b'&' && at(bytes, end) == b';' && is_known).then_some(end + 1)
}

/// How far the parts around a value are read, in bytes.
const REACH: usize = 256;

/// Whether this name is one of a connection string: another part is before it or after its value, which
/// starts at `from`.
pub(super) fn is_part(bytes: &[u8], named: &Range<usize>, from: usize) -> bool {
    let ends = |byte: u8| matches!(byte, b'"' | b'\'' | b'`' | b'\n');
    let left = part(bytes, named.start.saturating_sub(REACH), named.start);
    let length = left.iter().rev().take_while(|byte| !ends(**byte)).count();
    let left = part(left, left.len() - length, left.len());
    let is_after = left.trim_ascii_end().ends_with(b";") && left.split(|byte| *byte == b';').any(is_public);
    is_after || {
        let right = part(bytes, from, run(bytes, from, REACH, |byte| !ends(byte)));
        before(bytes, named.start) != b'$' && parts(right).skip(1).take(4).any(is_public)
    }
}

/// `Server=db`: a part that holds no secret.
fn is_public(pair: &[u8]) -> bool {
    let start = blanks(pair, 0);
    let sign = run(pair, start, 32, |byte| byte != b'=');
    let name = part(pair, start, sign).trim_ascii();
    // What may precede the first part in the same word: `jdbc:sqlserver://db`, `export X=`.
    at(pair, sign) == b'=' && PUBLIC.iter().any(|known| name.eq_ignore_ascii_case(known.as_bytes()))
}

/// The same for the value that starts here, in quotes or bare.
pub(super) fn starts_here(bytes: &[u8], name: &[u8], from: usize, mark: Option<u8>) -> bool {
    is_named(name) && {
        let end = run(bytes, from, MAX_LENGTH + 1, |byte| match mark {
            Some(mark) => byte != mark && !matches!(byte, b'\n' | b'\\'),
            None => byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\''),
        });
        masks_itself(name, part(bytes, from, end))
    }
}

fn is_named(name: &[u8]) -> bool {
    name.len()
        .checked_sub(6)
        .and_then(|at| name.get(at..))
        .is_some_and(|end| end.eq_ignore_ascii_case(b"string"))
}

/// Whether the value is one word that no sign ends too early.
fn is_plain(value: &[u8]) -> bool {
    value.starts_with(b"[masked:")
        || value.len() > 3
            && value.first().is_some_and(u8::is_ascii_alphanumeric)
            && value.last().is_some_and(|last| !matches!(last, b',' | b']' | b'.'))
            && value.iter().all(|byte| {
                byte.is_ascii_alphanumeric()
                    || matches!(
                        byte,
                        b'!' | b'#'
                            | b'&'
                            | b';'
                            | b'%'
                            | b'*'
                            | b'+'
                            | b'-'
                            | b'.'
                            | b'/'
                            | b'='
                            | b'?'
                            | b'@'
                            | b'_'
                            | b'~'
                    )
            })
}
