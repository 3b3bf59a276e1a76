//! Runs of pipelines.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, ToSql, params};
use sekisho_agent::PipelineRuns;
use sekisho_agent::pipelines::machine::PipelineChunk;
use sekisho_agent::pipelines::stored_runs::{
    NewStageRun, PipelineRequest, PipelineRunQuery, PipelineStep, StageStart, StoredPipelineChunk,
    StoredPipelineRequest, StoredPipelineRun,
};
use sekisho_agent::runs::RunCreation;
use sekisho_gate::ReplicaId;
use sekisho_gate::ledger::LedgerFuture;
use sekisho_gate::registered_records::CheckedRecord;
use uuid::Uuid;

use super::open_transaction::OpenTransaction;
use super::statement::run as run_statement;
use super::store::SqliteStore;
use super::transaction_impl::{operations, poll_ready};
use crate::encoding::{count_from_column, micros, saturating_column};
use crate::pipeline_runs::{
    PipelineRunRow, PipelineRunTables, add_request, create, start_stage, store, stored_chunk, stored_request,
    stored_run,
};
use crate::transaction_error::TransactionResult;

impl PipelineRuns for SqliteStore {
    fn create_pipeline_run(
        &self,
        run: StoredPipelineRun,
        chunks: Vec<PipelineChunk>,
        most_active: Option<u64>,
        record: CheckedRecord,
    ) -> LedgerFuture<'_, RunCreation> {
        let entries = vec![record.record().entry.clone()];
        self.record(entries, move |mut tx| poll_ready(create(&mut tx, &run, &chunks, most_active, &record)))
    }

    fn pipeline_run(&self, id: Uuid) -> LedgerFuture<'_, Option<StoredPipelineRun>> {
        self.read(move |db| run_row(db, id)?.as_ref().map(stored_run).transpose())
    }

    fn pipeline_runs(&self, query: PipelineRunQuery) -> LedgerFuture<'_, Vec<StoredPipelineRun>> {
        self.read(move |db| list(db, &query))
    }

    fn pipeline_chunks(
        &self,
        id: Uuid,
        after: u64,
        limit: usize,
    ) -> LedgerFuture<'_, Vec<StoredPipelineChunk>> {
        self.read(move |db| chunks(db, id, saturating_column(after), limit))
    }

    fn store_pipeline_step(&self, step: PipelineStep) -> LedgerFuture<'_, bool> {
        self.write(move |mut tx| poll_ready(store(&mut tx, &step)))
    }

    fn start_stage(&self, new: NewStageRun) -> LedgerFuture<'_, StageStart> {
        let entries = vec![new.record.record().entry.clone()];
        self.record(entries, move |mut tx| poll_ready(start_stage(&mut tx, &new)))
    }

    fn claim_pipeline_runs(
        &self,
        owner: ReplicaId,
        seen_before: Timestamp,
        limit: usize,
    ) -> LedgerFuture<'_, Vec<Uuid>> {
        self.write(move |db| claim(db, owner.0, micros(seen_before), limit))
    }

    fn request_of_pipeline_run(
        &self,
        id: Uuid,
        request: PipelineRequest,
        at: Timestamp,
    ) -> LedgerFuture<'_, bool> {
        self.write(move |mut tx| poll_ready(add_request(&mut tx, id, &request, micros(at))))
    }

    fn pipeline_requests(&self, owner: ReplicaId) -> LedgerFuture<'_, Vec<StoredPipelineRequest>> {
        self.read(move |db| requests(db, owner.0))
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

/// Looks at the active runs of all credentials, since one credential may have many runs that have ended.
const ACTIVE: &str = "SELECT count(*) FROM pipeline_runs WHERE works = 1 AND +credential = ?1";

fn active_runs(db: &Connection, credential: &str) -> TransactionResult<u64> {
    count_from_column(db.prepare_cached(ACTIVE)?.query_row([credential], |row| row.get(0))?)
}

const RUN: &str = select_runs!("id = ?1");

fn run_row(db: &Connection, id: Uuid) -> TransactionResult<Option<PipelineRunRow>> {
    Ok(db.prepare_cached(RUN)?.query_row([id], read_row).optional()?)
}

