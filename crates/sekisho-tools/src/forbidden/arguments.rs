//! The arguments of a command, with the values of variables that the text itself sets.

use std::collections::BTreeMap;

use sekisho_policy::{LeadingDot, NameGlob};
use sekisho_shell::word::{Piece, Word};

/// How many values of each variable are tried.
const MAX_READINGS: usize = 8;

/// The literal values that a text assigns, by variable.
pub(super) type Values = BTreeMap<String, Vec<String>>;

/// One argument.
#[derive(Clone, Debug, Default)]
pub(super) struct Argument {
    /// Its text; `*` for what is unknown.
    pub(super) text: String,
    /// Its text as a glob, with literal characters escaped.
    pattern: String,
    /// Some of it is computed and unknown.
    is_computed: bool,
}

impl Argument {
    pub(super) fn literal(text: &str) -> Argument {
        let mut argument = Argument::default();
        argument.push(text);
        argument
    }

    fn push(&mut self, text: &str) {
        self.text.push_str(text);
        for c in text.chars() {
            if "*?[]\\()+@!".contains(c) {
                self.pattern.push('\\');
            }
            self.pattern.push(c);
        }
    }

    /// Whether a program of this name would be run: the last component, with any wildcards.
    pub(super) fn runs(&self, program: &str) -> bool {
        let name = self.pattern.rsplit('/').next().unwrap_or_default();
        let directory = self.pattern.len() - name.len();
        if self.is_computed && (directory == 0 || name.contains('*')) {
            return false;
        }
        let written = name.chars().any(char::is_alphanumeric);
        written && NameGlob::new(name).matches(program, LeadingDot::Wild)
    }

    /// Whether the last component of a path may be this name.
    pub(super) fn may_end_in(&self, name: &str) -> bool {
        let last = self.pattern.rsplit('/').next().unwrap_or_default();
        NameGlob::new(last).matches(name, LeadingDot::Wild)
    }
}

/// The possible arguments of a command: one reading, or several if it uses variables with several values.
pub(super) fn readings(words: &[Word], values: &Values) -> Vec<Vec<Argument>> {
    let names = words.iter().flat_map(|word| &word.pieces).filter_map(|piece| match piece {
        Piece::Variable { name, .. } => values.get(name),
        _ => None,
    });
    let count = names.map(Vec::len).max().unwrap_or(1).clamp(1, MAX_READINGS);
    (0..count).map(|at| words.iter().flat_map(|word| read(word, values, at)).collect()).collect()
}

/// What one word becomes: several arguments if an unquoted value contains blanks.
fn read(word: &Word, values: &Values, at: usize) -> Vec<Argument> {
    let mut done = Vec::new();
    let mut current = Argument::default();
    for piece in &word.pieces {
        match piece {
            Piece::Literal(text) => current.push(text),
            Piece::Glob(glob) => {
                current.text.push_str(glob);
                current.pattern.push_str(glob);
            }
            Piece::Tilde(name) => current.push(&format!("~{name}")),
            Piece::Variable { name, quoted } => {
                let value = values.get(name).and_then(|all| all.get(at).or(all.last()));
                match value {
                    Some(value) if *quoted => current.push(value),
                    Some(value) => split_into(value, &mut current, &mut done),
                    None => unknown(&mut current),
                }
            }
            Piece::Substitution { .. } | Piece::Process | Piece::Unknown { .. } => unknown(&mut current),
        }
    }
    if !current.text.is_empty() || word.pieces.is_empty() {
        done.push(current);
    }
    done
}

fn unknown(current: &mut Argument) {
    current.text.push('*');
    current.pattern.push('*');
    current.is_computed = true;
}

fn split_into(value: &str, current: &mut Argument, done: &mut Vec<Argument>) {
    for (at, part) in value.split([' ', '\t', '\n']).enumerate() {
        if at > 0 && !current.text.is_empty() {
            done.push(std::mem::take(current));
        }
        current.push(part);
    }
}
