//! The secrets of a row, in all forms, and where they are masked.

use std::collections::BTreeSet;
use std::ops::Range;

use super::automaton::Automaton;
use super::command_position::is_program;
use super::own_words::{OwnWords, Reach};
use super::secret_forms::{MAX_LENGTH, MIN_LENGTH, forms};
use super::secret_parts::{PartFinder, SecretParts};
use super::work_budget::Budget;
use crate::mask::random_looking_value;

/// The maximum number of secrets handled individually.
const MAX_SECRETS: usize = 1000;
/// The maximum total length of their forms, in bytes.
const MAX_FORM_BYTES: usize = 256 << 10;
/// How far around a secret its word is read, in bytes.
const REACH: usize = 256;

/// The secrets of a row while they are collected.
#[derive(Default)]
pub(super) struct Secrets {
    own: OwnWords,
    /// The secrets as found.
    found: BTreeSet<String>,
    /// Every form that was judged.
    forms: BTreeSet<String>,
    /// The forms that are masked in single words, and those that are masked everywhere.
    single: BTreeSet<String>,
    everywhere: BTreeSet<String>,
    parts: SecretParts,
    /// The total length of the forms.
    bytes: usize,
    pub(super) budget: Budget,
}

impl Secrets {
    pub(super) fn new(own: OwnWords) -> Secrets {
        Secrets { own, ..Secrets::default() }
    }

    /// Adds a secret as a detector found it.
    pub(super) fn add(&mut self, secret: &str) {
        if self.is_full() {
            return;
        }
        self.parts.add(secret);
        if secret.chars().count() >= MIN_LENGTH && self.found.insert(secret.to_owned()) {
            self.add_forms(secret);
        }
    }

    /// Adds what bash makes of a secret.
    pub(super) fn add_reading(&mut self, reading: &str) {
        if !self.is_full() && reading.len() <= MAX_LENGTH && !self.forms.contains(reading) {
            self.parts.add(reading);
            self.add_forms(reading);
        }
    }

    /// Adds a secret, as long as a detector found it, whose parts are masked in facts only.
    pub(super) fn add_parts(&mut self, secret: &str) {
        if self.is_full() || secret.len() > MAX_LENGTH {
            return;
        }
        let new = self.parts.add(secret);
        if new > 0 {
            let forms = forms(secret, &mut self.budget);
            self.bytes += new + forms.iter().map(|form| self.parts.add(form)).sum::<usize>();
        }
    }

    fn add_forms(&mut self, secret: &str) {
        for form in forms(secret, &mut self.budget) {
            // Masked text is not a secret.
            if form.contains("[masked:") || self.forms.contains(&form) {
                continue;
            }
            self.bytes += form.len();
            self.parts.add(&form);
            let reach = self.own.reach(&form);
            if reach != Reach::Nowhere {
                self.single.insert(form.clone());
            }
            if reach == Reach::Everywhere {
                self.everywhere.insert(form.clone());
            }
            self.forms.insert(form);
        }
    }

    pub(super) fn is_full(&self) -> bool {
        self.found.len() > MAX_SECRETS || self.bytes > MAX_FORM_BYTES || self.budget.is_spent()
    }

    /// What is masked in the row.
    pub(super) fn known(self, runs_text: bool) -> KnownSecrets {
        if self.is_full() {
            return KnownSecrets::TooMany;
        }
        if self.single.is_empty() && self.parts.is_empty() {
            return KnownSecrets::None;
        }
        KnownSecrets::These(SecretFinder {
            single: Automaton::new(&self.single),
            everywhere: Automaton::new(&self.everywhere),
            parts: self.parts.finder(),
            runs_text,
        })
    }
}

/// The secrets of a row.
pub(super) enum KnownSecrets {
    None,
    These(SecretFinder),
    /// There are too many secrets to handle individually. No text but that of commands may pass then.
    TooMany,
}

/// Finds the secrets of a row in its other texts.
pub(super) struct SecretFinder {
    single: Automaton,
    everywhere: Automaton,
    parts: PartFinder,
    /// Whether the commands of the row run quoted text.
    runs_text: bool,
}

impl SecretFinder {
    /// The secrets in a command that starts at `from`. A program's name stays, and so does a part of a
    /// word, such as a host, unless it looks generated.
    pub(super) fn in_command(&self, text: &str, from: usize) -> Vec<Range<usize>> {
        let is_random = |range: &Range<usize>| {
            text.get(range.clone()).is_some_and(|secret| random_looking_value::password(secret.as_bytes()))
        };
        let mut found = self.everywhere.covered(text);
        found.retain(|range| {
            !is_program(text.as_bytes(), from, range.start, self.runs_text)
                && (is_whole_word(text, range) || is_random(range))
        });
        found
    }

    /// The secrets in a sentence, or in a single word such as a path.
    pub(super) fn in_text(&self, text: &str) -> Vec<Range<usize>> {
        if text.contains(char::is_whitespace) {
            let mut found = self.everywhere.covered(text);
            let in_path = |range: &Range<usize>| word_around(text, range).contains('/');
            found.extend(self.single.covered(text).into_iter().filter(in_path));
            return found;
        }
        let mut found = self.single.covered(text);
        if !text.contains("://") {
            found.extend(self.parts.in_path(text));
        }
        found
    }

    /// The secrets in a path or another text that was looked up.
    pub(super) fn in_fact(&self, text: &str) -> Vec<Range<usize>> {
        let mut found = self.in_text(text);
        found.extend(self.parts.in_path(text));
        found.extend(self.parts.short_end(text));
        found
    }

    /// Whether a word has a part of a secret that the row does not show.
    pub(super) fn has_hidden_part(&self, word: &str) -> bool {
        self.parts.has_hidden_part(word)
    }

    /// Adds the words of a text as the row shows it.
    pub(super) fn add_readable(&mut self, text: &str) {
        self.parts.add_readable(text);
    }
}

/// Whether a range of a command is a word, or the value in `name=value` or `name:value`.
fn is_whole_word(text: &str, range: &Range<usize>) -> bool {
    let is_end = |c: char| c.is_whitespace() || "'\"`;|&<>(){},\\".contains(c);
    let left = text.get(..range.start).and_then(|left| left.chars().next_back());
    let right = text.get(range.end..).and_then(|right| right.chars().next());
    left.is_none_or(|c| is_end(c) || matches!(c, '=' | ':'))
        && right.is_none_or(|c| is_end(c) || matches!(c, '@' | ':'))
}

/// The word of a sentence that contains this range, up to [`REACH`] bytes to each side.
fn word_around<'t>(text: &'t str, range: &Range<usize>) -> &'t str {
    let first = text.floor_char_boundary(range.start.saturating_sub(REACH));
    let last = text.ceil_char_boundary(range.end.saturating_add(REACH).min(text.len()));
    let left = text.get(first..range.start).unwrap_or_default();
    let right = text.get(range.end..last).unwrap_or_default();
    let start = left.rfind(char::is_whitespace).map_or(first, |start| first + start);
    let end = right.find(char::is_whitespace).map_or(last, |end| range.end + end);
    text.get(start..end).unwrap_or_default()
}
