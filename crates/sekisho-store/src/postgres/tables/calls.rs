//! Calls and executions.

use sekisho_gate::ledger::Ending;
use sekisho_gate::record::{Entry, Kind};
use sekisho_gate::{ApprovalId, CallId, ExecutionId};
use sekisho_policy::Call;
use serde_json::Value;

use super::super::db::Db;
use super::super::sql::calls as sql;
use super::super::text::{given, kept, kept_option};
use crate::fault::Scripted;
use crate::rows::{CallRow, ExecutionRow, micros};

/// One column of many rows.
fn column<'r, R, T>(rows: &'r [R], value: impl Fn(&'r R) -> T) -> Vec<T> {
    rows.iter().map(value).collect()
}

/// Any number of calls by one statement.
pub(crate) async fn insert(db: &Db<'_>, rows: &[CallRow<'_>]) -> Scripted<()> {
    type Field = fn(&Call) -> Option<&String>;
    let text = |field: Field| column(rows, move |row| kept_option(field(&row.kept.call)));
    let values = (
        column(rows, |row| row.kept.id.0),
        column(rows, |row| &row.input),
        column(rows, |row| row.kept.digest.0.as_slice()),
        column(rows, |row| kept(&row.kept.call.tool)),
        text(|call| call.server.as_ref().map(|server| &server.id)),
        text(|call| call.agent.as_ref().map(|agent| &agent.id)),
        column(rows, |row| kept(&row.kept.asker.credential)),
    );
    let workspace = text(|call| call.workspace.as_ref());
    let conversation = text(|call| call.conversation.as_ref());
    let run = text(|call| call.run_id.as_ref());
    let call_id = text(|call| call.call_id.as_ref());
    let cwd = text(|call| call.cwd.as_ref());
    let created_at = column(rows, |row| row.created_at);
    let ended_at = column(rows, |row| row.ended_at);
    let facts = column(rows, |row| &row.facts);
    let (id, input, digest, tool, server, agent, credential) = &values;
    db.run(
        sql::INSERT,
        &[
            id,
            input,
            digest,
            tool,
            server,
            agent,
            credential,
            &workspace,
            &conversation,
            &run,
            &call_id,
            &cwd,
            &created_at,
            &ended_at,
            &facts,
        ],
    )
    .await
    .map(drop)
}

/// Marks a call as ended, where it has not yet.
pub(crate) async fn end(db: &Db<'_>, id: CallId, at: i64) -> Scripted<()> {
    db.run(sql::END, &[&id.0, &at]).await.map(drop)
}

/// Any number of executions by one statement.
pub(crate) async fn start(db: &Db<'_>, rows: &[ExecutionRow]) -> Scripted<()> {
    let id = column(rows, |row| row.id);
    let run = column(rows, |row| row.run);
    let tool = column(rows, |row| kept(&row.tool));
    let input = column(rows, |row| &row.input);
    let created_at = column(rows, |row| row.created_at);
    let call = column(rows, |row| row.call);
    let approval = column(rows, |row| row.approval);
    db.run(sql::START, &[&id, &run, &tool, &input, &created_at, &call, &approval]).await.map(drop)
}

/// Whether there was one running.
pub(crate) async fn finish(db: &Db<'_>, id: ExecutionId, ending: &Ending) -> Scripted<bool> {
    let output = kept_option(ending.output.as_ref());
    let (is_error, duration, at) = (ending.is_error, ending.duration_ms, micros(ending.at));
    Ok(db.run(sql::FINISH, &[&id.0, &output, &is_error, &duration, &at]).await? == 1)
}

/// What an execution is of, for its line, and the call that was asked about, where that was another one.
pub(crate) async fn of_execution(db: &Db<'_>, id: ExecutionId) -> Scripted<Option<(Entry, Option<CallId>)>> {
    let Some(row) = db.row(sql::OF_EXECUTION, &[&id.0]).await? else { return Ok(None) };
    let text = |index: usize| row.try_get::<_, Option<String>>(index).map(|text| text.map(given));
    let entry = Entry {
        call: Some(CallId(row.try_get(0)?)),
        approval: row.try_get::<_, Option<_>>(1)?.map(ApprovalId),
        tool: text(2)?,
        server: text(3)?,
        agent: text(4)?,
        credential: text(5)?,
        ..Entry::plain(Kind::Execution, jiff::Timestamp::UNIX_EPOCH, None, String::new(), Value::Null)
    };
    Ok(Some((entry, row.try_get::<_, Option<_>>(6)?.map(CallId))))
}
