//! Applies replacements to a text.
//!
//! If an agent's tool would refuse, or if tools differ, this refuses too and says why; it never
//! guesses. It also limits the size of the result: six replacements of one letter by sixty would
//! produce 46 GB.

use super::FileNote;
use super::file_edit::{Occurrences, Replacement};
use super::work_budget::Budget;

/// The largest result, in bytes.
const MAX_RESULT_BYTES: usize = 4 << 20;

/// The text after the replacements, or why it is unknown.
pub(super) fn replace(
    text: &str,
    edits: &[Replacement<'_>],
    budget: &mut Budget,
) -> Result<String, FileNote> {
    let mut text = text.to_owned();
    for (index, edit) in edits.iter().enumerate() {
        text = once(&text, edit, budget).map_err(|because| match edits.len() {
            1 => because,
            _ => FileNote::Edit { number: index + 1, because: Box::new(because) },
        })?;
    }
    Ok(text)
}

fn once(text: &str, edit: &Replacement<'_>, budget: &mut Budget) -> Result<String, FileNote> {
    if !budget.spend(text.len()) {
        return Err(FileNote::TooMuchWork);
    }
    if edit.old.is_empty() {
        // An empty text to replace means a new file; tools agree on nothing else.
        return if text.is_empty() { Ok(edit.new.to_owned()) } else { Err(FileNote::NothingToReplace) };
    }
    let found = text.matches(edit.old).count();
    match edit.times {
        _ if found == 0 => Err(FileNote::TextNotFound),
        Occurrences::Once if occurs_twice(text, edit.old) => Err(FileNote::TextFoundTwice),
        Occurrences::Exactly(times) if u64::try_from(found).ok() != Some(times) => {
            Err(FileNote::TextFoundOtherTimes { found, times })
        }
        Occurrences::Once | Occurrences::All | Occurrences::Exactly(_) => {
            let rest = text.len().saturating_sub(found.saturating_mul(edit.old.len()));
            let made = found.saturating_mul(edit.new.len()).saturating_add(rest);
            if made > MAX_RESULT_BYTES {
                return Err(FileNote::TooLarge { most: MAX_RESULT_BYTES });
            }
            // Each occurrence costs about as much as a few bytes.
            if !budget.spend(made.saturating_add(found.saturating_mul(4))) {
                return Err(FileNote::TooMuchWork);
            }
            Ok(text.replace(edit.old, edit.new))
        }
    }
}

/// Whether a text occurs in another more than once. If two occurrences overlap, it is unclear which one
/// is meant.
fn occurs_twice(text: &str, part: &str) -> bool {
    let step = part.chars().next().map_or(1, char::len_utf8);
    let first = text.find(part);
    first.and_then(|at| text.get(at + step..)).is_some_and(|rest| rest.contains(part))
}
