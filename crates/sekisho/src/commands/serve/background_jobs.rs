//! Background jobs of a server: importing spools and purging raw inputs.

use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use sekisho::spool_import;
use sekisho_gate::audit::maintenance_records::record_purge;
use sekisho_host::Spools;
use sekisho_store::Store;

/// How often spools are imported.
const SPOOLS: Duration = Duration::from_secs(5);
/// How often raw inputs are purged.
const PURGE: Duration = Duration::from_secs(3600);

/// Imports spools at once, then every few seconds.
pub(super) async fn import_spools_loop(spools: Spools, store: Arc<dyn Store>) {
    let mut turns = tokio::time::interval(SPOOLS);
    loop {
        turns.tick().await;
        match spool_import::import_spools(&spools, &*store, Timestamp::now()).await {
            Ok(0) => {}
            Ok(lines) => tracing::debug!(lines, "imported hook records"),
            Err(error) => tracing::warn!(error, "cannot import hook records; trying again"),
        }
    }
}

/// Purges the raw inputs of calls that ended this many days ago, at once and then every hour. A purge is
/// recorded only if it deleted something.
pub(super) async fn purge_inputs_loop(days: u32, store: Arc<dyn Store>) {
    let mut turns = tokio::time::interval(PURGE);
    loop {
        turns.tick().await;
        let now = Timestamp::now();
        let before =
            now.saturating_sub(SignedDuration::from_hours(i64::from(days) * 24)).unwrap_or(Timestamp::MIN);
        let inputs = match store.purge(before).await {
            Ok(inputs) => inputs,
            Err(error) => {
                tracing::warn!(%error, "cannot purge old raw inputs; trying again in an hour");
                continue;
            }
        };
        if inputs > 0 {
            tracing::info!(inputs, days, "purged old raw inputs");
            if let Err(error) = record_purge(&*store, before, Some(inputs), None, now).await {
                tracing::warn!(%error, "cannot record that raw inputs were purged");
            }
        }
    }
}
