//! Creates and updates the tables, version by version.
//!
//! Several servers may start at once on an empty database: one creates the tables, the others wait.

use jiff::Timestamp;
use refinery::{Migration, Runner};
use tokio_postgres::Client;

use super::connector::{ConnectionPurpose, Connector};
use super::error_class::one_line_message;
use crate::error::StoreError;

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

/// The advisory lock held while tables are created.
const LOCK: i64 = 0x7365_6b69_7368_6f00;

/// The latest schema version: the number in the last name.
pub(super) fn latest() -> i64 {
    let number = |name: &str| name.strip_prefix('V')?.split("__").next()?.parse().ok();
    VERSIONS.last().and_then(|(name, _)| number(name)).unwrap_or(i64::MAX)
}

/// Creates or updates the tables. Tables of a later version are refused and left unchanged.
pub(super) async fn migrate(place: &Connector) -> Result<(), StoreError> {
    let refused = |error: &tokio_postgres::Error| {
        place
            .address
            .unusable(one_line_message(error), "check its URL, its password and that its server is running")
    };
    let (mut client, driver) = place
        .open(ConnectionPurpose::Migrate, tokio::sync::mpsc::unbounded_channel().0)
        .await
        .map_err(|error| refused(&error))?;
    // Held until the connection ends.
    client.execute("SELECT pg_advisory_lock($1)", &[&LOCK]).await.map_err(|error| refused(&error))?;
    look_at_history(place, &client).await?;
    let foreign = |error: refinery::Error| {
        place.address.unusable(
            format!("its tables do not match this version: {error}").replace('\n', " "),
            "use another database, or restore a backup",
        )
    };
    let versions: Result<Vec<_>, _> =
        VERSIONS.iter().map(|(name, sql)| Migration::unapplied(name, sql)).collect();
    let runner = Runner::new(&versions.map_err(foreign)?).set_grouped(true);
    let ran = runner.run_async(&mut client).await.map(drop).map_err(foreign);
    drop(client);
    // Until the driver has ended, the server may not know that the lock is free.
    let _ended = driver.await;
    ran
}

/// Refuses a migration history this version cannot continue, before anything is written.
async fn look_at_history(place: &Connector, client: &Client) -> Result<(), StoreError> {
    let known = latest();
    let unreadable = |error: tokio_postgres::Error| {
        place.address.unusable(one_line_message(&error), "use another database, or restore a backup")
    };
    let exists = "SELECT to_regclass('refinery_schema_history') IS NOT NULL";
    let exists: bool =
        client.query_one(exists, &[]).await.and_then(|row| row.try_get(0)).map_err(unreadable)?;
    if !exists {
        return Ok(());
    }
    let history = "SELECT version::bigint, applied_on::text, checksum::text FROM refinery_schema_history";
    for row in client.query(history, &[]).await.map_err(unreadable)? {
        let version: i64 = row.try_get(0).map_err(unreadable)?;
        if version > known {
            return Err(StoreError::Newer { path: place.shown().into(), found: version, known });
        }
        let applied_on: Option<String> = row.try_get(1).map_err(unreadable)?;
        let checksum: Option<String> = row.try_get(2).map_err(unreadable)?;
        let whole = applied_on.is_some_and(|on| on.parse::<Timestamp>().is_ok())
            && checksum.is_some_and(|sum| sum.parse::<u64>().is_ok());
        if !whole {
            return Err(place.address.unusable(
                format!("its migration history is damaged at version {version}"),
                "use another database, or restore a backup",
            ));
        }
    }
    Ok(())
}
