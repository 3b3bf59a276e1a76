//! Purges what runs of agents said and did, once they have ended.
//!
//! A run keeps its row, its status and its numbers of messages and chunks. Its messages are replaced by a note, its
//! chunks by the same note and its end. The texts of its end go too, and so do the sub-agents that it made and the
//! prompts that they got. A run keeps everything while its tree, a question or a pipeline may still need it.

use jiff::Timestamp;
use sekisho_agent::conversation::Message;
use sekisho_agent::machine::{Chunk, FinishReason, Phase, RunState};
use sekisho_agent::model::ModelError;
use sekisho_agent::run_settings::RunSettings;
use sekisho_agent::run_trees::PARENT_ENDED;
use uuid::Uuid;

use crate::encoding::{micros_up, parsed, round_trip_json};
use crate::input_purge::still_read;
use crate::run_storage::RunTables;
use crate::runs::{RunRow, RunsTables};
use crate::transaction::TableFuture;
use crate::transaction_error::TransactionResult;

/// How many runs one transaction looks at.
const AT_ONCE: usize = 100;

/// What stands for the messages of a purged run.
const NOTE: &str = "The earlier messages of this run were purged.";

/// What stands for a text about the end of a purged run.
const PURGED: &str = "purged";

/// Operations on what runs of agents said and did.
pub(crate) trait RunPurgeTables: RunTables + RunsTables {
    /// Runs after an id that have more messages than the note, in order of their ids.
    fn runs_with_messages(&self, after: Uuid, limit: usize) -> impl TableFuture<Vec<Uuid>>;

    /// Whether a run of the tree has something to do, or was changed at this time or later.
    fn tree_is_used(&self, root: Uuid, since: i64) -> impl TableFuture<bool>;

    /// Whether a run of a pipeline that has something to do names this run.
    fn pipeline_names(&self, run: &str) -> impl TableFuture<bool>;

    /// Deletes the messages, the chunks and the sub-agents of a run.
    fn delete_contents(&self, run: Uuid) -> impl TableFuture<()>;

    /// Replaces what a run was started with.
    fn write_settings(&self, run: Uuid, settings: &str) -> impl TableFuture<()>;
}

/// Purges runs that ended before a time, among the next ones after an id. Returns the last one that was looked at;
/// `None` if there are no more.
pub(crate) async fn purge_runs(
    tables: &mut impl RunPurgeTables,
    before: Timestamp,
    after: Uuid,
) -> TransactionResult<Option<Uuid>> {
    let before = micros_up(still_read(before));
    let runs = tables.runs_with_messages(after, AT_ONCE).await?;
    for run in &runs {
        if let Some(row) = unneeded_run(tables, *run, before).await? {
            purge_run(tables, row).await?;
        }
    }
    Ok(runs.last().copied())
}

/// The run, if it ended before a time and nothing needs it. It is locked until the transaction ends.
async fn unneeded_run(
    tables: &impl RunPurgeTables,
    run: Uuid,
    before: i64,
) -> TransactionResult<Option<RunRow>> {
    let Some(row) = tables.run_for_update(run).await? else { return Ok(None) };
    let id = run.to_string();
    let is_needed = row.works
        || row.updated_at >= before
        || tables.tree_is_used(row.root.unwrap_or(row.id), before).await?
        || tables.run_waits(&id).await?
        || tables.pipeline_names(&id).await?;
    Ok((!is_needed).then_some(row))
}

async fn purge_run(tables: &impl RunPurgeTables, mut row: RunRow) -> TransactionResult<()> {
    let mut state: RunState = parsed(&row.state, "the state of the run")?;
    let Phase::Ended { reason, .. } = &mut state.phase else { return Ok(()) };
    *reason = without_texts(reason);
    let end = Chunk::Finished { reason: reason.clone(), usage: state.usage };
    state.queued.clear();
    row.state = round_trip_json(&state, "the state of the run")?;
    tables.delete_contents(row.id).await?;
    let note = Message::User { text: NOTE.into() };
    // The messages of a run are numbered from 1 on.
    tables.insert_message(row.id, 0, &round_trip_json(&note, "a message of the run")?).await?;
    let note = Chunk::UserMessage { text: NOTE.into() };
    // The numbers of the last chunks, so that whoever reads on after an earlier one finds them.
    for (chunk, seq) in [(note, row.chunks.saturating_sub(1)), (end, row.chunks)] {
        if seq > 0 {
            tables.insert_chunk(row.id, seq, &round_trip_json(&chunk, "a chunk of the run")?).await?;
        }
    }
    if row.parent.is_some() {
        let mut settings: RunSettings = parsed(&row.settings, "the settings of the run")?;
        settings.system = None;
        tables.write_settings(row.id, &round_trip_json(&settings, "the settings of the run")?).await?;
    }
    tables.update_run(&row).await
}

/// The same reason without texts that people, models or providers wrote.
fn without_texts(reason: &FinishReason) -> FinishReason {
    match reason {
        FinishReason::Aborted { why } if why != PARENT_ENDED => FinishReason::Aborted { why: PURGED.into() },
        FinishReason::Error { error } => {
            FinishReason::Error { error: ModelError { message: PURGED.into(), ..error.clone() } }
        }
        FinishReason::Other { .. } => FinishReason::Other { reason: PURGED.into() },
        other => other.clone(),
    }
}
