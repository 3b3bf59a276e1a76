//! Purges what runs of pipelines were started with and what they gave, once they have ended.
//!
//! A run keeps its row, its status, its tokens, and the names of its stages and agents. Its input, prompts, outputs and
//! reasons go, and so do its chunks, except one for its end. A failed run that is purged cannot be tried again.

use jiff::Timestamp;
use sekisho_agent::pipelines::machine::PipelineState;
use sekisho_agent::pipelines::stored_runs::PipelineRunSettings;
use uuid::Uuid;

use crate::encoding::{from_micros, micros_up, parsed, round_trip_json};
use crate::input_purge::still_read;
use crate::pipeline_runs::{PipelineRunRow, PipelineRunTables};
use crate::transaction::TableFuture;
use crate::transaction_error::TransactionResult;

/// How many runs one transaction looks at.
const AT_ONCE: usize = 100;

/// Operations on what runs of pipelines were started with and what they gave.
pub(crate) trait PipelinePurgeTables: PipelineRunTables {
    /// Runs of pipelines after an id that have their first chunk, in order of their ids.
    fn pipeline_runs_with_chunks(&self, after: Uuid, limit: usize) -> impl TableFuture<Vec<Uuid>>;

    fn delete_pipeline_chunks(&self, run: Uuid) -> impl TableFuture<()>;

    /// Replaces what a run of a pipeline was started with.
    fn write_pipeline_settings(&self, run: Uuid, settings: &str) -> impl TableFuture<()>;
}

/// Purges runs of pipelines that ended before a time, among the next ones after an id. Returns the last one that was
/// looked at; `None` if there are no more.
pub(crate) async fn purge_pipeline_runs(
    tables: &mut impl PipelinePurgeTables,
    before: Timestamp,
    after: Uuid,
) -> TransactionResult<Option<Uuid>> {
    let before = micros_up(still_read(before));
    let runs = tables.pipeline_runs_with_chunks(after, AT_ONCE).await?;
    for run in &runs {
        let row = tables.pipeline_run_for_update(*run).await?;
        if let Some(row) = row.filter(|row| !row.works && row.updated_at < before) {
            purge_run(tables, row).await?;
        }
    }
    Ok(runs.last().copied())
}

async fn purge_run(tables: &impl PipelinePurgeTables, mut row: PipelineRunRow) -> TransactionResult<()> {
    let mut state: PipelineState = parsed(&row.state, "the state of the pipeline run")?;
    let Some(end) = state.purge(from_micros(row.updated_at)?) else { return Ok(()) };
    row.state = round_trip_json(&state, "the state of the pipeline run")?;
    tables.delete_pipeline_chunks(row.id).await?;
    // The number of the last chunk, so that whoever reads on after an earlier one finds it.
    let end = round_trip_json(&end, "a chunk of the pipeline run")?;
    tables.insert_pipeline_chunk(row.id, row.chunks, &end).await?;
    let mut settings: PipelineRunSettings = parsed(&row.settings, "the settings of the pipeline run")?;
    settings.purge();
    let settings = round_trip_json(&settings, "the settings of the pipeline run")?;
    tables.write_pipeline_settings(row.id, &settings).await?;
    tables.update_pipeline_run(&row).await
}
