//! Copies everything in a SQLite file into an empty PostgreSQL database.
//!
//! The file is read in one transaction that holds its write lock, so that nothing can be decided there that
//! the copy misses. The database is written in one transaction that locks all its tables. Before the commit
//! every table is counted, and the audit log is read back and verified with the key file, chain by chain, up
//! to the heads in the file. If anything fails, the database holds no row.
//!
//! Replicas and their waiters are not copied: no process waits at the new database yet. A pending approval
//! can still be answered there, and ends at its deadline.

mod column_batch;
mod error;
mod source;
mod tables;
mod target;

pub use error::CopyError;

use std::path::Path;

use sekisho_gate::audit::{AuditConfig, KeyRing};
use sekisho_gate::mask::Masks;

use self::error::CopyFailure;
use self::source::Source;
use self::target::Target;
use super::connection::PgConnection;
use super::connector::{ConnectionPurpose, Connector};
use super::error_class::{one_line_message, to_ledger_error};
use super::migrate;
use super::options::Options;
use crate::transaction_error::{TransactionError, TransactionResult, UNMASKED};

/// Progress of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Rows of all tables written so far.
    Written {
        /// Rows so far.
        rows: u64,
        /// Rows in total.
        of: u64,
    },
    /// Rows of the audit log read back and verified so far.
    Verified {
        /// Rows so far.
        rows: u64,
        /// Rows in total.
        of: u64,
    },
}

/// What was copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopyReport {
    /// The database's address without its password, for display.
    pub place: String,
    /// The number of rows by table.
    pub tables: Vec<(&'static str, u64)>,
    /// The number of audit log chains verified.
    pub chains: usize,
}

impl CopyReport {
    /// The number of rows of all tables.
    pub fn rows(&self) -> u64 {
        self.tables.iter().map(|(_, rows)| rows).sum()
    }
}

/// Copies a SQLite file into the empty PostgreSQL database at `url`, and reports progress now and then.
///
/// The file is locked for writing meanwhile. Must be called on a tokio runtime; the file is read on the
/// calling thread.
pub async fn copy(
    from: &Path,
    to: &str,
    keys: &KeyRing,
    progress: &mut dyn FnMut(Progress),
) -> Result<CopyReport, CopyError> {
    let nothing_is_signed = AuditConfig { keys: KeyRing::none().into(), masks: Masks::new([]).into() };
    let place = Connector::new(to, Options::new(nothing_is_signed))?;
    let source = Source::open(from)?;
    migrate::migrate(&place).await?;
    let client = place.connect(ConnectionPurpose::Write).await.map_err(|error| {
        place
            .address
            .unusable(one_line_message(&error), "check its URL, its password and that its server is running")
    })?;
    let target = Target { db: PgConnection::new(&client) };
    let result = fill(&source, &target, keys, progress).await;
    let ended = match &result {
        Ok(_) => {
            target.db.batch_execute("COMMIT").await.map_err(|fault| CopyFailure::Target(unconfirmed(&fault)))
        }
        // A lost connection ends its transaction too.
        Err(_) => target.db.batch_execute("ROLLBACK").await.or(Ok(())),
    };
    let (tables, chains) = result.and_then(|done| ended.map(|()| done)).map_err(|broken| match broken {
        CopyFailure::Source(fault) => CopyError::Broken(fault.to_ledger_error(&source.shown)),
        CopyFailure::Target(fault) => CopyError::Broken(to_ledger_error(&fault, place.shown())),
        CopyFailure::NotEmpty(table) => place
            .address
            .unusable(format!("it is not empty: there are rows in `{table}`"), "use an empty database")
            .into(),
    })?;
    Ok(CopyReport { place: place.shown().to_owned(), tables, chains })
}

async fn fill(
    source: &Source,
    target: &Target<'_>,
    keys: &KeyRing,
    progress: &mut dyn FnMut(Progress),
) -> Result<(Vec<(&'static str, u64)>, usize), CopyFailure> {
    target.begin().await.map_err(CopyFailure::Target)?;
    if let Some(table) = target.first_full().await.map_err(CopyFailure::Target)? {
        return Err(CopyFailure::NotEmpty(table));
    }
    let mut expected = Vec::new();
    for table in tables::ALL {
        expected.push((table.name, source.count(table.name).map_err(CopyFailure::Source)?));
    }
    let of = expected.iter().map(|(_, rows)| rows).sum();
    let mut rows = 0;
    for table in tables::ALL {
        source
            .each_batch(table, async |batch| {
                target.insert(table, batch).await?;
                rows += batch.rows();
                progress(Progress::Written { rows, of });
                Ok(())
            })
            .await?;
    }
    let (counters, last) = source.counters().map_err(CopyFailure::Source)?;
    target
        .restore_counters(&counters, last, &source.last_numbers().map_err(CopyFailure::Source)?)
        .await
        .map_err(CopyFailure::Target)?;
    for (table, rows) in &expected {
        same_count(table, *rows, target.count(table).await.map_err(CopyFailure::Target)?)
            .map_err(CopyFailure::Target)?;
    }
    let heads = source.heads().map_err(CopyFailure::Source)?;
    let mut told = |rows, of| progress(Progress::Verified { rows, of });
    target.verify(keys, &heads, &mut told).await.map_err(CopyFailure::Target)?;
    Ok((expected, heads.len()))
}

/// If the connection is lost during the commit, its outcome is unknown.
fn unconfirmed(fault: &TransactionError) -> TransactionError {
    let what = match fault {
        TransactionError::Database { what, .. } | TransactionError::Inconsistent(what) => what.as_str(),
        TransactionError::Unmasked(_) => UNMASKED,
    };
    TransactionError::inconsistent(format!(
        "everything was sent, but the commit was not confirmed: {what}: run `sekisho db status` there to see whether it succeeded"
    ))
}

fn same_count(table: &str, expected: u64, found: u64) -> TransactionResult<()> {
    if expected == found {
        return Ok(());
    }
    Err(TransactionError::inconsistent(format!(
        "`{table}` has {found} rows and the file {expected}: nothing was copied"
    )))
}
