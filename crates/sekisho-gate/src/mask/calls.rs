//! Secrets that are arguments of a call in code, known by what is called.

use std::ops::Range;

use super::detector::Looked;
use super::plain;
use super::scan::{at, blanks, part, quote, run, starts_any_case};

/// How long the arguments before the secret may be.
const REACH: usize = 256;

/// The calls, each with the place of its secret among the arguments.
const CALLS: &[(&str, usize)] = &[
    ("auth=(", 1),
    ("auth: (", 1),
    (".login(", 1),
    (".authenticate(", 1),
    ("BasicAuth(", 1),
    ("SetBasicAuth(", 1),
    ("PSCredential(", 1),
    ("NetworkCredential(", 1),
    ("getConnection(", 2),
    ("createHmac(", 1),
    ("jwt.sign(", 1),
    ("jwt.verify(", 1),
    ("jwt.encode(", 1),
    ("jwt.decode(", 1),
    ("hmac.new(", 0),
];

/// What is called, for the automaton.
pub(super) const KEYS: &[&str] = &[
    "auth=(",
    "auth: (",
    ".login(",
    ".authenticate(",
    "BasicAuth(",
    "SetBasicAuth(",
    "PSCredential(",
    "NetworkCredential(",
    "getConnection(",
    "createHmac(",
    "jwt.sign(",
    "jwt.verify(",
    "jwt.encode(",
    "jwt.decode(",
    "hmac.new(",
];

pub(super) fn look(bytes: &[u8], hit: Range<usize>) -> Looked {
    let call = CALLS.iter().find(|(call, _)| starts_any_case(bytes, hit.start, call));
    call.and_then(|(_, place)| argument(bytes, hit.end, *place)).map_or(Looked::NOTHING, Looked::Secret)
}

/// The argument at this place, if it is one word in quotes.
fn argument(bytes: &[u8], from: usize, place: usize) -> Option<Range<usize>> {
    let mut here = from;
    for _ in 0..place {
        let comma = run(bytes, here, REACH, |byte| !matches!(byte, b',' | b'(' | b')' | b';' | b'\n'));
        if at(bytes, comma) != b',' {
            return None;
        }
        here = comma + 1;
    }
    let start = blanks(bytes, here);
    let start = run(bytes, start, 1, |byte| byte == b'b');
    let (mark, open) = quote(bytes, start)?;
    let end = run(bytes, open, REACH, |byte| byte != mark && byte.is_ascii_graphic() && byte != b'\\');
    let text = part(bytes, open, end);
    (quote(bytes, end).is_some() && !text.is_empty() && !plain::value(text, mark)).then_some(open..end)
}
