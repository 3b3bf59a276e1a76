//! The output of a stream, with the middle left out if it is long.
//!
//! The head and the tail are kept: the head says what ran, the tail how it ended. Memory is bounded by the
//! limit, whatever arrives. Bytes that are not UTF-8 become `U+FFFD`, and cuts are on character boundaries.

use std::collections::VecDeque;

/// The bytes kept of each stream of a command.
pub const STREAM_LIMIT: usize = 50_000;

/// Collects a stream.
#[derive(Debug)]
pub struct LimitedOutput {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    half: usize,
    total: u64,
}

impl LimitedOutput {
    /// Keeps at most this many bytes, half from the start and half from the end.
    pub fn new(limit: usize) -> LimitedOutput {
        LimitedOutput { head: Vec::new(), tail: VecDeque::new(), half: limit / 2, total: 0 }
    }

    /// Takes the next bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let room = self.half.saturating_sub(self.head.len());
        let (first, rest) = bytes.split_at_checked(room).unwrap_or((bytes, &[]));
        self.head.extend_from_slice(first);
        let kept = rest.len().saturating_sub(self.half);
        self.tail.extend(rest.iter().skip(kept));
        let excess = self.tail.len().saturating_sub(self.half);
        self.tail.drain(..excess);
    }

    /// All bytes; None if some were left out.
    pub fn into_bytes(self) -> Option<Vec<u8>> {
        let LimitedOutput { mut head, tail, total, .. } = self;
        head.extend(tail);
        (head.len() as u64 == total).then_some(head)
    }

    /// How many bytes arrived.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The text. If the middle is missing, a line says how many bytes were left out.
    pub fn into_text(self) -> String {
        let LimitedOutput { mut head, tail, total, .. } = self;
        let tail = Vec::from(tail);
        let left_out = total - (head.len() + tail.len()) as u64;
        if left_out == 0 {
            head.extend(tail);
            return String::from_utf8_lossy(&head).into_owned();
        }
        let whole = head.get(..complete_length(&head)).unwrap_or_default();
        let start = tail.iter().take(3).take_while(|byte| is_continuation(**byte)).count();
        let end = tail.get(start..).unwrap_or_default();
        let left_out = left_out + (head.len() - whole.len() + start) as u64;
        let (whole, end) = (String::from_utf8_lossy(whole), String::from_utf8_lossy(end));
        format!("{whole}\n... [{left_out} bytes truncated] ...\n{end}")
    }
}

fn is_continuation(byte: u8) -> bool {
    byte & 0b1100_0000 == 0b1000_0000
}

/// The length without a character that was cut at the end.
fn complete_length(bytes: &[u8]) -> usize {
    let after = bytes.iter().rev().take(3).take_while(|byte| is_continuation(**byte)).count();
    let start = bytes.len().saturating_sub(after + 1);
    let expected = match bytes.get(start) {
        Some(0b1100_0000..=0b1101_1111) => 2,
        Some(0b1110_0000..=0b1110_1111) => 3,
        Some(0b1111_0000..=0b1111_0111) => 4,
        _ => return bytes.len(),
    };
    if bytes.len() - start < expected { start } else { bytes.len() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(limit: usize, chunks: &[&[u8]], expected: &str) {
        let mut output = LimitedOutput::new(limit);
        chunks.iter().for_each(|chunk| output.push(chunk));
        assert_eq!(output.into_text(), expected);
    }

    #[test]
    fn short_output_is_whole() {
        check(10, &[], "");
        check(10, &[b"abc", b"def"], "abcdef");
        check(10, &[b"0123456789"], "0123456789");
        check(10, &["日本".as_bytes()], "日本");
        check(10, &[b"a\xffb\0"], "a\u{fffd}b\0");
    }

    #[test]
    fn long_output_keeps_head_and_tail() {
        check(10, &[b"0123456789x"], "01234\n... [1 bytes truncated] ...\n6789x");
        check(4, &[b"ab", b"c", b"d", b"e", b"fghi"], "ab\n... [5 bytes truncated] ...\nhi");
        check(4, &[&[b'x'; 1000], b"yz"], "xx\n... [998 bytes truncated] ...\nyz");
    }

    #[test]
    fn cuts_are_on_character_boundaries() {
        check(8, &["日本語日本語".as_bytes()], "日\n... [12 bytes truncated] ...\n語");
        check(10, &["é".repeat(10).as_bytes()], "éé\n... [12 bytes truncated] ...\néé");
        check(8, &["🦀🦀🦀🦀".as_bytes()], "🦀\n... [8 bytes truncated] ...\n🦀");
        check(
            6,
            &[&[0xff; 100]],
            "\u{fffd}\u{fffd}\u{fffd}\n... [94 bytes truncated] ...\n\u{fffd}\u{fffd}\u{fffd}",
        );
    }

    #[test]
    fn memory_is_bounded() {
        let mut output = LimitedOutput::new(STREAM_LIMIT);
        for _ in 0..1000 {
            output.push(&[b'x'; 8192]);
            assert!(output.head.len() + output.tail.len() <= STREAM_LIMIT);
        }
        assert_eq!(output.total(), 8_192_000);
    }
}
