//! What a server does besides answering: it takes in what hooks wrote, and forgets raw inputs.

use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use sekisho::spool_import;
use sekisho_gate::audit::maintenance::record_purge;
use sekisho_host::Spools;
use sekisho_store::Store;

/// How often spools are looked at.
const SPOOLS: Duration = Duration::from_secs(5);
/// How often raw inputs are forgotten.
const PURGE: Duration = Duration::from_secs(3600);

/// Takes in spools at once, and then every few seconds.
pub(super) async fn import_spools_loop(spools: Spools, store: Arc<dyn Store>) {
    let mut turns = tokio::time::interval(SPOOLS);
    loop {
        turns.tick().await;
        match spool_import::import_spools(&spools, &*store, Timestamp::now()).await {
            Ok(0) => {}
            Ok(lines) => tracing::debug!(lines, "took in what hooks recorded"),
            Err(error) => tracing::warn!(error, "what hooks recorded could not be taken in; trying again"),
        }
    }
}

/// Forgets the raw inputs of calls that ended so many days ago, at once and then every hour. That it happened is on the
/// record; that there was nothing to forget is not.
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
                tracing::warn!(%error, "old raw inputs could not be forgotten; trying again in an hour");
                continue;
            }
        };
        if inputs > 0 {
            tracing::info!(inputs, days, "forgot old raw inputs");
            if let Err(error) = record_purge(&*store, before, Some(inputs), None, now).await {
                tracing::warn!(%error, "that raw inputs were forgotten is not on the record");
            }
        }
    }
}
