//! Pathspecs with wildcards, which git itself matches against file names.

use sekisho_shell::word::{Piece, Word};

use super::execution_plan::Step;
use super::plan_context::{COMPARE_COST, PlanContext};
use crate::reason::Reason;

impl PlanContext<'_> {
    /// Why a command that shows contents needs confirmation: one of its pathspecs targets a protected file.
    pub(super) fn pathspec_reason(self, step: &Step) -> Option<Reason> {
        let profile = &step.profile;
        let subcommand = profile.leading_words.get(1).map(String::as_str);
        if !profile.repository
            || !matches!(
                subcommand,
                Some(
                    "diff"
                        | "log"
                        | "show"
                        | "grep"
                        | "reflog"
                        | "stash"
                        | "diff-tree"
                        | "diff-index"
                        | "diff-files"
                )
            )
        {
            return None;
        }
        profile.paths.iter().find_map(|path| {
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

/// The text of a word that git receives unchanged, directly or because bash finds no file that matches.
fn written(word: &Word) -> Option<String> {
    let text = word.pieces.iter().map(|piece| match piece {
        Piece::Literal(text) | Piece::Glob(text) => Some(text.as_str()),
        _ => None,
    });
    text.collect()
}

/// The largest number of wildcards in one name: each wildcard makes another pattern. Longer pathspecs are not
/// supported.
const MAX_WILDCARDS: usize = 4;
const MAX_PATHSPEC_LENGTH: usize = 4096;

/// The patterns over the last path component that a pathspec with wildcards is equivalent to. Git's wildcards
/// also match slashes: `s*v` matches `s/.env`. Empty if the last component is literal; `None` if there are
/// too many.
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
    if pathspec.len() > MAX_PATHSPEC_LENGTH || last.chars().filter(|c| wild(*c)).count() > MAX_WILDCARDS {
        return None;
    }
    let suffixes = last.char_indices().filter(|(_, c)| wild(*c) || *c == ']').flat_map(|(at, c)| {
        let from = (c == '*').then(|| last.get(at..)).flatten();
        from.into_iter().chain(last.get(at + 1..))
    });
    Some(std::iter::once(last).chain(suffixes).filter(|name| !name.is_empty()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcard_may_match_slashes() {
        assert_eq!(names("src/s*v"), Some(vec!["s*v", "*v", "v"]));
        assert_eq!(names("[a].env"), Some(vec!["[a].env", "a].env", ".env"]));
        assert_eq!(names("a?b"), Some(vec!["a?b", "b"]));
        assert_eq!(names(":(top)*.rs"), Some(vec![":(top)*.rs", "*.rs", ".rs"]));
    }

    #[test]
    fn excluded_and_literal_names_have_no_patterns() {
        for pathspec in [":!*.rs", ":^*.rs", ":(exclude)*.rs", ":(top,exclude)*.rs", "src/a.rs", "s*c/a.rs"] {
            assert_eq!(names(pathspec), Some(Vec::new()), "{pathspec}");
        }
    }

    #[test]
    fn wildcards_and_length_are_limited() {
        assert!(names("a*b*c*d*e").is_some());
        assert_eq!(names("a*b*c*d*e*f"), None);
        let long = |length: usize| format!("{}*", "a".repeat(length - 1));
        assert!(names(&long(MAX_PATHSPEC_LENGTH)).is_some());
        assert_eq!(names(&long(MAX_PATHSPEC_LENGTH + 1)), None);
    }
}
