//! What the filters of a text would make of its own texts, wherever they meet.
//!
//! The dry run may lose its way between a text and the filter that makes a command of it. So each filter that it has met is
//! tried with each text that it has seen, and with what others make of it: `rev` and `'x fr- mr'` in one text are enough.

use std::collections::BTreeSet;

use super::super::unresolved_words::is_dangerous;
use super::fields::{is_known, readable, without_marks};
use super::seen_texts::Change;
use super::shell::Shell;

/// How many texts are kept.
const MAX_TEXTS: usize = 512;
/// Longer ones are not kept, in bytes.
const MAX_LENGTH: usize = 2048;
/// How many filters are kept.
const MAX_CHANGES: usize = 16;
/// How many filters are tried one after the other.
const MAX_STEPS: usize = 3;
/// How many texts that may stand in place of a word are kept.
const MAX_WORDS: usize = 16;
/// Words of forbidden commands that are harmless alone.
const WORDS: [&str; 6] = ["rm", "git", "push", "set", "environ", "export"];

impl Shell<'_> {
    /// Keeps a text that a filter might get.
    pub(super) fn see_text(&self, text: &str) {
        let text = text.trim_end_matches('\n');
        if text.len() < 2 || text.len() > MAX_LENGTH || !is_known(text) || !self.spend(text.len() / 16) {
            return;
        }
        let mut seen = self.seen.borrow_mut();
        if seen.texts.len() < MAX_TEXTS {
            seen.texts.insert(text.to_owned());
        }
    }

    /// Keeps a filter. `words` are its name and its arguments.
    pub(super) fn see_change(&self, words: Vec<String>, change: &Change) {
        let mut seen = self.seen.borrow_mut();
        if seen.changes.len() < MAX_CHANGES && is_known(&words.concat()) {
            seen.changes.entry(words).or_insert_with(|| change.clone());
        }
    }

    /// Shows what the filters make of the texts to the search.
    pub(super) fn follow_changes(&mut self) {
        let changes: Vec<Change> = self.seen.borrow().changes.values().cloned().collect();
        let texts: Vec<String> = self.seen.borrow().texts.iter().cloned().collect();
        if !changes.is_empty() {
            self.aside(|shell| shell.change(texts, &changes));
        }
    }

    fn change(&mut self, texts: Vec<String>, changes: &[Change]) {
        let mut known: BTreeSet<String> = texts.iter().cloned().collect();
        let mut texts = texts;
        for _ in 0..MAX_STEPS {
            let mut made = Vec::new();
            for text in &texts {
                for change in changes {
                    let Some(changed) = self.changed(change, text) else { continue };
                    if changed.len() <= MAX_LENGTH {
                        self.show_changed(text, &changed);
                        made.extend(known.insert(changed.clone()).then_some(changed));
                    }
                }
                if !self.spend(text.len() / 8) {
                    return;
                }
            }
            texts = made;
        }
    }

    fn changed(&mut self, change: &Change, text: &str) -> Option<String> {
        let changed = match change {
            Change::Filter(plan) => {
                let is_left = self.spend(text.len() * plan.cost / 8 + plan.setup / 8);
                without_marks(&(plan.change)(text).filter(|_| is_left)?)
            }
            Change::Sed(arguments) => {
                self.input = text.to_owned();
                self.captured(|shell| shell.sed(arguments))
            }
        };
        let changed = changed.trim_end_matches('\n');
        (is_known(changed) && changed != text).then(|| changed.to_owned())
    }

    /// A text that was dangerous before is looked at as it is.
    fn show_changed(&mut self, text: &str, changed: &str) {
        let computes = |text: &str| text.contains("$(") || text.contains('`') || text.contains("eval ");
        let is_new = |is: &dyn Fn(&str) -> bool| is(changed) && !is(text);
        if is_new(&is_dangerous) || is_new(&computes) {
            (self.note)(&readable(changed));
        }
        let has_word = |text: &str| {
            let mut words = text.split(|c: char| !c.is_ascii_alphanumeric());
            is_dangerous(text) || words.any(|word| WORDS.contains(&word))
        };
        let mut seen = self.seen.borrow_mut();
        if is_new(&has_word) && seen.words.len() < MAX_WORDS {
            seen.words.push(changed.to_owned());
        }
    }
}
