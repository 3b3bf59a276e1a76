//! Runs of pipelines.

use jiff::Timestamp;
use sekisho_agent::PipelineRuns;
use sekisho_agent::pipelines::machine::PipelineChunk;
use sekisho_agent::pipelines::stored_runs::{
    NewStageRun, PipelineRequest, PipelineRunQuery, PipelineStep, StageStart, StoredPipelineChunk,
    StoredPipelineRequest, StoredPipelineRun,
};
use sekisho_agent::runs::RunCreation;
use sekisho_gate::ReplicaId;
use sekisho_gate::ledger::LedgerFuture;
use sekisho_gate::record::AuditEntry;
use sekisho_gate::registered_records::CheckedRecord;
use tokio_postgres::Row;
use uuid::Uuid;

use super::connection::PgConnection;
use super::nul_escape::{escape_nul, escape_nul_option, unescape_nul};
use super::open_transaction::OpenTransaction;
use super::store::PostgresStore;
use super::transaction_impl::operations;
use super::write_operation::{RUNS, WriteOperation, lock_of};
use crate::encoding::{count_from_column, micros, saturating_column};
use crate::pipeline_runs::{
    PipelineRunRow, PipelineRunTables, add_request, create, start_stage, store, stored_chunk, stored_request,
    stored_run,
};
use crate::transaction_error::TransactionResult;

impl PipelineRuns for PostgresStore {
    fn create_pipeline_run(
        &self,
        run: StoredPipelineRun,
        chunks: Vec<PipelineChunk>,
        most_active: Option<u64>,
        record: CheckedRecord,
    ) -> LedgerFuture<'_, RunCreation> {
        self.write(CreateRun { run, chunks, most_active, record })
    }

    fn pipeline_run(&self, id: Uuid) -> LedgerFuture<'_, Option<StoredPipelineRun>> {
        self.read(move |db| {
            Box::pin(async move {
                db.row(RUN, &[&id]).await?.as_ref().map(|row| stored_run(&read_row(row)?)).transpose()
            })
        })
    }

    fn pipeline_runs(&self, query: PipelineRunQuery) -> LedgerFuture<'_, Vec<StoredPipelineRun>> {
        self.read(move |db| Box::pin(async move { list(db, &query).await }))
    }

    fn pipeline_chunks(
        &self,
        id: Uuid,
        after: u64,
        limit: usize,
    ) -> LedgerFuture<'_, Vec<StoredPipelineChunk>> {
        self.read(move |db| Box::pin(chunks(db, id, saturating_column(after), limit)))
    }

    fn store_pipeline_step(&self, step: PipelineStep) -> LedgerFuture<'_, bool> {
        self.write(StoreStep(step))
    }

    fn start_stage(&self, new: NewStageRun) -> LedgerFuture<'_, StageStart> {
        self.write(StartStage(new))
    }

    fn claim_pipeline_runs(
        &self,
        owner: ReplicaId,
        seen_before: Timestamp,
        limit: usize,
    ) -> LedgerFuture<'_, Vec<Uuid>> {
        self.write(Claim { owner: owner.0, seen_before: micros(seen_before), limit })
    }

    fn request_of_pipeline_run(
        &self,
        id: Uuid,
        request: PipelineRequest,
        at: Timestamp,
    ) -> LedgerFuture<'_, bool> {
        self.write(AddRequest { id, request, at: micros(at) })
    }

    fn pipeline_requests(&self, owner: ReplicaId) -> LedgerFuture<'_, Vec<StoredPipelineRequest>> {
        self.read(move |db| Box::pin(requests(db, owner.0)))
    }
}

struct CreateRun {
    run: StoredPipelineRun,
    chunks: Vec<PipelineChunk>,
    most_active: Option<u64>,
    record: CheckedRecord,
}

impl WriteOperation for CreateRun {
    type Outcome = RunCreation;

    /// Two processes that start runs at once do not exceed the limit.
    fn locks(&self) -> Option<i64> {
        self.most_active.map(|_| RUNS)
    }

    fn known_entries(&self) -> Vec<AuditEntry> {
        vec![self.record.record().entry.clone()]
    }

    async fn run(&self, tx: &mut OpenTransaction<'_>) -> TransactionResult<RunCreation> {
        create(tx, &self.run, &self.chunks, self.most_active, &self.record).await
    }
}

struct StoreStep(PipelineStep);

impl WriteOperation for StoreStep {
    type Outcome = bool;

    fn locks(&self) -> Option<i64> {
        Some(lock_of(self.0.run))
    }

