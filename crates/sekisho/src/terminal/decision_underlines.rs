//! Marks under the parts of a command: which of them run, ask or are denied.

use std::ops::Range;

use anstyle::Style;
use sekisho_policy::Decision;

use super::style;
use super::wrap::columns_of;

/// The decision for each byte of a text; the strictest counts.
#[derive(Clone, Debug, Default)]
pub(crate) struct DecisionUnderlines(Vec<Option<Decision>>);

impl DecisionUnderlines {
    /// Marks a part by its byte range.
    pub(crate) fn add(&mut self, (from, to): (u32, u32), decision: Decision) {
        let (from, to) = (from as usize, to as usize);
        if self.0.len() < to {
            self.0.resize(to, None);
        }
        for mark in self.0.iter_mut().take(to).skip(from) {
            *mark = (*mark).max(Some(decision));
        }
    }

    /// The coloured line to print under a range of the text; empty if nothing is marked.
    pub(crate) fn under(&self, text: &str, range: Range<usize>) -> String {
        let (mut line, mut blank) = (String::new(), 0);
        let part = text.get(range.clone()).unwrap_or("");
        for (at, c) in part.char_indices() {
            let mark = self.0.get(range.start + at).copied().flatten();
            let width = columns_of(c);
            let Some(decision) = mark else {
                blank += width;
                continue;
            };
            let (style, sign) = decision_sign(decision);
            let signs = sign.repeat(width);
            line.push_str(&format!("{:blank$}{style}{signs}{style:#}", ""));
            blank = 0;
        }
        line
    }
}

/// The sign of a decision, and its colour.
pub(crate) fn decision_sign(decision: Decision) -> (Style, &'static str) {
    match decision {
        Decision::Allow => (style::ALLOW, "~"),
        Decision::Confirm => (style::CONFIRM, "?"),
        Decision::Deny => (style::DENY, "!"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(line: &str) -> String {
        anstream::adapter::strip_str(line).to_string()
    }

    #[test]
    fn each_part_is_marked_underneath() {
        let mut marks = DecisionUnderlines::default();
        let text = "ls && 関 | sh";
        marks.add((0, 2), Decision::Allow);
        marks.add((6, 9), Decision::Confirm);
        marks.add((12, 14), Decision::Confirm);
        marks.add((12, 14), Decision::Deny);
        marks.add((12, 14), Decision::Allow);
        assert_eq!(plain(&marks.under(text, 0..text.len())), "~~    ??   !!");
        assert_eq!(plain(&marks.under(text, 6..14)), "??   !!");
        assert_eq!(marks.under(text, 2..6), "");
        assert_eq!(marks.under(text, 40..60), "");
    }
}
