//! Options that lead out of the working directory.

use super::arguments::{ParsedOption, ValuePosition};
use crate::word::{Piece, Word};

/// Whether the value of an option is a path that leads out of the working directory. Where a computed one leads is
/// looked up when paths are compared with protected ones.
pub(super) fn leaves_directory(option: &ParsedOption<'_>, words: &[Word]) -> bool {
    let Some(path) = option.value_text(words) else {
        let ValuePosition::Next(at) = option.value else { return false };
        return matches!(words.get(at).and_then(|word| word.pieces.first()), Some(Piece::Tilde(_)));
    };
    let mut depth = 0_usize;
    path.starts_with('/')
        || path.split('/').any(|part| {
            match part {
                "" | "." => {}
                ".." => match depth.checked_sub(1) {
                    Some(less) => depth = less,
                    None => return true,
                },
                _ => depth += 1,
            }
            false
        })
}