    async fn run(&self, tx: &mut OpenTransaction<'_>) -> TransactionResult<bool> {
        store(tx, &self.0).await
    }
}

/// Creates the run of a stage. Nothing else touches that run before it exists.
struct StartStage(NewStageRun);

impl WriteOperation for StartStage {
    type Outcome = StageStart;

    fn locks(&self) -> Option<i64> {
        Some(lock_of(self.0.pipeline_run))
    }

    fn known_entries(&self) -> Vec<AuditEntry> {
        vec![self.0.record.record().entry.clone()]
    }

    async fn run(&self, tx: &mut OpenTransaction<'_>) -> TransactionResult<StageStart> {
        start_stage(tx, &self.0).await
    }
}

/// Takes over runs of lost owners.
struct Claim {
    owner: Uuid,
    seen_before: i64,
    limit: usize,
}

impl WriteOperation for Claim {
    type Outcome = Vec<Uuid>;

    async fn run(&self, tx: &mut OpenTransaction<'_>) -> TransactionResult<Vec<Uuid>> {
        claim(&tx.db, self).await
    }
}

struct AddRequest {
    id: Uuid,
    request: PipelineRequest,
    at: i64,
}

impl WriteOperation for AddRequest {
    type Outcome = bool;

    fn locks(&self) -> Option<i64> {
        Some(lock_of(self.id))
    }

    async fn run(&self, tx: &mut OpenTransaction<'_>) -> TransactionResult<bool> {
        add_request(tx, self.id, &self.request, self.at).await
    }
}

/// A query of runs of pipelines that begins with the columns of [`read_row`].
macro_rules! select_runs {
    ($condition:literal) => {
        concat!(
            "SELECT id, pipeline, credential, settings, state, version, chunks, owner, works, created_at, updated_at ",
            "FROM pipeline_runs WHERE ",
            $condition
        )
    };
}

const ACTIVE: &str = "SELECT count(*) FROM pipeline_runs WHERE works AND credential = $1";

async fn active_runs(db: &PgConnection<'_>, credential: &str) -> TransactionResult<u64> {
    count_from_column(db.one(ACTIVE, &[&escape_nul(credential)]).await?.try_get(0)?)
}

const RUN: &str = select_runs!("id = $1");

const RUN_FOR_UPDATE: &str = select_runs!("id = $1 FOR UPDATE");

async fn run_for_update(db: &PgConnection<'_>, id: Uuid) -> TransactionResult<Option<PipelineRunRow>> {
    db.row(RUN_FOR_UPDATE, &[&id]).await?.as_ref().map(read_row).transpose()
}

fn read_row(row: &Row) -> TransactionResult<PipelineRunRow> {
    Ok(PipelineRunRow {
        id: row.try_get(0)?,
        pipeline: row.try_get(1)?,
        credential: unescape_nul(row.try_get(2)?),
        settings: row.try_get(3)?,
        state: row.try_get(4)?,
        version: row.try_get(5)?,
        chunks: row.try_get(6)?,
        owner: row.try_get(7)?,
        works: row.try_get(8)?,
        created_at: row.try_get(9)?,
        updated_at: row.try_get(10)?,
    })
}

const LIST: &str = select_runs!(
    "($1::uuid IS NULL OR pipeline = $1) AND ($2::text IS NULL OR credential = $2) \
    AND ($3::boolean IS NULL OR works = $3) AND id < $4 ORDER BY id DESC LIMIT $5"
);

async fn list(db: &PgConnection<'_>, query: &PipelineRunQuery) -> TransactionResult<Vec<StoredPipelineRun>> {
    let credential = escape_nul_option(query.credential.as_ref());
    let (before, limit) = (query.before.unwrap_or(Uuid::max()), saturating_column(query.limit));
    let rows = db.rows(LIST, &[&query.pipeline, &credential, &query.works, &before, &limit]).await?;
    rows.iter().map(|row| stored_run(&read_row(row)?)).collect()
}

const INSERT: &str = "INSERT INTO pipeline_runs (id, pipeline, credential, settings, state, version, chunks, owner, works, \
    created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";

async fn insert_run(db: &PgConnection<'_>, row: &PipelineRunRow) -> TransactionResult<()> {
    let credential = escape_nul(&row.credential);
    db.run(
        INSERT,
        &[
            &row.id,
            &row.pipeline,
            &credential,
            &row.settings,
            &row.state,
            &row.version,
            &row.chunks,
            &row.owner,
            &row.works,
            &row.created_at,
            &row.updated_at,
        ],
    )
    .await
    .map(drop)
}

