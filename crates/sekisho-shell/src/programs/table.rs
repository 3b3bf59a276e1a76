//! The program table: files of data, parsed when one of their programs is first asked for.

use std::collections::HashMap;
use std::fmt;

use super::build::Programs;
use super::schema::{self, Grammar};
use super::values::Check;

/// Whether an option takes a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arity {
    /// No value.
    Flag,
    /// A value, attached or the next word.
    Value,
    /// An attached value or none.
    Optional,
}

/// What is known of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Kind {
    pub(super) arity: Arity,
    pub(super) harmless: bool,
}

/// A program or subcommand, ready for looking up.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) data: schema::Command,
    pub(super) checks: Vec<(Box<str>, Check)>,
    pub(super) operand_check: Option<Check>,
    pub(super) alone_check: Option<Check>,
    /// The name it has in its file, whatever name it was asked by.
    pub(super) name: Box<str>,
    subs: Vec<Entry>,
    sub_names: HashMap<String, usize>,
    shorts: Vec<(char, Kind)>,
    longs: Vec<(Box<str>, Kind)>,
}

/// A long option as it was found.
pub(super) struct Found<'e> {
    pub(super) name: &'e str,
    pub(super) kind: Kind,
}

impl Entry {
    /// Whether it has subcommands.
    pub(super) fn has_subs(&self) -> bool {
        !self.subs.is_empty()
    }

    /// The subcommand of that name.
    pub(super) fn sub(&self, name: &str) -> Option<&Entry> {
        self.sub_names.get(name).and_then(|at| self.subs.get(*at))
    }

    /// The short option of that letter.
    pub(super) fn short(&self, letter: char) -> Option<Kind> {
        self.shorts.iter().find(|(c, _)| *c == letter).map(|(_, kind)| *kind)
    }

    /// The long option of that name, or the one it abbreviates. An abbreviation is harmless only if the
    /// table holds all long options and every one it could mean is harmless and of the same arity.
    pub(super) fn long(&self, name: &str) -> Option<Found<'_>> {
        let at = match self.longs.binary_search_by(|(long, _)| (**long).cmp(name)) {
            Ok(at) => return self.longs.get(at).map(|(long, kind)| Found { name: long, kind: *kind }),
            Err(at) => at,
        };
        let gnu = matches!(self.data.grammar, Grammar::Gnu | Grammar::Posix);
        if name.is_empty() || !gnu {
            return None;
        }
        let mut meant = self.longs.iter().skip(at).take_while(|(long, _)| long.starts_with(name));
        let (long, first) = meant.next()?;
        let mut harmless = self.data.complete && first.harmless;
        for (_, kind) in meant {
            harmless &= kind == first;
        }
        Some(Found { name: long, kind: Kind { arity: first.arity, harmless } })
    }
}

/// Why a table cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The file.
    pub file: String,
    /// The program or field.
    pub place: String,
    /// What is wrong with it.
    pub what: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.file, self.place, self.what)
    }
}

impl std::error::Error for Error {}

/// Programs by name.
#[derive(Debug, Default)]
pub struct Table {
    entries: Vec<Entry>,
    names: HashMap<String, usize>,
}

impl Table {
    /// Reads a table from the texts of its files, given as (file name, text).
    ///
    /// # Errors
    /// A text that is not TOML of the expected form, a name that stands twice, an option that is listed as
    /// both harmless and not, a reference to a list or a check that does not exist.
    pub fn parse(files: &[(&str, &str)]) -> Result<Table, Error> {
        let mut table = Table::default();
        for (file, text) in files {
            table.add(file, text)?;
        }
        Ok(table)
    }

    fn add(&mut self, file: &str, text: &str) -> Result<(), Error> {
        let error =
            |place: &str, what: String| Error { file: file.to_owned(), place: place.to_owned(), what };
        let parsed: schema::File = toml::from_str(text).map_err(|e| error("text", e.to_string()))?;
        for (name, command) in parsed.program {
            let names: Vec<String> =
                std::iter::once(name.clone()).chain(command.also.iter().cloned()).collect();
            let entry =
                compile(&name, command, &parsed.options).map_err(|(place, what)| error(&place, what))?;
            let at = self.entries.len();
            self.entries.push(entry);
            for known in names {
                if self.names.insert(known.clone(), at).is_some() {
                    return Err(error(&known, "the name stands twice".to_owned()));
                }
            }
        }
        Ok(())
    }

