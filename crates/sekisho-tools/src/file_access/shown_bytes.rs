//! Bytes of files and names as text.

use std::ffi::OsStr;
use std::fmt::Write as _;

use crate::input_fields::shown;

/// A line of a file as text.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ShownLine {
    pub(crate) text: String,
    /// How many bytes at the end are not shown.
    pub(crate) left_out: u64,
    /// Some bytes are not UTF-8. They are written as `\xNN`.
    pub(crate) has_other_bytes: bool,
}

impl ShownLine {
    /// The first `most` characters of a line. `bytes` is the beginning of the line, `length` the length of the whole line
    /// in bytes. A byte that is not UTF-8 counts as a character.
    pub(crate) fn new(bytes: &[u8], length: u64, most: usize) -> ShownLine {
        // A character has at most four bytes, so this many bytes are enough; the last character may be incomplete.
        let beginning = bytes.get(..most.saturating_mul(4) + 4).unwrap_or(bytes);
        let (mut line, mut used, mut room) =
            (ShownLine { text: String::new(), left_out: 0, has_other_bytes: false }, 0, most);
        for chunk in beginning.utf8_chunks() {
            for c in chunk.valid().chars().take(room) {
                line.text.push(c);
                used += c.len_utf8() as u64;
                room -= 1;
            }
            for byte in chunk.invalid().iter().take(room) {
                push_number(&mut line.text, *byte);
                line.has_other_bytes = true;
                used += 1;
                room -= 1;
            }
        }
        line.left_out = length.saturating_sub(used);
        line
    }

    /// The text, and how much is missing.
    pub(crate) fn into_text(self) -> String {
        match self.left_out {
            0 => self.text,
            left_out => format!("{}… [{left_out} more bytes]", self.text),
        }
    }
}

fn push_number(text: &mut String, byte: u8) {
    // Writing to a string cannot fail.
    let _ = write!(text, "\\x{byte:02X}");
}

/// A name or path on one line: invisible characters are written as `\u{…}`, bytes that are not UTF-8 as `\xNN`.
pub(crate) fn shown_os(name: &OsStr) -> String {
    let mut text = String::new();
    for chunk in name.as_encoded_bytes().utf8_chunks() {
        text.push_str(&shown(chunk.valid()));
        chunk.invalid().iter().for_each(|byte| push_number(&mut text, *byte));
    }
    text
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStrExt as _;

    use super::*;

    #[test]
    fn lines_are_cut_after_a_number_of_characters() {
        let check = |bytes: &[u8], expected: &str| {
            let line = ShownLine::new(bytes, bytes.len() as u64, 5);
            assert_eq!(line.into_text(), expected);
        };
        check(b"", "");
        check(b"plain", "plain");
        check(b"plainer", "plain… [2 more bytes]");
        check("日本語日本".as_bytes(), "日本語日本");
        check("日本語日本語".as_bytes(), "日本語日本… [3 more bytes]");
        check(b"caf\xe9!", "caf\\xE9!");
        check(b"\xff\xfe\xff\xfe\xff\xfe", "\\xFF\\xFE\\xFF\\xFE\\xFF… [1 more bytes]");
        assert_eq!(ShownLine::new(b"abc", 1000, 5).left_out, 997);
        assert!(ShownLine::new(b"\xff", 1, 5).has_other_bytes);
        assert!(!ShownLine::new("é".as_bytes(), 2, 5).has_other_bytes);
    }

    #[test]
    fn names_stay_on_one_line() {
        let check = |name: &[u8], expected: &str| {
            assert_eq!(shown_os(OsStr::from_bytes(name)), expected);
        };
        check(b"src/a.rs", "src/a.rs");
        check(b"a\nb.rs:1:x", "a\\u{a}b.rs:1:x");
        check("\u{202e}txt.exe".as_bytes(), "\\u{202e}txt.exe");
        check(b"\x1b[31m", "\\u{1b}[31m");
        check(b"\xff.rs", "\\xFF.rs");
    }
}
