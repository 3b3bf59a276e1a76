//! The store: opening it, and its handles to the writer and the readers.

use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;
use rusqlite::Connection;
use sekisho_gate::ReplicaId;
use sekisho_gate::audit::WriterId;
use sekisho_gate::ledger::LedgerFuture;
use sekisho_gate::record::AuditEntry;

use super::commit_counters::{CommitCounters, CounterValues};
use super::database_file::DatabaseFile;
use super::open_transaction::{ChainState, OpenTransaction};
use super::options::Options;
use super::readers::Readers;
use super::signing_keys::register_keys_on_open;
use super::writer::Writer;
use crate::error::StoreError;
use crate::signing_keys::{SHARE, mismatch_message};
use crate::transaction_error::TransactionResult;

/// All ports of the gate in one SQLite file.
///
/// Dropping it finishes queued requests, then ends its threads.
pub struct SqliteStore {
    pub(super) writer: Writer,
    readers: Readers,
    pub(super) heads: Arc<CommitCounters>,
}

impl SqliteStore {
    /// Opens a file, creating it and its directories if missing. Only their owner may read them.
    ///
    /// Refuses a file written by a later version, and a key that differs from the one the file knows under
    /// its number. Each opened store is a separate writer in the audit log.
    pub fn open(path: impl AsRef<Path>, options: Options) -> Result<SqliteStore, StoreError> {
        let place = Arc::new(DatabaseFile::new(path.as_ref(), options)?);
        let db = place.prepare()?;
        let heads = Arc::new(CommitCounters::default());
        let unusable = |error: &dyn std::fmt::Display| {
            place.unusable(error.to_string(), "check the file, or restore a backup")
        };
        let read =
            CounterValues::take(&db).map_err(|fault| unusable(&fault.to_ledger_error(&place.shown)))?;
        heads.publish(read);
        let met = register_keys_on_open(&db, &place.options.audit.keys);
        if let Some(key) = met.map_err(|fault| unusable(&fault.to_ledger_error(&place.shown)))? {
            return Err(place.unusable(mismatch_message(key), SHARE));
        }
        let readers = Readers::start(&place).map_err(|error| unusable(&error))?;
        let keys = Arc::clone(&place.options.audit.keys);
        let chain_state = ChainState::new(WriterId(ReplicaId::new(Timestamp::now()).0), keys);
        let writer = Writer::start(&place, db, &heads, chain_state).map_err(|error| unusable(&error))?;
        Ok(SqliteStore { writer, readers, heads })
    }

    /// Runs a transaction that writes no audit entry, or rarely one.
    pub(super) fn write<T, F>(&self, script: F) -> LedgerFuture<'_, T>
    where
        T: Send + 'static,
        F: Fn(&OpenTransaction<'_>) -> TransactionResult<T> + Send + 'static,
    {
        Box::pin(self.writer.write(Vec::new(), script))
    }

    /// Runs a transaction that writes these audit entries.
    pub(super) fn record<T, F>(&self, lines: Vec<AuditEntry>, script: F) -> LedgerFuture<'_, T>
    where
        T: Send + 'static,
        F: Fn(&OpenTransaction<'_>) -> TransactionResult<T> + Send + 'static,
    {
        Box::pin(self.writer.write(lines, script))
    }

    /// Runs a transaction whose audit entries depend on stored data. `ahead` predicts them.
    pub(super) fn record_predicted<T, F, A>(&self, ahead: A, script: F) -> LedgerFuture<'_, T>
    where
        T: Send + 'static,
        F: Fn(&OpenTransaction<'_>) -> TransactionResult<T> + Send + 'static,
        A: FnOnce(&Connection) -> TransactionResult<Vec<AuditEntry>> + Send + 'static,
    {
        Box::pin(self.writer.write_predicted(&self.readers, ahead, script))
    }

    pub(super) fn read<T, F>(&self, script: F) -> LedgerFuture<'_, T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> TransactionResult<T> + Send + 'static,
    {
        Box::pin(self.readers.read(script))
    }
}

impl std::fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SqliteStore").field("place", &self.writer.place().shown).finish_non_exhaustive()
    }
}
