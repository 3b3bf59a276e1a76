//! Purges raw inputs.

use rusqlite::{Connection, OptionalExtension, params};
use sekisho_gate::CallId;
use serde_json::Value;

use super::open_transaction::OpenTransaction;
use super::statement::run;
use super::transaction_impl::operations;
use crate::approvals::{MaskedPurge, StoredApproval};
use crate::encoding::{parsed, saturating_column};
use crate::input_purge::PurgeTables;
use crate::transaction_error::TransactionResult;

const RAW_INPUT: &str = "SELECT input FROM calls WHERE id = ?1";

/// A call's input; `None` if there is no such call or its input was purged.
pub(crate) fn raw_input(db: &Connection, call: CallId) -> TransactionResult<Option<Value>> {
    let found: Option<Option<String>> =
        db.prepare_cached(RAW_INPUT)?.query_row([call.0], |row| row.get(0)).optional()?;
    found.flatten().map(|text| parsed(&text, "the call's input")).transpose()
}

/// Calls that ended before a time and still have their input. Calls that may still run are excluded, whatever
/// else the row says.
const PURGEABLE: &str = "SELECT c.id FROM calls c INDEXED BY calls_to_purge \
    WHERE c.ended_at < ?1 AND c.ended_at IS NOT NULL AND c.input IS NOT NULL AND NOT EXISTS (\
        SELECT 1 FROM approvals a WHERE a.call = c.id \
        AND (a.state = 'pending' OR (a.state = 'approved' AND a.claimed_at IS NULL))) \
    ORDER BY c.ended_at LIMIT ?2";

/// Calls that ended before a time and can be purged, earliest first.
pub(crate) fn purgeable(db: &Connection, before: i64, limit: usize) -> TransactionResult<Vec<CallId>> {
    let limit = saturating_column(limit);
    let mut statement = db.prepare_cached(PURGEABLE)?;
    let calls = statement.query_map(params![before, limit], |row| row.get(0).map(CallId))?;
    Ok(calls.collect::<rusqlite::Result<_>>()?)
}

const QUESTIONS_OF: &str = "SELECT id, asked, fate FROM approvals WHERE call = ?1";

/// The approvals of a call, as stored.
pub(crate) fn questions(db: &Connection, call: CallId) -> TransactionResult<Vec<StoredApproval>> {
    let mut statement = db.prepare_cached(QUESTIONS_OF)?;
    let questions = statement.query_map([call.0], |row| {
        Ok(StoredApproval { id: row.get(0)?, asked: row.get(1)?, fate: row.get(2)? })
    })?;
    Ok(questions.collect::<rusqlite::Result<_>>()?)
}

const PURGE_CALL: &str = "UPDATE calls SET input = NULL, facts = NULL WHERE id = ?1";

const PURGE_EXECUTIONS: &str = "UPDATE tool_executions SET input = 'null', output = NULL WHERE call = ?1";

const PURGE_QUESTION: &str = "UPDATE approvals SET asked = ?2, fate = ?3 WHERE id = ?1";

/// Removes every copy of a call's input.
pub(crate) fn purge(db: &Connection, purged: &MaskedPurge) -> TransactionResult<()> {
    run(db, PURGE_CALL, [purged.call.0])?;
    run(db, PURGE_EXECUTIONS, [purged.call.0])?;
    for question in purged.masked() {
        run(db, PURGE_QUESTION, params![question.id, question.asked, question.fate])?;
    }
    Ok(())
}

operations! {
    impl PurgeTables for &OpenTransaction<'_> {
        purgeable(before: i64, limit: usize) -> Vec<CallId> = purgeable;
        questions(call: CallId) -> Vec<StoredApproval> = questions;
        input_of(call: CallId) -> Option<Value> = raw_input;
        purge(purged: &MaskedPurge) -> () = purge;
    }
}

#[cfg(test)]
mod tests {
    use super::super::query_plan::assert_by_index;
    use super::*;

    #[test]
    fn frequent_statements_use_an_index() {
        assert_by_index(&[
            (PURGEABLE, "calls_to_purge"),
            (PURGE_EXECUTIONS, "tool_executions_by_call"),
            (QUESTIONS_OF, "approvals_by_call"),
        ]);
    }
}
