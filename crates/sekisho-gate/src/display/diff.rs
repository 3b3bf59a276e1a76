//! Compares two texts line by line.

use std::collections::HashMap;

use similar::{Algorithm, DiffOp, capture_diff_slices, group_diff_ops};

use super::work_budget::Budget;
use super::{DiffHunk, DiffLine, DiffSign, Layout, visible};

/// How many context lines are shown around a change.
const CONTEXT_LINES: usize = 3;

/// The changed lines of a text, as far as they are shown.
#[derive(Default)]
pub(super) struct DiffLines {
    pub(super) hunks: Vec<DiffHunk>,
    pub(super) added: usize,
    pub(super) removed: usize,
    /// Too many lines for a line-by-line comparison: everything from the first to the last difference
    /// is one block.
    pub(super) coarse: bool,
    /// The number of lines that are not shown, and their bytes.
    pub(super) left_out: (usize, usize),
}

/// The changes from one text to the other.
pub(super) fn compare(old: &str, new: &str, budget: &mut Budget) -> DiffLines {
    let before: Vec<&str> = old.split_inclusive('\n').collect();
    let after: Vec<&str> = new.split_inclusive('\n').collect();
    let head = before.iter().zip(&after).take_while(|(a, b)| a == b).count();
    let most = before.len().min(after.len()) - head;
    let tail = before.iter().rev().zip(after.iter().rev()).take(most).take_while(|(a, b)| a == b).count();
    let removed = before.get(head..before.len() - tail).unwrap_or_default();
    let added = after.get(head..after.len() - tail).unwrap_or_default();
    let mut builder = HunkBuilder::new(budget);
    for op in
        group_diff_ops(builder.operations(removed, added, (head, tail)), CONTEXT_LINES).into_iter().flatten()
    {
        builder.operation(op, &before, &after);
    }
    builder.lines
}

/// The requested edits, for a change with an unknown result: lines without numbers, one hunk per pair
/// of texts.
pub(super) fn requested_lines(
    pairs: &[(impl AsRef<str>, impl AsRef<str>)],
    budget: &mut Budget,
) -> DiffLines {
    let mut builder = HunkBuilder::new(budget);
    for (removed, added) in pairs {
        builder.next_hunk = true;
        removed
            .as_ref()
            .split_inclusive('\n')
            .for_each(|text| builder.put(DiffSign::Removed, None, None, text));
        added.as_ref().split_inclusive('\n').for_each(|text| builder.put(DiffSign::Added, None, None, text));
    }
    builder.lines
}

/// Collects lines into hunks, as long as they are shown.
struct HunkBuilder<'b> {
    budget: &'b mut Budget,
    lines: DiffLines,
    /// The numbers of the latest lines.
    old: usize,
    new: usize,
    next_hunk: bool,
}

impl HunkBuilder<'_> {
    fn new(budget: &mut Budget) -> HunkBuilder<'_> {
        HunkBuilder { budget, lines: DiffLines::default(), old: 0, new: 0, next_hunk: true }
    }

    /// The operations that turn `removed` into `added`, with the given numbers of unchanged lines
    /// before and after.
    fn operations(&mut self, removed: &[&str], added: &[&str], (head, tail): (usize, usize)) -> Vec<DiffOp> {
        let (old_len, new_len) = (removed.len(), added.len());
        let block = DiffOp::Replace { old_index: 0, old_len, new_index: 0, new_len };
        let inner = if old_len == 0 || new_len == 0 {
            vec![block]
        } else if self.budget.compare(old_len, new_len) {
            let mut numbers = HashMap::new();
            let removed = numbered(removed, &mut numbers);
            let added = numbered(added, &mut numbers);
            capture_diff_slices(Algorithm::Myers, &removed, &added)
        } else {
            self.lines.coarse = true;
            vec![block]
        };
        let moved = inner.into_iter().map(|op| match op {
            DiffOp::Equal { old_index, new_index, len } => {
                DiffOp::Equal { old_index: old_index + head, new_index: new_index + head, len }
            }
            DiffOp::Delete { old_index, old_len, new_index } => {
                DiffOp::Delete { old_index: old_index + head, old_len, new_index: new_index + head }
            }
            DiffOp::Insert { old_index, new_index, new_len } => {
                DiffOp::Insert { old_index: old_index + head, new_index: new_index + head, new_len }
            }
            DiffOp::Replace { old_index, old_len, new_index, new_len } => {
                DiffOp::Replace { old_index: old_index + head, old_len, new_index: new_index + head, new_len }
            }
        });
        let first = DiffOp::Equal { old_index: 0, new_index: 0, len: head };
        let last = DiffOp::Equal { old_index: head + old_len, new_index: head + new_len, len: tail };
        let changed = old_len > 0 || new_len > 0;
        let all = [first].into_iter().chain(moved).chain([last]);
        all.filter(|op| changed && !(op.old_range().is_empty() && op.new_range().is_empty())).collect()
    }

    fn operation(&mut self, op: DiffOp, before: &[&str], after: &[&str]) {
        if let DiffOp::Equal { old_index, new_index, len } = op {
            for (at, text) in before.iter().skip(old_index).take(len).enumerate() {
                self.put(DiffSign::Context, Some(old_index + at + 1), Some(new_index + at + 1), text);
            }
            return;
        }
        for (at, text) in before.iter().enumerate().take(op.old_range().end).skip(op.old_range().start) {
            self.put(DiffSign::Removed, Some(at + 1), None, text);
        }
        for (at, text) in after.iter().enumerate().take(op.new_range().end).skip(op.new_range().start) {
            self.put(DiffSign::Added, None, Some(at + 1), text);
        }
    }

    /// Adds a line. A gap in the line numbers starts a new hunk.
    fn put(&mut self, sign: DiffSign, old: Option<usize>, new: Option<usize>, text: &str) {
        match sign {
            DiffSign::Added => self.lines.added += 1,
            DiffSign::Removed => self.lines.removed += 1,
            DiffSign::Context => {}
        }
        let goes_on = old.is_none_or(|at| at == self.old + 1) && new.is_none_or(|at| at == self.new + 1);
        (self.old, self.new) = (old.unwrap_or(self.old), new.unwrap_or(self.new));
        self.next_hunk |= !goes_on;
        let text = text.strip_suffix('\n').unwrap_or(text);
        // Escaping only makes text longer.
        let shown = self.budget.has_room(text.len()).then(|| visible(text, Layout::Text));
        if !self.budget.show(shown.as_ref().map_or(usize::MAX, |shown| shown.len())) {
            self.lines.left_out.0 += 1;
            self.lines.left_out.1 += text.len();
            return;
        }
        let number = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let text = shown.unwrap_or_default().into_owned();
        let line = DiffLine { sign, old: old.map(number), new: new.map(number), text };
        match self.lines.hunks.last_mut().filter(|_| !self.next_hunk) {
            Some(hunk) => hunk.lines.push(line),
            None => self.lines.hunks.push(DiffHunk { lines: vec![line] }),
        }
        self.next_hunk = false;
    }
}

/// Replaces lines by numbers, equal lines by equal numbers, so that comparing two costs the same
/// however long they are.
fn numbered<'t>(lines: &[&'t str], numbers: &mut HashMap<&'t str, usize>) -> Vec<usize> {
    let number = |line: &&'t str| {
        let next = numbers.len();
        *numbers.entry(*line).or_insert(next)
    };
    lines.iter().map(number).collect()
}
