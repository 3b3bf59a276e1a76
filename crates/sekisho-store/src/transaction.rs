//! What the steps of a transaction are written against, so that they are written once for both databases.
//!
//! Each subject has a trait of the operations on its tables, and its transactions as functions over that trait. Both
//! databases answer the operations, each by the statements in its own file of the subject. PostgreSQL answers later;
//! SQLite answers with futures that are ready.

use std::future::Future;
use std::sync::Arc;

use sekisho_gate::audit::{ChainRow, ChainWriter, KeyRing, WriterId};
use sekisho_gate::record::{AuditEntry, Record};

use crate::transaction_error::TransactionResult;

/// The answer of an operation on a table.
pub(crate) trait TableFuture<T>: Future<Output = TransactionResult<T>> + Send {}

impl<T, F: Future<Output = TransactionResult<T>> + Send> TableFuture<T> for F {}

/// What every transaction can do.
pub(crate) trait Transaction {
    /// Appends a line to the log, and announces its change. The change must be one that can be read again. A line that was
    /// not masked is left out, and the request with it.
    fn append(&mut self, record: &Record) -> TransactionResult<()>;

    /// Has a scribe of another chain write a line as it was masked. None: nobody masked it, and nothing of the request is kept.
    fn write_chain_row(
        &mut self,
        scribe: &mut ChainWriter,
        line: &AuditEntry,
    ) -> TransactionResult<Option<ChainRow>>;

    /// The keys that sign the log.
    fn keys(&self) -> Arc<KeyRing>;

    /// Whose chain of the log it writes.
    fn writer(&self) -> WriterId;
}
