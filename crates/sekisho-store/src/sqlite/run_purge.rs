//! Purges what runs of agents said and did.

use rusqlite::{Connection, params};
use uuid::Uuid;

use super::open_transaction::OpenTransaction;
use super::statement::run as run_statement;
use super::transaction_impl::operations;
use crate::encoding::saturating_column;
use crate::run_purge::RunPurgeTables;
use crate::transaction_error::TransactionResult;

const WITH_MESSAGES: &str =
    "SELECT DISTINCT run FROM run_messages WHERE run > ?1 AND seq > 0 ORDER BY run LIMIT ?2";

fn runs_with_messages(db: &Connection, after: Uuid, limit: usize) -> TransactionResult<Vec<Uuid>> {
    let mut statement = db.prepare_cached(WITH_MESSAGES)?;
    let runs = statement.query_map(params![after, saturating_column(limit)], |row| row.get(0))?;
    Ok(runs.collect::<rusqlite::Result<_>>()?)
}

const TREE_IS_USED: &str =
    "SELECT EXISTS (SELECT 1 FROM runs WHERE root = ?1 AND (works = 1 OR updated_at >= ?2))";

fn tree_is_used(db: &Connection, root: Uuid, since: i64) -> TransactionResult<bool> {
    Ok(db.prepare_cached(TREE_IS_USED)?.query_row(params![root, since], |row| row.get(0))?)
}

const PIPELINE_NAMES: &str =
    "SELECT EXISTS (SELECT 1 FROM pipeline_runs WHERE works = 1 AND instr(state, ?1) > 0)";

fn pipeline_names(db: &Connection, run: &str) -> TransactionResult<bool> {
    Ok(db.prepare_cached(PIPELINE_NAMES)?.query_row([run], |row| row.get(0))?)
}

const DELETE_MESSAGES: &str = "DELETE FROM run_messages WHERE run = ?1";

const DELETE_CHUNKS: &str = "DELETE FROM run_chunks WHERE run = ?1";

const DELETE_SUB_AGENTS: &str = "DELETE FROM sub_agents WHERE run = ?1";

fn delete_contents(db: &Connection, run: Uuid) -> TransactionResult<()> {
    run_statement(db, DELETE_MESSAGES, [run])?;
    run_statement(db, DELETE_CHUNKS, [run])?;
    run_statement(db, DELETE_SUB_AGENTS, [run]).map(drop)
}

const WRITE_SETTINGS: &str = "UPDATE runs SET settings = ?2 WHERE id = ?1";

fn write_settings(db: &Connection, run: Uuid, settings: &str) -> TransactionResult<()> {
    run_statement(db, WRITE_SETTINGS, params![run, settings]).map(drop)
}

operations! {
    impl RunPurgeTables for &OpenTransaction<'_> {
        runs_with_messages(after: Uuid, limit: usize) -> Vec<Uuid> = runs_with_messages;
        tree_is_used(root: Uuid, since: i64) -> bool = tree_is_used;
        pipeline_names(run: &str) -> bool = pipeline_names;
        delete_contents(run: Uuid) -> () = delete_contents;
        write_settings(run: Uuid, settings: &str) -> () = write_settings;
    }
}

#[cfg(test)]
mod tests {
    use super::super::query_plan::assert_by_index;
    use super::*;

    #[test]
    fn frequent_statements_use_an_index() {
        assert_by_index(&[
            (WITH_MESSAGES, "sqlite_autoindex_run_messages_1"),
            (TREE_IS_USED, "runs_by_root"),
            (PIPELINE_NAMES, "pipeline_runs_at_work"),
            (DELETE_SUB_AGENTS, "sub_agents_by_run"),
        ]);
    }
}
