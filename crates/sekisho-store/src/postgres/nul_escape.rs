//! Escapes text that PostgreSQL cannot store.
//!
//! A `TEXT` column cannot hold NUL. Names and ids come from outside, and a call must not fail because of a
//! character in its name. Two different names must stay different, because approvals are looked up by them.
//! So character 0 is written as two characters that begin with 1, and 1 is escaped the same way. Text with
//! neither, which is all ordinary text, is stored unchanged.

use std::borrow::Cow;

const MARK: char = '\u{1}';

/// Escapes a text for storage.
pub(super) fn escape_nul(text: &str) -> Cow<'_, str> {
    if !text.contains(['\0', MARK]) {
        return Cow::Borrowed(text);
    }
    let mut kept = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '\0' => kept.extend([MARK, '0']),
            MARK => kept.extend([MARK, '1']),
            other => kept.push(other),
        }
    }
    Cow::Owned(kept)
}

/// Escapes an optional text.
pub(super) fn escape_nul_option<T: AsRef<str> + ?Sized>(text: Option<&T>) -> Option<Cow<'_, str>> {
    text.map(|text| escape_nul(text.as_ref()))
}

/// Restores the original text.
pub(super) fn unescape_nul(text: String) -> String {
    if !text.contains(MARK) {
        return text;
    }
    let mut given = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        match (c, c == MARK) {
            (_, true) => match characters.next() {
                Some('0') => given.push('\0'),
                Some('1') | None => given.push(MARK),
                Some(other) => given.extend([MARK, other]),
            },
            (other, false) => given.push(other),
        }
    }
    given
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_text_round_trips_and_stays_distinct() {
        let texts = ["", "plain", "\0", "\u{1}", "\u{1}0", "\u{1}1", "\0\0", "a\0b\u{1}c", "\u{1}\0", "é関"];
        let all: std::collections::BTreeSet<String> =
            texts.iter().map(|text| escape_nul(text).into_owned()).collect();
        assert_eq!(all.len(), texts.len());
        for text in texts {
            assert!(!escape_nul(text).contains('\0'));
            assert_eq!(unescape_nul(escape_nul(text).into_owned()), text);
        }
        assert!(matches!(escape_nul("plain"), Cow::Borrowed(_)));
    }
}