fn read_row(row: &Row<'_>) -> rusqlite::Result<PipelineRunRow> {
    Ok(PipelineRunRow {
        id: row.get(0)?,
        pipeline: row.get(1)?,
        credential: row.get(2)?,
        settings: row.get(3)?,
        state: row.get(4)?,
        version: row.get(5)?,
        chunks: row.get(6)?,
        owner: row.get(7)?,
        works: row.get(8)?,
        created_at: row.get(9)?,
        updated_at: row.get(10)?,
    })
}

/// Runs of one pipeline, of one credential, or of all. The further conditions do not use an index.
const LIST_BY_PIPELINE: &str = select_runs!(
    "pipeline = ?1 AND (?2 IS NULL OR credential = ?2) AND (?3 IS NULL OR works = ?3) \
    AND id < ?4 ORDER BY id DESC LIMIT ?5"
);
const LIST_BY_CREDENTIAL: &str = select_runs!(
    "?1 IS NULL AND credential = ?2 AND (?3 IS NULL OR works = ?3) AND id < ?4 ORDER BY id DESC LIMIT ?5"
);
const LIST_ALL: &str = select_runs!(
    "?1 IS NULL AND ?2 IS NULL AND (?3 IS NULL OR works = ?3) AND id < ?4 ORDER BY id DESC LIMIT ?5"
);

fn list(db: &Connection, query: &PipelineRunQuery) -> TransactionResult<Vec<StoredPipelineRun>> {
    let sql = match (&query.pipeline, &query.credential) {
        (Some(_), _) => LIST_BY_PIPELINE,
        (None, Some(_)) => LIST_BY_CREDENTIAL,
        (None, None) => LIST_ALL,
    };
    let (before, limit) = (query.before.unwrap_or(Uuid::max()), saturating_column(query.limit));
    let values: [&dyn ToSql; 5] = [&query.pipeline, &query.credential, &query.works, &before, &limit];
    let mut statement = db.prepare_cached(sql)?;
    let rows: Vec<PipelineRunRow> =
        statement.query_map(values, read_row)?.collect::<rusqlite::Result<_>>()?;
    rows.iter().map(stored_run).collect()
}

const INSERT: &str = "INSERT INTO pipeline_runs (id, pipeline, credential, settings, state, version, chunks, owner, works, \
    created_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";

fn insert_run(db: &Connection, row: &PipelineRunRow) -> TransactionResult<()> {
    let values = params![
        row.id,
        row.pipeline,
        row.credential,
        row.settings,
        row.state,
        row.version,
        row.chunks,
        row.owner,
        row.works,
        row.created_at,
        row.updated_at
    ];
    run_statement(db, INSERT, values).map(drop)
}

const UPDATE: &str = "UPDATE pipeline_runs SET state = ?2, version = ?3, chunks = ?4, works = ?5, updated_at = ?6 \
    WHERE id = ?1";

fn update_run(db: &Connection, row: &PipelineRunRow) -> TransactionResult<()> {
    let values = params![row.id, row.state, row.version, row.chunks, row.works, row.updated_at];
    run_statement(db, UPDATE, values).map(drop)
}

const INSERT_CHUNK: &str = "INSERT INTO pipeline_chunks (run, seq, body) VALUES (?1, ?2, ?3)";

fn insert_chunk(db: &Connection, run: Uuid, seq: i64, body: &str) -> TransactionResult<()> {
    run_statement(db, INSERT_CHUNK, params![run, seq, body]).map(drop)
}

const INSERT_REQUEST: &str = "INSERT INTO pipeline_requests (run, body, created_at) VALUES (?1, ?2, ?3)";

const WORKS: &str = "UPDATE pipeline_runs SET works = 1 WHERE id = ?1";

fn insert_request(db: &Connection, run: Uuid, body: &str, at: i64) -> TransactionResult<()> {
    run_statement(db, WORKS, [run])?;
    run_statement(db, INSERT_REQUEST, params![run, body, at]).map(drop)
}

const HAS_REQUESTS: &str = "SELECT EXISTS (SELECT 1 FROM pipeline_requests WHERE run = ?1)";

