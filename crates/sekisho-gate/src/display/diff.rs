//! Two texts compared line by line.

use similar::{ChangeTag, TextDiff};

use super::{Hunk, Layout, Line, Sign, visible};

/// How many lines around a change are shown.
const AROUND: usize = 3;

/// The most pairs of lines that are compared. Past that what differs is shown as one block: right, only not the shortest.
const MOST_PAIRS: usize = 4_000_000;

/// The changed lines of a text.
#[derive(Default)]
pub(super) struct Lines {
    pub(super) hunks: Vec<Hunk>,
    pub(super) added: usize,
    pub(super) removed: usize,
}

/// What changes from one text to the other.
pub(super) fn compare(old: &str, new: &str) -> Lines {
    let before: Vec<&str> = old.split_inclusive('\n').collect();
    let after: Vec<&str> = new.split_inclusive('\n').collect();
    let head = before.iter().zip(&after).take_while(|(a, b)| a == b).count();
    let most = before.len().min(after.len()) - head;
    let tail = before.iter().rev().zip(after.iter().rev()).take(most).take_while(|(a, b)| a == b).count();
    let (old_end, new_end) = (before.len() - tail, after.len() - tail);
    let pairs = (old_end - head).saturating_mul(new_end - head);
    let mut lines: Vec<Line> = Vec::new();
    if pairs <= MOST_PAIRS {
        let compared = TextDiff::from_slices(&before, &after);
        for group in compared.grouped_ops(AROUND) {
            for change in group.iter().flat_map(|op| compared.iter_changes(op)) {
                let sign = match change.tag() {
                    ChangeTag::Delete => Sign::Removed,
                    ChangeTag::Insert => Sign::Added,
                    ChangeTag::Equal => Sign::Context,
                };
                lines.push(line(sign, change.old_index(), change.new_index(), change.value()));
            }
        }
    } else {
        let numbered = |lines: &[&str], from: usize, to: usize, sign: Sign| -> Vec<Line> {
            let picked = lines.iter().enumerate().skip(from).take(to.saturating_sub(from));
            let number = |at: usize| match sign {
                Sign::Added => (None, Some(at)),
                _ => (Some(at), None),
            };
            picked.map(|(at, text)| line(sign, number(at).0, number(at).1, text)).collect()
        };
        lines.extend(numbered(&before, head, old_end, Sign::Removed));
        lines.extend(numbered(&after, head, new_end, Sign::Added));
    }
    grouped(lines)
}

/// Lines in hunks: a new one wherever the numbers of lines do not go on.
fn grouped(lines: Vec<Line>) -> Lines {
    let mut made = Lines::default();
    let (mut old, mut new) = (0, 0);
    for line in lines {
        let goes_on = line.old.is_none_or(|at| at == old + 1) && line.new.is_none_or(|at| at == new + 1);
        old = line.old.unwrap_or(old);
        new = line.new.unwrap_or(new);
        match line.sign {
            Sign::Added => made.added += 1,
            Sign::Removed => made.removed += 1,
            Sign::Context => {}
        }
        match made.hunks.last_mut().filter(|_| goes_on) {
            Some(hunk) => hunk.lines.push(line),
            None => made.hunks.push(Hunk { lines: vec![line] }),
        }
    }
    made
}

/// What was asked for, where it cannot be told what comes of it: lines without numbers.
pub(super) fn asked(removed: &str, added: &str) -> Hunk {
    let all = |text: &str, sign: Sign| -> Vec<Line> {
        text.split_inclusive('\n').map(|text| line(sign, None, None, text)).collect()
    };
    let mut lines = all(removed, Sign::Removed);
    lines.extend(all(added, Sign::Added));
    Hunk { lines }
}

fn line(sign: Sign, old: Option<usize>, new: Option<usize>, text: &str) -> Line {
    let number = |at: usize| u32::try_from(at + 1).unwrap_or(u32::MAX);
    let text = text.strip_suffix('\n').unwrap_or(text);
    let text = visible(text, Layout::Text).into_owned();
    Line { sign, old: old.map(number), new: new.map(number), text }
}
