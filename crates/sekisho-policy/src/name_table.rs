//! Interned names of rules: each name gets a number, and is found by hash or by binary search.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use hashbrown::HashTable;

use crate::byte_encoding::{Blob, ByteEncoded, FixedRow, PartReader, PartWriter, Rows};
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
    /// By binary search over the numbers, sorted by name, if the filter has the name. Hashes of a library are not
    /// stored: with another version of it, names would silently not be found.
    Sorted { numbers: Rows<u32, 4>, filter: Blob },
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
                table.find(HASHER.hash_one(name), |id| self.names.bytes(*id) == name.as_bytes()).copied()
            }
            NameLookup::Sorted { numbers, filter } => {
                // Texts are ordered like their bytes.
                let name = name.as_bytes();
                if !may_have(filter.all(), name) {
                    return None;
                }
                let at = numbers.partition_point(|id| self.names.bytes(id) < name);
                numbers.get(at).filter(|id| self.names.bytes(*id) == name)
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
        to.part(std::iter::once(filter_of(&self.names)));
    }

    fn read(from: &mut PartReader<'_>) -> Option<NameTable> {
        let names = StringTable::read(from)?;
        let finder = NameLookup::Sorted { numbers: Rows::read(from)?, filter: Blob::read(from)? };
        Some(NameTable { names, finder })
    }
}

/// A bit for each name, at least eight times as many bits as names: most names that are not in the table have
/// none, and need no search.
fn filter_of(names: &StringTable) -> Vec<u8> {
    let mut filter = vec![0; (names.len() as usize).next_power_of_two()];
    for at in 0..names.len() {
        let (byte, bit) = filter_place(filter.len(), names.bytes(at));
        filter.get_mut(byte).into_iter().for_each(|bits| *bits |= bit);
    }
    filter
}

/// Whether a name may be among those of a filter. Only `false` is certain.
fn may_have(filter: &[u8], name: &[u8]) -> bool {
    let (byte, bit) = filter_place(filter.len(), name);
    filter.get(byte).is_none_or(|bits| bits & bit != 0)
}

/// The byte and the bit of a name in a filter of `length` bytes, a power of two: by its FNV-1a hash.
fn filter_place(length: usize, name: &[u8]) -> (usize, u8) {
    let hash =
        name.iter().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193));
    ((hash >> 3) as usize & length.wrapping_sub(1), 1 << (hash & 7))
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
