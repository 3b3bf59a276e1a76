//! What the steps of a transaction are written against, so that they are written once for both databases.
//!
//! Each subject has a trait of the operations on its tables, and its transactions as functions over that trait. Both
//! databases answer the operations, each by the statements in its own file of the subject. PostgreSQL answers later;
//! SQLite answers with futures that are ready.

use std::future::Future;
use std::sync::Arc;

use sekisho_gate::audit::{Keys, Row, Scribe, WriterId};
use sekisho_gate::record::{Entry, Record};

use crate::fault::Scripted;

/// The answer of an operation on a table.
pub(crate) trait Given<T>: Future<Output = Scripted<T>> + Send {}

impl<T, F: Future<Output = Scripted<T>> + Send> Given<T> for F {}

/// What every transaction can do.
pub(crate) trait Transaction {
    /// Appends a line to the log, and announces its change. The change must be one that can be read again. A line that was
    /// not masked is left out, and the request with it.
    fn append(&mut self, record: &Record) -> Scripted<()>;

    /// Has a scribe of another chain write a line as it was masked. None: nobody masked it, and nothing of the request is kept.
    fn written_by(&mut self, scribe: &mut Scribe, line: &Entry) -> Scripted<Option<Row>>;

    /// The keys that sign the log.
    fn keys(&self) -> Arc<Keys>;

    /// Whose chain of the log it writes.
    fn writer(&self) -> WriterId;
}
