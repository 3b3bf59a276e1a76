//! The leading words by which rules name a command, in every possible interpretation.

use super::arguments::{is_literal, looks_like_option};
use super::program_entry::{Arity, ProgramEntry};
use crate::word::Word;

/// The largest number of words in an alternative.
const MAX_WORDS: usize = 8;

/// Program and subcommands, then the literal words from `from` on.
pub(super) fn plain(names: &[String], words: &[Word], from: usize) -> (Vec<String>, bool) {
    let mut leading = names.to_vec();
    for word in words.iter().skip(from) {
        match word.literal() {
            Some(text) => leading.push(text.into_owned()),
            None => return (leading, true),
        }
    }
    (leading, false)
}

/// Like [`plain`], with operands only.
pub(super) fn operands(names: &[String], words: &[Word], operands: &[usize]) -> Vec<String> {
    let mut leading = names.to_vec();
    for at in operands.iter().take(MAX_WORDS.saturating_sub(names.len())) {
        match words.get(*at).and_then(Word::literal) {
            Some(text) => leading.push(text.into_owned()),
            None => break,
        }
    }
    leading
}

/// Every position at which the first operand after `skip` others could be, if some options are unknown or
/// computed and may or may not take the next word. Linear: one step for each word and skipped operand.
pub(super) fn starts(entry: &ProgramEntry, words: &[Word], from: usize, skip: usize) -> Vec<usize> {
    let mut reachable = vec![vec![false; words.len() + 3]; skip + 1];
    let mut found = Vec::new();
    if let Some(place) = reachable.first_mut().and_then(|row| row.get_mut(from)) {
        *place = true;
    }
    for at in from..words.len() {
        for passed in 0..=skip {
            let here = reachable.get(passed).and_then(|row| row.get(at)).copied().unwrap_or(false);
            let Some(word) = words.get(at).filter(|_| here) else { continue };
            let (option, steps) = advance(entry, word);
            if let Some(row) = reachable.get_mut(passed) {
                for step in steps.into_iter().flatten() {
                    if let Some(place) = row.get_mut(at + step) {
                        *place = true;
                    }
                }
            }
            if option {
                continue;
            }
            if passed == skip {
                found.push(at);
            } else if let Some(place) = reachable.get_mut(passed + 1).and_then(|row| row.get_mut(at + 1)) {
                *place = true;
            }
        }
    }
    found.dedup();
    found
}

/// Whether a word is certainly an option, and how many words it may consume as an option.
fn advance(entry: &ProgramEntry, word: &Word) -> (bool, [Option<usize>; 2]) {
    let text = word.prefix();
    let literal = is_literal(word);
    if literal && (text == "--" || (entry.data.dash && text == "-")) {
        return (true, [Some(1), None]);
    }
    if !looks_like_option(word, entry.data.plus) {
        // A computed word may be an option, an operand, or vanish.
        let maybe = !literal && word.may_be_option();
        return (false, if maybe { [Some(1), Some(2)] } else { [None, None] });
    }
    if !literal {
        return (true, [Some(1), Some(2)]);
    }
    let single = entry.is_single_dash();
    let name =
        if single { text.trim_start_matches('-') } else { text.strip_prefix("--").unwrap_or_default() };
    let kind = if text.contains('=') && !name.is_empty() {
        return (true, [Some(1), None]);
    } else if name.is_empty() {
        bundle(entry, text)
    } else {
        entry.long(name).map(|found| found.kind.arity)
    };
    match kind {
        Some(Arity::Flag | Arity::Optional) => (true, [Some(1), None]),
        Some(Arity::Value) => (true, [Some(2), None]),
        None => (true, [Some(1), Some(2)]),
    }
}

/// What a bundle of short options does with the next word.
fn bundle(entry: &ProgramEntry, text: &str) -> Option<Arity> {
    let mut letters = text.chars().skip(1);
    while let Some(letter) = letters.next() {
        match entry.short(letter)?.arity {
            Arity::Flag => {}
            Arity::Value if letters.next().is_none() => return Some(Arity::Value),
            Arity::Value | Arity::Optional => return Some(Arity::Flag),
        }
    }
    Some(Arity::Flag)
}
