//! Forgetting raw inputs.

use rusqlite::{Connection, OptionalExtension, params};
use sekisho_gate::CallId;

use super::super::sql::purging as sql;
use super::run;
use crate::fault::Scripted;
use crate::rows::{KeptQuestion, Purged};

/// A call's input as JSON text. The outer `None`: there is no such call, or no input any more.
pub(crate) fn raw_input(db: &Connection, call: CallId) -> Scripted<Option<String>> {
    let found = db.prepare_cached(sql::RAW_INPUT)?.query_row([call.0], |row| row.get(0)).optional()?;
    Ok(found.flatten())
}

/// Calls that ended before a moment and can be forgotten, the earliest first.
pub(crate) fn purgeable(db: &Connection, before: i64, limit: usize) -> Scripted<Vec<CallId>> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut statement = db.prepare_cached(sql::PURGEABLE)?;
    let calls = statement.query_map(params![before, limit], |row| row.get(0).map(CallId))?;
    Ok(calls.collect::<rusqlite::Result<_>>()?)
}

/// The questions about a call, as they are kept.
pub(crate) fn questions(db: &Connection, call: CallId) -> Scripted<Vec<KeptQuestion>> {
    let mut statement = db.prepare_cached(sql::QUESTIONS_OF)?;
    let questions = statement.query_map([call.0], |row| {
        Ok(KeptQuestion { id: row.get(0)?, asked: row.get(1)?, fate: row.get(2)? })
    })?;
    Ok(questions.collect::<rusqlite::Result<_>>()?)
}

/// Forgets a call's input wherever it is.
pub(crate) fn purge(db: &Connection, purged: &Purged) -> Scripted<()> {
    run(db, sql::PURGE_CALL, [purged.call.0])?;
    run(db, sql::PURGE_EXECUTIONS, [purged.call.0])?;
    for question in purged.masked() {
        run(db, sql::PURGE_QUESTION, params![question.id, question.asked, question.fate])?;
    }
    Ok(())
}
