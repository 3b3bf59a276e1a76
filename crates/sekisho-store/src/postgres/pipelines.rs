//! Pipelines.

use jiff::Timestamp;
use sekisho_agent::Pipelines;
use sekisho_agent::pipelines::definition::PipelineDefinition;
use sekisho_agent::pipelines::stored_pipelines::{Pipeline, PipelineChange};
use sekisho_gate::ledger::LedgerFuture;
use sekisho_gate::record::AuditEntry;
use sekisho_gate::registered_records::CheckedRecord;
use tokio_postgres::Row;
use uuid::Uuid;

use super::connection::PgConnection;
use super::nul_escape::{escape_nul, unescape_nul};
use super::open_transaction::OpenTransaction;
use super::store::PostgresStore;
use super::transaction_impl::operations;
use super::write_operation::{PIPELINES, WriteOperation};
use crate::encoding::micros;
use crate::pipelines::{PipelineRow, PipelineTables, create, delete, pipeline, update};
use crate::transaction_error::TransactionResult;

impl Pipelines for PostgresStore {
    fn create_pipeline(&self, pipeline: Pipeline, record: CheckedRecord) -> LedgerFuture<'_, PipelineChange> {
        self.write(CreatePipeline { pipeline, record })
    }

    fn update_pipeline(
        &self,
        id: Uuid,
        definition: PipelineDefinition,
        at: Timestamp,
        record: CheckedRecord,
    ) -> LedgerFuture<'_, PipelineChange> {
        self.write(UpdatePipeline { id, definition, at: micros(at), record })
    }

    fn delete_pipeline(&self, id: Uuid, record: CheckedRecord) -> LedgerFuture<'_, bool> {
        self.write(DeletePipeline { id, record })
    }

    fn pipeline(&self, id: Uuid) -> LedgerFuture<'_, Option<Pipeline>> {
        self.read(move |db| {
            Box::pin(async move { db.row(BY_ID, &[&id]).await?.as_ref().map(read_row).transpose() })
        })
    }

    fn pipelines(&self) -> LedgerFuture<'_, Vec<Pipeline>> {
        self.read(|db| Box::pin(async move { db.rows(ALL, &[]).await?.iter().map(read_row).collect() }))
    }
}

fn entry(record: &CheckedRecord) -> Vec<AuditEntry> {
    vec![record.record().entry.clone()]
}

struct CreatePipeline {
    pipeline: Pipeline,
    record: CheckedRecord,
}

impl WriteOperation for CreatePipeline {
    type Outcome = PipelineChange;

    fn locks(&self) -> Option<i64> {
        Some(PIPELINES)
    }

    fn known_entries(&self) -> Vec<AuditEntry> {
        entry(&self.record)
    }

    async fn run(&self, tx: &mut OpenTransaction<'_>) -> TransactionResult<PipelineChange> {
        create(tx, &self.pipeline, &self.record).await
    }
}

struct UpdatePipeline {
    id: Uuid,
    definition: PipelineDefinition,
    at: i64,
    record: CheckedRecord,
}

impl WriteOperation for UpdatePipeline {
    type Outcome = PipelineChange;

    fn locks(&self) -> Option<i64> {
        Some(PIPELINES)
    }

    fn known_entries(&self) -> Vec<AuditEntry> {
        entry(&self.record)
    }

    async fn run(&self, tx: &mut OpenTransaction<'_>) -> TransactionResult<PipelineChange> {
        update(tx, self.id, &self.definition, self.at, &self.record).await
    }
}

struct DeletePipeline {
    id: Uuid,
    record: CheckedRecord,
}

impl WriteOperation for DeletePipeline {
    type Outcome = bool;

    fn locks(&self) -> Option<i64> {
        Some(PIPELINES)
    }

    fn known_entries(&self) -> Vec<AuditEntry> {
        entry(&self.record)
    }

    async fn run(&self, tx: &mut OpenTransaction<'_>) -> TransactionResult<bool> {
        delete(tx, self.id, &self.record).await
    }
}

const BY_ID: &str = "SELECT id, name, definition, created_at, updated_at FROM pipelines WHERE id = $1";

const ALL: &str =
    "SELECT id, name, definition, created_at, updated_at FROM pipelines ORDER BY created_at, id";

fn read_row(row: &Row) -> TransactionResult<Pipeline> {
    pipeline(&PipelineRow {
        id: row.try_get(0)?,
        name: unescape_nul(row.try_get(1)?),
        definition: row.try_get(2)?,
        created_at: row.try_get(3)?,
        updated_at: row.try_get(4)?,
    })
}

const HAS: &str = "SELECT EXISTS (SELECT 1 FROM pipelines WHERE id = $1)";

async fn has_pipeline(db: &PgConnection<'_>, id: Uuid) -> TransactionResult<bool> {
    Ok(db.one(HAS, &[&id]).await?.try_get(0)?)
}

const NAME_TAKEN: &str = "SELECT EXISTS (SELECT 1 FROM pipelines WHERE name = $1 AND id <> $2)";

async fn is_name_taken(db: &PgConnection<'_>, name: &str, by_other_than: Uuid) -> TransactionResult<bool> {
    Ok(db.one(NAME_TAKEN, &[&escape_nul(name), &by_other_than]).await?.try_get(0)?)
}

const INSERT: &str =
    "INSERT INTO pipelines (id, name, definition, created_at, updated_at) VALUES ($1, $2, $3, $4, $5)";

async fn insert(db: &PgConnection<'_>, row: &PipelineRow) -> TransactionResult<()> {
    let name = escape_nul(&row.name);
    db.run(INSERT, &[&row.id, &name, &row.definition, &row.created_at, &row.updated_at]).await.map(drop)
}

const UPDATE: &str = "UPDATE pipelines SET name = $2, definition = $3, updated_at = $4 WHERE id = $1";

async fn write(db: &PgConnection<'_>, row: &PipelineRow) -> TransactionResult<()> {
    db.run(UPDATE, &[&row.id, &escape_nul(&row.name), &row.definition, &row.updated_at]).await.map(drop)
}

const DELETE: &str = "DELETE FROM pipelines WHERE id = $1";

async fn remove(db: &PgConnection<'_>, id: Uuid) -> TransactionResult<bool> {
    Ok(db.run(DELETE, &[&id]).await? == 1)
}

operations! {
    impl PipelineTables for OpenTransaction<'_> {
        has_pipeline(id: Uuid) -> bool = has_pipeline;
        is_pipeline_name_taken(name: &str, by_other_than: Uuid) -> bool = is_name_taken;
        insert_pipeline(row: &PipelineRow) -> () = insert;
        write_pipeline(row: &PipelineRow) -> () = write;
        remove_pipeline(id: Uuid) -> bool = remove;
    }
}
