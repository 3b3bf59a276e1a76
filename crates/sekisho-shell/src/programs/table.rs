//! The program table as a whole: parsed from its files, checked, and numbered.
//!
//! The build script makes the embedded table with this same code, so an error in a file stops the build.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Deserializer};

use super::program_entry::{Arity, LongOptions, OptionKind, ProgramEntry};
use super::table_schema::{OptionLists, ProgramSpec, TableFile};
use super::value_check::ValueCheck;

/// Why a table cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableError {
    /// The file name.
    pub file: String,
    /// The program or field.
    pub location: String,
    /// What is wrong with it.
    pub what: String,
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.file, self.location, self.what)
    }
}

impl std::error::Error for TableError {}

/// Programs and their subcommands by name.
#[derive(Debug, Default)]
pub struct ProgramTable {
    /// Sorted by number; the first entry has number 1.
    pub(super) entries: Vec<ProgramEntry>,
    /// The number of an entry, by the number of its parent (0 for a program) and its name.
    pub(super) numbers: BTreeMap<(u16, String), u16>,
}

impl ProgramTable {
    /// Parses a table from its files, given as (file name, deserializer).
    ///
    /// # Errors
    ///
    /// A text that does not have the expected form, a name that occurs twice, an option listed as both
    /// harmless and not, or a reference to a list or check that does not exist.
    pub fn parse<'f, 'de, D>(
        files: impl IntoIterator<Item = (&'f str, D)>,
    ) -> Result<ProgramTable, TableError>
    where
        D: Deserializer<'de>,
    {
        let mut table = ProgramTable::default();
        for (file, text) in files {
            let error = |place, what| TableError { file: file.to_owned(), location: place, what };
            let parsed = TableFile::deserialize(text).map_err(|e| error("text".to_owned(), e.to_string()))?;
            for (name, command) in parsed.program {
                let twice = |known: &str| (known.to_owned(), "the name occurs twice".to_owned());
                table
                    .add(0, &name, &name, command, &parsed.options, &twice)
                    .map_err(|(place, what)| error(place, what))?;
            }
        }
        Ok(table)
    }

    /// All program names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.numbers.keys().filter(|(of, _)| *of == 0).map(|(_, name)| name.as_str())
    }

    /// Adds a command and its subcommands. `name` is its own name; `place` also has the names above it.
    fn add(
        &mut self,
        of: u16,
        name: &str,
        place: &str,
        mut data: ProgramSpec,
        lists: &Lists,
        twice: &dyn Fn(&str) -> Fault,
    ) -> Result<(), Fault> {
        let number = u16::try_from(self.entries.len() + 1)
            .map_err(|_| (place.to_owned(), "the table is too large".to_owned()))?;
        let also = std::mem::take(&mut data.also);
        for known in std::iter::once(name).chain(also.iter().map(String::as_str)) {
            if self.numbers.insert((of, known.to_owned()), number).is_some() {
                return Err(twice(known));
            }
        }
        let subs = std::mem::take(&mut data.sub);
        let entry = compile(number, place, !subs.is_empty(), data, lists);
        self.entries.push(entry.map_err(|what| (place.to_owned(), what))?);
        for (name, sub) in subs {
            let twice = |known: &str| (place.to_owned(), format!("the subcommand {known} occurs twice"));
            self.add(number, &name, &format!("{place} {name}"), sub, lists, &twice)?;
        }
        Ok(())
    }
}

type Lists = BTreeMap<String, OptionLists>;
/// Location and message.
type Fault = (String, String);

fn compile(
    number: u16,
    name: &str,
    has_subs: bool,
    mut data: ProgramSpec,
    lists: &Lists,
) -> Result<ProgramEntry, String> {
    let mut options = Collected::default();
    options.add(&std::mem::take(&mut data.harmless), true, lists)?;
    options.add(&std::mem::take(&mut data.other), false, lists)?;
    let Collected { shorts, longs } = options.finish()?;
    let checks = std::mem::take(&mut data.values)
        .into_iter()
        .map(|(option, bound)| Ok((option.into(), ValueCheck::named(&bound)?)))
        .collect::<Result<_, String>>()?;
    let named = |check: Option<String>| check.as_deref().map(ValueCheck::named).transpose();
    let value_check = named(data.each_value.take())?;
    let operand_check = named(data.operands.check.take())?;
    let each_check = named(data.operands.each.take())?;
    let alone_check = named(data.operands.alone.take())?;
    let longs = LongOptions::new(&longs);
    let name = name.into();
    Ok(ProgramEntry {
        number,
        name,
        data,
        checks,
        value_check,
        operand_check,
        each_check,
        alone_check,
        has_subs,
        shorts,
        longs,
    })
}

#[derive(Default)]
struct Collected {
    shorts: Vec<(char, OptionKind)>,
    longs: Vec<(Box<str>, OptionKind)>,
}

impl Collected {
    fn add(&mut self, options: &OptionLists, harmless: bool, lists: &Lists) -> Result<(), String> {
        let groups = [
            (&options.flags, Arity::Flag),
            (&options.valued, Arity::Value),
            (&options.optional, Arity::Optional),
        ];
        for (letters, arity) in groups {
            let letters = letters.chars().filter(|c| !c.is_whitespace());
            self.shorts.extend(letters.map(|letter| (letter, OptionKind { arity, harmless })));
        }
        for word in options.long.split_whitespace() {
            let (name, arity) = match (word.strip_suffix("=?"), word.strip_suffix('=')) {
                (Some(name), _) => (name, Arity::Optional),
                (None, Some(name)) => (name, Arity::Value),
                (None, None) => (word, Arity::Flag),
            };
            self.longs.push((name.into(), OptionKind { arity, harmless }));
        }
        for list in &options.include {
            let list = lists.get(list).ok_or_else(|| format!("unknown option list `{list}`"))?;
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
                return Err(format!("the option --{one} occurs twice"));
            }
        }
        for (at, (letter, _)) in self.shorts.iter().enumerate() {
            if self.shorts.iter().skip(at + 1).any(|(other, _)| other == letter) {
                return Err(format!("the option -{letter} occurs twice"));
            }
        }
        Ok(self)
    }
}
