//! This process's chain of the log, when it is not certain where it ends.
//!
//! A connection that is lost during a commit leaves open whether the commit happened. The chain then ends at one of a few
//! places that are all known here, code and all; which one, the database says. It is believed only as far as that: a
//! chain that ends anywhere else was tampered with. It is left as it is, for the verifier to find, and a new one begins.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use sekisho_gate::audit::{ChainHead, ChainRow, ChainWriter, KeyRing, MaskedEntry, WriterId};
use uuid::Uuid;

use super::audit::rows;
use super::connection::PgConnection;
use crate::transaction_error::{TransactionResult, no_key};

/// Where the chain stands. A value: whoever undoes something puts back what was before.
#[derive(Clone)]
pub(super) struct ChainState {
    writer: WriterId,
    keys: Arc<KeyRing>,
    scribe: ChainWriter,
    /// Of each chain, up to where the checkpoints of this writer vouch for it.
    vouched: Arc<BTreeMap<WriterId, u64>>,
}

impl ChainState {
    fn new(keys: Arc<KeyRing>) -> ChainState {
        let writer = WriterId(Uuid::now_v7());
        ChainState {
            writer,
            scribe: ChainWriter::new(writer, Arc::clone(&keys)),
            keys,
            vouched: Arc::default(),
        }
    }

    /// Whose chain it is.
    pub(super) fn writer(&self) -> WriterId {
        self.writer
    }

    /// The keys.
    pub(super) fn keys(&self) -> &Arc<KeyRing> {
        &self.keys
    }

    /// Where the chain ends.
    pub(super) fn head(&self) -> Option<ChainHead> {
        self.scribe.head()
    }

    /// The next row.
    pub(super) fn write(&mut self, entry: &MaskedEntry) -> TransactionResult<ChainRow> {
        self.scribe.write(entry).ok_or_else(no_key)
    }

    /// Up to where this writer vouches for a chain.
    pub(super) fn checkpointed_up_to(&self, writer: WriterId) -> u64 {
        self.vouched.get(&writer).copied().unwrap_or(0)
    }

    /// A checkpoint, which vouches for these heads.
    pub(super) fn write_checkpoint(
        &mut self,
        heads: &[ChainHead],
        at: Timestamp,
    ) -> TransactionResult<ChainRow> {
        let row = self.scribe.checkpoint(heads, at).ok_or_else(no_key)?;
        Arc::make_mut(&mut self.vouched).extend(heads.iter().map(|head| (head.writer, head.seq)));
        Ok(row)
    }

    fn take_keys(&mut self, keys: &Arc<KeyRing>) {
        self.scribe.set_keys(Arc::clone(keys));
        self.keys = Arc::clone(keys);
    }
}

/// The chain this process writes.
pub(super) struct WriterChain {
    /// Where it ends, as far as is known.
    certain: ChainState,
    /// Where else it may end.
    possible: Vec<ChainState>,
    /// Whether the database has to be asked.
    in_doubt: bool,
}

impl WriterChain {
    /// A chain that is new with this process.
    pub(super) fn new(keys: Arc<KeyRing>) -> WriterChain {
        WriterChain { certain: ChainState::new(keys), possible: Vec::new(), in_doubt: false }
    }

    /// Signs with other keys from now on.
    pub(super) fn take_keys(&mut self, keys: &Arc<KeyRing>) {
        for ink in self.possible.iter_mut().chain([&mut self.certain]) {
            ink.take_keys(keys);
        }
    }

    /// What the next rows are written with.
    pub(super) async fn ink(&mut self, db: &PgConnection<'_>) -> TransactionResult<ChainState> {
        if !self.in_doubt {
            return Ok(self.certain.clone());
        }
        let end = rows::head(db, self.certain.writer).await?;
        let known = self.possible.iter().chain([&self.certain]).find(|ink| ink.head() == end);
        if let Some(known) = known {
            return Ok(known.clone());
        }
        *self = WriterChain::new(Arc::clone(&self.certain.keys));
        Ok(self.certain.clone())
    }

    /// What was written is there.
    pub(super) fn committed(&mut self, ink: ChainState) {
        *self = WriterChain { certain: ink, possible: Vec::new(), in_doubt: false };
    }

    /// Something was not written; or, where there is some ink, may have been.
    pub(super) fn failed(&mut self, written: Option<ChainState>) {
        self.in_doubt = true;
        self.possible.extend(written);
    }
}
