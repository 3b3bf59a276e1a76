//! Moving house: everything that a SQLite file holds, into an empty PostgreSQL database.
//!
//! The file is read in one transaction that holds its write lock, so that nothing can be decided there which the copy
//! does not know. The database is written in one transaction that holds all its tables. Before it is committed, every
//! table is counted and the log is read back and verified with the key file, chain by chain, up to the heads of the file.
//! Whatever fails, the database holds no row.
//!
//! Which replicas live and what they wait for stays behind: no process waits at the new place yet. A question that was
//! pending can still be answered there, and ends at its deadline.

mod columns;
mod error;
mod source;
mod tables;
mod target;

pub use error::CopyError;

use std::path::Path;

use sekisho_gate::audit::{Keys, Seal};
use sekisho_gate::mask::Masks;

use self::error::Broken;
use self::source::Source;
use self::target::Target;
use super::connect::{Place, Role};
use super::db::Db;
use super::fault::{told, words};
use super::migrate;
use super::options::Options;
use crate::fault::{Fault, Scripted, UNMASKED};

/// How far a copy has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Rows of all tables that were written.
    Written {
        /// So many.
        rows: u64,
        /// Of so many.
        of: u64,
    },
    /// Rows of the log that were read back and hold.
    Verified {
        /// So many.
        rows: u64,
        /// Of so many.
        of: u64,
    },
}

/// What was copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copied {
    /// The database, as people read it: no password in it.
    pub place: String,
    /// The rows of each table.
    pub tables: Vec<(&'static str, u64)>,
    /// The chains of the log that were verified.
    pub chains: usize,
}

impl Copied {
    /// The rows of all tables.
    pub fn rows(&self) -> u64 {
        self.tables.iter().map(|(_, rows)| rows).sum()
    }
}

/// Copies a SQLite file into the empty PostgreSQL database at an address, and tells now and then how far it is.
///
/// Nobody can write the file meanwhile. Must be called on a tokio runtime; the file is read on the calling thread.
pub async fn copy(
    from: &Path,
    to: &str,
    keys: &Keys,
    progress: &mut dyn FnMut(Progress),
) -> Result<Copied, CopyError> {
    let nothing_is_signed = Seal { keys: Keys::none().into(), masks: Masks::new([]).into() };
    let place = Place::new(to, Options::new(nothing_is_signed))?;
    let source = Source::open(from)?;
    migrate::migrate(&place).await?;
    let client = place.connect(Role::Write).await.map_err(|error| {
        place.address.unusable(words(&error), "check its address, its password and that its server runs")
    })?;
    let target = Target { db: Db::new(&client) };
    let result = fill(&source, &target, keys, progress).await;
    let ended = match &result {
        Ok(_) => target.db.say("COMMIT").await.map_err(|fault| Broken::Target(unconfirmed(&fault))),
        // A connection that is lost has ended its transaction, too.
        Err(_) => target.db.say("ROLLBACK").await.or(Ok(())),
    };
    let (tables, chains) = result.and_then(|done| ended.map(|()| done)).map_err(|broken| match broken {
        Broken::Source(fault) => CopyError::Broken(fault.at(&source.shown)),
        Broken::Target(fault) => CopyError::Broken(told(&fault, place.shown())),
        Broken::Full(table) => place
            .address
            .unusable(format!("it is not empty: there are rows in `{table}`"), "name an empty database")
            .into(),
    })?;
    Ok(Copied { place: place.shown().to_owned(), tables, chains })
}

async fn fill(
    source: &Source,
    target: &Target<'_>,
    keys: &Keys,
    progress: &mut dyn FnMut(Progress),
) -> Result<(Vec<(&'static str, u64)>, usize), Broken> {
    target.begin().await.map_err(Broken::Target)?;
    if let Some(table) = target.first_full().await.map_err(Broken::Target)? {
        return Err(Broken::Full(table));
    }
    let mut expected = Vec::new();
    for table in tables::ALL {
        expected.push((table.name, source.count(table.name).map_err(Broken::Source)?));
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
    let (counters, last) = source.counters().map_err(Broken::Source)?;
    target
        .count_on(&counters, last, &source.last_numbers().map_err(Broken::Source)?)
        .await
        .map_err(Broken::Target)?;
    for (table, rows) in &expected {
        same_count(table, *rows, target.count(table).await.map_err(Broken::Target)?)
            .map_err(Broken::Target)?;
    }
    let heads = source.heads().map_err(Broken::Source)?;
    let mut told = |rows, of| progress(Progress::Verified { rows, of });
    target.verify(keys, &heads, &mut told).await.map_err(Broken::Target)?;
    Ok((expected, heads.len()))
}

/// A connection that is lost during the commit leaves open whether it happened.
fn unconfirmed(fault: &Fault) -> Fault {
    let what = match fault {
        Fault::Database { what, .. } | Fault::Wrong(what) => what.as_str(),
        Fault::Unmasked(_) => UNMASKED,
    };
    Fault::wrong(format!(
        "everything was sent and its end not confirmed: {what}: `sekisho db status` there tells whether it is all there"
    ))
}

fn same_count(table: &str, expected: u64, found: u64) -> Scripted<()> {
    if expected == found {
        return Ok(());
    }
    Err(Fault::wrong(format!("`{table}` has {found} rows and the file {expected}: nothing was copied")))
}
