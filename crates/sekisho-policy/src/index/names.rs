//! Names to small numbers, for names that come from rules.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use hashbrown::HashTable;

/// Interned names. The seed is fixed: the keys come from rule files, and a policy must not depend on chance.
#[derive(Debug, Default)]
pub(crate) struct Names {
    text: String,
    ends: Vec<u32>,
    table: HashTable<u32>,
}

const HASHER: FixedState = FixedState::with_seed(0x5e6b_15a0);

impl Names {
    /// The number of a name, if some rule has it.
    #[inline]
    pub(crate) fn get(&self, name: &str) -> Option<u32> {
        self.table.find(HASHER.hash_one(name), |id| self.name(*id) == name).copied()
    }

    /// The number of a name, given a new one if need be.
    pub(crate) fn intern(&mut self, name: &str) -> u32 {
        if let Some(id) = self.get(name) {
            return id;
        }
        let id = u32::try_from(self.ends.len()).unwrap_or(u32::MAX);
        self.text.push_str(name);
        self.ends.push(u32::try_from(self.text.len()).unwrap_or(u32::MAX));
        let (text, ends) = (&self.text, &self.ends);
        self.table.insert_unique(HASHER.hash_one(name), id, |id| HASHER.hash_one(slice(text, ends, *id)));
        id
    }

    pub(crate) fn name(&self, id: u32) -> &str {
        slice(&self.text, &self.ends, id)
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn shrink(&mut self) {
        self.text.shrink_to_fit();
        self.ends.shrink_to_fit();
    }
}

fn slice<'a>(text: &'a str, ends: &[u32], id: u32) -> &'a str {
    let id = id as usize;
    let start = id.checked_sub(1).and_then(|before| ends.get(before)).copied().unwrap_or(0);
    let end = ends.get(id).copied().unwrap_or(start);
    text.get(start as usize..end as usize).unwrap_or("")
}
