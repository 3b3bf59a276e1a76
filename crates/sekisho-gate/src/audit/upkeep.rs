//! What is done to the record is on the record.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::chain::WriterId;
use super::port::Audit;
use crate::access::WriteAccess;
use crate::answer::By;
use crate::ledger::{Kept, Ledger};
use crate::record::{Entry, Kind, Record, RecordLine};

/// Records that another key signs the record.
pub fn note_key(ledger: &dyn Ledger, key: u32, by: Option<By>, at: Timestamp) -> Kept<'_, ()> {
    note(ledger, RecordLine::KeyAdded { key }, json!({ "action": "rotate-key", "key": key }), by, at)
}

/// Records that rows from before a moment are removed.
pub fn note_prune(ledger: &dyn Ledger, before: Timestamp, by: Option<By>, at: Timestamp) -> Kept<'_, ()> {
    note(ledger, RecordLine::RowsRemoved { before }, json!({ "action": "prune", "before": before }), by, at)
}

/// Records that raw inputs from before a moment are forgotten: how many, where that is known.
pub fn note_purge(
    ledger: &dyn Ledger,
    before: Timestamp,
    inputs: Option<u64>,
    by: Option<By>,
    at: Timestamp,
) -> Kept<'_, ()> {
    let mut body = json!({ "action": "purge", "before": before });
    if let (Some(inputs), Some(fields)) = (inputs, body.as_object_mut()) {
        fields.insert("inputs".into(), inputs.into());
    }
    note(ledger, RecordLine::InputsForgotten { before, inputs }, body, by, at)
}

fn note(ledger: &dyn Ledger, line: RecordLine, body: Value, by: Option<By>, at: Timestamp) -> Kept<'_, ()> {
    let (text, body) = line.told(body);
    let entry = Entry::plain(Kind::Upkeep, at, by, text, body);
    ledger.note(&WriteAccess::GATE, vec![Record { entry, change: None }])
}

/// Takes in lines that a hook wrote while no server ran: [`Audit::take_in`]. One that cannot be read keeps its place, and
/// says so: nothing vanishes.
pub fn take_in_spool<'a>(
    audit: &'a dyn Audit,
    spool: WriterId,
    first: u64,
    lines: &[String],
    now: Timestamp,
) -> Kept<'a, u64> {
    let entries = lines.iter().map(|line| spooled(line, now)).collect();
    audit.take_in(&WriteAccess::GATE, spool, first, entries)
}

fn spooled(line: &str, now: Timestamp) -> Entry {
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
