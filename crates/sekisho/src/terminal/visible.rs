//! Foreign text on a terminal.
//!
//! Rules and calls are written by others. What would move the cursor, change colours, run backwards or take no room must
//! be seen, not obeyed.

use std::borrow::Cow;
use std::fmt::Write;

/// The text with every character that does not show itself written out as `\u{…}`.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(hides) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if hides(c) {
            // Writing to a string does not fail.
            let _ = write!(shown, "{}", c.escape_unicode());
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
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

#[cfg(test)]
mod tests {
    use super::visible;

    #[test]
    fn what_does_not_show_itself_is_written_out() {
        for (text, expected) in [
            ("rg 関所 é", "rg 関所 é"),
            ("\u{1b}[2Jgone", "\\u{1b}[2Jgone"),
            ("a\tb\r\n", "a\\u{9}b\\u{d}\\u{a}"),
            ("ab\u{202e}dc", "ab\\u{202e}dc"),
            ("r\u{200b}m", "r\\u{200b}m"),
            ("\u{9b}31m", "\\u{9b}31m"),
            ("x\u{e0041}", "x\\u{e0041}"),
        ] {
            assert_eq!(visible(text), expected);
        }
    }
}
