//! A small map that keeps what was put into it or looked up last.

use std::collections::VecDeque;

/// How many entries are kept.
pub(super) const MOST: usize = 256;
/// How many bytes the entries have at most.
pub(super) const MOST_BYTES: usize = 16 << 20;

/// The newest entries, by key.
pub(super) struct Recent<K, V> {
    /// Key, value and size in bytes; the oldest first.
    entries: VecDeque<(K, V, usize)>,
    bytes: usize,
}

impl<K: PartialEq, V> Recent<K, V> {
    pub(super) fn new() -> Recent<K, V> {
        Recent { entries: VecDeque::new(), bytes: 0 }
    }

    /// The value of an entry, which is the newest from now on.
    pub(super) fn get(&mut self, key: &K) -> Option<&mut V> {
        let at = self.entries.iter().position(|(known, ..)| known == key)?;
        let entry = self.entries.remove(at)?;
        self.entries.push_back(entry);
        self.entries.back_mut().map(|(_, value, _)| value)
    }

    /// Removes an entry. Returns its value and its size.
    pub(super) fn take(&mut self, key: &K) -> Option<(V, usize)> {
        let at = self.entries.iter().position(|(known, ..)| known == key)?;
        let (_, value, size) = self.entries.remove(at)?;
        self.bytes -= size;
        Some((value, size))
    }

    /// Returns the entries for which there is no more room.
    pub(super) fn put(&mut self, key: K, value: V, size: usize) -> Vec<(K, V)> {
        self.take(&key);
        self.entries.push_back((key, value, size));
        self.bytes += size;
        let mut evicted = Vec::new();
        while self.entries.len() > MOST || self.bytes > MOST_BYTES {
            let Some((key, value, size)) = self.entries.pop_front() else { break };
            self.bytes -= size;
            evicted.push((key, value));
        }
        evicted
    }

    pub(super) fn remove_if(&mut self, which: impl Fn(&K) -> bool) {
        self.entries.retain(|(key, ..)| !which(key));
        self.bytes = self.entries.iter().map(|(.., size)| size).sum();
    }

    pub(super) fn clear(&mut self) {
        self.entries.clear();
        self.bytes = 0;
    }
}