fn has_requests(db: &Connection, run: Uuid) -> TransactionResult<bool> {
    Ok(db.prepare_cached(HAS_REQUESTS)?.query_row([run], |row| row.get(0))?)
}

const DELETE_REQUEST: &str = "DELETE FROM pipeline_requests WHERE seq = ?1";

fn delete_request(db: &Connection, seq: i64) -> TransactionResult<()> {
    run_statement(db, DELETE_REQUEST, [seq]).map(drop)
}

const CHUNKS: &str =
    "SELECT seq, body FROM pipeline_chunks WHERE run = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3";

fn chunks(
    db: &Connection,
    run: Uuid,
    after: i64,
    limit: usize,
) -> TransactionResult<Vec<StoredPipelineChunk>> {
    let mut statement = db.prepare_cached(CHUNKS)?;
    let values = params![run, after, saturating_column(limit)];
    let rows = statement.query_map(values, |row| Ok((row.get(0)?, row.get(1)?)))?;
    let rows: Vec<(i64, String)> = rows.collect::<rusqlite::Result<_>>()?;
    rows.iter().map(|(seq, body)| stored_chunk(*seq, body)).collect()
}

/// Runs at work whose owner is not among the replicas that were seen since.
const CLAIM: &str = "UPDATE pipeline_runs SET owner = ?1 WHERE id IN (SELECT id FROM pipeline_runs WHERE works = 1 \
    AND owner IS NOT ?1 \
    AND NOT EXISTS (SELECT 1 FROM replicas r WHERE r.id = pipeline_runs.owner AND r.seen_at >= ?2) LIMIT ?3) RETURNING id";

fn claim(db: &Connection, owner: Uuid, seen_before: i64, limit: usize) -> TransactionResult<Vec<Uuid>> {
    let mut statement = db.prepare_cached(CLAIM)?;
    let claimed =
        statement.query_map(params![owner, seen_before, saturating_column(limit)], |row| row.get(0))?;
    Ok(claimed.collect::<rusqlite::Result<_>>()?)
}

const REQUESTS: &str = "SELECT q.seq, q.run, q.body FROM pipeline_requests q JOIN pipeline_runs r ON r.id = q.run \
    WHERE r.owner = ?1 ORDER BY q.seq";

fn requests(db: &Connection, owner: Uuid) -> TransactionResult<Vec<StoredPipelineRequest>> {
    let mut statement = db.prepare_cached(REQUESTS)?;
    let rows = statement.query_map([owner], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    let rows: Vec<(i64, Uuid, String)> = rows.collect::<rusqlite::Result<_>>()?;
    rows.iter().map(|(seq, run, body)| stored_request(*seq, *run, body)).collect()
}

operations! {
    impl PipelineRunTables for &OpenTransaction<'_> {
        active_pipeline_runs(credential: &str) -> u64 = active_runs;
        insert_pipeline_run(row: &PipelineRunRow) -> () = insert_run;
        pipeline_run_for_update(id: Uuid) -> Option<PipelineRunRow> = run_row;
        update_pipeline_run(row: &PipelineRunRow) -> () = update_run;
        insert_pipeline_chunk(run: Uuid, seq: i64, body: &str) -> () = insert_chunk;
        insert_pipeline_request(run: Uuid, body: &str, at: i64) -> () = insert_request;
        has_pipeline_requests(run: Uuid) -> bool = has_requests;
        delete_pipeline_request(seq: i64) -> () = delete_request;
    }
}

#[cfg(test)]
mod tests {
    use super::super::query_plan::assert_by_index;
    use super::*;

    #[test]
    fn frequent_statements_use_an_index() {
        assert_by_index(&[
            (LIST_BY_PIPELINE, "pipeline_runs_by_pipeline"),
            (LIST_BY_CREDENTIAL, "pipeline_runs_by_credential"),
            (LIST_ALL, "sqlite_autoindex_pipeline_runs_1"),
            (ACTIVE, "pipeline_runs_at_work"),
            (CLAIM, "pipeline_runs_at_work"),
            (HAS_REQUESTS, "pipeline_requests_by_run"),
            (CHUNKS, "sqlite_autoindex_pipeline_chunks_1"),
        ]);
    }
}
