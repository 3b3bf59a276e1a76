//! Text sent to a password prompt.

use std::ops::Range;

use memchr::memmem;

use super::byte_scan::{at, before, blanks, part, run, starts};
use super::detection::Detection;
use super::non_secret;
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
    if !PROMPTS.iter().any(|prompt| is_prompt(&left, prompt)) {
        return Detection::NOTHING;
    }
    let from = blanks(bytes, run(bytes, end, 1, |byte| byte == b'('));
    let from = if starts(bytes, from, b"-- ") { blanks(bytes, from + 3) } else { from };
    // The script may itself be in quotes: `send \"secret\r\"`.
    let slashes = run(bytes, from, 4, |byte| byte == b'\\');
    let from = if matches!(at(bytes, slashes), b'"' | b'\'') { slashes } else { from };
    let Some(word) = tight(bytes, from) else { return Detection::NOTHING };
    let word = word.start..line_end(bytes, word.start, word.end);
    let is_named = non_secret::translation(part(bytes, word.start, word.end));
    if is_secret(bytes, word.start, word.end) && !is_named {
        Detection::Secret(word)
    } else {
        Detection::NOTHING
    }
}

const PROMPTS: &[&str] = &["assword", "assphrase", "asscode", "pin:"];

/// Whether a text contains the prompt. In code, the name of a variable is no prompt: `if (!password) {`.
fn is_prompt(left: &[u8], prompt: &str) -> bool {
    memmem::find_iter(left, prompt)
        .any(|index| !matches!(at(left, index + prompt.len()), b')' | b'.' | b'=' | b'_' | b']'))
}

/// `child.sendline('secret')`
fn called<'t>(bytes: &'t [u8], hit: &Range<usize>) -> Option<(&'t [u8], usize)> {
    let end = run(bytes, hit.end, 8, |byte| byte.is_ascii_lowercase());
    (before(bytes, hit.start) == b'.' && at(bytes, end) == b'(').then(|| (part(bytes, hit.start, end), end))
}
