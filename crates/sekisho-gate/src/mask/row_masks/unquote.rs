//! Removes one level of quotes and backslashes, as bash does.
//!
//! The text need not be a command. A quote that is never closed is kept, like an apostrophe in prose.

use std::ops::Range;

use crate::mask::byte_scan::{at, part, run};
use crate::mask::nearby_value;

/// A text without its quotes, with the source position of each byte.
#[derive(Default)]
pub(super) struct Unquoted {
    pub(super) text: String,
    /// For every byte of the text: its source position, and whether a quote or backslash protected it.
    from: Vec<(usize, bool)>,
    closes: Closes,
}

/// Removes one level of quotes.
pub(super) fn unquote(source: &str) -> Unquoted {
    let bytes = source.as_bytes();
    let mut made = Unquoted { text: String::with_capacity(source.len()), ..Unquoted::default() };
    let mut here = 0;
    while here < bytes.len() {
        here = match at(bytes, here) {
            b'\\' if here + 1 < bytes.len() => made.escaped(source, here),
            b'$' if matches!(at(bytes, here + 1), b'\'' | b'"') => {
                made.quoted(source, here + 1, true).unwrap_or_else(|| made.copy(source, here, false))
            }
            b'\'' | b'"' => {
                made.quoted(source, here, false).unwrap_or_else(|| made.copy(source, here, false))
            }
            _ => made.copy(source, here, false),
        };
    }
    made
}

impl Unquoted {
    /// The unquoted form of a source range.
    pub(super) fn of(&self, source: &Range<usize>) -> &str {
        self.text.get(self.position(source.start)..self.position(source.end)).unwrap_or_default()
    }

    /// The source range of a text range, including quotes after it.
    pub(super) fn written(&self, text: &Range<usize>, source: &str) -> Range<usize> {
        let position = |at: usize| self.from.get(at).map_or(source.len(), |(from, _)| *from);
        position(text.start)..position(text.end)
    }

    /// The rest of the word that continues after a removed quote or backslash, and where it ends in the
    /// source. If it looks like commands, only its first word: a quote must not remove a command from
    /// the audit log.
    pub(super) fn rest_of_word(&self, source: &str, end: usize) -> Option<(&str, usize)> {
        let start = self.position(end);
        let removed = self.from.get(start).is_some_and(|(from, _)| *from > end);
        if !removed || !matches!(at(source.as_bytes(), end), b'\'' | b'"' | b'\\' | b'$') {
            return None;
        }
        // `pwd:"…",roles:[…`: the next member of an object is not a part of this one.
        let next = run(source.as_bytes(), end + 2, 1, |byte| matches!(byte, b'\'' | b'"'));
        if at(source.as_bytes(), end + 1) == b',' && nearby_value::opens_option(source.as_bytes(), next) {
            return None;
        }
        let bytes = self.text.as_bytes();
        let rest = self.from.iter().zip(bytes).skip(start);
        let length = rest.take_while(|((_, quoted), byte)| *quoted || !ends_word(**byte)).count();
        let rest = self.text.get(start..start + length)?;
        let reads_as_commands = rest.contains([';', '|', '&', '`', '<', '>']) || rest.contains("$(");
        let rest = if reads_as_commands { rest.split_whitespace().next().unwrap_or_default() } else { rest };
        let last = self.from.get((start + rest.len()).checked_sub(1)?)?.0;
        Some((rest, source.ceil_char_boundary(last + 1)))
    }

    /// The text position of a source position.
    fn position(&self, source: usize) -> usize {
        let position = self.from.partition_point(|(from, _)| *from < source);
        self.text.floor_char_boundary(position)
    }

    /// Copies the character at `here`, and returns its end.
    fn copy(&mut self, source: &str, here: usize, quoted: bool) -> usize {
        let end = source.ceil_char_boundary(here + 1);
        self.push(source.get(here..end).unwrap_or_default(), here, quoted);
        end
    }

    fn push(&mut self, text: &str, from: usize, quoted: bool) {
        self.text.push_str(text);
        self.from.resize(self.text.len(), (from, quoted));
    }

    /// `\x`; a backslash before a line end removes it.
    fn escaped(&mut self, source: &str, here: usize) -> usize {
        if at(source.as_bytes(), here + 1) == b'\n' { here + 2 } else { self.copy(source, here + 1, true) }
    }

