//! Files named by computed text that is joined with known text, or split at blanks.

use std::collections::HashSet;

use sekisho_shell::word::{Piece, Word};

use super::computed_operands::{
    ANYTHING, NAME, REVISION, WILDCARD, computed_operands, is_find, readings, touched_by_text,
};
use super::execution_plan::Step;
use super::output_kind::OutputKind;
use super::plan_context::PlanContext;
use super::required_searches::{SearchList, expansion};
use super::safe_listing_programs::listing;
use super::touched_paths::TouchedPath;
use crate::command_pattern::COMPUTED;
use crate::file_search_query::{FileSearch, LinkHandling, WalkOptions};

/// Represent unknown text. As long as the workspace is unknown, names are anything.
const UNKNOWN: [char; 4] = [COMPUTED, NAME, REVISION, ANYTHING];
const OPEN: [char; 5] = [COMPUTED, NAME, REVISION, ANYTHING, WILDCARD];

impl<'a> PlanContext<'a> {
    /// The searches for names that bash would split or expand again because the variable is not quoted.
    pub(super) fn unquoted(self, step: &Step) -> Vec<Option<FileSearch>> {
        let options = step.profile.option_words.iter().filter_map(|at| step.words.get(*at));
        let mut searches = SearchList::new(&self.plan.budget);
        let mut met = HashSet::new();
        for piece in computed_operands(step).chain(options).flat_map(|word| &word.pieces) {
            let Piece::Variable { name, quoted: false } = piece else { continue };
            if !met.insert(name) {
                continue;
            }
            for value in self.values(step.text, name, true, 0).iter().filter(|value| value.contains(WILDCARD))
            {
                for other in self.places(step.text) {
                    searches.extend(touched_by_text(other.redirect_directories(), value).into_iter().map(
                        |touched| match touched {
                            TouchedPath::Glob { base, rest } => {
                                Some(FileSearch { whole_names: true, ..expansion(&base, &rest) })
                            }
                            _ => None,
                        },
                    ));
                }
            }
        }
        let mut searches = searches.distinct();
        searches.sort_unstable();
        searches
    }

    /// The searches for the targets of computed names that are joined with known text, because those files
    /// were not listed.
    pub(super) fn joined(self, step: &Step) -> Vec<Option<FileSearch>> {
        let inserted = self.inserted(step);
        // What `find` inserts is joined with nothing, or needs confirmation.
        if inserted == Some(COMPUTED) && self.find_around(step).is_some() {
            return Vec::new();
        }
        let mut searches = SearchList::new(&self.plan.budget);
        let mut met = HashSet::new();
        // Git reads its operands as commits or as paths in the repository.
        let is_file = |word: &&Word| !step.profile.repository || is_option_value(step, word);
        let words = computed_operands(step).filter(is_file);
        for word in words.filter(|word| !matches!(word.pieces.as_slice(), [Piece::Process])) {
            for spelling in self.possible_values(step, word, inserted) {
                for text in readings(&spelling).filter(|text| text.contains(UNKNOWN)) {
                    if met.insert(text.to_owned()) {
                        searches.extend(self.joined_text(step, text));
                    }
                }
            }
            if self.plan.budget.is_spent() {
                return vec![None];
            }
        }
        let mut searches = searches.distinct();
        searches.sort_unstable();
        searches
    }

