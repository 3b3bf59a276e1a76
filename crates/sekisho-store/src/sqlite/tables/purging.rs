//! Forgetting raw inputs.

use rusqlite::{Connection, OptionalExtension, params};
use sekisho_gate::CallId;
use sekisho_gate::mask::Masks;
use uuid::Uuid;

use super::super::sql::purging as sql;
use super::run;
use crate::fault::Scripted;
use crate::rows::purged;

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

/// Forgets a call's input wherever it is.
pub(crate) fn purge(db: &Connection, call: CallId, masks: &Masks) -> Scripted<()> {
    run(db, sql::PURGE_CALL, [call.0])?;
    run(db, sql::PURGE_EXECUTIONS, [call.0])?;
    let mut statement = db.prepare_cached(sql::QUESTIONS_OF)?;
    let questions = statement.query_map([call.0], |row| {
        Ok((row.get::<_, Uuid>(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?))
    })?;
    let questions: Vec<_> = questions.collect::<rusqlite::Result<_>>()?;
    for (id, asked, fate) in questions {
        let (asked, fate) = purged(&asked, &fate, masks)?;
        run(db, sql::PURGE_QUESTION, params![id, asked, fate.fate])?;
    }
    Ok(())
}
