//! Private members of a JSON Web Key.

use std::ops::Range;

use super::byte_scan::{at, blanks, has, part, quote, run};
use super::detection::Detection;

/// The secret members: of elliptic curves, of RSA, and the key of a symmetric algorithm.
pub(super) const MEMBERS: &[&str] = &["\"d", "\"p", "\"q", "\"dp", "\"dq", "\"qi", "\"k"];

/// How far from a member the type of the key may be, in bytes.
const REACH: usize = 2048;
/// The minimum length of a key.
const MIN_LENGTH: usize = 20;

/// Whether a member of this name is secret in an object with `kty`.
pub(super) fn is_secret(member: &str) -> bool {
    MEMBERS.iter().any(|known| known.strip_prefix('"') == Some(member))
}

pub(super) fn look(bytes: &[u8], hit: Range<usize>) -> Detection {
    value(bytes, &hit)
        .filter(|value| is_in_key(bytes, hit.start, value.end))
        .map_or(Detection::NOTHING, Detection::Secret)
}

fn value(bytes: &[u8], hit: &Range<usize>) -> Option<Range<usize>> {
    let (b'"', closed) = quote(bytes, hit.end)? else { return None };
    let sign = blanks(bytes, closed);
    let (b'"', open) = quote(bytes, blanks(bytes, sign + 1))? else { return None };
    let end =
        run(bytes, open, bytes.len(), |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    (at(bytes, sign) == b':' && end - open >= MIN_LENGTH && quote(bytes, end).is_some()).then_some(open..end)
}

/// Whether the key type occurs before or after, in the same braces.
fn is_in_key(bytes: &[u8], from: usize, to: usize) -> bool {
    let left = part(bytes, from.saturating_sub(REACH), from);
    let left = left.rsplit(|byte| matches!(byte, b'{' | b'}')).next().unwrap_or_default();
    let right = part(bytes, to, to.saturating_add(REACH).min(bytes.len()));
    let right = right.split(|byte| matches!(byte, b'{' | b'}')).next().unwrap_or_default();
    [left, right].iter().any(|side| has(side, "\"kty"))
}
