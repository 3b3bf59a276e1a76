//! The interface that transaction steps are written against, so that they are written once for both
//! databases.
//!
//! Each subject has a trait of operations on its tables, and its transactions as functions over that trait.
//! Both databases implement the operations with the statements in their own file of the subject. PostgreSQL
//! answers later; SQLite returns futures that are already ready.

use std::future::Future;
use std::sync::Arc;

use sekisho_gate::audit::{ChainRow, ChainWriter, KeyRing, WriterId};
use sekisho_gate::record::{AuditEntry, Record};

use crate::transaction_error::TransactionResult;

/// The result of a table operation.
pub(crate) trait TableFuture<T>: Future<Output = TransactionResult<T>> + Send {}

impl<T, F: Future<Output = TransactionResult<T>> + Send> TableFuture<T> for F {}

/// What every transaction can do.
pub(crate) trait Transaction {
    /// Appends an entry to the audit log and announces its event. The event must parse back from its stored
    /// form. If the entry was not masked it is not written, and the request is undone.
    fn append(&mut self, record: &Record) -> TransactionResult<()>;

    /// The same, and returns the row of the audit log. `None`: the entry was not masked.
    fn append_row(&mut self, record: &Record) -> TransactionResult<Option<ChainRow>>;

    /// Lets the `ChainWriter` of another chain write the masked form of an entry. `None`: it was not masked,
    /// and the request is undone.
    fn write_chain_row(
        &mut self,
        chain_writer: &mut ChainWriter,
        line: &AuditEntry,
    ) -> TransactionResult<Option<ChainRow>>;

    /// The keys that sign the audit log.
    fn keys(&self) -> Arc<KeyRing>;

    /// The writer whose chain this transaction extends.
    fn writer(&self) -> WriterId;
}