const UPDATE: &str = "UPDATE pipeline_runs SET state = $2, version = $3, chunks = $4, works = $5, updated_at = $6 \
    WHERE id = $1";

async fn update_run(db: &PgConnection<'_>, row: &PipelineRunRow) -> TransactionResult<()> {
    db.run(UPDATE, &[&row.id, &row.state, &row.version, &row.chunks, &row.works, &row.updated_at])
        .await
        .map(drop)
}

const INSERT_CHUNK: &str = "INSERT INTO pipeline_chunks (run, seq, body) VALUES ($1, $2, $3)";

async fn insert_chunk(db: &PgConnection<'_>, run: Uuid, seq: i64, body: &str) -> TransactionResult<()> {
    db.run(INSERT_CHUNK, &[&run, &seq, &body]).await.map(drop)
}

const INSERT_REQUEST: &str = "INSERT INTO pipeline_requests (run, body, created_at) VALUES ($1, $2, $3)";

const WORKS: &str = "UPDATE pipeline_runs SET works = TRUE WHERE id = $1";

async fn insert_request(db: &PgConnection<'_>, run: Uuid, body: &str, at: i64) -> TransactionResult<()> {
    db.run(WORKS, &[&run]).await?;
    db.run(INSERT_REQUEST, &[&run, &body, &at]).await.map(drop)
}

const HAS_REQUESTS: &str = "SELECT EXISTS (SELECT 1 FROM pipeline_requests WHERE run = $1)";

async fn has_requests(db: &PgConnection<'_>, run: Uuid) -> TransactionResult<bool> {
    Ok(db.one(HAS_REQUESTS, &[&run]).await?.try_get(0)?)
}

const DELETE_REQUEST: &str = "DELETE FROM pipeline_requests WHERE seq = $1";

async fn delete_request(db: &PgConnection<'_>, seq: i64) -> TransactionResult<()> {
    db.run(DELETE_REQUEST, &[&seq]).await.map(drop)
}

const CHUNKS: &str =
    "SELECT seq, body FROM pipeline_chunks WHERE run = $1 AND seq > $2 ORDER BY seq LIMIT $3";

async fn chunks(
    db: &PgConnection<'_>,
    run: Uuid,
    after: i64,
    limit: usize,
) -> TransactionResult<Vec<StoredPipelineChunk>> {
    let rows = db.rows(CHUNKS, &[&run, &after, &saturating_column(limit)]).await?;
    rows.iter().map(|row| stored_chunk(row.try_get(0)?, row.try_get(1)?)).collect()
}

/// Runs at work whose owner is not among the replicas that were seen since. Two replicas never claim the same run.
const CLAIM: &str = "UPDATE pipeline_runs SET owner = $1 WHERE id IN (SELECT id FROM pipeline_runs u WHERE works \
    AND owner IS DISTINCT FROM $1 \
    AND NOT EXISTS (SELECT 1 FROM replicas r WHERE r.id = u.owner AND r.seen_at >= $2) \
    LIMIT $3 FOR UPDATE SKIP LOCKED) RETURNING id";

async fn claim(db: &PgConnection<'_>, claim: &Claim) -> TransactionResult<Vec<Uuid>> {
    let rows = db.rows(CLAIM, &[&claim.owner, &claim.seen_before, &saturating_column(claim.limit)]).await?;
    rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
}

const REQUESTS: &str = "SELECT q.seq, q.run, q.body FROM pipeline_requests q JOIN pipeline_runs r ON r.id = q.run \
    WHERE r.owner = $1 ORDER BY q.seq";

async fn requests(db: &PgConnection<'_>, owner: Uuid) -> TransactionResult<Vec<StoredPipelineRequest>> {
    let rows = db.rows(REQUESTS, &[&owner]).await?;
    rows.iter().map(|row| stored_request(row.try_get(0)?, row.try_get(1)?, row.try_get(2)?)).collect()
}

operations! {
    impl PipelineRunTables for OpenTransaction<'_> {
        active_pipeline_runs(credential: &str) -> u64 = active_runs;
        insert_pipeline_run(row: &PipelineRunRow) -> () = insert_run;
        pipeline_run_for_update(id: Uuid) -> Option<PipelineRunRow> = run_for_update;
        update_pipeline_run(row: &PipelineRunRow) -> () = update_run;
        insert_pipeline_chunk(run: Uuid, seq: i64, body: &str) -> () = insert_chunk;
        insert_pipeline_request(run: Uuid, body: &str, at: i64) -> () = insert_request;
        has_pipeline_requests(run: Uuid) -> bool = has_requests;
        delete_pipeline_request(seq: i64) -> () = delete_request;
    }
}
