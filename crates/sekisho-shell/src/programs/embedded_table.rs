//! The table built into the program. The build script checked and compiled it. An entry is decoded when its
//! program or subcommand is first looked up, so a process that judges one command decodes no other.

use std::sync::OnceLock;

use super::program_entry::ProgramEntry;
use super::program_lookup::ProgramLookup;

/// A name and its entry. It holds only numbers: pointers to the texts would have to be relocated at every
/// start of the process.
struct IndexedName {
    /// The number of the entry it is a subcommand of; 0 for a program.
    of: u16,
    /// Start and end in [`NAMES`].
    text: (u16, u16),
    /// The number of the entry, from 1.
    entry: u16,
}

// `NAMES`: the texts of all names. `INDEX`: the names, sorted by parent and text. `ENTRIES`: the encoded
// entries. `STARTS`: the offset of each entry, and the end of the last. `FILES`: the source files.
include!(concat!(env!("OUT_DIR"), "/table.rs"));

static DECODED: [OnceLock<Option<Box<ProgramEntry>>>; STARTS.len() - 1] =
    [const { OnceLock::new() }; STARTS.len() - 1];

impl IndexedName {
    fn text(&self) -> &'static str {
        NAMES.get(usize::from(self.text.0)..usize::from(self.text.1)).unwrap_or_default()
    }
}

/// The entry of a name among the programs, or among the subcommands of an entry.
fn find(of: u16, name: &str) -> Option<&'static ProgramEntry> {
    let at = INDEX.binary_search_by(|known| (known.of, known.text()).cmp(&(of, name))).ok()?;
    let before = usize::from(INDEX.get(at)?.entry).checked_sub(1)?;
    let decode = || {
        let (start, end) = (STARTS.get(before)?, STARTS.get(before + 1)?);
        postcard::from_bytes(ENTRIES.get(*start as usize..*end as usize)?).ok()
    };
    DECODED.get(before)?.get_or_init(decode).as_deref()
}

/// The embedded table.
pub(super) struct EmbeddedTable;

impl ProgramLookup for EmbeddedTable {
    fn program(&self, name: &str) -> Option<&ProgramEntry> {
        find(0, name)
    }

    fn subcommand<'t>(&'t self, of: &'t ProgramEntry, name: &str) -> Option<&'t ProgramEntry> {
        find(of.number, name)
    }
}

/// All program names.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    INDEX.iter().filter(|name| name.of == 0).map(IndexedName::text)
}

/// All files.
pub(super) fn files() -> impl Iterator<Item = (&'static str, &'static str)> {
    FILES.iter().copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::programs::ProgramTable;

    #[test]
    fn embedded_table_matches_the_files() {
        let parsed = files().map(|(file, text)| (file, toml::Deserializer::parse(text).unwrap()));
        let table = ProgramTable::parse(parsed).unwrap();
        let written: Vec<(u16, &str, u16)> =
            table.numbers.iter().map(|((of, name), entry)| (*of, name.as_str(), *entry)).collect();
        let embedded: Vec<(u16, &str, u16)> =
            INDEX.iter().map(|name| (name.of, name.text(), name.entry)).collect();
        assert_eq!(embedded, written);
        assert!(table.entries.len() > 300, "{}", table.entries.len());
        for ((of, name), number) in &table.numbers {
            assert_eq!(find(*of, name), table.entries.get(usize::from(*number) - 1), "{name}");
        }
        assert_eq!(find(0, "no such program"), None);
        assert_eq!(find(0, "git status"), None, "a blank in a name is no way down to a subcommand");
    }
}
