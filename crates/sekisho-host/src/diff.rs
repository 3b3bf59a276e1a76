//! Line diffs for people.

use std::fmt::Write;

use similar::{ChangeTag, TextDiff};

/// Changed lines with three lines of context; `-` for old lines, `+` for new ones. Empty if nothing changed.
pub fn diff(old: &str, new: &str) -> String {
    let compared = TextDiff::from_lines(old, new);
    let mut shown = String::new();
    for (index, group) in compared.grouped_ops(3).iter().enumerate() {
        if index > 0 {
            shown.push_str("  …\n");
        }
        for change in group.iter().flat_map(|op| compared.iter_changes(op)) {
            let sign = match change.tag() {
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
                ChangeTag::Equal => ' ',
            };
            let line = change.value();
            // Writing to a string does not fail.
            let _ = writeln!(shown, "{sign} {}", line.strip_suffix('\n').unwrap_or(line));
        }
    }
    shown
}
