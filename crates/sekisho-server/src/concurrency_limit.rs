//! Counts how many of something each credential has at once: requests in progress, open streams.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Counts by credential.
#[derive(Clone, Debug, Default)]
pub(crate) struct ConcurrencyLimit(Arc<Mutex<HashMap<String, usize>>>);

/// One of the counted things. Dropping it lowers the count.
pub(crate) struct ConcurrencySlot {
    all: ConcurrencyLimit,
    credential: String,
}

impl ConcurrencyLimit {
    fn counts(&self) -> MutexGuard<'_, HashMap<String, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a slot, unless the credential already has `most`.
    pub(crate) fn acquire(&self, credential: &str, most: usize) -> Option<ConcurrencySlot> {
        let mut counts = self.counts();
        let count = counts.entry(credential.to_owned()).or_default();
        if *count >= most {
            return None;
        }
        *count += 1;
        Some(ConcurrencySlot { all: self.clone(), credential: credential.to_owned() })
    }
}

impl Drop for ConcurrencySlot {
    fn drop(&mut self) {
        let mut counts = self.all.counts();
        if let Some(count) = counts.get_mut(&self.credential) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                counts.remove(&self.credential);
            }
        }
    }
}
