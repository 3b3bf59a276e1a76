//! Interned names of rules: each name gets a number, and is found by hash or by binary search.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use hashbrown::HashTable;

use crate::byte_encoding::{ByteEncoded, FixedRow, PartReader, PartWriter, Rows};
use crate::string_table::StringTable;

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
                // Texts are ordered like their bytes.
                let name = name.as_bytes();
                let at = sorted.partition_point(|id| self.names.bytes(id) < name);
                sorted.get(at).filter(|id| self.names.bytes(*id) == name)
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
