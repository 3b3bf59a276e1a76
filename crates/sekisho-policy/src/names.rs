//! Many short texts in one, and names to small numbers, for names that come from rules.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use serde::{Deserialize, Deserializer, Serialize};

/// Texts by their position, kept one behind the other.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Strings {
    text: String,
    ends: Vec<u32>,
}

impl Strings {
    pub(crate) fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.ends.push(u32::try_from(self.text.len()).unwrap_or(u32::MAX));
    }

    /// The text at a position; empty where there is none.
    #[inline]
    pub(crate) fn get(&self, at: u32) -> &str {
        let at = at as usize;
        let start = at.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        let end = self.ends.get(at).copied().unwrap_or(start);
        self.text.get(start as usize..end as usize).unwrap_or("")
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> + Clone {
        (0..self.len()).map(|at| self.get(at))
    }

    pub(crate) fn len(&self) -> u32 {
        u32::try_from(self.ends.len()).unwrap_or(u32::MAX)
    }
}

/// Interned names. The seed is fixed: the keys come from rule files, and a policy must not depend on chance.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(transparent)]
pub(crate) struct Names {
    names: Strings,
    #[serde(skip)]
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
        let id = self.len();
        self.names.push(name);
        let names = &self.names;
        self.table.insert_unique(HASHER.hash_one(name), id, |id| HASHER.hash_one(names.get(*id)));
        id
    }

    pub(crate) fn name(&self, id: u32) -> &str {
        self.names.get(id)
    }

    pub(crate) fn len(&self) -> u32 {
        self.names.len()
    }

    pub(crate) fn shrink(&mut self) {
        self.names.text.shrink_to_fit();
        self.names.ends.shrink_to_fit();
    }
}

/// The hash table is made anew: were it kept, names would silently not be found where they are hashed in another way.
impl<'de> Deserialize<'de> for Names {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Names, D::Error> {
        let names = Strings::deserialize(deserializer)?;
        let hash = |id: &u32| HASHER.hash_one(names.get(*id));
        let mut table = HashTable::with_capacity(names.ends.len());
        for id in 0..names.len() {
            table.insert_unique(hash(&id), id, hash);
        }
        Ok(Names { names, table })
    }
}
