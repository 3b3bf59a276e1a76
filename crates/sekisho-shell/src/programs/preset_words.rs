//! Words that no allow of a preset covers, whatever the command.

use super::arguments::{ParsedArguments, ValuePosition};
use super::program_entry::ProgramEntry;
use super::shared_enums::PresetList;
use super::value_check::ValueCheck;
use crate::word::{Piece, Word};

/// Whether the words of a command stay within what its preset trusts. Its options and operands are checked elsewhere.
pub(super) fn stay_inside(
    preset: PresetList,
    entry: &ProgramEntry,
    words: &[Word],
    scan: &ParsedArguments<'_>,
) -> bool {
    let is_known = |word: &Word| {
        word.pieces.iter().all(|piece| match piece {
            Piece::Literal(_) => true,
            // Names of files in the workspace. What is created must be named.
            Piece::Glob(_) => preset == PresetList::Dev,
            _ => false,
        })
    };
    let behind = scan.dashes.map_or(words.len(), |at| at + 1);
    let mut dashed = words.iter().skip(behind).map(Word::prefix).filter(|text| text.starts_with('-'));
    let is_message = |at: usize| {
        scan.options.iter().any(|seen| {
            matches!(seen.value, ValuePosition::Next(value) if value == at)
                && entry.value_check(|name| seen.name.is(name)) == Some(&ValueCheck::Message)
        })
    };
    let stays = |(at, word): (usize, &Word)| is_known(word) || (is_message(at) && !word.may_split());
    // Behind the command that it runs, `--` may end the options of the runner, and give it those before.
    let is_runner = entry.data.inner.is_some();
    let ends_late = || words.iter().skip(scan.end).any(|word| word.prefix() == "--");
    let program = words.first().and_then(|word| word.prefix().rsplit('/').next()).unwrap_or_default();
    let is_joined = entry.data.operands.joined_by.split_whitespace().any(|name| name == program);
    let has_blanks = || words.iter().skip(behind).any(|word| word.prefix().contains(' '));
    let before = scan.operands.iter().filter(|at| **at < behind).count();
    words.iter().enumerate().all(stays)
        && entry.data.operands.before.is_none_or(|most| before <= most)
        && dashed.all(|text| is_listed(&entry.data.operands.dashed, text))
        && !(is_runner && ends_late())
        && !(is_joined && has_blanks())
        && !(entry.data.expands && words.iter().skip(1).any(has_own_wildcards))
        && (preset != PresetList::Dev || !words.iter().skip(1).any(names_other_files))
}

fn is_listed(list: &str, text: &str) -> bool {
    list.split_whitespace().any(|item| text == item || (item.ends_with('=') && text.starts_with(item)))
}

/// Wildcards that bash leaves to the program, because they are quoted, and backslashes, which some programs read as slashes.
fn has_own_wildcards(word: &Word) -> bool {
    let quoted = |piece: &Piece| matches!(piece, Piece::Literal(text) if text.contains(['*', '?', '[', '(', '!', '\\']));
    word.pieces.iter().any(quoted)
}

/// `@file` holds more options for many programs, and formatters and linters expand `{a,b}` by themselves.
fn names_other_files(word: &Word) -> bool {
    let texts = word.pieces.iter().filter_map(|piece| match piece {
        Piece::Literal(text) | Piece::Glob(text) => Some(text),
        _ => None,
    });
    word.prefix().starts_with('@') || texts.into_iter().any(|text| text.contains(['{', '}']))
}
