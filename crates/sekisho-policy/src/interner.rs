//! String tables, and interned names from rules.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use hashbrown::HashTable;

use crate::byte_encoding::{ByteEncoded, FixedRow, PartReader, PartWriter, Rows};
use crate::byte_slice::ByteSlice;

/// Texts by position, stored one after another.
#[derive(Clone, Debug)]
pub(crate) enum StringTable {
    /// As compiled: all texts, and the end offset of each.
    Own(String, Vec<u32>),
    /// As stored.
    Stored(ByteSlice, Rows<u32, 4>),
}

impl Default for StringTable {
    fn default() -> StringTable {
        StringTable::Own(String::new(), Vec::new())
    }
}

impl StringTable {
    /// Adds a text. A stored table is complete and does not change.
    pub(crate) fn push(&mut self, added: &str) {
        if let StringTable::Own(text, ends) = self {
            text.push_str(added);
            ends.push(u32::try_from(text.len()).unwrap_or(u32::MAX));
        }
    }

    /// The text at a position; empty if there is none.
    #[inline]
    pub(crate) fn get(&self, at: u32) -> &str {
        let (at, before) = (at as usize, (at as usize).checked_sub(1));
        match self {
            StringTable::Own(text, ends) => {
                let start = before.and_then(|before| ends.get(before)).copied().unwrap_or(0);
                let end = ends.get(at).copied().unwrap_or(start);
                text.get(start as usize..end as usize).unwrap_or("")
            }
            StringTable::Stored(text, ends) => {
                let start = before.and_then(|before| ends.get(before)).unwrap_or(0);
                let end = ends.get(at).unwrap_or(start);
                let bytes = text.bytes().get(start as usize..end as usize).unwrap_or_default();
                std::str::from_utf8(bytes).unwrap_or("")
            }
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|at| self.get(at))
    }

    pub(crate) fn len(&self) -> u32 {
        let length = match self {
            StringTable::Own(_, ends) => ends.len(),
            StringTable::Stored(_, ends) => ends.len(),
        };
        u32::try_from(length).unwrap_or(u32::MAX)
    }

    fn shrink(&mut self) {
        if let StringTable::Own(text, ends) = self {
            text.shrink_to_fit();
            ends.shrink_to_fit();
        }
    }
}

impl ByteEncoded for StringTable {
    fn write(&self, to: &mut PartWriter) {
        to.part(self.iter());
        let ends = self.iter().scan(0, |end, text| {
            *end += text.len();
            u32::try_from(*end).ok()
        });
        to.part(ends.map(u32::to_row));
    }

    fn read(from: &mut PartReader<'_>) -> Option<StringTable> {
        Some(StringTable::Stored(from.part()?, Rows::read(from)?))
    }
}

/// Interned names.
#[derive(Clone, Debug, Default)]
pub(crate) struct NameTable {
    names: StringTable,
    finder: NameLookup,
}

/// How a name is found. The seed is fixed, because the keys come from rule files and a policy must be
/// deterministic.
#[derive(Clone, Debug)]
enum NameLookup {
    /// By its hash.
    Hashed(HashTable<u32>),
    /// By binary search over the numbers, sorted by name. Hashes are not stored: with another hash function,
    /// names would silently not be found.
    Sorted(Rows<u32, 4>),
}

impl Default for NameLookup {
    fn default() -> NameLookup {
        NameLookup::Hashed(HashTable::new())
    }
}

const HASHER: FixedState = FixedState::with_seed(0x5e6b_15a0);

impl NameTable {
    /// The number of a name, if a rule uses it.
    #[inline]
    pub(crate) fn get(&self, name: &str) -> Option<u32> {
        match &self.finder {
            NameLookup::Hashed(table) => {
                table.find(HASHER.hash_one(name), |id| self.name(*id) == name).copied()
            }
            NameLookup::Sorted(sorted) => {
                let at = sorted.partition_point(|id| self.name(id) < name);
                sorted.get(at).filter(|id| self.name(*id) == name)
            }
        }
    }

    /// The number of a name; a new one if necessary. A stored table is complete.
    pub(crate) fn intern(&mut self, name: &str) -> u32 {
        if let Some(id) = self.get(name) {
            return id;
        }
        let id = self.len();
        self.names.push(name);
        if let NameLookup::Hashed(table) = &mut self.finder {
            let names = &self.names;
            table.insert_unique(HASHER.hash_one(name), id, |id| HASHER.hash_one(names.get(*id)));
        }
        id
    }

    pub(crate) fn name(&self, id: u32) -> &str {
        self.names.get(id)
    }

    pub(crate) fn len(&self) -> u32 {
        self.names.len()
    }

    pub(crate) fn shrink(&mut self) {
        self.names.shrink();
    }
}

impl ByteEncoded for NameTable {
    fn write(&self, to: &mut PartWriter) {
        self.names.write(to);
        let mut sorted: Vec<u32> = (0..self.len()).collect();
        sorted.sort_unstable_by_key(|id| self.name(*id));
        to.part(sorted.into_iter().map(u32::to_row));
    }

    fn read(from: &mut PartReader<'_>) -> Option<NameTable> {
        Some(NameTable { names: StringTable::read(from)?, finder: NameLookup::Sorted(Rows::read(from)?) })
    }
}

#[cfg(test)]
mod tests {
    use super::NameTable;
    use crate::byte_encoding::{ByteEncoded, PartReader, PartWriter};
    use crate::byte_slice::ByteSlice;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn stored_names_keep_their_numbers(names in proptest::collection::vec("[abä]{0,3}", 0..20), asked in "[abä]{0,3}") {
            let mut own = NameTable::default();
            names.iter().for_each(|name| { own.intern(name); });
            let stretch = ByteSlice::all(PartWriter::bytes_of(&own).into());
            let stored = NameTable::read(&mut PartReader::new(&stretch)).unwrap();
            prop_assert_eq!(stored.get(&asked), own.get(&asked));
            for name in &names {
                prop_assert_eq!(stored.get(name), own.get(name));
            }
        }
    }
}
