//! Calls.

use rusqlite::{Connection, params};
use sekisho_gate::CallId;

use super::super::sql::calls as sql;
use super::run;
use crate::fault::Scripted;
use crate::rows::CallRow;

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
