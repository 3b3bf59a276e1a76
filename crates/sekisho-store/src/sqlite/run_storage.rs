//! What runs keep for their tools.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, params};
use sekisho_gate::ledger::LedgerFuture;
use sekisho_tools::RunStorage;
use sekisho_tools::run_storage::{RunOutput, Todo};
use uuid::Uuid;

use super::open_transaction::OpenTransaction;
use super::statement::run as run_statement;
use super::store::SqliteStore;
use super::transaction_impl::{operations, poll_ready};
use crate::encoding::{micros, parsed, saturating_column};
use crate::run_storage::{OutputRow, RunTables, keep_output, todos_text};
use crate::transaction_error::TransactionResult;

impl RunStorage for SqliteStore {
    fn todos(&self, run: Uuid) -> LedgerFuture<'_, Vec<Todo>> {
        self.read(move |db| todos(db, run))
    }

    fn set_todos(&self, run: Uuid, todos: Vec<Todo>, at: Timestamp) -> LedgerFuture<'_, ()> {
        self.write(move |db| write_todos(db, run, &todos_text(&todos)?, micros(at)))
    }

    fn keep_output(&self, output: RunOutput, most_bytes: usize) -> LedgerFuture<'_, bool> {
        self.write(move |mut tx| poll_ready(keep_output(&mut tx, &output, most_bytes)))
    }

    fn output(&self, run: Uuid, id: Uuid) -> LedgerFuture<'_, Option<String>> {
        self.read(move |db| output(db, run, id))
    }
}

const TODOS: &str = "SELECT todos FROM run_todos WHERE run = ?1";

fn todos(db: &Connection, run: Uuid) -> TransactionResult<Vec<Todo>> {
    let text: Option<String> = db.prepare_cached(TODOS)?.query_row([run], |row| row.get(0)).optional()?;
    text.map_or(Ok(Vec::new()), |text| parsed(&text, "the to-do list"))
}

const WRITE_TODOS: &str = "INSERT INTO run_todos (run, todos, updated_at) VALUES (?1, ?2, ?3) \
    ON CONFLICT (run) DO UPDATE SET todos = excluded.todos, updated_at = excluded.updated_at";

fn write_todos(db: &Connection, run: Uuid, todos: &str, at: i64) -> TransactionResult<()> {
    run_statement(db, WRITE_TODOS, params![run, todos, at]).map(drop)
}

const OUTPUT: &str = "SELECT output FROM run_outputs WHERE run = ?1 AND id = ?2";

fn output(db: &Connection, run: Uuid, id: Uuid) -> TransactionResult<Option<String>> {
    Ok(db.prepare_cached(OUTPUT)?.query_row(params![run, id], |row| row.get(0)).optional()?)
}

const HAS_OUTPUT: &str = "SELECT EXISTS (SELECT 1 FROM run_outputs WHERE run = ?1 AND id = ?2)";

fn has_output(db: &Connection, run: Uuid, id: Uuid) -> TransactionResult<bool> {
    Ok(db.prepare_cached(HAS_OUTPUT)?.query_row(params![run, id], |row| row.get(0))?)
}

const OUTPUT_BYTES: &str = "SELECT coalesce(sum(bytes), 0) FROM run_outputs WHERE run = ?1";

fn output_bytes(db: &Connection, run: Uuid) -> TransactionResult<i64> {
    Ok(db.prepare_cached(OUTPUT_BYTES)?.query_row([run], |row| row.get(0))?)
}

const INSERT_OUTPUT: &str =
    "INSERT INTO run_outputs (run, id, output, bytes, created_at) VALUES (?1, ?2, ?3, ?4, ?5)";

fn insert_output(db: &Connection, row: &OutputRow<'_>) -> TransactionResult<()> {
    let values = params![row.run, row.id, row.output, row.bytes, row.created_at];
    run_statement(db, INSERT_OUTPUT, values).map(drop)
}

/// Runs with old data and no newer data, each once: by its to-do list, else by the first of its outputs.
const UNUSED: &str = "SELECT run FROM run_todos t WHERE t.updated_at < ?1 AND NOT EXISTS (\
        SELECT 1 FROM run_outputs n WHERE n.run = t.run AND n.created_at >= ?1) \
    UNION ALL SELECT run FROM run_outputs o WHERE o.created_at < ?1 AND NOT EXISTS (\
        SELECT 1 FROM run_outputs n WHERE n.run = o.run AND (n.created_at >= ?1 OR n.id < o.id)) \
        AND NOT EXISTS (SELECT 1 FROM run_todos n WHERE n.run = o.run) \
    LIMIT ?2";

fn unused_runs(db: &Connection, before: i64, limit: usize) -> TransactionResult<Vec<Uuid>> {
    let mut statement = db.prepare_cached(UNUSED)?;
    let runs = statement.query_map(params![before, saturating_column(limit)], |row| row.get(0))?;
    Ok(runs.collect::<rusqlite::Result<_>>()?)
}

const WAITS: &str = "SELECT EXISTS (SELECT 1 FROM approvals a INDEXED BY approvals_pending \
    JOIN calls c ON c.id = a.call WHERE a.state = 'pending' AND c.run_id = ?1)";

fn run_waits(db: &Connection, run: &str) -> TransactionResult<bool> {
    Ok(db.prepare_cached(WAITS)?.query_row([run], |row| row.get(0))?)
}

const FORGET_TODOS: &str = "DELETE FROM run_todos WHERE run = ?1";

const FORGET_OUTPUTS: &str = "DELETE FROM run_outputs WHERE run = ?1";

fn forget_run(db: &Connection, run: Uuid) -> TransactionResult<()> {
    run_statement(db, FORGET_TODOS, [run])?;
    run_statement(db, FORGET_OUTPUTS, [run]).map(drop)
}

operations! {
    impl RunTables for &OpenTransaction<'_> {
        write_todos(run: Uuid, todos: &str, at: i64) -> () = write_todos;
        has_output(run: Uuid, id: Uuid) -> bool = has_output;
        output_bytes(run: Uuid) -> i64 = output_bytes;
        insert_output(row: &OutputRow<'_>) -> () = insert_output;
        unused_runs(before: i64, limit: usize) -> Vec<Uuid> = unused_runs;
        run_waits(run: &str) -> bool = run_waits;
        forget_run(run: Uuid) -> () = forget_run;
    }
}

#[cfg(test)]
mod tests {
    use super::super::query_plan::assert_by_index;
    use super::*;

    #[test]
    fn frequent_statements_use_an_index() {
        assert_by_index(&[
            (UNUSED, "run_todos_by_time"),
            (UNUSED, "run_outputs_by_time"),
            (OUTPUT_BYTES, "sqlite_autoindex_run_outputs_1"),
            (WAITS, "approvals_pending"),
        ]);
    }
}
