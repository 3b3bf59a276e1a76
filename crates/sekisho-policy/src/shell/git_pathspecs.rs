//! Pathspecs with wildcards, which git matches against the names of files itself.

use sekisho_shell::word::{Piece, Word};

use super::limits::Context;
use super::plan::Step;
use crate::reason::Reason;

impl Context<'_> {
    /// Why a command that shows contents is asked about: a pathspec of it is meant for a protected file.
    pub(super) fn of_pathspecs(self, step: &Step) -> Option<Reason> {
        let reading = &step.reading;
        let subcommand = reading.leading.get(1).map(String::as_str);
        if !reading.repository
            || !matches!(subcommand, Some("diff" | "log" | "show" | "grep" | "reflog" | "stash"))
        {
            return None;
        }
        reading.paths.iter().find_map(|path| {
            let text = path.text.clone().or_else(|| step.words.get(path.word).and_then(written))?;
            let pattern = names(&text)
                .find_map(|name| self.policy.protected.named_by(name).filter(|entry| *entry != "*"))?;
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

/// The patterns over the last name of a path that a pathspec with wildcards comes down to. Git's wildcards also stand for
/// slashes: `s*v` matches `s/.env`.
pub(super) fn names(pathspec: &str) -> impl Iterator<Item = &str> {
    let wild = |c: char| matches!(c, '*' | '?' | '[');
    let last = pathspec.rsplit('/').next().unwrap_or(pathspec);
    let suffixes =
        last.char_indices().filter(move |(_, c)| wild(*c) || *c == ']').flat_map(move |(at, c)| {
            let from = (c == '*').then(|| last.get(at..)).flatten();
            from.into_iter().chain(last.get(at + 1..))
        });
    let whole = std::iter::once(last).filter(move |name| name.contains(wild));
    let magic = pathspec.strip_prefix(":(").and_then(|rest| rest.split_once(')')).map(|(magic, _)| magic);
    let excluded = pathspec.starts_with(":!")
        || pathspec.starts_with(":^")
        || magic.is_some_and(|magic| magic.split(',').any(|word| word == "exclude"));
    whole.chain(suffixes).filter(move |name| !name.is_empty() && !excluded)
}
