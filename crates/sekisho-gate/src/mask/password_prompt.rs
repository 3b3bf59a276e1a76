//! Text sent to a password prompt.

use std::ops::Range;

use super::byte_scan::{at, before, blanks, has, part, run, starts};
use super::detection::Detection;
use super::program_arguments::program_word;
use super::stdin_secret::{is_secret, line_end, tight};

/// How far before the answer its prompt may be, in bytes.
const REACH: usize = 128;

/// `expect "*assword*"; send "secret\r"`: a line sent to a password prompt.
pub(super) fn sent(bytes: &[u8], hit: Range<usize>) -> Detection {
    let Some((b"send" | b"send_user" | b"sendline", end)) =
        program_word(bytes, &hit).or_else(|| called(bytes, &hit))
    else {
        return Detection::NOTHING;
    };
    let left = part(bytes, hit.start.saturating_sub(REACH), hit.start).to_ascii_lowercase();
    let prompts = [&b"assword"[..], b"assphrase", b"asscode", b"pin:"];
    if !prompts.iter().any(|prompt| has(&left, prompt)) {
        return Detection::NOTHING;
    }
    let from = blanks(bytes, run(bytes, end, 1, |byte| byte == b'('));
    let from = if starts(bytes, from, b"-- ") { blanks(bytes, from + 3) } else { from };
    let Some(word) = tight(bytes, from) else { return Detection::NOTHING };
    let word = word.start..line_end(bytes, word.start, word.end);
    if is_secret(bytes, word.start, word.end) { Detection::Secret(word) } else { Detection::NOTHING }
}

/// `child.sendline('secret')`
fn called<'t>(bytes: &'t [u8], hit: &Range<usize>) -> Option<(&'t [u8], usize)> {
    let end = run(bytes, hit.end, 8, |byte| byte.is_ascii_lowercase());
    (before(bytes, hit.start) == b'.' && at(bytes, end) == b'(').then(|| (part(bytes, hit.start, end), end))
}
