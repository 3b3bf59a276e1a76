//! The arguments of a command, with the values of variables that the text itself sets.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use sekisho_policy::{LeadingDot, NameGlob};
use sekisho_shell::word::{Piece, Word};

use super::budget::Budget;

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
    /// Whether the last component of its pattern has wildcards: it is compared with many names.
    has_wildcards: OnceCell<bool>,
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

    /// Whether this argument, as a command, would run the program of this name. Only the last path component is compared,
    /// with its wildcards.
    pub(super) fn runs(&self, program: &str) -> bool {
        let name = self.pattern.rsplit('/').next().unwrap_or_default();
        let directory = self.pattern.len() - name.len();
        if self.is_computed && (directory == 0 || name.contains('*')) {
            return false;
        }
        if !*self.has_wildcards.get_or_init(|| name.contains(['*', '?', '[', '\\'])) {
            return name.eq_ignore_ascii_case(program);
        }
        // Without a directory it stands for a file of the project, which is hardly named so by chance.
        let written = match directory {
            0 => 3 * letters_in(name) >= program.len(),
            _ => name.chars().any(char::is_alphanumeric),
        };
        // The bracket that ends a class is a part of the text behind the wildcard.
        let name = if name.contains('[') { name.replace("\\]", "]") } else { name.to_owned() };
        // A bracket without its end stands for itself: `m=([my key]=1)` is read word by word.
        if name.rsplit_once('[').is_some_and(|(_, behind)| !behind.contains(']')) {
            return false;
        }
        written && NameGlob::new(&name).matches(program, LeadingDot::Wild)
    }

    /// Whether nothing of it is known.
    pub(super) fn is_unknown(&self) -> bool {
        self.is_computed && self.text.chars().all(|c| c == '*')
    }

    /// Whether the last component of a path may be this name.
    pub(super) fn may_end_in(&self, name: &str) -> bool {
        let last = self.pattern.rsplit('/').next().unwrap_or_default();
        NameGlob::new(last).matches(name, LeadingDot::Wild)
    }
}

/// How many letters a pattern names: those outside classes, and classes; beside a star only classes of one letter.
fn letters_in(pattern: &str) -> usize {
    let mut count = 0;
    let has_star = pattern.contains('*');
    let bare = pattern.replace("\\]", "]");
    let mut rest = bare.as_str();
    while let Some(c) = rest.chars().next() {
        let class = if c == '[' { rest.find(']') } else { None };
        let length = class.map_or(c.len_utf8(), |end| end + 1);
        count += usize::from(match class {
            Some(end) => {
                rest.get(..end).is_some_and(|class| class.contains(char::is_alphanumeric))
                    && (end == 2 || !has_star)
            }
            None => c.is_alphanumeric(),
        });
        rest = rest.get(length..).unwrap_or_default();
    }
    count
}

/// The argument lists that a command may get (its readings): several if its variables may have several values. An unknown
/// piece is tried both as any text and as empty, as in `r${x}m`.
pub(super) fn readings(words: &[Word], values: &Values, budget: &Budget) -> Vec<Vec<Argument>> {
    let names = words.iter().flat_map(|word| &word.pieces).filter_map(|piece| match piece {
        Piece::Variable { name, .. } => values.get(name),
        _ => None,
    });
    let count = names.map(Vec::len).max().unwrap_or(1).clamp(1, MAX_READINGS);
    let reading = |at: usize, unknown: Unknown| {
        words.iter().flat_map(|word| read(word, (values, budget), at, unknown)).collect::<Vec<Argument>>()
    };
    let mut all: Vec<Vec<Argument>> = (0..count).map(|at| reading(at, Unknown::Anything)).collect();
    if all.iter().flatten().any(|argument| argument.is_computed) {
        all.extend((0..count).map(|at| reading(at, Unknown::Empty)));
    }
    all
}

/// What to assume about an unknown piece.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unknown {
    Anything,
    Empty,
}

/// What one word becomes: several arguments if an unquoted value contains blanks.
fn read(word: &Word, (values, budget): (&Values, &Budget), at: usize, unknown: Unknown) -> Vec<Argument> {
    let mut done = Vec::new();
    let mut current = Argument::default();
    let mut is_quoted = word.pieces.is_empty();
    let put_unknown = |current: &mut Argument| {
        if unknown == Unknown::Anything {
            current.text.push('*');
            current.pattern.push('*');
            current.is_computed = true;
        }
    };
    for piece in &word.pieces {
        match piece {
            Piece::Literal(text) => current.push(text),
            Piece::Glob(glob) => {
                current.text.push_str(glob);
                current.pattern.push_str(glob);
            }
            Piece::Tilde(name) => current.push(&format!("~{name}")),
            Piece::Variable { name, quoted } => {
                is_quoted |= quoted;
                let value = values.get(name).and_then(|all| all.get(at).or(all.last()));
                let value = value.filter(|value| budget.spend(value.len()));
                match value {
                    Some(value) if *quoted => current.push(value),
                    Some(value) => split_into(value, &mut current, &mut done),
                    None => put_unknown(&mut current),
                }
            }
            Piece::Substitution { quoted } | Piece::Unknown { quoted } => {
                is_quoted |= quoted;
                put_unknown(&mut current);
            }
            Piece::Process => put_unknown(&mut current),
        }
    }
    // An unquoted word that expands to nothing is not an argument.
    if !current.text.is_empty() || is_quoted {
        done.push(current);
    }
    done
}

fn split_into(value: &str, current: &mut Argument, done: &mut Vec<Argument>) {
    for (at, part) in value.split([' ', '\t', '\n']).enumerate() {
        if at > 0 && !current.text.is_empty() {
            done.push(std::mem::take(current));
        }
        current.push(part);
    }
}
