//! This process's chain of the log, when it is not certain where it ends.
//!
//! A connection that is lost during a commit leaves open whether the commit happened. The chain then ends at one of a few
//! places that are all known here, code and all; which one, the database says. It is believed only as far as that: a
//! chain that ends anywhere else was tampered with. It is left as it is, for the verifier to find, and a new one begins.

use std::sync::Arc;

use sekisho_gate::audit::{Head, Keys, Scribe, Seal, WriterId};
use uuid::Uuid;

use super::db::Db;
use super::tables;
use crate::fault::Scripted;

/// The chain this process writes.
pub(super) struct Chain {
    seal: Seal,
    writer: WriterId,
    /// Where it ends for certain; what comes after it may be there as well.
    certain: Scribe,
    /// Other ends that are possible.
    possible: Vec<Scribe>,
}

impl Chain {
    /// A chain that is new with this process.
    pub(super) fn new(seal: Seal) -> Chain {
        let writer = WriterId(Uuid::now_v7());
        Chain { certain: Scribe::new(writer, seal.clone()), writer, seal, possible: Vec::new() }
    }

    /// Signs with other keys from now on.
    pub(super) fn take_keys(&mut self, keys: &Arc<Keys>) {
        self.seal.keys = Arc::clone(keys);
        for scribe in self.possible.iter_mut().chain([&mut self.certain]) {
            scribe.take_keys(Arc::clone(keys));
        }
    }

    pub(super) fn seal(&self) -> &Seal {
        &self.seal
    }

    /// Somebody to write the next rows with.
    pub(super) async fn scribe(&mut self, db: &Db<'_>) -> Scripted<Scribe> {
        if self.possible.is_empty() {
            return Ok(self.certain.clone());
        }
        let end: Option<Head> = tables::record::last_of(db, self.writer).await?;
        let known = self.possible.iter().chain([&self.certain]).find(|scribe| scribe.head() == end);
        if let Some(known) = known {
            return Ok(known.clone());
        }
        *self = Chain::new(self.seal.clone());
        Ok(self.certain.clone())
    }

    /// What was written is there.
    pub(super) fn committed(&mut self, scribe: Scribe) {
        self.certain = scribe;
        self.possible.clear();
    }

    /// What was written may be there.
    pub(super) fn in_doubt(&mut self, scribe: Scribe) {
        self.possible.push(scribe);
    }
}
