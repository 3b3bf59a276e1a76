//! Calls as rows of `calls`.

use sekisho_gate::CallId;
use sekisho_policy::Call;

use super::connection::{PgConnection, column};
use super::nul_escape::{escape_nul, escape_nul_option};
use super::open_transaction::OpenTransaction;
use super::transaction_impl::operations;
use crate::calls::{CallRow, CallTable};
use crate::transaction_error::TransactionResult;

const INSERT: &str = "INSERT INTO calls (id, input, digest, tool, server, agent, credential, workspace, \
    conversation, run_id, call_id, cwd, created_at, ended_at, facts) \
    SELECT * FROM UNNEST($1::uuid[], $2::text[], $3::bytea[], $4::text[], $5::text[], $6::text[], $7::text[], \
    $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::bigint[], $14::bigint[], $15::text[])";

/// Inserts any number of calls with one statement.
pub(crate) async fn insert(db: &PgConnection<'_>, rows: &[CallRow<'_>]) -> TransactionResult<()> {
    type Field = fn(&Call) -> Option<&String>;
    let text = |field: Field| column(rows, move |row| escape_nul_option(field(&row.kept.call)));
    let values = (
        column(rows, |row| row.kept.id.0),
        column(rows, |row| &row.input),
        column(rows, |row| row.kept.digest.0.as_slice()),
        column(rows, |row| escape_nul(&row.kept.call.tool)),
        text(|call| call.server.as_ref().map(|server| &server.id)),
        text(|call| call.agent.as_ref().map(|agent| &agent.id)),
        column(rows, |row| escape_nul(&row.kept.asker.credential)),
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
        INSERT,
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

const END: &str = "UPDATE calls SET ended_at = $2 WHERE id = $1 AND ended_at IS NULL";

/// Marks a call as ended, unless it already is.
pub(crate) async fn end(db: &PgConnection<'_>, id: CallId, at: i64) -> TransactionResult<()> {
    db.run(END, &[&id.0, &at]).await.map(drop)
}

async fn insert_one(db: &PgConnection<'_>, row: &CallRow<'_>) -> TransactionResult<()> {
    insert(db, std::slice::from_ref(row)).await
}

operations! {
    impl CallTable for OpenTransaction<'_> {
        insert_call(row: &CallRow<'_>) -> () = insert_one;
        end_call(id: CallId, at: i64) -> () = end;
    }
}
