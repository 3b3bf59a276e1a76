//! Quoted values in text that may run: `PASSWORD = 'a;b'`.
//!
//! Elsewhere in such text every sign counts as syntax, because a caller chooses where quotes open. Here
//! program and shell read the same: blanks around the sign make this an assignment in a program, and the
//! name of a command with two arguments in a shell. In both, the quotes hold one word. Reading stops
//! where languages disagree about quotes: at a backslash before a quote, a comment with a quote, a
//! here-document, a backtick.

use std::ops::Range;

use super::byte_scan::{at, before, has, part, run};
use super::command_parts::{QuoteKind, QuotedText};
use super::secret_name;
use super::value_end;

/// The maximum length of a name or a word before it, in bytes.
const REACH: usize = 64;

/// Words between the start of a statement and the name that it assigns a value to.
const DECLARING: [&[u8]; 17] = [
    b"auto",
    b"char",
    b"const",
    b"final",
    b"let",
    b"local",
    b"my",
    b"our",
    b"private",
    b"protected",
    b"public",
    b"readonly",
    b"static",
    b"String",
    b"string",
    b"val",
    b"var",
];

/// The values in a text, in order.
pub(super) fn find(bytes: &[u8], text: &QuotedText) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let open = text.range.start.saturating_sub(1);
    let is_escaped = at(bytes, open) == b'"';
    // Text right before these quotes may leave others open.
    let is_whole = match text.kind {
        QuoteKind::Document => true,
        QuoteKind::Quotes => {
            matches!(at(bytes, open), b'"' | b'\'') && before(bytes, open).is_ascii_whitespace()
        }
        QuoteKind::Escapes | QuoteKind::Backslash => false,
    };
    if is_whole {
        let is_escaped = is_escaped && text.kind == QuoteKind::Quotes;
        Reader { bytes, start: text.range.start, end: text.range.end, is_escaped }.read(&mut found);
    }
    found
}

struct Reader<'b> {
    bytes: &'b [u8],
    start: usize,
    end: usize,
    /// Whether the text is in double quotes itself, and has its own as `\"`.
    is_escaped: bool,
}

impl Reader<'_> {
    /// Reads up to the first position that languages may read in different ways.
    fn read(&self, found: &mut Vec<Range<usize>>) {
        let mut here = self.start;
        // Whether a comment may have begun on this line, and whether a longer one may have begun.
        let (mut in_comment, mut in_block) = (false, false);
        let mut is_line_start = true;
        while here < self.end {
            let byte = at(self.bytes, here);
            let next = at(self.bytes, here + 1);
            let quote = self.quote(here);
            if let Some((mark, inside)) = quote {
                let close = self.close(mark, inside).filter(|_| !in_comment && !in_block);
                let Some(close) = close else { return };
                if is_value(part(self.bytes, inside, close)) && self.is_assigned(here) {
                    found.push(inside..close);
                }
                here = close + (inside - here);
                is_line_start = false;
                continue;
            }
            match byte {
                b'`' => return,
                b'\\' if matches!(next, b'\'' | b'"' | b'\\') => return,
                b'<' if next == b'<' => return,
                b'#' if is_line_start => {
                    here = run(self.bytes, here, self.end - here, |byte| byte != b'\n');
                    continue;
                }
                b'#' => in_comment = true,
                b'/' if next == b'*' => in_block = true,
                b'/' if next == b'/' => in_comment = true,
                b'-' if next == b'-' && at(self.bytes, here + 2) == b' ' => in_comment = true,
                b'\n' => in_comment = false,
                _ => {}
            }
            is_line_start = byte == b'\n' || (is_line_start && matches!(byte, b' ' | b'\t'));
            here += 1;
        }
    }

    /// The quote that opens here, and where its text begins.
    fn quote(&self, here: usize) -> Option<(u8, usize)> {
        match at(self.bytes, here) {
            mark @ (b'\'' | b'"') => Some((mark, here + 1)),
            b'\\' if self.is_escaped && at(self.bytes, here + 1) == b'"' => Some((b'"', here + 2)),
            _ => None,
        }
    }

    /// Where a quoted text ends. `None` if that is uncertain.
    fn close(&self, mark: u8, inside: usize) -> Option<usize> {
        let mut here = inside;
        while here < self.end {
            here = run(self.bytes, here, self.end - here, |byte| byte != mark && byte != b'\\');
            if here >= self.end {
                return None;
            }
            if at(self.bytes, here) == mark {
                return Some(here);
            }
            let escapes = run(self.bytes, here, self.end - here, |byte| byte == b'\\');
            let is_odd = (escapes - here) % 2 == 1;
            let is_mark = at(self.bytes, escapes) == mark;
            match (self.is_escaped, is_mark) {
                (true, true) if mark == b'"' && escapes == here + 1 => return Some(here),
                (true, _) => return None,
                (false, true) if is_odd && mark == b'\'' => return None,
                (false, true) if is_odd => here = escapes + 1,
                (false, _) => here = escapes,
            }
        }
        None
    }

    /// Whether a statement begins before this quote that assigns its text to a secret's name.
    fn is_assigned(&self, quote: usize) -> bool {
        let left = part(self.bytes, self.start.max(quote.saturating_sub(4 * REACH)), quote);
        let is_whole = self.start + 4 * REACH >= quote;
        let sign = left.trim_ascii_end();
        if sign.len() == left.len() {
            return false;
        }
        let named = match sign {
            [named @ .., b' ' | b'\t', b'='] | [named @ .., b':', b'='] | [named @ .., b':'] => named,
            _ => return false,
        };
        let (mut rest, name) = last_word(named.trim_ascii_end());
        if !secret_name::secret(name) {
            return false;
        }
        loop {
            let blank = rest.len() - rest.trim_ascii_end().len();
            let line = part(rest, rest.len() - blank, rest.len());
            rest = rest.trim_ascii_end();
            if line.contains(&b'\n') {
                return true;
            }
            match rest {
                [] => return is_whole,
                [.., b';'] => return true,
                [.., byte, b'('] => return byte.is_ascii_alphanumeric(),
                _ => {}
            }
            let (before, word) = last_word(rest);
            if blank == 0 || !DECLARING.contains(&word) {
                return false;
            }
            rest = before;
        }
    }
}

