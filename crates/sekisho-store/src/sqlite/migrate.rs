//! Creates and updates the tables, version by version.

use jiff::Timestamp;
use refinery::error::Kind;
use refinery::{Migration, Runner};
use rusqlite::{Connection, Error};

/// All schema versions, in order.
const VERSIONS: &[(&str, &str)] = &[
    ("V1__gate", include_str!("migrations/V1__gate.sql")),
    ("V2__server", include_str!("migrations/V2__server.sql")),
    ("V3__facts", include_str!("migrations/V3__facts.sql")),
    ("V4__durable", include_str!("migrations/V4__durable.sql")),
    ("V5__tool_runs", include_str!("migrations/V5__tool_runs.sql")),
    ("V6__run_data", include_str!("migrations/V6__run_data.sql")),
    ("V7__runs", include_str!("migrations/V7__runs.sql")),
    ("V8__run_trees", include_str!("migrations/V8__run_trees.sql")),
    ("V9__pipelines", include_str!("migrations/V9__pipelines.sql")),
    ("V10__calls_in_audit_log", include_str!("migrations/V10__calls_in_audit_log.sql")),
    ("V11__rule_inputs", include_str!("migrations/V11__rule_inputs.sql")),
];

/// Another process may be creating the same tables; the next attempt then finds nothing left to do.
const TRIES: usize = 3;

/// Why a file's tables cannot be used.
#[derive(Debug)]
pub(super) enum MigrationError {
    /// A later version made them.
    Newer { found: i64, known: i64 },
    /// They differ from what this version would have made.
    Foreign(String),
    /// SQLite reported an error.
    Sqlite(Error),
}

/// The latest schema version: the number in the last name.
pub(super) fn latest() -> i64 {
    let number = |name: &str| name.strip_prefix('V')?.split("__").next()?.parse().ok();
    VERSIONS.last().and_then(|(name, _)| number(name)).unwrap_or(i64::MAX)
}

/// The connection, with all tables of this version.
pub(super) fn migrated(mut db: Connection) -> Result<Connection, MigrationError> {
    let mut tries = 0;
    loop {
        look_at_history(&db)?;
        tries += 1;
        match runner()?.run(&mut db) {
            Ok(_) => return Ok(db),
            Err(error) => match hindrance(error) {
                MigrationError::Sqlite(_) if tries < TRIES => {}
                hindrance => return Err(hindrance),
            },
        }
    }
}

fn runner() -> Result<Runner, MigrationError> {
    let versions: Result<Vec<_>, _> =
        VERSIONS.iter().map(|(name, sql)| Migration::unapplied(name, sql)).collect();
    Ok(Runner::new(&versions.map_err(hindrance)?).set_grouped(true))
}

/// Refuses a migration history this version cannot continue, before anything is written.
fn look_at_history(db: &Connection) -> Result<(), MigrationError> {
    let known = latest();
    let exists = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'refinery_schema_history')";
    if !db.query_row(exists, [], |row| row.get::<_, bool>(0)).map_err(MigrationError::Sqlite)? {
        return Ok(());
    }
    let read = || -> Result<Vec<(i64, String, String)>, Error> {
        db.prepare("SELECT version, applied_on, checksum FROM refinery_schema_history")?
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
            .collect()
    };
    for (version, applied_on, checksum) in read().map_err(MigrationError::Sqlite)? {
        if version > known {
            return Err(MigrationError::Newer { found: version, known });
        }
        if applied_on.parse::<Timestamp>().is_err() || checksum.parse::<u64>().is_err() {
            return Err(MigrationError::Foreign(format!(
                "its migration history is damaged at version {version}"
            )));
        }
    }
    Ok(())
}

fn hindrance(error: refinery::Error) -> MigrationError {
    if let Kind::Connection(_, source) = error.kind()
        && let Some(Error::SqliteFailure(failure, message)) = source.downcast_ref::<Error>()
    {
        return MigrationError::Sqlite(Error::SqliteFailure(*failure, message.clone()));
    }
    MigrationError::Foreign(format!("its tables do not match this version: {error}"))
}

/// Creates all tables, for unit tests.
#[cfg(test)]
pub(super) fn make_tables(db: &Connection) {
    VERSIONS.iter().for_each(|(_, sql)| db.execute_batch(sql).unwrap());
}