    /// Copies the quoted part that opens at `open`, and returns its end.
    fn quoted(&mut self, source: &str, open: usize, dollar: bool) -> Option<usize> {
        let mark = at(source.as_bytes(), open);
        let close = self.closes.of(source.as_bytes(), open, mark == b'"' || dollar)?;
        let mut here = open + 1;
        if mark == b'\'' && dollar {
            self.decoded(source.as_bytes(), here..close);
            return Some(close + 1);
        }
        while here < close {
            let next = at(source.as_bytes(), here + 1);
            let escape = mark == b'"' && at(source.as_bytes(), here) == b'\\';
            here = if escape && matches!(next, b'$' | b'`' | b'"' | b'\\' | b'\n') {
                self.escaped(source, here)
            } else {
                self.copy(source, here, true)
            };
        }
        Some(close + 1)
    }

    /// The inside of `$'…'`.
    fn decoded(&mut self, bytes: &[u8], range: Range<usize>) {
        let (mut decoded, mut from) = (Vec::new(), Vec::new());
        let mut here = range.start;
        while here < range.end {
            let start = here;
            let mut utf8 = [0; 4];
            let (text, end) = escape(bytes, here, &mut utf8);
            // Bash ends the part there.
            if text == [0] {
                break;
            }
            here = end;
            decoded.extend_from_slice(text);
            from.resize(decoded.len(), (start, true));
        }
        match String::from_utf8(decoded) {
            Ok(text) => {
                self.text.push_str(&text);
                self.from.append(&mut from);
            }
            Err(broken) => self.push(&String::from_utf8_lossy(broken.as_bytes()), range.start, true),
        }
    }
}

fn ends_word(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b';' | b'|' | b'&' | b'<' | b'>' | b'(' | b')' | b'`')
}

/// Where quotes close. After the first unclosed quote, all closing quotes are found in one pass:
/// searching from each quote to the end of the text would take long if none is closed.
#[derive(Default)]
struct Closes {
    /// By quote and whether backslashes escape: the closing quote for each position.
    known: [Option<Vec<Option<usize>>>; 3],
}

impl Closes {
    fn of(&mut self, bytes: &[u8], open: usize, escapes: bool) -> Option<usize> {
        let mark = at(bytes, open);
        let known = match (mark, escapes) {
            (b'"', _) => self.known.get_mut(0),
            (_, false) => self.known.get_mut(1),
            (_, true) => self.known.get_mut(2),
        }?;
        if let Some(known) = known {
            return known.get(open + 1).copied().flatten();
        }
        let found = close(bytes, open, escapes);
        if found.is_none() {
            *known = Some(all_closes(bytes, mark, escapes));
        }
        found
    }
}

/// For every position: where a quote that opened before it closes.
fn all_closes(bytes: &[u8], mark: u8, escapes: bool) -> Vec<Option<usize>> {
    let mut closes = vec![None; bytes.len()];
    let (mut next, mut second) = (None, None);
    for (here, close) in closes.iter_mut().enumerate().rev() {
        *close = match at(bytes, here) {
            byte if byte == mark => Some(here),
            b'\\' if escapes => second,
            _ => next,
        };
        (next, second) = (*close, next);
    }
    closes
}

/// The position of the quote that closes the one at `open`.
fn close(bytes: &[u8], open: usize, escapes: bool) -> Option<usize> {
    let mark = at(bytes, open);
    let mut here = open + 1;
    while here < bytes.len() {
        match at(bytes, here) {
            byte if byte == mark => return Some(here),
            b'\\' if escapes => here += 2,
            _ => here += 1,
        }
    }
    None
}

/// The character at `here` inside `$'…'`, and where it ends.
fn escape<'b>(bytes: &'b [u8], here: usize, utf8: &'b mut [u8; 4]) -> (&'b [u8], usize) {
    if at(bytes, here) != b'\\' {
        return (part(bytes, here, here + 1), here + 1);
    }
    let next = here + 2;
    let simple: &[u8] = match at(bytes, here + 1) {
        b'a' => b"\x07",
        b'b' => b"\x08",
        b'e' | b'E' => b"\x1b",
        b'f' => b"\x0c",
        b'n' => b"\n",
        b'r' => b"\r",
        b't' => b"\t",
        b'v' => b"\x0b",
        b'\\' | b'\'' | b'"' | b'?' => part(bytes, here + 1, next),
        b'c' => {
            utf8[0] = at(bytes, next) & 0x1f;
            return (&utf8[..1], next + 1);
        }
        b'0'..=b'7' => return number(bytes, here + 1, 3, 8, utf8),
        b'x' if at(bytes, next).is_ascii_hexdigit() => return number(bytes, next, 2, 16, utf8),
        b'u' if at(bytes, next).is_ascii_hexdigit() => return letter(bytes, next, 4, utf8),
        b'U' if at(bytes, next).is_ascii_hexdigit() => return letter(bytes, next, 8, utf8),
        _ => part(bytes, here, next),
    };
    (simple, next)
}

