//! This process's chain of the log, when it is not certain where it ends.
//!
//! A connection that is lost during a commit leaves open whether the commit happened. The chain then ends at one of a few
//! places that are all known here, code and all; which one, the database says. It is believed only as far as that: a
//! chain that ends anywhere else was tampered with. It is left as it is, for the verifier to find, and a new one begins.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use sekisho_gate::audit::{Head, Keys, MaskedEntry, Row, Scribe, WriterId};
use uuid::Uuid;

use super::audit::rows;
use super::db::Db;
use crate::fault::{Scripted, no_key};

/// Where the chain stands. A value: whoever undoes something puts back what was before.
#[derive(Clone)]
pub(super) struct Ink {
    writer: WriterId,
    keys: Arc<Keys>,
    scribe: Scribe,
    /// Of each chain, up to where the checkpoints of this writer vouch for it.
    vouched: Arc<BTreeMap<WriterId, u64>>,
}

impl Ink {
    fn new(keys: Arc<Keys>) -> Ink {
        let writer = WriterId(Uuid::now_v7());
        Ink { writer, scribe: Scribe::new(writer, Arc::clone(&keys)), keys, vouched: Arc::default() }
    }

    /// Whose chain it is.
    pub(super) fn writer(&self) -> WriterId {
        self.writer
    }

    /// The keys.
    pub(super) fn keys(&self) -> &Arc<Keys> {
        &self.keys
    }

    /// Where the chain ends.
    pub(super) fn head(&self) -> Option<Head> {
        self.scribe.head()
    }

    /// The next row.
    pub(super) fn write(&mut self, entry: &MaskedEntry) -> Scripted<Row> {
        self.scribe.write(entry).ok_or_else(no_key)
    }

    /// Up to where this writer vouches for a chain.
    pub(super) fn vouches(&self, writer: WriterId) -> u64 {
        self.vouched.get(&writer).copied().unwrap_or(0)
    }

    /// A checkpoint, which vouches for these heads.
    pub(super) fn vouch(&mut self, heads: &[Head], at: Timestamp) -> Scripted<Row> {
        let row = self.scribe.checkpoint(heads, at).ok_or_else(no_key)?;
        Arc::make_mut(&mut self.vouched).extend(heads.iter().map(|head| (head.writer, head.seq)));
        Ok(row)
    }

    fn take_keys(&mut self, keys: &Arc<Keys>) {
        self.scribe.take_keys(Arc::clone(keys));
        self.keys = Arc::clone(keys);
    }
}

/// The chain this process writes.
pub(super) struct Chain {
    /// Where it ends, as far as is known.
    certain: Ink,
    /// Where else it may end.
    possible: Vec<Ink>,
    /// Whether the database has to be asked.
    in_doubt: bool,
}

impl Chain {
    /// A chain that is new with this process.
    pub(super) fn new(keys: Arc<Keys>) -> Chain {
        Chain { certain: Ink::new(keys), possible: Vec::new(), in_doubt: false }
    }

    /// Signs with other keys from now on.
    pub(super) fn take_keys(&mut self, keys: &Arc<Keys>) {
        for ink in self.possible.iter_mut().chain([&mut self.certain]) {
            ink.take_keys(keys);
        }
    }

    /// What the next rows are written with.
    pub(super) async fn ink(&mut self, db: &Db<'_>) -> Scripted<Ink> {
        if !self.in_doubt {
            return Ok(self.certain.clone());
        }
        let end = rows::head(db, self.certain.writer).await?;
        let known = self.possible.iter().chain([&self.certain]).find(|ink| ink.head() == end);
        if let Some(known) = known {
            return Ok(known.clone());
        }
        *self = Chain::new(Arc::clone(&self.certain.keys));
        Ok(self.certain.clone())
    }

    /// What was written is there.
    pub(super) fn committed(&mut self, ink: Ink) {
        *self = Chain { certain: ink, possible: Vec::new(), in_doubt: false };
    }

    /// Something was not written; or, where there is some ink, may have been.
    pub(super) fn failed(&mut self, written: Option<Ink>) {
        self.in_doubt = true;
        self.possible.extend(written);
    }
}
