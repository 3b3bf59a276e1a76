//! One connection in use, and the page that one transaction fills.

use std::sync::{Mutex, PoisonError};

use deadpool_postgres::ClientWrapper;
use sekisho_gate::audit::Row as Logged;
use sekisho_gate::record::Record;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Error, Row};

use super::chain::Ink;
use super::fault::Trouble;
use crate::fault::{Fault, Scripted};
use crate::rows::{legible_json, micros};

/// Values of a statement, in order.
pub(super) type Values<'v> = &'v [&'v (dyn ToSql + Sync)];

/// A connection whose statements are prepared once, and that remembers what its errors meant.
pub(super) struct Db<'c> {
    client: &'c ClientWrapper,
    trouble: Mutex<Option<Trouble>>,
}

impl<'c> Db<'c> {
    pub(super) fn new(client: &'c ClientWrapper) -> Db<'c> {
        Db { client, trouble: Mutex::new(None) }
    }

    /// What its errors came to, as far as the transaction is concerned.
    pub(super) fn trouble(&self) -> Option<Trouble> {
        *self.trouble.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fault(&self, error: Error) -> Fault {
        let mut trouble = self.trouble.lock().unwrap_or_else(PoisonError::into_inner);
        *trouble = trouble.or(Trouble::of(&error));
        Fault::from(error)
    }

    /// Runs a statement, and says how many rows it changed.
    pub(super) async fn run(&self, sql: &'static str, values: Values<'_>) -> Scripted<u64> {
        let done = async {
            let statement = self.client.prepare_cached(sql).await?;
            self.client.execute(&statement, values).await
        };
        done.await.map_err(|error| self.fault(error))
    }

    /// All rows of a query.
    pub(super) async fn rows(&self, sql: &str, values: Values<'_>) -> Scripted<Vec<Row>> {
        let done = async {
            let statement = self.client.prepare_cached(sql).await?;
            self.client.query(&statement, values).await
        };
        done.await.map_err(|error| self.fault(error))
    }

    /// The first row of a query.
    pub(super) async fn row(&self, sql: &'static str, values: Values<'_>) -> Scripted<Option<Row>> {
        Ok(self.rows(sql, values).await?.into_iter().next())
    }

    /// The only row of a query that has one.
    pub(super) async fn one(&self, sql: &'static str, values: Values<'_>) -> Scripted<Row> {
        self.row(sql, values).await?.ok_or_else(|| Fault::wrong("a row that is always there is gone"))
    }

    /// Statements without values.
    pub(super) async fn say(&self, sql: &str) -> Scripted<()> {
        self.client.batch_execute(sql).await.map_err(|error| self.fault(error))
    }
}

/// What a transaction writes. Rows of the log and events are gathered and written together at its end, so that the one
/// counter that all processes share is locked as late as possible.
pub(super) struct Page<'c> {
    pub(super) db: Db<'c>,
    /// What was written until the last mark cannot be undone any more; everything after it can.
    pub(super) draft: Draft,
}

/// The part of a page that is not in the database yet.
pub(super) struct Draft {
    pub(super) ink: Ink,
    pub(super) rows: Vec<Logged>,
    /// Moment and text of each event.
    pub(super) events: Vec<(i64, String)>,
    /// The revision of the rules, where it has changed.
    pub(super) revision: Option<u64>,
}

/// A place in a draft to go back to.
pub(super) struct Mark {
    ink: Ink,
    rows: usize,
    events: usize,
    revision: Option<u64>,
}

impl Draft {
    pub(super) fn new(ink: Ink) -> Draft {
        Draft { ink, rows: Vec::new(), events: Vec::new(), revision: None }
    }

    pub(super) fn mark(&self) -> Mark {
        let (rows, events) = (self.rows.len(), self.events.len());
        Mark { ink: self.ink.clone(), rows, events, revision: self.revision }
    }

    pub(super) fn back_to(&mut self, mark: Mark) {
        self.ink = mark.ink;
        self.rows.truncate(mark.rows);
        self.events.truncate(mark.events);
        self.revision = mark.revision;
    }
}

impl Page<'_> {
    /// Puts something on the record. The change must be one that can be read again.
    pub(super) fn append(&mut self, record: &Record) -> Scripted<()> {
        let draft = &mut self.draft;
        if let Some(change) = &record.change {
            draft.events.push((micros(record.entry.at), legible_json(change, "the change")?));
        }
        draft.rows.push(draft.ink.write(&record.entry)?);
        Ok(())
    }
}
