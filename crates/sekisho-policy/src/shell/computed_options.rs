//! Computed words that may become options, or change which words of a command are options.

use std::cell::OnceCell;

use sekisho_shell::word::{Piece, Word};

use super::computed_operands::{ANYTHING, NAME, REVISION, WILDCARD};
use super::execution_plan::Step;
use super::joined_computed_names::pattern_of;
use super::plan_context::PlanContext;
use crate::command_explanation::Detail;
use crate::command_pattern::COMPUTED;
use crate::facts::FactQuery;
use crate::reason::Reason;

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

    /// Why a command with a computed option, or a computed value of one, needs confirmation: it may become several
    /// words or none, and the words after it change their role.
    pub(super) fn splits_option(self, step: &Step) -> Option<Reason> {
        let mut words = step.profile.splitting_words.iter().filter_map(|at| step.words.get(*at));
        let word = words.find(|word| !self.is_one_word(step, word))?;
        Some(Reason::Obstacle { word: self.written(step, word), why: Detail::NameSplits.into() })
    }

    /// Whether a word with unquoted expansions certainly stays one word.
    fn is_one_word(self, step: &Step, word: &Word) -> bool {
        let is_set = word.pieces.iter().all(|piece| match piece {
            Piece::Variable { name, quoted: false } => {
                name == "HOME" || (self.is_in_loop_over(step, name) && !self.is_read(name))
            }
            Piece::Substitution { quoted: false } | Piece::Unknown { quoted: false } => false,
            _ => true,
        });
        let is_known = |value: &String| {
            !value.is_empty()
                && value != word.prefix()
                && !value.contains(char::is_whitespace)
                && !value.contains([COMPUTED, NAME, REVISION, ANYTHING, WILDCARD])
        };
        is_set && self.possible_values(step, word, self.inserted(step)).iter().all(is_known)
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
        for spelling in self.possible_values(step, word, self.inserted(step)) {
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
        let directories = self
            .places(step.text)
            .chain([step])
            .flat_map(|step| step.directories.iter().chain(step.redirect_directories().iter()));
        let mut all: Vec<Option<String>> = directories.map(|path| path.map(str::to_owned)).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Steps that represent all the directories of a text.
    pub(super) fn places(self, text: usize) -> impl Iterator<Item = &'a Step> {
        let places = self.plan.texts.get(text).map(|text| text.directory_samples.as_slice());
        places.unwrap_or_default().iter().filter_map(move |at| self.plan.steps.get(*at))
    }
}
