//! Forgetting raw inputs.

use sekisho_gate::CallId;

use super::super::db::Db;
use super::super::sql::purging as sql;
use super::bounded;
use crate::fault::Scripted;
use crate::rows::{KeptQuestion, Purged};

/// A call's input as JSON text; none where there is no such call, or no input any more.
pub(crate) async fn raw_input(db: &Db<'_>, call: CallId) -> Scripted<Option<String>> {
    match db.row(sql::RAW_INPUT, &[&call.0]).await? {
        Some(row) => Ok(row.try_get(0)?),
        None => Ok(None),
    }
}

/// Calls that ended before a moment and can be forgotten, the earliest first.
pub(crate) async fn purgeable(db: &Db<'_>, before: i64, limit: usize) -> Scripted<Vec<CallId>> {
    let rows = db.rows(sql::PURGEABLE, &[&before, &bounded(limit)]).await?;
    rows.iter().map(|row| Ok(CallId(row.try_get(0)?))).collect()
}

/// The questions about a call, as they are kept.
pub(crate) async fn questions(db: &Db<'_>, call: CallId) -> Scripted<Vec<KeptQuestion>> {
    let rows = db.rows(sql::QUESTIONS_OF, &[&call.0]).await?;
    let questions = rows
        .iter()
        .map(|row| Ok(KeptQuestion { id: row.try_get(0)?, asked: row.try_get(1)?, fate: row.try_get(2)? }));
    questions.collect()
}

/// Forgets a call's input wherever it is.
pub(crate) async fn purge(db: &Db<'_>, purged: &Purged) -> Scripted<()> {
    db.run(sql::PURGE_CALL, &[&purged.call.0]).await?;
    db.run(sql::PURGE_EXECUTIONS, &[&purged.call.0]).await?;
    for question in purged.masked() {
        db.run(sql::PURGE_QUESTION, &[&question.id, &question.asked, &question.fate]).await?;
    }
    Ok(())
}
