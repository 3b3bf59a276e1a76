//! Matches tokens by their form.
//!
//! A shape is matched once, left to right, without backtracking. If an open-ended run does not lead to
//! a match, every later start inside that run would end at the same byte and fail the same way, so it
//! is skipped.

use std::ops::Range;

use super::byte_scan::{before, mixed, part, run, starts};
use super::detection::Detection;
use super::non_secret;

pub(super) type Class = fn(u8) -> bool;

/// What follows the key.
pub(super) struct Shape {
    /// Whether the key must start a word.
    pub(super) edge: bool,
    /// Whether the key is not secret itself and stays.
    pub(super) keep: bool,
    /// Whether both letters and digits must occur after the key.
    pub(super) mixed: bool,
    /// This many bytes of a class must precede the key and are masked with it.
    pub(super) back: Option<(Class, usize)>,
    pub(super) pieces: &'static [Piece],
}

pub(super) enum Piece {
    /// This exact text.
    Is(&'static str),
    /// At least the first number of bytes of a class, and at most the second.
    Of(Class, usize, usize),
}

/// No upper bound.
pub(super) const MANY: usize = usize::MAX;

pub(super) const ALNUM: Class = |byte| byte.is_ascii_alphanumeric();
pub(super) const UPPER: Class = |byte| byte.is_ascii_uppercase() || byte.is_ascii_digit();
pub(super) const HEX: Class = |byte| byte.is_ascii_hexdigit();
pub(super) const WORD: Class = |byte| byte.is_ascii_alphanumeric() || byte == b'_';
pub(super) const DASHED: Class = |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
pub(super) const DOTTED: Class = |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
pub(super) const BASE64: Class = |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
pub(super) const BASE64_URL: Class =
    |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'%' | b'_' | b'-');

impl Shape {
    pub(super) fn look(&self, bytes: &[u8], hit: Range<usize>) -> Detection {
        if self.edge && before(bytes, hit.start).is_ascii_alphanumeric() {
            return Detection::NOTHING;
        }
        let Some(start) = self.start(bytes, hit.start) else { return Detection::NOTHING };
        let mut here = hit.end;
        let mut ruled_out = 0;
        for piece in self.pieces {
            match piece {
                Piece::Is(text) if starts(bytes, here, text.as_bytes()) => here += text.len(),
                Piece::Is(_) => return Detection::Nothing { read: ruled_out },
                Piece::Of(class, least, most) => {
                    let end = run(bytes, here, *most, class);
                    if end - here < *least {
                        return Detection::Nothing { read: ruled_out };
                    }
                    here = end;
                    if *most == MANY && ruled_out == 0 {
                        ruled_out = end;
                    }
                }
            }
        }
        let filling = part(bytes, hit.end, here);
        if (self.mixed && !mixed(filling)) || non_secret::fills(filling) {
            return Detection::Nothing { read: here };
        }
        Detection::Secret(if self.keep { hit.end } else { start }..word_end(bytes, here))
    }
}

impl Shape {
    fn start(&self, bytes: &[u8], key: usize) -> Option<usize> {
        let Some((class, count)) = self.back else { return Some(key) };
        let start = key.checked_sub(count)?;
        part(bytes, start, key).iter().all(|byte| class(*byte)).then_some(start)
    }
}

/// Masks the rest of the word too: the remainder after a mask would look like something else.
fn word_end(bytes: &[u8], from: usize) -> usize {
    run(bytes, from, MANY, WORD)
}
