//! Escapes hidden characters (control and invisible ones), so that an entry of the log stays on its line.
//!
//! Untrusted text in a log must not end its line, move the cursor or reverse its direction, or it could
//! forge or hide an entry. Every invisible character is escaped.

use std::borrow::Cow;
use std::fmt::Write;

/// Escapes every character that breaks a line or is invisible as `\u{…}`.
pub(crate) fn escape_line(text: &str) -> Cow<'_, str> {
    escaped(text, hides)
}

/// The same for a text of several lines, keeping its line breaks.
pub(crate) fn escape_lines(text: &str) -> Cow<'_, str> {
    escaped(text, |c| !matches!(c, '\n' | '\t') && hides(c))
}

fn escaped(text: &str, hides: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.chars().any(&hides) {
        return Cow::Borrowed(text);
    }
    let mut line = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if hides(c) {
            // Writing to a string cannot fail.
            let _ = write!(line, "{}", c.escape_unicode());
        } else {
            line.push(c);
        }
    }
    Cow::Owned(line)
}

fn hides(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}'
                | '\u{34f}'
                | '\u{61c}'
                | '\u{115f}'
                | '\u{1160}'
                | '\u{17b4}'
                | '\u{17b5}'
                | '\u{180b}'..='\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{3164}'
                | '\u{fe00}'..='\u{fe0f}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}