    /// All names, in no order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.keys().map(String::as_str)
    }

    pub(super) fn get(&self, name: &str) -> Option<&Entry> {
        self.names.get(name).and_then(|at| self.entries.get(*at))
    }
}

impl Programs for Table {
    fn program(&self, name: &str) -> Option<&Entry> {
        self.get(name)
    }

    fn subcommand<'t>(&'t self, of: &'t Entry, name: &str) -> Option<&'t Entry> {
        of.sub(name)
    }

    fn has_subcommands(&self, of: &Entry) -> bool {
        of.has_subs()
    }
}

type Lists = std::collections::BTreeMap<String, schema::Options>;
type Fault = (String, String);

fn compile(place: &str, mut data: schema::Command, lists: &Lists) -> Result<Entry, Fault> {
    let fault = |what: String| (place.to_owned(), what);
    let mut options = Collected::default();
    options.add(&data.harmless, true, lists).map_err(fault)?;
    options.add(&data.other, false, lists).map_err(fault)?;
    let Collected { shorts, longs } = options.finish().map_err(fault)?;
    let mut checks = Vec::new();
    for (option, bound) in &data.values {
        checks.push((option.as_str().into(), Check::named(bound).map_err(fault)?));
    }
    let operand_check = data.operands.check.as_deref().map(Check::named).transpose().map_err(fault)?;
    let alone_check = data.operands.alone.as_deref().map(Check::named).transpose().map_err(fault)?;
    let (mut subs, mut sub_names) = (Vec::new(), HashMap::new());
    for (name, sub) in std::mem::take(&mut data.sub) {
        for known in std::iter::once(&name).chain(&sub.also) {
            if sub_names.insert(known.clone(), subs.len()).is_some() {
                return Err(fault(format!("the subcommand {known} stands twice")));
            }
        }
        subs.push(compile(&format!("{place} {name}"), sub, lists)?);
    }
    Ok(Entry { name: place.into(), data, checks, operand_check, alone_check, subs, sub_names, shorts, longs })
}

#[derive(Default)]
struct Collected {
    shorts: Vec<(char, Kind)>,
    longs: Vec<(Box<str>, Kind)>,
}

impl Collected {
    fn add(&mut self, options: &schema::Options, harmless: bool, lists: &Lists) -> Result<(), String> {
        let groups = [
            (&options.flags, Arity::Flag),
            (&options.valued, Arity::Value),
            (&options.optional, Arity::Optional),
        ];
        for (letters, arity) in groups {
            let letters = letters.chars().filter(|c| !c.is_whitespace());
            self.shorts.extend(letters.map(|letter| (letter, Kind { arity, harmless })));
        }
        for word in options.long.split_whitespace() {
            let (name, arity) = match (word.strip_suffix("=?"), word.strip_suffix('=')) {
                (Some(name), _) => (name, Arity::Optional),
                (None, Some(name)) => (name, Arity::Value),
                (None, None) => (word, Arity::Flag),
            };
            self.longs.push((name.into(), Kind { arity, harmless }));
        }
        for list in &options.include {
            let list = lists.get(list).ok_or_else(|| format!("no option list {list}"))?;
            if !list.include.is_empty() {
                return Err("an option list cannot include another".to_owned());
            }
            self.add(list, harmless, lists)?;
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Collected, String> {
        self.longs.sort_by(|a, b| a.0.cmp(&b.0));
        for pair in self.longs.windows(2) {
            if let [(one, _), (two, _)] = pair
                && one == two
            {
                return Err(format!("the option --{one} stands twice"));
            }
        }
        for (at, (letter, _)) in self.shorts.iter().enumerate() {
            if self.shorts.iter().skip(at + 1).any(|(other, _)| other == letter) {
                return Err(format!("the option -{letter} stands twice"));
            }
        }
        Ok(self)
    }
}
