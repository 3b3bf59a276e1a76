//! Computed names that are not used exactly as printed: joined with known text, split at blanks, or read as
//! options.

use std::cell::OnceCell;
use std::collections::HashSet;

use sekisho_shell::word::{Piece, Word};

use super::allow_limits::{PlanContext, expansion};
use super::computed_operands::{
    ANYTHING, NAME, REVISION, WILDCARD, computed_operands, is_find, readings, touched_by_text,
};
use super::execution_plan::Step;
use super::output_kind::OutputKind;
use super::required_searches::SearchList;
use super::safe_listing_programs::listing;
use super::touched_paths::TouchedPath;
use crate::command_pattern::COMPUTED;
use crate::facts::FactQuery;
use crate::file_search_query::{FileSearch, LinkHandling, WalkOptions};
use crate::reason::Reason;

/// Represent unknown text. As long as the workspace is unknown, names are anything.
const UNKNOWN: [char; 4] = [COMPUTED, NAME, REVISION, ANYTHING];
const OPEN: [char; 5] = [COMPUTED, NAME, REVISION, ANYTHING, WILDCARD];

impl<'a> PlanContext<'a> {
    /// Why a command with a computed word needs confirmation: one of its options opens other files, and the
    /// word may become that option.
    pub(super) fn becomes_option(self, step: &Step) -> Option<Reason> {
        let words = step.profile.option_words.iter().filter_map(|at| step.words.get(*at));
        let names_may = OnceCell::new();
        words.into_iter().find_map(|word| {
            let may = self.option_queries(step, word).is_none_or(|(queries, named)| {
                let searches = || self.searches(step).iter().flatten();
                let name_may = || searches().any(|search| self.search_reason(search, true).is_some());
                queries.iter().any(|query| !self.context.facts.glob_is_plain(query))
                    || (named && *names_may.get_or_init(name_may))
            });
            may.then(|| Reason::MayBeOption { word: self.written(step, word) })
        })
    }

    /// The facts that show whether computed words become options.
    pub(super) fn option_fact_queries(self, step: &Step) -> Vec<FactQuery> {
        let words = step.profile.option_words.iter().filter_map(|at| step.words.get(*at));
        let (queries, named): (Vec<_>, Vec<bool>) =
            words.filter_map(|word| self.option_queries(step, word)).unzip();
        let searches = if named.contains(&true) { self.searches(step) } else { Default::default() };
        let searches = searches.iter().flatten().cloned().map(FactQuery::Files);
        queries.into_iter().flatten().chain(searches).collect()
    }

    /// The facts that show whether a word becomes an option, and whether the files named to the command also
    /// matter. `None` if it may become one in any case.
    fn option_queries(self, step: &Step, word: &Word) -> Option<(Vec<FactQuery>, bool)> {
        let begins = word.prefix().starts_with('-');
        if begins && !(word.prefix().starts_with("--") && word.prefix().contains('=')) {
            return None;
        }
        let (mut queries, mut named) = (Vec::new(), false);
        for spelling in self.possible_values(step.text, word, self.inserted(step), 0) {
            // The word itself begins with an option, which has been parsed.
            let options = spelling.split_whitespace().skip(usize::from(begins));
            for text in options {
                match text.chars().next() {
                    Some('-' | REVISION | ANYTHING) => return None,
                    Some(NAME) => {
                        let searches = self.searches(step);
                        if !named && (searches.is_empty() || searches.contains(&None)) {
                            return None;
                        }
                        named = true;
                    }
                    Some(WILDCARD) => {
                        let pattern = pattern_of(text);
                        for directory in self.all_directories(step) {
                            queries.push(FactQuery::GlobOption {
                                directory: directory?,
                                pattern: pattern.clone(),
                            });
                        }
                    }
                    _ => {}
                }
                // Later text comes to the front if the word is split.
                if word.may_split() && text.contains([ANYTHING, REVISION]) {
                    return None;
                }
            }
        }
        Some((queries, named))
    }

    /// The directories in which the commands of a step's text run: a loop may have started in another
    /// directory than the step runs in.
    fn all_directories(self, step: &Step) -> Vec<Option<String>> {
        let directories = self.places(step.text).chain([step]).flat_map(|step| step.directories.iter());
        let mut all: Vec<Option<String>> = directories.map(|path| path.map(str::to_owned)).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Steps that represent all the directories of a text.
    fn places(self, text: usize) -> impl Iterator<Item = &'a Step> {
        let places = self.plan.texts.get(text).map(|text| text.directory_samples.as_slice());
        places.unwrap_or_default().iter().filter_map(move |at| self.plan.steps.get(*at))
    }

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
            for value in self.values(name, true, 0).iter().filter(|value| value.contains(WILDCARD)) {
                for other in self.places(step.text) {
                    searches.extend(touched_by_text(other, value).into_iter().map(|touched| match touched {
                        TouchedPath::Glob { base, rest } => {
                            Some(FileSearch { whole_names: true, ..expansion(&base, &rest) })
                        }
                        _ => None,
                    }));
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
        if step.profile.repository {
            return Vec::new();
        }
        let inserted = self.inserted(step);
        // What `find` inserts is joined with nothing, or needs confirmation.
        if inserted == Some(COMPUTED) && self.find_around(step).is_some() {
            return Vec::new();
        }
        let mut searches = SearchList::new(&self.plan.budget);
        let mut met = HashSet::new();
        for word in computed_operands(step).filter(|word| !matches!(word.pieces.as_slice(), [Piece::Process]))
        {
            for spelling in self.possible_values(step.text, word, inserted, 0) {
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

    fn joined_text(self, step: &Step, text: &str) -> Vec<Option<FileSearch>> {
        let mut bare = text;
        while let Some(rest) = bare.strip_prefix("./").or_else(|| bare.strip_prefix("//")) {
            bare = rest;
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

/// A value as a glob: unknown text may be anything.
fn pattern_of(text: &str) -> String {
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
