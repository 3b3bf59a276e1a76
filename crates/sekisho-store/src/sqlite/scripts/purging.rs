//! Forgetting raw inputs, some at a time.
//!
//! A raw input stands in `calls`, in `tool_executions` beside what the tool gave, and in a question: in what was shown of
//! it, and in the answer that changed it. All of them go together. What may still run keeps everything.

use jiff::Timestamp;
use rusqlite::Connection;
use sekisho_gate::CallId;
use sekisho_gate::machine::REREAD;
use serde_json::Value;

use super::{Pen, tables};
use crate::fault::Scripted;
use crate::rows::{Purgeable, Purged, micros_up, parsed};

/// How many calls one transaction forgets.
const AT_ONCE: usize = 500;

/// The next calls to forget, with their questions as they are kept. Forgets old schemas as well.
pub(in crate::sqlite) fn purgeable(pen: &Pen<'_>, before: Timestamp) -> Scripted<Vec<Purgeable>> {
    let before = micros_up(still_read(before));
    tables::schemas::forget(pen, before)?;
    let calls = tables::purging::purgeable(pen, before, AT_ONCE)?.into_iter();
    calls.map(|call| Ok(Purgeable { call, questions: tables::purging::questions(pen, call)? })).collect()
}

/// Forgets those of these calls that are still to be forgotten and whose questions have not changed. How many.
pub(in crate::sqlite) fn purge(pen: &Pen<'_>, before: Timestamp, masked: &[Purged]) -> Scripted<u64> {
    let calls = tables::purging::purgeable(pen, micros_up(still_read(before)), AT_ONCE)?;
    let mut forgotten = 0;
    for purged in masked.iter().filter(|purged| calls.contains(&purged.call)) {
        if purged.is_of(&tables::purging::questions(pen, purged.call)?) {
            tables::purging::purge(pen, purged)?;
            forgotten += 1;
        }
    }
    Ok(forgotten)
}

/// An asker far away may read an answer again for a while, and runs what is in it.
fn still_read(before: Timestamp) -> Timestamp {
    before.checked_sub(REREAD).unwrap_or(Timestamp::MIN)
}

pub(in crate::sqlite) fn raw_input(db: &Connection, call: CallId) -> Scripted<Option<Value>> {
    tables::purging::raw_input(db, call)?.map(|text| parsed(&text, "the call's input")).transpose()
}
