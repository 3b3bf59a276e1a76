//! Calls as rows of `calls`.

use rusqlite::{Connection, params};
use sekisho_gate::CallId;

use super::open_transaction::OpenTransaction;
use super::statement::run;
use super::transaction_impl::operations;
use crate::calls::{CallRow, CallTable};
use crate::transaction_error::TransactionResult;

const INSERT: &str = "INSERT INTO calls (id, input, digest, tool, server, agent, credential, workspace, \
    conversation, run_id, call_id, cwd, created_at, ended_at, facts) \
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)";

pub(crate) fn insert(db: &Connection, row: &CallRow<'_>) -> TransactionResult<()> {
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
    run(db, INSERT, values).map(drop)
}

const END: &str = "UPDATE calls SET ended_at = ?2 WHERE id = ?1 AND ended_at IS NULL";

/// Marks a call as ended, unless it already is.
pub(crate) fn end(db: &Connection, id: CallId, at: i64) -> TransactionResult<()> {
    run(db, END, params![id.0, at]).map(drop)
}

operations! {
    impl CallTable for &OpenTransaction<'_> {
        insert_call(row: &CallRow<'_>) -> () = insert;
        end_call(id: CallId, at: i64) -> () = end;
    }
}

#[cfg(test)]
mod tests {
    use super::super::query_plan::assert_by_index;
    use super::*;

    #[test]
    fn frequent_statements_use_an_index() {
        assert_by_index(&[(END, "USING INDEX")]);
    }
}
