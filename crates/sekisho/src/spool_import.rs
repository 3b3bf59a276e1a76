//! Imports the records that hooks wrote to spools while no server ran.

use jiff::Timestamp;
use sekisho_gate::audit::spool_import::import_spool;
use sekisho_gate::audit::{AuditLog, WriterId};
use sekisho_host::{Spool, Spools};

/// How many lines are imported in one batch.
const TOGETHER: usize = 512;

/// Imports every line of every spool, each spool as a chain of its own, and removes the spools that are
/// finished. Returns the number of new lines. Running it again, or twice at once, imports no line twice.
pub async fn import_spools(spools: &Spools, audit: &dyn AuditLog, now: Timestamp) -> Result<u64, String> {
    let heads = audit.heads().await.map_err(|error| error.to_string())?;
    let mut new = 0;
    for spool in spools.all().map_err(|error| error.to_string())? {
        let head = heads.iter().find(|head| head.writer.0 == spool.id);
        new += import_one(&spool, audit, head.map_or(0, |head| head.seq), now).await?;
    }
    if new > 0 {
        // So that none of the new chains can be removed unnoticed.
        audit.checkpoint(now).await.map_err(|error| error.to_string())?;
    }
    Ok(new)
}

async fn import_one(spool: &Spool, audit: &dyn AuditLog, head: u64, now: Timestamp) -> Result<u64, String> {
    let (mut taken, mut new) = (head, 0);
    loop {
        let lines = spool.lines(taken, TOGETHER).map_err(|error| error.to_string())?;
        if lines.is_empty() {
            break;
        }
        let count = lines.len() as u64;
        let kept = import_spool(audit, WriterId(spool.id), taken + 1, &lines, now).await;
        new += kept.map_err(|error| error.to_string())?;
        taken += count;
    }
    if spool.is_due_for_rotation(now) {
        // The spool may have grown, or another process may have imported and removed it. Both are fine.
        let _ = spool.remove_if_imported(taken);
    }
    Ok(new)
}
