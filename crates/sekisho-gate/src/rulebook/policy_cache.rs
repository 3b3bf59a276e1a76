//! Cache of compiled policies. A judgement must not compile anything unless something changed.

use std::collections::HashMap;
use std::sync::Arc;

use sekisho_policy::Policy;

use crate::caller::Session;

/// The capacity of the cache. The least recently used policy is evicted first.
const CAPACITY: usize = 64;

/// What a cached policy is for. Sessions without rules of their own share one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct PolicyKey {
    pub(super) root: Option<Box<str>>,
    pub(super) held_to: Vec<String>,
    pub(super) cwd: Option<Box<str>>,
    pub(super) session: Option<Session>,
}

/// The versions of what a policy was compiled from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SourceVersions {
    pub(super) files: u64,
    pub(super) kept: u64,
}

struct Entry {
    marks: SourceVersions,
    policy: Arc<Policy>,
    used: u64,
}

/// The cached policies.
#[derive(Default)]
pub(super) struct PolicyCache {
    entries: HashMap<PolicyKey, Entry>,
    /// Counts lookups.
    lookups: u64,
}

impl PolicyCache {
    /// The policy of a key, if it was compiled from exactly these versions.
    pub(super) fn get(&mut self, key: &PolicyKey, marks: SourceVersions) -> Option<Arc<Policy>> {
        self.lookups += 1;
        let entry = self.entries.get_mut(key).filter(|entry| entry.marks == marks)?;
        entry.used = self.lookups;
        Some(Arc::clone(&entry.policy))
    }

    /// Adds a policy.
    pub(super) fn put(&mut self, key: PolicyKey, marks: SourceVersions, policy: Arc<Policy>) {
        if self.entries.len() >= CAPACITY && !self.entries.contains_key(&key) {
            let oldest = self.entries.iter().min_by_key(|(_, entry)| entry.used);
            if let Some(oldest) = oldest.map(|(key, _)| key.clone()) {
                self.entries.remove(&oldest);
            }
        }
        self.entries.insert(key, Entry { marks, policy, used: self.lookups });
    }
}

#[cfg(test)]
mod tests {
    use sekisho_policy::Layers;

    use super::*;

    #[test]
    fn least_recently_used_policies_are_evicted() {
        let key = |name: usize| PolicyKey {
            root: Some(name.to_string().into()),
            held_to: Vec::new(),
            cwd: None,
            session: None,
        };
        let marks = SourceVersions { files: 1, kept: 1 };
        let policy = Arc::new(Policy::compile(Layers::default()));
        let mut compiled = PolicyCache::default();
        for name in 0..CAPACITY * 3 {
            compiled.put(key(name), marks, Arc::clone(&policy));
            assert!(compiled.get(&key(0), marks).is_some(), "{name}");
        }
        assert_eq!(compiled.entries.len(), CAPACITY);
        assert!(compiled.get(&key(1), marks).is_none());
        assert!(compiled.get(&key(0), SourceVersions { files: 2, ..marks }).is_none());
        assert!(compiled.get(&key(0), SourceVersions { kept: 2, ..marks }).is_none());
    }
}
