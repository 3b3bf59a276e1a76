//! Runs of pipelines: their states, chunks and requests, and the start of the runs of their stages.

use sekisho_agent::pipelines::machine::{PipelineChunk, PipelineState};
use sekisho_agent::pipelines::stored_runs::{
    NewStageRun, PipelineRequest, PipelineStep, StageStart, StoredPipelineChunk, StoredPipelineRequest,
    StoredPipelineRun,
};
use sekisho_agent::runs::RunCreation;
use sekisho_gate::ReplicaId;
use sekisho_gate::registered_records::CheckedRecord;
use uuid::Uuid;

use crate::encoding::{count_from_column, from_micros, micros, parsed, round_trip_json, saturating_column};
use crate::runs::{self, RunsTables};
use crate::transaction::{TableFuture, Transaction};
use crate::transaction_error::TransactionResult;

/// A run of a pipeline as a row.
pub(crate) struct PipelineRunRow {
    pub(crate) id: Uuid,
    pub(crate) pipeline: Option<Uuid>,
    pub(crate) credential: String,
    pub(crate) settings: String,
    pub(crate) state: String,
    pub(crate) version: i64,
    /// How many chunks it has.
    pub(crate) chunks: i64,
    pub(crate) owner: Option<Uuid>,
    /// Whether it has something to do, or a request to fulfil.
    pub(crate) works: bool,
    pub(crate) created_at: i64,
    pub(crate) updated_at: i64,
}

/// Operations on the tables of runs of pipelines.
pub(crate) trait PipelineRunTables: RunsTables + Transaction {
    /// How many runs of pipelines of a credential have something to do.
    fn active_pipeline_runs(&self, credential: &str) -> impl TableFuture<u64>;

    fn insert_pipeline_run(&self, row: &PipelineRunRow) -> impl TableFuture<()>;

    /// The run of a pipeline, locked until the transaction ends.
    fn pipeline_run_for_update(&self, id: Uuid) -> impl TableFuture<Option<PipelineRunRow>>;

    /// Writes the state, version, count and times of a run.
    fn update_pipeline_run(&self, row: &PipelineRunRow) -> impl TableFuture<()>;

    fn insert_pipeline_chunk(&self, run: Uuid, seq: i64, body: &str) -> impl TableFuture<()>;

    /// Stores a request, and that the run has something to do.
    fn insert_pipeline_request(&self, run: Uuid, body: &str, at: i64) -> impl TableFuture<()>;

    fn has_pipeline_requests(&self, run: Uuid) -> impl TableFuture<bool>;

    fn delete_pipeline_request(&self, seq: i64) -> impl TableFuture<()>;
}

/// Stores a new run of a pipeline, unless its credential has this many active runs.
pub(crate) async fn create(
    tables: &mut impl PipelineRunTables,
    run: &StoredPipelineRun,
    chunks: &[PipelineChunk],
    most_active: Option<u64>,
    record: &CheckedRecord,
) -> TransactionResult<RunCreation> {
    let credential = &run.settings.credential;
    if let Some(most) = most_active {
        let of_agents = tables.active_runs(credential).await?;
        let active = of_agents.saturating_add(tables.active_pipeline_runs(credential).await?);
        if active >= most {
            return Ok(RunCreation::TooMany { active });
        }
    }
    let row = PipelineRunRow {
        id: run.id,
        pipeline: run.settings.pipeline,
        credential: credential.clone(),
        settings: round_trip_json(&run.settings, "the settings of the pipeline run")?,
        state: state_text(&run.state)?,
        version: 0,
        chunks: saturating_column(chunks.len()),
        owner: run.owner.map(|owner| owner.0),
        works: works(&run.state),
        created_at: micros(run.created_at),
        updated_at: micros(run.updated_at),
    };
    tables.insert_pipeline_run(&row).await?;
    append(tables, run.id, 0, chunks).await?;
    Transaction::append(tables, record.record())?;
    Ok(RunCreation::Stored)
}

