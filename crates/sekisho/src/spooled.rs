//! Taking into the record what hooks wrote while no server ran.

use jiff::Timestamp;
use sekisho_gate::audit::{Audit, WriterId};
use sekisho_gate::record::{Entry, Kind, RecordLine};
use sekisho_host::{Spool, Spools};
use serde_json::json;

/// How many lines are taken in together.
const TOGETHER: usize = 512;

/// Takes in every line of every spool, each spool as a chain of its own, and removes those that are done with. How many
/// lines were new. Doing it again, or twice at once, takes no line in twice.
pub async fn take_in(spools: &Spools, audit: &dyn Audit, now: Timestamp) -> Result<u64, String> {
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

async fn take_in_one(spool: &Spool, audit: &dyn Audit, head: u64, now: Timestamp) -> Result<u64, String> {
    let (mut taken, mut new) = (head, 0);
    loop {
        let lines = spool.lines(taken, TOGETHER).map_err(|error| error.to_string())?;
        if lines.is_empty() {
            break;
        }
        let count = lines.len() as u64;
        let entries = lines.iter().map(|line| read(line, now)).collect();
        let kept = audit.take_in(WriterId(spool.id), taken + 1, entries).await;
        new += kept.map_err(|error| error.to_string())?;
        taken += count;
    }
    if spool.is_ripe(now) {
        // One that has grown in the meantime, or was removed by another who took it in, is none of ours to remove.
        let _ = spool.retire(taken);
    }
    Ok(new)
}

/// A line as an entry. One that cannot be read keeps its place, and says so: nothing vanishes.
fn read(line: &str, now: Timestamp) -> Entry {
    let entry = serde_json::from_str(line).map_err(|error| error.to_string());
    // A checkpoint vouches for other chains; that is for the writers of the log alone.
    let entry = entry.and_then(|entry: Entry| match entry.kind {
        Kind::Checkpoint => Err("a hook writes no checkpoints".to_owned()),
        _ => Ok(entry),
    });
    entry.unwrap_or_else(|error| {
        let (text, body) = RecordLine::SpoolUnread.told(json!({ "line": line, "error": error }));
        Entry::plain(Kind::Upkeep, now, None, text, body)
    })
}
