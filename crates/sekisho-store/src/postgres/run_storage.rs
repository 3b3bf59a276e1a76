//! What runs keep for their tools.

use jiff::Timestamp;
use sekisho_gate::ledger::LedgerFuture;
use sekisho_tools::RunStorage;
use sekisho_tools::run_storage::{RunOutput, Todo};
use uuid::Uuid;

use super::connection::PgConnection;
use super::nul_escape::{escape_nul, unescape_nul};
use super::open_transaction::OpenTransaction;
use super::store::PostgresStore;
use super::transaction_impl::operations;
use super::write_operation::{WriteOperation, lock_of};
use crate::encoding::{micros, parsed, saturating_column};
use crate::run_storage::{OutputRow, RunTables, keep_output, todos_text};
use crate::transaction_error::TransactionResult;

impl RunStorage for PostgresStore {
    fn todos(&self, run: Uuid) -> LedgerFuture<'_, Vec<Todo>> {
        self.read(move |db| Box::pin(todos(db, run)))
    }

    fn set_todos(&self, run: Uuid, todos: Vec<Todo>, at: Timestamp) -> LedgerFuture<'_, ()> {
        self.write(SetTodos { run, todos, at })
    }

    fn keep_output(&self, output: RunOutput, most_bytes: usize) -> LedgerFuture<'_, bool> {
        self.write(KeepOutput { output, most_bytes })
    }

    fn output(&self, run: Uuid, id: Uuid) -> LedgerFuture<'_, Option<String>> {
        self.read(move |db| Box::pin(output(db, run, id)))
    }
}

/// Replaces the to-do list of a run.
struct SetTodos {
    run: Uuid,
    todos: Vec<Todo>,
    at: Timestamp,
}

impl WriteOperation for SetTodos {
    type Outcome = ();

    fn locks(&self) -> Option<i64> {
        Some(lock_of(self.run))
    }

    async fn run(&self, tx: &mut OpenTransaction<'_>) -> TransactionResult<()> {
        tx.write_todos(self.run, &todos_text(&self.todos)?, micros(self.at)).await
    }
}

/// Stores an output, if there is room for it.
struct KeepOutput {
    output: RunOutput,
    most_bytes: usize,
}

impl WriteOperation for KeepOutput {
    type Outcome = bool;

    /// Outputs of one run are counted one after the other.
    fn locks(&self) -> Option<i64> {
        Some(lock_of(self.output.run))
    }

    async fn run(&self, tx: &mut OpenTransaction<'_>) -> TransactionResult<bool> {
        keep_output(tx, &self.output, self.most_bytes).await
    }
}

const TODOS: &str = "SELECT todos FROM run_todos WHERE run = $1";

async fn todos(db: &PgConnection<'_>, run: Uuid) -> TransactionResult<Vec<Todo>> {
    match db.row(TODOS, &[&run]).await? {
        Some(row) => parsed(row.try_get(0)?, "the to-do list"),
        None => Ok(Vec::new()),
    }
}

const WRITE_TODOS: &str = "INSERT INTO run_todos (run, todos, updated_at) VALUES ($1, $2, $3) \
    ON CONFLICT (run) DO UPDATE SET todos = excluded.todos, updated_at = excluded.updated_at";

async fn write_todos(db: &PgConnection<'_>, run: Uuid, todos: &str, at: i64) -> TransactionResult<()> {
    db.run(WRITE_TODOS, &[&run, &todos, &at]).await.map(drop)
}

const OUTPUT: &str = "SELECT output FROM run_outputs WHERE run = $1 AND id = $2";

async fn output(db: &PgConnection<'_>, run: Uuid, id: Uuid) -> TransactionResult<Option<String>> {
    match db.row(OUTPUT, &[&run, &id]).await? {
        Some(row) => Ok(Some(unescape_nul(row.try_get(0)?))),
        None => Ok(None),
    }
}

const HAS_OUTPUT: &str = "SELECT EXISTS (SELECT 1 FROM run_outputs WHERE run = $1 AND id = $2)";

async fn has_output(db: &PgConnection<'_>, run: Uuid, id: Uuid) -> TransactionResult<bool> {
    Ok(db.one(HAS_OUTPUT, &[&run, &id]).await?.try_get(0)?)
}

const OUTPUT_BYTES: &str = "SELECT coalesce(sum(bytes), 0)::bigint FROM run_outputs WHERE run = $1";

async fn output_bytes(db: &PgConnection<'_>, run: Uuid) -> TransactionResult<i64> {
    Ok(db.one(OUTPUT_BYTES, &[&run]).await?.try_get(0)?)
}

const INSERT_OUTPUT: &str =
    "INSERT INTO run_outputs (run, id, output, bytes, created_at) VALUES ($1, $2, $3, $4, $5)";

async fn insert_output(db: &PgConnection<'_>, row: &OutputRow<'_>) -> TransactionResult<()> {
    let output = escape_nul(row.output);
    db.run(INSERT_OUTPUT, &[&row.run, &row.id, &output, &row.bytes, &row.created_at]).await.map(drop)
}

/// Runs with old data and no newer data.
const UNUSED: &str = "SELECT run FROM run_todos t WHERE t.updated_at < $1 AND NOT EXISTS (\
        SELECT 1 FROM run_outputs n WHERE n.run = t.run AND n.created_at >= $1) \
    UNION SELECT run FROM run_outputs o WHERE o.created_at < $1 AND NOT EXISTS (\
        SELECT 1 FROM run_outputs n WHERE n.run = o.run AND n.created_at >= $1) AND NOT EXISTS (\
        SELECT 1 FROM run_todos n WHERE n.run = o.run AND n.updated_at >= $1) \
    LIMIT $2";

async fn unused_runs(db: &PgConnection<'_>, before: i64, limit: usize) -> TransactionResult<Vec<Uuid>> {
    let rows = db.rows(UNUSED, &[&before, &saturating_column(limit)]).await?;
    rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
}

const WAITS: &str = "SELECT EXISTS (SELECT 1 FROM approvals a JOIN calls c ON c.id = a.call \
    WHERE a.state = 'pending' AND c.run_id = $1)";

async fn run_waits(db: &PgConnection<'_>, run: &str) -> TransactionResult<bool> {
    Ok(db.one(WAITS, &[&run]).await?.try_get(0)?)
}

const FORGET_TODOS: &str = "DELETE FROM run_todos WHERE run = $1";

const FORGET_OUTPUTS: &str = "DELETE FROM run_outputs WHERE run = $1";

async fn forget_run(db: &PgConnection<'_>, run: Uuid) -> TransactionResult<()> {
    db.run(FORGET_TODOS, &[&run]).await?;
    db.run(FORGET_OUTPUTS, &[&run]).await.map(drop)
}

operations! {
    impl RunTables for OpenTransaction<'_> {
        write_todos(run: Uuid, todos: &str, at: i64) -> () = write_todos;
        has_output(run: Uuid, id: Uuid) -> bool = has_output;
        output_bytes(run: Uuid) -> i64 = output_bytes;
        insert_output(row: &OutputRow<'_>) -> () = insert_output;
        unused_runs(before: i64, limit: usize) -> Vec<Uuid> = unused_runs;
        run_waits(run: &str) -> bool = run_waits;
        forget_run(run: Uuid) -> () = forget_run;
    }
}