/// Stores a step, if the run still has its owner and version.
pub(crate) async fn store(
    tables: &mut impl PipelineRunTables,
    step: &PipelineStep,
) -> TransactionResult<bool> {
    let Some(mut row) = current(tables, step.run, step.owner, step.version).await? else { return Ok(false) };
    let before = row.chunks;
    row.chunks = before.saturating_add(saturating_column(step.chunks.len()));
    row.version = row.version.saturating_add(1);
    row.state = state_text(&step.state)?;
    row.updated_at = micros(step.at);
    if let Some(request) = step.request {
        tables.delete_pipeline_request(saturating_column(request)).await?;
    }
    row.works = works(&step.state) || tables.has_pipeline_requests(step.run).await?;
    tables.update_pipeline_run(&row).await?;
    append(tables, step.run, before, &step.chunks).await?;
    Ok(true)
}

/// Stores the run of a stage once, if the run of its pipeline still has its owner and version.
pub(crate) async fn start_stage(
    tables: &mut impl PipelineRunTables,
    new: &NewStageRun,
) -> TransactionResult<StageStart> {
    if current(tables, new.pipeline_run, new.owner, new.version).await?.is_none() {
        return Ok(StageStart::Lost);
    }
    if let Some(found) = tables.run_for_update(new.run.id).await? {
        let is_same = runs::stored_run(&found)?.settings.is_same_start(&new.run.settings);
        return Ok(if is_same { StageStart::Exists } else { StageStart::Taken });
    }
    // The run of the pipeline counted for the limit when it was started.
    match runs::create(tables, &new.run, &new.step, None).await? {
        RunCreation::Stored => {}
        RunCreation::TooMany { .. } => return Ok(StageStart::Lost),
    }
    Transaction::append(tables, new.record.record())?;
    Ok(StageStart::Started)
}

/// Stores a request. Returns `false` if there is no such run.
pub(crate) async fn add_request(
    tables: &mut impl PipelineRunTables,
    run: Uuid,
    request: &PipelineRequest,
    at: i64,
) -> TransactionResult<bool> {
    let exists = tables.pipeline_run_for_update(run).await?.is_some();
    if exists {
        tables.insert_pipeline_request(run, &round_trip_json(request, "the request")?, at).await?;
    }
    Ok(exists)
}

/// The run of a pipeline, if it has this owner and version.
async fn current(
    tables: &mut impl PipelineRunTables,
    run: Uuid,
    owner: ReplicaId,
    version: u64,
) -> TransactionResult<Option<PipelineRunRow>> {
    let row = tables.pipeline_run_for_update(run).await?;
    Ok(row.filter(|row| row.owner == Some(owner.0) && row.version == saturating_column(version)))
}

/// Appends chunks behind those that a run has.
async fn append(
    tables: &mut impl PipelineRunTables,
    run: Uuid,
    mut seq: i64,
    chunks: &[PipelineChunk],
) -> TransactionResult<()> {
    for chunk in chunks {
        seq += 1;
        tables
            .insert_pipeline_chunk(run, seq, &round_trip_json(chunk, "a chunk of the pipeline run")?)
            .await?;
    }
    Ok(())
}

fn state_text(state: &PipelineState) -> TransactionResult<String> {
    round_trip_json(state, "the state of the pipeline run")
}

fn works(state: &PipelineState) -> bool {
    state.effect().is_some()
}

/// A run of a pipeline from its row.
pub(crate) fn stored_run(row: &PipelineRunRow) -> TransactionResult<StoredPipelineRun> {
    Ok(StoredPipelineRun {
        id: row.id,
        settings: parsed(&row.settings, "the settings of the pipeline run")?,
        state: parsed(&row.state, "the state of the pipeline run")?,
        version: count_from_column(row.version)?,
        chunk_count: count_from_column(row.chunks)?,
        owner: row.owner.map(ReplicaId),
        created_at: from_micros(row.created_at)?,
        updated_at: from_micros(row.updated_at)?,
    })
}

/// A chunk from its row.
pub(crate) fn stored_chunk(seq: i64, body: &str) -> TransactionResult<StoredPipelineChunk> {
    let chunk = parsed(body, "a chunk of the pipeline run")?;
    Ok(StoredPipelineChunk { seq: count_from_column(seq)?, chunk })
}

/// A request from its row.
pub(crate) fn stored_request(seq: i64, run: Uuid, body: &str) -> TransactionResult<StoredPipelineRequest> {
    Ok(StoredPipelineRequest { seq: count_from_column(seq)?, run, request: parsed(body, "the request")? })
}
