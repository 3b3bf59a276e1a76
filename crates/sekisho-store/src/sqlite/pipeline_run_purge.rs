//! Purges what runs of pipelines were started with and what they gave.

use rusqlite::{Connection, params};
use uuid::Uuid;

use super::open_transaction::OpenTransaction;
use super::statement::run as run_statement;
use super::transaction_impl::operations;
use crate::encoding::saturating_column;
use crate::pipeline_run_purge::PipelinePurgeTables;
use crate::transaction_error::TransactionResult;

const WITH_CHUNKS: &str = "SELECT run FROM pipeline_chunks WHERE run > ?1 AND seq = 1 ORDER BY run LIMIT ?2";

fn runs_with_chunks(db: &Connection, after: Uuid, limit: usize) -> TransactionResult<Vec<Uuid>> {
    let mut statement = db.prepare_cached(WITH_CHUNKS)?;
    let runs = statement.query_map(params![after, saturating_column(limit)], |row| row.get(0))?;
    Ok(runs.collect::<rusqlite::Result<_>>()?)
}

const DELETE_CHUNKS: &str = "DELETE FROM pipeline_chunks WHERE run = ?1";

fn delete_chunks(db: &Connection, run: Uuid) -> TransactionResult<()> {
    run_statement(db, DELETE_CHUNKS, [run]).map(drop)
}

const WRITE_SETTINGS: &str = "UPDATE pipeline_runs SET settings = ?2 WHERE id = ?1";

fn write_settings(db: &Connection, run: Uuid, settings: &str) -> TransactionResult<()> {
    run_statement(db, WRITE_SETTINGS, params![run, settings]).map(drop)
}

operations! {
    impl PipelinePurgeTables for &OpenTransaction<'_> {
        pipeline_runs_with_chunks(after: Uuid, limit: usize) -> Vec<Uuid> = runs_with_chunks;
        delete_pipeline_chunks(run: Uuid) -> () = delete_chunks;
        write_pipeline_settings(run: Uuid, settings: &str) -> () = write_settings;
    }
}

#[cfg(test)]
mod tests {
    use super::super::query_plan::assert_by_index;
    use super::*;

    #[test]
    fn frequent_statements_use_an_index() {
        assert_by_index(&[
            (WITH_CHUNKS, "sqlite_autoindex_pipeline_chunks_1"),
            (DELETE_CHUNKS, "sqlite_autoindex_pipeline_chunks_1"),
        ]);
    }
}
