//! How many requests of one credential are worked on at once. Waiting is cheap, but each who waits holds a connection, and
//! there are not endless ones: some stay for the others.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::app::App;

/// Besides its open questions a credential may have this many requests under way.
const BESIDES: usize = 64;

/// Requests under way, by credential.
#[derive(Debug, Default)]
pub(crate) struct Busy(Mutex<HashMap<String, usize>>);

/// One request under way. Dropping it is the end of it.
pub(super) struct UnderWay {
    app: App,
    credential: String,
}

impl Busy {
    fn counts(&self) -> MutexGuard<'_, HashMap<String, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl UnderWay {
    /// Begins, unless there are too many of that credential already.
    pub(super) fn begin(app: &App, credential: &str) -> Option<UnderWay> {
        let most = app.settings().limits.pending.saturating_add(BESIDES);
        let mut counts = app.inner.busy.counts();
        let count = counts.entry(credential.to_owned()).or_default();
        if *count >= most {
            return None;
        }
        *count += 1;
        Some(UnderWay { app: app.clone(), credential: credential.to_owned() })
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        let mut counts = self.app.inner.busy.counts();
        if let Some(count) = counts.get_mut(&self.credential) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                counts.remove(&self.credential);
            }
        }
    }
}
