//! What runs keep for their tools: to-do lists and large outputs.

use sekisho_tools::run_storage::{RunOutput, Todo};
use uuid::Uuid;

use crate::encoding::{json, micros, saturating_column};
use crate::transaction::TableFuture;
use crate::transaction_error::TransactionResult;

/// How many runs one transaction deletes.
const AT_ONCE: usize = 100;

/// An output as a row.
pub(crate) struct OutputRow<'a> {
    pub(crate) run: Uuid,
    pub(crate) id: Uuid,
    pub(crate) output: &'a str,
    pub(crate) bytes: i64,
    pub(crate) created_at: i64,
}

/// Operations on `run_todos` and `run_outputs`.
pub(crate) trait RunTables {
    /// Replaces the to-do list of a run.
    fn write_todos(&self, run: Uuid, todos: &str, at: i64) -> impl TableFuture<()>;

    /// Whether the run has an output with this id.
    fn has_output(&self, run: Uuid, id: Uuid) -> impl TableFuture<bool>;

    /// The bytes of all outputs of a run.
    fn output_bytes(&self, run: Uuid) -> impl TableFuture<i64>;

    fn insert_output(&self, row: &OutputRow<'_>) -> impl TableFuture<()>;

    /// Runs whose data was last changed before a time.
    fn unused_runs(&self, before: i64, limit: usize) -> impl TableFuture<Vec<Uuid>>;

    /// Whether a question of the run is open.
    fn run_waits(&self, run: &str) -> impl TableFuture<bool>;

    /// Deletes the data of a run.
    fn forget_run(&self, run: Uuid) -> impl TableFuture<()>;
}

/// A to-do list as it is stored.
pub(crate) fn todos_text(todos: &[Todo]) -> TransactionResult<String> {
    json(&todos, "the to-do list")
}

/// Stores an output, unless it is stored already or there is no room for it.
pub(crate) async fn keep_output(
    tables: &mut impl RunTables,
    output: &RunOutput,
    most_bytes: usize,
) -> TransactionResult<bool> {
    if tables.has_output(output.run, output.id).await? {
        return Ok(true);
    }
    let bytes = saturating_column(output.text.len());
    let stored = tables.output_bytes(output.run).await?;
    if stored.saturating_add(bytes) > saturating_column(most_bytes) {
        return Ok(false);
    }
    let created_at = micros(output.at);
    let row = OutputRow { run: output.run, id: output.id, output: &output.text, bytes, created_at };
    tables.insert_output(&row).await?;
    Ok(true)
}

/// Deletes the data of runs that have not used it since a time. A run with an open question keeps it.
pub(crate) async fn forget_unused(tables: &mut impl RunTables, before: i64) -> TransactionResult<()> {
    for run in tables.unused_runs(before, AT_ONCE).await? {
        if !tables.run_waits(&run.to_string()).await? {
            tables.forget_run(run).await?;
        }
    }
    Ok(())
}
