//! Taking into the record what hooks wrote while no server ran.

use jiff::Timestamp;
use sekisho_gate::audit::maintenance::import_spool;
use sekisho_gate::audit::{AuditLog, WriterId};
use sekisho_host::{Spool, Spools};

/// How many lines are taken in together.
const TOGETHER: usize = 512;

/// Takes in every line of every spool, each spool as a chain of its own, and removes those that are done with. How many
/// lines were new. Doing it again, or twice at once, takes no line in twice.
pub async fn import_spools(spools: &Spools, audit: &dyn AuditLog, now: Timestamp) -> Result<u64, String> {
    let heads = audit.heads().await.map_err(|error| error.to_string())?;
    let mut new = 0;
    for spool in spools.all().map_err(|error| error.to_string())? {
        let head = heads.iter().find(|head| head.writer.0 == spool.id);
        new += take_in_one(&spool, audit, head.map_or(0, |head| head.seq), now).await?;
    }
    if new > 0 {
        // So that none of the new chains can be taken away unnoticed.
        audit.checkpoint(now).await.map_err(|error| error.to_string())?;
    }
    Ok(new)
}

async fn take_in_one(spool: &Spool, audit: &dyn AuditLog, head: u64, now: Timestamp) -> Result<u64, String> {
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
        // One that has grown in the meantime, or was removed by another who took it in, is none of ours to remove.
        let _ = spool.remove_if_imported(taken);
    }
    Ok(new)
}
