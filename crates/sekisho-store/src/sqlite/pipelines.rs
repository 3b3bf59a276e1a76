//! Pipelines.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, params};
use sekisho_agent::Pipelines;
use sekisho_agent::pipelines::definition::PipelineDefinition;
use sekisho_agent::pipelines::stored_pipelines::{Pipeline, PipelineChange};
use sekisho_gate::ledger::LedgerFuture;
use sekisho_gate::record::AuditEntry;
use sekisho_gate::registered_records::CheckedRecord;
use uuid::Uuid;

use super::open_transaction::OpenTransaction;
use super::statement::run;
use super::store::SqliteStore;
use super::transaction_impl::{operations, poll_ready};
use crate::encoding::micros;
use crate::pipelines::{PipelineRow, PipelineTables, create, delete, pipeline, update};
use crate::transaction_error::TransactionResult;

impl Pipelines for SqliteStore {
    fn create_pipeline(&self, pipeline: Pipeline, record: CheckedRecord) -> LedgerFuture<'_, PipelineChange> {
        self.record(entry(&record), move |mut tx| poll_ready(create(&mut tx, &pipeline, &record)))
    }

    fn update_pipeline(
        &self,
        id: Uuid,
        definition: PipelineDefinition,
        at: Timestamp,
        record: CheckedRecord,
    ) -> LedgerFuture<'_, PipelineChange> {
        self.record(entry(&record), move |mut tx| {
            poll_ready(update(&mut tx, id, &definition, micros(at), &record))
        })
    }

    fn delete_pipeline(&self, id: Uuid, record: CheckedRecord) -> LedgerFuture<'_, bool> {
        self.record(entry(&record), move |mut tx| poll_ready(delete(&mut tx, id, &record)))
    }

    fn pipeline(&self, id: Uuid) -> LedgerFuture<'_, Option<Pipeline>> {
        self.read(move |db| {
            let found = db.prepare_cached(BY_ID)?.query_row([id], read_row).optional()?;
            found.as_ref().map(pipeline).transpose()
        })
    }

    fn pipelines(&self) -> LedgerFuture<'_, Vec<Pipeline>> {
        self.read(all)
    }
}

fn entry(record: &CheckedRecord) -> Vec<AuditEntry> {
    vec![record.record().entry.clone()]
}

const BY_ID: &str = "SELECT id, name, definition, created_at, updated_at FROM pipelines WHERE id = ?1";

const ALL: &str =
    "SELECT id, name, definition, created_at, updated_at FROM pipelines ORDER BY created_at, id";

fn all(db: &Connection) -> TransactionResult<Vec<Pipeline>> {
    let mut statement = db.prepare_cached(ALL)?;
    let rows = statement.query_map([], read_row)?;
    rows.map(|row| pipeline(&row?)).collect()
}

fn read_row(row: &Row<'_>) -> rusqlite::Result<PipelineRow> {
    Ok(PipelineRow {
        id: row.get(0)?,
        name: row.get(1)?,
        definition: row.get(2)?,
        created_at: row.get(3)?,
        updated_at: row.get(4)?,
    })
}

const HAS: &str = "SELECT EXISTS (SELECT 1 FROM pipelines WHERE id = ?1)";

fn has_pipeline(db: &Connection, id: Uuid) -> TransactionResult<bool> {
    Ok(db.prepare_cached(HAS)?.query_row([id], |row| row.get(0))?)
}

const NAME_TAKEN: &str = "SELECT EXISTS (SELECT 1 FROM pipelines WHERE name = ?1 AND id <> ?2)";

fn is_name_taken(db: &Connection, name: &str, by_other_than: Uuid) -> TransactionResult<bool> {
    Ok(db.prepare_cached(NAME_TAKEN)?.query_row(params![name, by_other_than], |row| row.get(0))?)
}

const INSERT: &str =
    "INSERT INTO pipelines (id, name, definition, created_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?5)";

fn insert(db: &Connection, row: &PipelineRow) -> TransactionResult<()> {
    run(db, INSERT, params![row.id, row.name, row.definition, row.created_at, row.updated_at]).map(drop)
}

const UPDATE: &str = "UPDATE pipelines SET name = ?2, definition = ?3, updated_at = ?4 WHERE id = ?1";

fn write(db: &Connection, row: &PipelineRow) -> TransactionResult<()> {
    run(db, UPDATE, params![row.id, row.name, row.definition, row.updated_at]).map(drop)
}

const DELETE: &str = "DELETE FROM pipelines WHERE id = ?1";

fn remove(db: &Connection, id: Uuid) -> TransactionResult<bool> {
    Ok(run(db, DELETE, [id])? == 1)
}

operations! {
    impl PipelineTables for &OpenTransaction<'_> {
        has_pipeline(id: Uuid) -> bool = has_pipeline;
        is_pipeline_name_taken(name: &str, by_other_than: Uuid) -> bool = is_name_taken;
        insert_pipeline(row: &PipelineRow) -> () = insert;
        write_pipeline(row: &PipelineRow) -> () = write;
        remove_pipeline(id: Uuid) -> bool = remove;
    }
}
