//! Runs of the built-in agent: their states, messages, chunks and requests.

use sekisho_agent::machine::{Chunk, RunState, Step};
use sekisho_agent::run_settings::RunSettings;
use sekisho_agent::run_trees::PARENT_ENDED;
use sekisho_agent::runs::{
    RunCreation, RunRequest, StoredChunk, StoredMessage, StoredRequest, StoredRun, StoredStep,
};
use sekisho_gate::ReplicaId;
use uuid::Uuid;

use crate::encoding::{count_from_column, from_micros, micros, parsed, round_trip_json, saturating_column};
use crate::run_storage::RunTables;
use crate::transaction::{TableFuture, Transaction};
use crate::transaction_error::TransactionResult;

/// Reading messages or chunks stops after this many bytes.
pub(crate) const PAGE_BYTES: usize = 256 << 10;

/// A run as a row.
pub(crate) struct RunRow {
    pub(crate) id: Uuid,
    pub(crate) agent: Uuid,
    pub(crate) credential: String,
    pub(crate) settings: String,
    pub(crate) state: String,
    pub(crate) version: i64,
    /// How many messages and chunks it has.
    pub(crate) messages: i64,
    pub(crate) chunks: i64,
    pub(crate) owner: Option<Uuid>,
    /// Whether it has something to do, or a request to fulfil.
    pub(crate) works: bool,
    pub(crate) created_at: i64,
    pub(crate) updated_at: i64,
    /// The run that started it, and the first run of its tree.
    pub(crate) parent: Option<Uuid>,
    pub(crate) root: Option<Uuid>,
    /// What its next reply may take.
    pub(crate) reserved: Option<String>,
}

/// Operations on the tables of runs.
pub(crate) trait RunsTables: Transaction {
    /// How many runs of a credential have something to do.
    fn active_runs(&self, credential: &str) -> impl TableFuture<u64>;

    fn insert_run(&self, row: &RunRow) -> impl TableFuture<()>;

    /// The run, locked until the transaction ends.
    fn run_for_update(&self, id: Uuid) -> impl TableFuture<Option<RunRow>>;

    /// Writes the state, version, counts and times of a run.
    fn update_run(&self, row: &RunRow) -> impl TableFuture<()>;

    fn insert_message(&self, run: Uuid, seq: i64, body: &str) -> impl TableFuture<()>;

    fn insert_chunk(&self, run: Uuid, seq: i64, body: &str) -> impl TableFuture<()>;

    /// Stores a request, and that the run has something to do.
    fn insert_request(&self, run: Uuid, body: &str, at: i64) -> impl TableFuture<()>;

    fn has_requests(&self, run: Uuid) -> impl TableFuture<bool>;

    fn delete_request(&self, seq: i64) -> impl TableFuture<()>;

    /// The runs that a run started and that have something to do.
    fn working_children(&self, parent: Uuid) -> impl TableFuture<Vec<Uuid>>;

    /// The runs of a tree, in order of their ids.
    fn tree_rows(&self, root: Uuid) -> impl TableFuture<Vec<RunRow>>;

    /// All runs of a tree, and whether they have something to do.
    fn tree_work(&self, root: Uuid) -> impl TableFuture<Vec<(Uuid, bool)>>;

    /// Deletes a run with its messages, chunks and requests, and its id from the executions.
    fn delete_run(&self, id: Uuid) -> impl TableFuture<()>;
}

/// Stores a new run with its first step, unless its credential has this many active runs.
pub(crate) async fn create(
    tables: &mut impl RunsTables,
    run: &StoredRun,
    step: &Step,
    most_active: Option<u64>,
) -> TransactionResult<RunCreation> {
    if let Some(most) = most_active {
        let active = tables.active_runs(&run.settings.credential).await?;
        if active >= most {
            return Ok(RunCreation::TooMany { active });
        }
    }
    let mut row = RunRow {
        id: run.id,
        agent: run.settings.agent,
        credential: run.settings.credential.clone(),
        settings: round_trip_json(&run.settings, "the settings of the run")?,
        state: state_text(&run.state)?,
        version: 0,
        messages: 0,
        chunks: 0,
        owner: run.owner.map(|owner| owner.0),
        works: works(&run.state),
        created_at: micros(run.created_at),
        updated_at: micros(run.updated_at),
        parent: run.settings.parent_run(),
        root: Some(run.settings.root_run().unwrap_or(run.id)),
        reserved: None,
    };
    let (messages, chunks) = (row.messages, row.chunks);
    (row.messages, row.chunks) = counts_after(&row, step);
    tables.insert_run(&row).await?;
    append(tables, run.id, (messages, chunks), step).await?;
    Ok(RunCreation::Stored)
}

