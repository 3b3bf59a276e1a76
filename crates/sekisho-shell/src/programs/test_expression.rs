//! `test` and `[`: only expressions with a certain structure.
//!
//! `-v` and `-R` evaluate subscripts, which can run commands. So no computed word may be in a position where
//! bash would read it as an operator.

use super::arguments::{is_literal, splits_by_expansion};
use super::command_profile::{Obstacle, ObstacleCode};
use super::detail_code::Detail;
use crate::word::Word;

const UNARY: &str = "-a -b -c -d -e -f -g -h -k -n -p -r -s -t -u -w -x -z -G -L -N -O -S";
const BINARY: &str = "= == != < > -eq -ne -lt -le -gt -ge -ef -nt -ot";

/// Checks the words of a test. `bracket`: it is written as `[ … ]`.
pub(super) fn check_test_expression(words: &[Word], bracket: bool) -> Result<(), Obstacle> {
    let refuse = |at: usize, detail| Err(Obstacle::new(at, ObstacleCode::Operand, detail));
    let mut end = words.len();
    if bracket {
        if words.len() < 2 || words.last().is_none_or(|word| !is_literal(word) || word.prefix() != "]") {
            return refuse(0, Detail::NoClosingBracket);
        }
        end -= 1;
    }
    if let Some(at) = words.iter().position(Word::may_split) {
        return refuse(at, Detail::MayChangeTest);
    }
    let mut from = 1;
    let several = end.saturating_sub(1) > 3;
    loop {
        let next = (from..end).find(|at| several && is_one_of(words.get(*at), "-a -o")).unwrap_or(end);
        if !simple(words, from, next, several) {
            return refuse(from.min(words.len().saturating_sub(1)), Detail::NotASimpleTest);
        }
        if next >= end {
            return Ok(());
        }
        from = next + 1;
    }
}

/// Whether the words may contain a test that evaluates a subscript.
pub(super) fn may_evaluate(words: &[Word]) -> bool {
    words.iter().skip(1).any(|word| is_one_of(Some(word), "-v -R") || splits_by_expansion(word))
}

fn is_one_of(word: Option<&Word>, list: &str) -> bool {
    word.is_some_and(|word| is_literal(word) && list.split(' ').any(|item| item == word.prefix()))
}

/// `[!] word`, `[!] -f word` or `[!] word = word`.
fn simple(words: &[Word], mut from: usize, end: usize, among_others: bool) -> bool {
    if is_one_of(words.get(from), "!") && from < end {
        from += 1;
    }
    let get = |offset: usize| words.get(from + offset);
    match end.saturating_sub(from) {
        0 => !among_others,
        1 => get(0).is_some_and(|word| !among_others || !word.may_be_option()),
        2 => is_one_of(get(0), UNARY),
        3 => is_one_of(get(1), BINARY) || (!among_others && is_one_of(get(1), "-a -o")),
        _ => false,
    }
}
