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
use crate::encoding::{micros_up, parsed};
use crate::fault::Scripted;

/// How many calls one transaction forgets.
const AT_ONCE: usize = 500;

/// How many were forgotten; none when there are no more.
pub(in crate::sqlite) fn purge_some(pen: &Pen<'_>, before: Timestamp) -> Scripted<u64> {
    // An asker far away may read an answer again for a while, and runs what is in it.
    let before = before.checked_sub(REREAD).unwrap_or(Timestamp::MIN);
    let masks = pen.seal().masks;
    tables::schemas::forget(pen, micros_up(before))?;
    let calls = tables::purging::purgeable(pen, micros_up(before), AT_ONCE)?;
    for call in &calls {
        tables::purging::purge(pen, *call, &masks)?;
    }
    Ok(calls.len() as u64)
}

pub(in crate::sqlite) fn raw_input(db: &Connection, call: CallId) -> Scripted<Option<Value>> {
    tables::purging::raw_input(db, call)?.map(|text| parsed(&text, "the call's input")).transpose()
}
