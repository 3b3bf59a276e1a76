//! Calls and executions.

use rusqlite::{Connection, OptionalExtension, params};
use sekisho_gate::ledger::Ending;
use sekisho_gate::record::{Entry, Kind};
use sekisho_gate::{ApprovalId, CallId, ExecutionId};
use serde_json::Value;

use super::super::sql::calls as sql;
use super::run;
use crate::fault::Scripted;
use crate::rows::{CallRow, ExecutionRow, micros};

pub(crate) fn insert(db: &Connection, row: &CallRow<'_>) -> Scripted<()> {
    let kept = row.kept;
    let call = &kept.call;
    let values = params![
        kept.id.0,
        row.input,
        kept.digest.0,
        call.tool,
        call.server.as_ref().map(|server| &server.id),
        call.agent.as_ref().map(|agent| &agent.id),
        kept.asker.credential,
        call.workspace,
        call.conversation,
        call.run_id,
        call.call_id,
        call.cwd,
        row.created_at,
        row.ended_at,
        row.facts
    ];
    run(db, sql::INSERT, values).map(drop)
}

/// Marks a call as ended, where it has not yet.
pub(crate) fn end(db: &Connection, id: CallId, at: i64) -> Scripted<()> {
    run(db, sql::END, params![id.0, at]).map(drop)
}

pub(crate) fn start(db: &Connection, row: &ExecutionRow) -> Scripted<()> {
    let values = params![row.id, row.run, row.tool, row.input, row.created_at, row.call, row.approval];
    run(db, sql::START, values).map(drop)
}

/// Whether there was one running.
pub(crate) fn finish(db: &Connection, id: ExecutionId, ending: &Ending) -> Scripted<bool> {
    let values = params![id.0, ending.output, ending.is_error, ending.duration_ms, micros(ending.at)];
    Ok(run(db, sql::FINISH, values)? == 1)
}

/// What an execution is of, for its line, and the call that was asked about, where that was another one.
pub(crate) fn of_execution(db: &Connection, id: ExecutionId) -> Scripted<Option<(Entry, Option<CallId>)>> {
    let mut statement = db.prepare_cached(sql::OF_EXECUTION)?;
    let found = statement.query_row([id.0], |row| {
        let asked: Option<_> = row.get(6)?;
        let entry = Entry {
            call: Some(CallId(row.get(0)?)),
            approval: row.get::<_, Option<_>>(1)?.map(ApprovalId),
            tool: row.get(2)?,
            server: row.get(3)?,
            agent: row.get(4)?,
            credential: row.get(5)?,
            ..Entry::plain(Kind::Execution, jiff::Timestamp::UNIX_EPOCH, None, String::new(), Value::Null)
        };
        Ok((entry, asked.map(CallId)))
    });
    Ok(found.optional()?)
}
