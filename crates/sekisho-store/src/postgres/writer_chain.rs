//! This process's chain of the audit log, when its head is uncertain.
//!
//! A connection lost during a commit leaves the outcome unknown. The chain then ends at one of a few heads
//! that are all known here, MACs included; the database says which. It is trusted no further: a chain that
//! ends anywhere else was tampered with. That chain is left as it is, for the verifier to report, and a new
//! one begins.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use sekisho_gate::audit::{ChainHead, ChainRow, ChainWriter, KeyRing, MaskedEntry, WriterId};
use uuid::Uuid;

use super::audit::rows;
use super::connection::PgConnection;
use crate::transaction_error::{TransactionResult, no_key};

/// The state of the chain. It is a value: to undo a write, restore the earlier value.
#[derive(Clone)]
pub(super) struct ChainState {
    writer: WriterId,
    keys: Arc<KeyRing>,
    chain_writer: ChainWriter,
    /// The last row of each chain that this writer's checkpoints cover.
    covered_rows: Arc<BTreeMap<WriterId, u64>>,
}

impl ChainState {
    fn new(keys: Arc<KeyRing>) -> ChainState {
        let writer = WriterId(Uuid::now_v7());
        ChainState {
            writer,
            chain_writer: ChainWriter::new(writer, Arc::clone(&keys)),
            keys,
            covered_rows: Arc::default(),
        }
    }

    pub(super) fn writer(&self) -> WriterId {
        self.writer
    }

    pub(super) fn keys(&self) -> &Arc<KeyRing> {
        &self.keys
    }

    /// The head of the chain.
    pub(super) fn head(&self) -> Option<ChainHead> {
        self.chain_writer.head()
    }

    /// Signs and returns the next row.
    pub(super) fn write(&mut self, entry: &MaskedEntry) -> TransactionResult<ChainRow> {
        self.chain_writer.write(entry).ok_or_else(no_key)
    }

    /// The last row of a chain that this writer's checkpoints cover.
    pub(super) fn checkpointed_up_to(&self, writer: WriterId) -> u64 {
        self.covered_rows.get(&writer).copied().unwrap_or(0)
    }

    /// Signs a checkpoint that covers these heads.
    pub(super) fn write_checkpoint(
        &mut self,
        heads: &[ChainHead],
        at: Timestamp,
    ) -> TransactionResult<ChainRow> {
        let row = self.chain_writer.checkpoint(heads, at).ok_or_else(no_key)?;
        Arc::make_mut(&mut self.covered_rows).extend(heads.iter().map(|head| (head.writer, head.seq)));
        Ok(row)
    }

    fn take_keys(&mut self, keys: &Arc<KeyRing>) {
        self.chain_writer.set_keys(Arc::clone(keys));
        self.keys = Arc::clone(keys);
    }
}

/// The chain this process writes.
pub(super) struct WriterChain {
    /// Its state as far as is known.
    certain: ChainState,
    /// Other states it may be in.
    possible: Vec<ChainState>,
    /// Whether the database has to be read to find out.
    in_doubt: bool,
}

impl WriterChain {
    /// A new chain for this process.
    pub(super) fn new(keys: Arc<KeyRing>) -> WriterChain {
        WriterChain { certain: ChainState::new(keys), possible: Vec::new(), in_doubt: false }
    }

    /// Signs with other keys from now on.
    pub(super) fn take_keys(&mut self, keys: &Arc<KeyRing>) {
        for chain_state in self.possible.iter_mut().chain([&mut self.certain]) {
            chain_state.take_keys(keys);
        }
    }

    /// The state to write the next rows with.
    pub(super) async fn chain_state(&mut self, db: &PgConnection<'_>) -> TransactionResult<ChainState> {
        if !self.in_doubt {
            return Ok(self.certain.clone());
        }
        let end = rows::head(db, self.certain.writer).await?;
        let known = self.possible.iter().chain([&self.certain]).find(|chain_state| chain_state.head() == end);
        if let Some(known) = known {
            return Ok(known.clone());
        }
        *self = WriterChain::new(Arc::clone(&self.certain.keys));
        Ok(self.certain.clone())
    }

    /// The rows written with this state were committed.
    pub(super) fn committed(&mut self, chain_state: ChainState) {
        *self = WriterChain { certain: chain_state, possible: Vec::new(), in_doubt: false };
    }

    /// A write failed; if `written` is given, it may have been committed all the same.
    pub(super) fn failed(&mut self, written: Option<ChainState>) {
        self.in_doubt = true;
        self.possible.extend(written);
    }
}