    pub(super) fn joined_text(self, step: &Step, text: &str) -> Vec<Option<FileSearch>> {
        let mut bare = text;
        while let Some(rest) = bare.strip_prefix("./") {
            bare = rest.trim_start_matches('/');
        }
        if bare.chars().count() == 1 {
            // A word such as `Linux` or `16`, which may be a file here.
            let here = step.directories.iter().filter(|_| bare.starts_with(COMPUTED));
            return here.map(|directory| Some(expansion(directory?, &["*".to_owned()]))).collect();
        }
        let mut searches = Vec::new();
        // `$(pwd)/x`, `$(git rev-parse --show-toplevel)/x`
        if let Some(rest) = bare.strip_prefix(COMPUTED).and_then(|rest| rest.strip_prefix('/')) {
            let pattern = pattern_of(rest);
            for directory in step.directories.iter() {
                let from = |top: bool| {
                    let search = expansion(directory?, std::slice::from_ref(&pattern));
                    Some(FileSearch { top, ..search })
                };
                searches.extend([from(false), from(true)]);
            }
        }
        if text.contains([NAME, ANYTHING]) && !self.lists_bare_names() {
            searches.extend(self.deep(step, bare));
            return searches;
        }
        let known = bare.split(OPEN).next().unwrap_or_default();
        let (base, from) = known.rfind('/').map_or((".", 0), |slash| {
            (known.get(..slash).filter(|base| !base.is_empty()).unwrap_or("/"), slash + 1)
        });
        let rest = [pattern_of(bare.get(from..).unwrap_or_default())];
        let bases = step.directories.paths_of_text(base).into_iter();
        searches.extend(bases.map(|base| Some(expansion(&base?, &rest))));
        searches
    }

    /// A name with slashes may lead to any directory below.
    fn deep(self, step: &Step, text: &str) -> Vec<Option<FileSearch>> {
        let tail = text.rsplit(UNKNOWN).next().unwrap_or_default();
        let only = match tail.rsplit_once('/') {
            Some((_, name)) if !name.is_empty() => vec![pattern_of(name)],
            None if !tail.is_empty() => vec![format!("*{}", pattern_of(tail))],
            _ => Vec::new(),
        };
        let below = WalkOptions { links: LinkHandling::Follow, only, ..WalkOptions::everything() };
        let from = |path: String| {
            let below = Some(below.clone());
            FileSearch { directory: path, below, ..FileSearch::default() }
        };
        let known = text.split(OPEN).next().unwrap_or_default();
        let base = known.rsplit_once('/').map(|(base, _)| if base.is_empty() { "/" } else { base });
        let bases = step.directories.paths_of_text(base.unwrap_or(".")).into_iter();
        let mut searches: Vec<Option<FileSearch>> = bases.map(|base| base.map(from)).collect();
        if base.is_none() {
            let mut found = SearchList::new(&self.plan.budget);
            for (lister, _) in self.listers() {
                found.extend(self.below_starts(lister, &below));
            }
            searches.extend(found.distinct());
        }
        searches
    }

    /// Whether no listed name contains a slash.
    fn lists_bare_names(self) -> bool {
        *self.plan.lists_bare_names.get_or_init(|| self.find_bare_names())
    }

    fn find_bare_names(self) -> bool {
        let plain = |word: &Word| {
            let text = word.literal().unwrap_or_else(|| "/".into());
            let name = text.trim_end_matches('/').trim_start_matches("./");
            !name.contains('/') && (!name.starts_with('.') || name == ".") && !text.starts_with('/')
        };
        self.plan.steps.iter().all(|step| match listing(step) {
            _ if is_find(step) => false,
            Some(listing) if listing.prints == OutputKind::Names => {
                step.profile.program.as_deref() == Some("ls")
                    && step.words.iter().skip(1).filter(|word| !word.prefix().starts_with('-')).all(plain)
            }
            _ => true,
        })
    }
}

/// Whether a word is the value of an option: `-f x`, `-fx`.
fn is_option_value(step: &Step, word: &Word) -> bool {
    let before = step.words.iter().zip(step.words.iter().skip(1)).find(|(_, next)| std::ptr::eq(*next, word));
    let is_option = |word: &Word| word.prefix().starts_with('-') && word.prefix() != "--";
    is_option(word) || before.is_some_and(|(before, _)| is_option(before))
}

/// A value as a glob: unknown text may be anything.
pub(super) fn pattern_of(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            COMPUTED | NAME | REVISION | ANYTHING | WILDCARD => pattern.push('*'),
            '*' | '?' | '[' | ']' | '\\' => pattern.extend(['\\', c]),
            c => pattern.push(c),
        }
    }
    pattern
}
