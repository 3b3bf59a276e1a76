//! What the steps of a transaction are written against, so that they are written once for both databases.
//!
//! Each subject has a trait of the operations on its tables, and its transactions as functions over that trait. Both
//! databases answer the operations, each by the statements in its own file of the subject. PostgreSQL answers later;
//! SQLite answers with futures that are ready.

use std::future::Future;

use sekisho_gate::audit::{Seal, WriterId};
use sekisho_gate::record::Record;

use crate::fault::Scripted;

/// The answer of an operation on a table.
pub(crate) trait Given<T>: Future<Output = Scripted<T>> + Send {}

impl<T, F: Future<Output = Scripted<T>> + Send> Given<T> for F {}

/// What every transaction can do.
pub(crate) trait Transaction {
    /// Appends a line to the log, and announces its change. The change must be one that can be read again.
    fn append(&mut self, record: &Record) -> Scripted<()>;

    /// The keys that sign the log, and the masks.
    fn seal(&self) -> Seal;

    /// Whose chain of the log it writes.
    fn writer(&self) -> WriterId;
}
