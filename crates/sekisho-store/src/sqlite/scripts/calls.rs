//! Calls that need no question, and how executions end.

use rusqlite::Connection;
use sekisho_gate::ExecutionId;
use sekisho_gate::ledger::{Admission, Ending};
use sekisho_gate::record::{self, Record};

use super::tables;
use crate::fault::{Fault, Scripted};
use crate::rows::{CallRow, ExecutionRow, micros};

pub(in crate::sqlite) fn admit(db: &Connection, admission: &Admission) -> Scripted<()> {
    let Admission { at, call: kept, execution, record } = admission;
    tables::calls::insert(db, &CallRow::new(kept, *at, execution.is_none())?)?;
    if let Some(execution) = execution {
        let (call, what) = ((kept.id, &kept.call), (kept.call.tool.as_str(), &kept.call.input));
        tables::calls::start(db, &ExecutionRow::new(*execution, call, what, None, *at)?)?;
    }
    tables::record::append(db, record)
}

pub(in crate::sqlite) fn finish(db: &Connection, execution: ExecutionId, ending: &Ending) -> Scripted<bool> {
    if !tables::calls::finish(db, execution, ending)? {
        return Ok(false);
    }
    let Some((about, asked)) = tables::calls::of_execution(db, execution)? else {
        return Err(Fault::wrong(format!("execution `{execution}` has lost its call")));
    };
    for call in about.call.into_iter().chain(asked) {
        tables::calls::end(db, call, micros(ending.at))?;
    }
    tables::record::append(db, &record::finished(execution, ending, about))?;
    Ok(true)
}

pub(in crate::sqlite) fn note(db: &Connection, records: &[Record]) -> Scripted<()> {
    records.iter().try_for_each(|record| tables::record::append(db, record))
}