/// Stores a step, if the run still has its owner and version.
pub(crate) async fn store(tables: &mut impl RunsTables, step: &StoredStep) -> TransactionResult<bool> {
    let Some(mut row) = tables.run_for_update(step.run).await? else { return Ok(false) };
    let version = saturating_column(step.version);
    if row.owner != Some(step.owner.0) || row.version != version {
        return Ok(false);
    }
    let before = (row.messages, row.chunks);
    let ends = step.state.has_ended() && !parsed::<RunState>(&row.state, "the state of the run")?.has_ended();
    (row.messages, row.chunks) = counts_after(&row, &step.step);
    row.version = version.saturating_add(1);
    row.state = state_text(&step.state)?;
    row.updated_at = micros(step.at);
    if let Some(request) = step.request {
        tables.delete_request(saturating_column(request)).await?;
    }
    row.works = works(&step.state) || tables.has_requests(step.run).await?;
    tables.update_run(&row).await?;
    append(tables, step.run, before, &step.step).await?;
    if ends {
        end_children(tables, step.run, row.updated_at).await?;
    }
    if let Some(record) = &step.record {
        tables.append(record.record())?;
    }
    Ok(true)
}

/// Stores a request. Returns `false` if there is no such run.
pub(crate) async fn add_request(
    tables: &mut impl RunsTables,
    run: Uuid,
    request: &RunRequest,
    at: i64,
) -> TransactionResult<bool> {
    let exists = tables.run_for_update(run).await?.is_some();
    if exists {
        tables.insert_request(run, &round_trip_json(request, "the request")?, at).await?;
    }
    Ok(exists)
}

/// Asks the runs that a run started to end, because it has ended.
async fn end_children(tables: &impl RunsTables, parent: Uuid, at: i64) -> TransactionResult<()> {
    let request = RunRequest::Abort { why: PARENT_ENDED.into() };
    let body = round_trip_json(&request, "the request")?;
    for child in tables.working_children(parent).await? {
        tables.insert_request(child, &body, at).await?;
    }
    Ok(())
}

/// Deletes the first run of a tree that has nothing to do, the runs below it, and what their tools stored.
pub(crate) async fn delete(tables: &mut (impl RunsTables + RunTables), id: Uuid) -> TransactionResult<bool> {
    let is_first = tables.run_for_update(id).await?.is_some_and(|row| row.parent.is_none() && !row.works);
    let tree = tables.tree_work(id).await?;
    if !is_first || tree.iter().any(|(_, works)| *works) {
        return Ok(false);
    }
    for (run, _) in tree {
        RunsTables::delete_run(tables, run).await?;
        tables.forget_run(run).await?;
    }
    Ok(true)
}

/// Appends the messages and chunks of a step behind those that a run has.
async fn append(
    tables: &mut impl RunsTables,
    run: Uuid,
    (mut messages, mut chunks): (i64, i64),
    step: &Step,
) -> TransactionResult<()> {
    for message in &step.messages {
        messages += 1;
        tables.insert_message(run, messages, &round_trip_json(message, "a message of the run")?).await?;
    }
    for chunk in &step.chunks {
        chunks += 1;
        tables.insert_chunk(run, chunks, &round_trip_json(chunk, "a chunk of the run")?).await?;
    }
    Ok(())
}

fn counts_after(row: &RunRow, step: &Step) -> (i64, i64) {
    (
        row.messages.saturating_add(saturating_column(step.messages.len())),
        row.chunks.saturating_add(saturating_column(step.chunks.len())),
    )
}

fn state_text(state: &RunState) -> TransactionResult<String> {
    round_trip_json(state, "the state of the run")
}

fn works(state: &RunState) -> bool {
    !state.effects().is_empty()
}

/// A run from its row.
pub(crate) fn stored_run(row: &RunRow) -> TransactionResult<StoredRun> {
    Ok(StoredRun {
        id: row.id,
        settings: parsed::<RunSettings>(&row.settings, "the settings of the run")?,
        state: parsed::<RunState>(&row.state, "the state of the run")?,
        version: count_from_column(row.version)?,
        chunk_count: count_from_column(row.chunks)?,
        owner: row.owner.map(ReplicaId),
        created_at: from_micros(row.created_at)?,
        updated_at: from_micros(row.updated_at)?,
    })
}

/// A message from its row.
pub(crate) fn stored_message(seq: i64, body: &str) -> TransactionResult<StoredMessage> {
    Ok(StoredMessage { seq: count_from_column(seq)?, message: parsed(body, "a message of the run")? })
}

/// A chunk from its row.
pub(crate) fn stored_chunk(seq: i64, body: &str) -> TransactionResult<StoredChunk> {
    let chunk: Chunk = parsed(body, "a chunk of the run")?;
    Ok(StoredChunk { seq: count_from_column(seq)?, chunk })
}

/// A request from its row.
pub(crate) fn stored_request(seq: i64, run: Uuid, body: &str) -> TransactionResult<StoredRequest> {
    Ok(StoredRequest { seq: count_from_column(seq)?, run, request: parsed(body, "the request")? })
}
