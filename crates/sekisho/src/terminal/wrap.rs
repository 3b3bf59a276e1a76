//! Wraps text to the width of a terminal without losing any of it.

use std::ops::Range;

use unicode_width::UnicodeWidthChar;

/// Columns of a tab. Its real width on a terminal depends on the text before it.
const TAB: usize = 4;

/// The width of a character in columns.
pub(crate) fn columns_of(c: char) -> usize {
    if c == '\t' { TAB } else { c.width().unwrap_or(0) }
}

/// The text with tabs replaced by spaces.
pub(crate) fn expand_tabs(text: &str) -> String {
    text.replace('\t', "    ")
}

/// The rows of a text as byte ranges: its lines, split at the width. Only line breaks are left out.
pub(crate) fn wrap_rows(text: &str, width: usize) -> Vec<Range<usize>> {
    let mut rows = Vec::new();
    let mut start = 0;
    for line in text.split('\n') {
        let (mut from, mut used) = (start, 0);
        for (at, c) in line.char_indices() {
            let columns = columns_of(c);
            if used + columns > width && used > 0 {
                rows.push(from..start + at);
                (from, used) = (start + at, 0);
            }
            used += columns;
        }
        rows.push(from..start + line.len());
        start += line.len() + 1;
    }
    rows
}

/// A sentence split into lines, at spaces where possible.
pub(crate) fn wrap_words(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    let mut used = 0;
    for word in text.split(' ') {
        let columns: usize = word.chars().map(columns_of).sum();
        if used > 0 && used + 1 + columns > width {
            lines.push(String::new());
            used = 0;
        }
        for (index, row) in wrap_rows(word, width).into_iter().enumerate() {
            if index > 0 {
                lines.push(String::new());
                used = 0;
            }
            let part = word.get(row).unwrap_or("");
            if let Some(line) = lines.last_mut() {
                if used > 0 {
                    line.push(' ');
                    used += 1;
                }
                line.push_str(part);
            }
            used += part.chars().map(columns_of).sum::<usize>();
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_contain_everything() {
        let text = "abcdef\n\n関所の門\tx";
        let rows: Vec<&str> = wrap_rows(text, 4).into_iter().map(|row| text.get(row).unwrap()).collect();
        assert_eq!(rows, ["abcd", "ef", "", "関所", "の門", "\t", "x"]);
    }

    #[test]
    fn sentences_break_at_spaces() {
        assert_eq!(wrap_words("one two three", 8), ["one two", "three"]);
        assert_eq!(wrap_words("a verylongword b", 6), ["a", "verylo", "ngword", "b"]);
        assert_eq!(wrap_words("", 6), [""]);
    }
}