/// A text without its last word, and the word.
fn last_word(text: &[u8]) -> (&[u8], &[u8]) {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let length = text.iter().rev().take(REACH).take_while(|byte| is_part(byte)).count();
    text.split_at(text.len() - length)
}

/// Whether this is one word and no part of it names a program that runs something.
fn is_value(text: &[u8]) -> bool {
    let parts = text.iter().map(|byte| if matches!(byte, b'(' | b')') { b';' } else { *byte });
    // The first word is not taken for a program.
    let parts: Vec<u8> = std::iter::once(b'x').chain(parts).collect();
    !text.is_empty()
        && !text.iter().any(u8::is_ascii_whitespace)
        && !has(text, "$(")
        && value_end::is_one(&parts, true)
}

#[cfg(test)]
mod tests {
    use super::find;
    use crate::mask::command_parts::{QuoteKind, QuotedText};

    #[track_caller]
    fn check(command: &str, kind: QuoteKind, from: usize, expected: &[&str]) {
        let end = if kind == QuoteKind::Quotes { command.len() - 1 } else { command.len() };
        let text = QuotedText { range: from..end, command: 0, kind };
        let found = find(command.as_bytes(), &text);
        let found: Vec<&str> = found.into_iter().map(|range| command.get(range).unwrap()).collect();
        assert_eq!(found, expected, "{command}");
    }

    #[test]
    fn assigned_values_are_found() {
        for (text, value) in [
            ("PASSWORD = 'Wx7;K'", "Wx7;K"),
            ("x = 1\n  self.password = \"a(b\"\n", "a(b"),
            ("const apiKey = 'a|b&c';", "a|b&c"),
            ("# don't\npassword: 'a;b'", "a;b"),
            ("\"\"\"It's\n\"\"\"\nPASSWORD = 'a;b'", "a;b"),
            ("a = 'x\\\\'; token := 'a;b'", "a;b"),
            ("connect(password = 'a;b')", "a;b"),
        ] {
            check(text, QuoteKind::Document, 0, &[value]);
        }
        check("python -c \"PASSWORD = 'a;b'\"", QuoteKind::Quotes, 11, &["a;b"]);
        check("python -c \"PASSWORD = \\\"a;b\\\"\"", QuoteKind::Quotes, 11, &["a;b"]);
    }

    /// Some shell or program runs what is between these quotes, or may do so.
    #[test]
    fn text_that_may_run_is_not_a_value() {
        for text in [
            "PASSWORD='a;b'",
            "PASSWORD= 'a;b'",
            "ssh token = 'a;b'",
            "ssh h { token = 'a;b'",
            "x='\nPASSWORD = ';shred;'",
            "x='\\'\nPASSWORD = ';shred;y='",
            "cat <<E\n'\nE\nx='\nPASSWORD = ';shred;'",
            "/* ' */ x='\nPASSWORD = ';shred;'",
            "// '\nx='\nPASSWORD = ';shred;'",
            "x=\\'\nPASSWORD = ';shred;'",
            "PASSWORD = 'a;reboot'",
            "PASSWORD = ';reboot'",
            "PASSWORD = 'a;$(b)'",
            "PASSWORD = 'a; b'",
            "name = 'a;b'",
        ] {
            check(text, QuoteKind::Document, 0, &[]);
        }
        check("bash -c \"echo '\"\"PASSWORD = ';shred;'\"", QuoteKind::Quotes, 17, &[]);
    }
}
