//! A program or subcommand of the table, ready for lookups.

use serde::{Deserialize, Serialize};

use super::table_schema::{Grammar, ProgramSpec};
use super::value_check::ValueCheck;

/// Whether an option takes a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Arity {
    /// No value.
    Flag,
    /// A value, attached or the next word.
    Value,
    /// An attached value or none.
    Optional,
}

/// What is known about an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct OptionKind {
    pub(super) arity: Arity,
    pub(super) harmless: bool,
}

/// A program or subcommand.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ProgramEntry {
    /// Its number in the table, from 1.
    pub(super) number: u16,
    /// Its name in the table file, whichever alias was looked up.
    pub(super) name: Box<str>,
    pub(super) data: ProgramSpec,
    pub(super) checks: Vec<(Box<str>, ValueCheck)>,
    /// For options that `checks` does not contain.
    pub(super) value_check: Option<ValueCheck>,
    pub(super) operand_check: Option<ValueCheck>,
    pub(super) each_check: Option<ValueCheck>,
    pub(super) alone_check: Option<ValueCheck>,
    /// Whether it has subcommands.
    pub(super) has_subs: bool,
    pub(super) shorts: Vec<(char, OptionKind)>,
    pub(super) longs: LongOptions,
}

/// Long options, sorted by name. Some programs have hundreds, so their names are stored in one text.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct LongOptions {
    text: Box<str>,
    /// Start and end of each name in the text, and its kind.
    options: Vec<(u32, u32, OptionKind)>,
}

impl LongOptions {
    /// Packs options that are sorted by name.
    pub(super) fn new(sorted: &[(Box<str>, OptionKind)]) -> LongOptions {
        let mut text = String::new();
        let place = |text: &str| u32::try_from(text.len()).unwrap_or(u32::MAX);
        let options = sorted
            .iter()
            .map(|(name, kind)| {
                let start = place(&text);
                text.push_str(name);
                (start, place(&text), *kind)
            })
            .collect();
        LongOptions { text: text.into(), options }
    }

    fn name(&self, option: &(u32, u32, OptionKind)) -> &str {
        self.text.get(option.0 as usize..option.1 as usize).unwrap_or_default()
    }

    /// The options from `name` on.
    fn from<'l>(&'l self, name: &str) -> impl Iterator<Item = (&'l str, OptionKind)> {
        let at = self.options.partition_point(|option| self.name(option) < name);
        self.options.iter().skip(at).map(|option| (self.name(option), option.2))
    }
}

/// A long option as it was found, perhaps by abbreviation.
pub(super) struct LongOptionMatch<'e> {
    pub(super) name: &'e str,
    pub(super) kind: OptionKind,
}

impl ProgramEntry {
    /// The check on the value of an option, by its name.
    pub(super) fn value_check(&self, is_named: impl Fn(&str) -> bool) -> Option<&ValueCheck> {
        let own = self.checks.iter().find(|(name, _)| is_named(name)).map(|(_, check)| check);
        own.or(self.value_check.as_ref())
    }

    /// Whether options come only before the first operand.
    pub(super) fn is_ordered(&self) -> bool {
        matches!(self.data.grammar, Grammar::Posix | Grammar::SingleDashFirst)
    }

    /// Whether options are words after a single dash.
    pub(super) fn is_single_dash(&self) -> bool {
        matches!(self.data.grammar, Grammar::SingleDash | Grammar::SingleDashFirst)
    }

    /// The short option with this letter.
    pub(super) fn short(&self, letter: char) -> Option<OptionKind> {
        self.shorts.iter().find(|(c, _)| *c == letter).map(|(_, kind)| *kind)
    }

    /// The long option with this name, or the one it abbreviates. An abbreviation is harmless only if the
    /// table has all long options and every candidate is harmless and has the same arity.
    pub(super) fn long(&self, name: &str) -> Option<LongOptionMatch<'_>> {
        let mut meant = self.longs.from(name).take_while(|(long, _)| long.starts_with(name));
        let (long, first) = meant.next()?;
        if long == name {
            return Some(LongOptionMatch { name: long, kind: first });
        }
        let gnu = matches!(self.data.grammar, Grammar::Gnu | Grammar::Posix);
        if name.is_empty() || !gnu {
            return None;
        }
        let mut harmless = self.data.complete && first.harmless;
        for (_, kind) in meant {
            harmless &= kind == first;
        }
        Some(LongOptionMatch { name: long, kind: OptionKind { arity: first.arity, harmless } })
    }
}