fn digits(bytes: &[u8], from: usize, most: usize, base: u32) -> (u32, usize) {
    let end = run(bytes, from, most, |byte| char::from(byte).is_digit(base));
    let text = std::str::from_utf8(part(bytes, from, end)).unwrap_or_default();
    (u32::from_str_radix(text, base).unwrap_or(0), end)
}

fn number<'b>(bytes: &[u8], from: usize, most: usize, base: u32, out: &'b mut [u8; 4]) -> (&'b [u8], usize) {
    let (number, end) = digits(bytes, from, most, base);
    [.., out[0]] = number.to_be_bytes();
    (&out[..1], end)
}

fn letter<'b>(bytes: &[u8], from: usize, most: usize, out: &'b mut [u8; 4]) -> (&'b [u8], usize) {
    let (number, end) = digits(bytes, from, most, 16);
    let letter = char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER);
    (letter.encode_utf8(out).as_bytes(), end)
}

#[cfg(test)]
mod tests {
    use super::unquote;

    /// Bash 5.2 printed each of these with `printf %s`.
    #[test]
    fn words_are_unquoted_as_in_bash() {
        let words = [
            (r"pa\$\$w0rd", "pa$$w0rd"),
            (r#""pa\"ss\$w\0rd""#, r#"pa"ss$w\0rd"#),
            (r"hunter'2'x", "hunter2x"),
            (r"hunter\2x", "hunter2x"),
            (r#"'it'"'"'s'"#, "it's"),
            (r"'a\b'", r"a\b"),
            (r"$'hunter\x32'", "hunter2"),
            (r"$'\62\u00e9\U1F600\'\q\cA'", "2é😀'\\q\u{1}"),
            (r"$'\xc3\xa9'z", "éz"),
            (r"$'ab\0cd'e", "abe"),
            (r#"$"ab"c"#, "abc"),
            ("ab\\\ncd", "abcd"),
            ("\"ab\\\ncd\"", "abcd"),
        ];
        for (word, read) in words {
            assert_eq!(unquote(word).text, read, "{word}");
        }
    }

    #[test]
    fn unclosed_quote_is_kept() {
        for text in ["it's", "5\" wide", "$'x", "x\\"] {
            assert_eq!(unquote(text).text, text);
        }
    }

    #[test]
    fn closing_quotes_are_the_same_singly_or_in_one_pass() {
        for text in [r#"a"b\"c"d'e\'f'"#, r#"\\\""'\"#, r#"'"\'"\"\\'"#] {
            for (mark, escapes) in [(b'"', true), (b'\'', false), (b'\'', true)] {
                let all = super::all_closes(text.as_bytes(), mark, escapes);
                for open in text.bytes().enumerate().filter(|(_, byte)| *byte == mark).map(|(at, _)| at) {
                    let close = super::close(text.as_bytes(), open, escapes);
                    assert_eq!(all.get(open + 1).copied().flatten(), close, "{text} {open}");
                }
            }
        }
    }

    #[test]
    fn ranges_and_rest_of_word_are_found() {
        let source = r#"foo --password 'it'"'"'sSECRET' x"#;
        let unquoted = unquote(source);
        let start = source.find("it'").unwrap();
        assert_eq!(unquoted.of(&(start..start + 2)), "it");
        let read = unquoted.text.find("it's").unwrap();
        let written = unquoted.written(&(read..read + 10), source);
        assert_eq!(source.get(written), Some(r#"it'"'"'sSECRET'"#));
        let (rest, end) = unquoted.rest_of_word(source, start + 2).unwrap();
        assert_eq!((rest, source.get(end..)), ("'sSECRET", Some("' x")));
        assert_eq!(unquoted.rest_of_word("ab cd", 2), None);
    }
}
