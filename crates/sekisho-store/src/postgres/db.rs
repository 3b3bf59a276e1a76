//! One connection in use, and the page that one transaction fills.

use std::sync::{Mutex, PoisonError};

use deadpool_postgres::ClientWrapper;
use sekisho_gate::record::{Entry, Record};
use tokio_postgres::types::ToSql;
use tokio_postgres::{Error, Row};

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

    /// Says that the transaction got in the way of another one.
    pub(super) fn conflict(&self) {
        *self.trouble.lock().unwrap_or_else(PoisonError::into_inner) = Some(Trouble::Conflict);
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

/// A line for the log, and its event as moment and text.
pub(super) struct Line {
    pub(super) entry: Entry,
    pub(super) event: Option<(i64, String)>,
}

impl Line {
    /// Checks that the change can be read again before anything depends on it.
    pub(super) fn of(record: &Record) -> Scripted<Line> {
        let event = record.change.as_ref().map(|change| legible_json(change, "the change")).transpose()?;
        let at = micros(record.entry.at);
        Ok(Line { entry: record.entry.clone(), event: event.map(|body| (at, body)) })
    }
}

/// What a transaction writes. Lines and events are gathered and written together at its end, so that the one counter
/// that all processes share is locked as late as possible.
pub(super) struct Page<'c> {
    pub(super) db: Db<'c>,
    pub(super) lines: Vec<Line>,
    /// The revision of the rules, where it has changed.
    pub(super) revision: Option<u64>,
}

impl<'c> Page<'c> {
    pub(super) fn new(client: &'c ClientWrapper) -> Page<'c> {
        Page { db: Db::new(client), lines: Vec::new(), revision: None }
    }

    /// Puts something on the record.
    pub(super) fn append(&mut self, record: &Record) -> Scripted<()> {
        self.lines.push(Line::of(record)?);
        Ok(())
    }
}
