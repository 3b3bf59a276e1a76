//! Pathspecs with wildcards, which git matches against the names of files itself.

use sekisho_shell::word::{Piece, Word};

use super::allow_limits::{COMPARE_COST, PlanContext};
use super::execution_plan::Step;
use crate::reason::Reason;

impl PlanContext<'_> {
    /// Why a command that shows contents is asked about: a pathspec of it is meant for a protected file.
    pub(super) fn pathspec_reason(self, step: &Step) -> Option<Reason> {
        let reading = &step.profile;
        let subcommand = reading.leading_words.get(1).map(String::as_str);
        if !reading.repository
            || !matches!(subcommand, Some("diff" | "log" | "show" | "grep" | "reflog" | "stash"))
        {
            return None;
        }
        reading.paths.iter().find_map(|path| {
            let text = path.text.clone().or_else(|| step.words.get(path.word).and_then(written))?;
            let Some(names) = names(&text) else { return Some(Reason::PathUnknown) };
            if !names.is_empty() && !self.plan.budget.spend(COMPARE_COST * names.len()) {
                return Some(Reason::PathUnknown);
            }
            let mut entries =
                names.iter().filter_map(|name| self.policy.protected.secret_pattern_for_name_glob(name));
            let pattern = entries.find(|entry| *entry != "*")?;
            Some(Reason::ProtectedPath { path: text.clone(), pattern: pattern.into() })
        })
    }
}

/// The text of a word that git gets as it stands, or where bash finds no file that its wildcards match.
fn written(word: &Word) -> Option<String> {
    let text = word.pieces.iter().map(|piece| match piece {
        Piece::Literal(text) | Piece::Glob(text) => Some(text.as_str()),
        _ => None,
    });
    text.collect()
}

/// More wildcards in one name, and longer pathspecs, are not followed: each wildcard makes another pattern.
const MOST_WILDCARDS: usize = 4;
const LONGEST: usize = 4096;

/// The patterns over the last name of a path that a pathspec with wildcards comes down to. Git's wildcards also stand for
/// slashes: `s*v` matches `s/.env`. None of them where the last name is written out; `None` where there are too many.
pub(super) fn names(pathspec: &str) -> Option<Vec<&str>> {
    let wild = |c: char| matches!(c, '*' | '?' | '[');
    let last = pathspec.rsplit('/').next().unwrap_or(pathspec);
    let magic = pathspec.strip_prefix(":(").and_then(|rest| rest.split_once(')')).map(|(magic, _)| magic);
    let excluded = pathspec.starts_with(":!")
        || pathspec.starts_with(":^")
        || magic.is_some_and(|magic| magic.split(',').any(|word| word == "exclude"));
    if excluded || !last.contains(wild) {
        return Some(Vec::new());
    }
    if pathspec.len() > LONGEST || last.chars().filter(|c| wild(*c)).count() > MOST_WILDCARDS {
        return None;
    }
    let suffixes = last.char_indices().filter(|(_, c)| wild(*c) || *c == ']').flat_map(|(at, c)| {
        let from = (c == '*').then(|| last.get(at..)).flatten();
        from.into_iter().chain(last.get(at + 1..))
    });
    Some(std::iter::once(last).chain(suffixes).filter(|name| !name.is_empty()).collect())
}
