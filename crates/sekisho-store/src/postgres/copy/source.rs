//! The SQLite file to copy from.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};
use sekisho_gate::audit::{ChainHead, Mac, WriterId};

use super::column_batch::ColumnBatch;
use super::error::CopyFailure;
use super::tables::Table;
use crate::encoding::count_from_column;
use crate::error::StoreError;
use crate::sqlite;
use crate::transaction_error::{TransactionError, TransactionResult};

/// A file whose write lock is held until this is dropped.
pub(super) struct Source {
    db: Connection,
    /// The path, for display.
    pub(super) shown: String,
}

/// How long to wait for another process that is writing.
const PATIENCE: Duration = Duration::from_secs(5);

impl Source {
    /// Opens a file of this schema version and takes its write lock. Changes nothing in it.
    pub(super) fn open(path: &Path) -> Result<Source, StoreError> {
        let unusable = |what: String, way_out| StoreError::Unusable { path: path.to_owned(), what, way_out };
        let version = sqlite::version(path)?.ok_or_else(|| {
            unusable("there is no such file".into(), "name the database file of the audit log")
        })?;
        if version.found > version.known {
            let (found, known) = (version.found, version.known);
            return Err(StoreError::Newer { path: path.to_owned(), found, known });
        }
        if version.found < version.known {
            let what = format!("it has version {}, but this sekisho needs {}", version.found, version.known);
            return Err(unusable(what, "run `sekisho db migrate` on it first"));
        }
        let locked = || -> rusqlite::Result<Connection> {
            let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            let db = Connection::open_with_flags(path, flags)?;
            db.busy_timeout(PATIENCE)?;
            db.pragma_update(None, "trusted_schema", false)?;
            db.execute_batch("BEGIN IMMEDIATE")?;
            Ok(db)
        };
        let db = locked().map_err(|error| {
            unusable(format!("its write lock cannot be taken: {error}"), "stop the process that writes it")
        })?;
        Ok(Source { db, shown: path.display().to_string() })
    }

    pub(super) fn count(&self, table: &str) -> TransactionResult<u64> {
        let count = format!("SELECT count(*) FROM {table}");
        count_from_column(self.db.query_row(&count, [], |row| row.get(0))?)
    }

    /// Reads a table in batches.
    pub(super) async fn each_batch(
        &self,
        table: &Table,
        mut take: impl AsyncFnMut(&ColumnBatch) -> TransactionResult<()>,
    ) -> Result<(), CopyFailure> {
        let here = |error: rusqlite::Error| CopyFailure::Source(error.into());
        let mut statement = self.db.prepare(&table.select()).map_err(here)?;
        let mut rows = statement.query([]).map_err(here)?;
        let mut batch = ColumnBatch::new(table);
        while let Some(row) = rows.next().map_err(here)? {
            batch.push(row).map_err(here)?;
            if batch.is_full() {
                take(&batch).await.map_err(CopyFailure::Target)?;
                batch = ColumnBatch::new(table);
            }
        }
        if batch.is_empty() {
            return Ok(());
        }
        take(&batch).await.map_err(CopyFailure::Target)
    }

    /// The named counters, and the number of the last event.
    pub(super) fn counters(&self) -> TransactionResult<(Vec<(String, i64)>, i64)> {
        let mut statement = self.db.prepare("SELECT name, value FROM meta")?;
        let named = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let named = named.collect::<rusqlite::Result<_>>()?;
        let last = "SELECT coalesce(max(seq), 0) FROM events";
        Ok((named, self.db.query_row(last, [], |row| row.get(0))?))
    }

    /// The last number in each table whose rows the database numbers itself.
    pub(super) fn last_numbers(&self) -> TransactionResult<Vec<(&'static str, i64)>> {
        let last = |table| {
            let last = format!("SELECT coalesce(max(seq), 0) FROM {table}");
            Ok((table, self.db.query_row(&last, [], |row| row.get(0))?))
        };
        ["approvals", "run_requests", "pipeline_requests", "tokens"].into_iter().map(last).collect()
    }

    /// The heads of all chains.
    pub(super) fn heads(&self) -> TransactionResult<Vec<ChainHead>> {
        let mut statement = self.db.prepare("SELECT writer, seq, code FROM writers ORDER BY writer")?;
        let ends = statement
            .query_map([], |row| Ok((WriterId(row.get(0)?), row.get(1)?, row.get::<_, [u8; 32]>(2)?)))?;
        ends.map(|end| {
            let (writer, seq, code) = end?;
            Ok(ChainHead { writer, seq: count_from_column(seq)?, code: Mac(code) })
        })
        .collect::<Result<_, TransactionError>>()
    }
}
