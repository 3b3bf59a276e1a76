//! Pipelines.

use sekisho_agent::pipelines::definition::PipelineDefinition;
use sekisho_agent::pipelines::stored_pipelines::{Pipeline, PipelineChange};
use sekisho_gate::registered_records::CheckedRecord;
use uuid::Uuid;

use crate::encoding::{from_micros, micros, parsed, round_trip_json};
use crate::transaction::{TableFuture, Transaction};
use crate::transaction_error::TransactionResult;

/// A pipeline as a row.
pub(crate) struct PipelineRow {
    pub(crate) id: Uuid,
    pub(crate) name: String,
    pub(crate) definition: String,
    pub(crate) created_at: i64,
    pub(crate) updated_at: i64,
}

/// Operations on `pipelines`.
pub(crate) trait PipelineTables: Transaction {
    fn has_pipeline(&self, id: Uuid) -> impl TableFuture<bool>;

    /// Whether a pipeline other than this one has the name.
    fn is_pipeline_name_taken(&self, name: &str, by_other_than: Uuid) -> impl TableFuture<bool>;

    fn insert_pipeline(&self, row: &PipelineRow) -> impl TableFuture<()>;

    /// Writes the name, the definition and the time of the change.
    fn write_pipeline(&self, row: &PipelineRow) -> impl TableFuture<()>;

    /// Returns whether there was such a pipeline.
    fn remove_pipeline(&self, id: Uuid) -> impl TableFuture<bool>;
}

/// Stores a new pipeline, if its name is free.
pub(crate) async fn create(
    tables: &mut impl PipelineTables,
    pipeline: &Pipeline,
    record: &CheckedRecord,
) -> TransactionResult<PipelineChange> {
    if tables.is_pipeline_name_taken(&pipeline.definition.name, pipeline.id).await? {
        return Ok(PipelineChange::NameTaken);
    }
    let (created_at, updated_at) = (micros(pipeline.created_at), micros(pipeline.updated_at));
    let row = row_of(pipeline.id, &pipeline.definition, created_at, updated_at)?;
    tables.insert_pipeline(&row).await?;
    tables.append(record.record())?;
    Ok(PipelineChange::Stored)
}

/// Replaces the definition of a pipeline, if its name is free.
pub(crate) async fn update(
    tables: &mut impl PipelineTables,
    id: Uuid,
    definition: &PipelineDefinition,
    at: i64,
    record: &CheckedRecord,
) -> TransactionResult<PipelineChange> {
    if !tables.has_pipeline(id).await? {
        return Ok(PipelineChange::NotFound);
    }
    if tables.is_pipeline_name_taken(&definition.name, id).await? {
        return Ok(PipelineChange::NameTaken);
    }
    tables.write_pipeline(&row_of(id, definition, at, at)?).await?;
    tables.append(record.record())?;
    Ok(PipelineChange::Stored)
}

/// Deletes a pipeline. Returns `false` if there is no such pipeline.
pub(crate) async fn delete(
    tables: &mut impl PipelineTables,
    id: Uuid,
    record: &CheckedRecord,
) -> TransactionResult<bool> {
    let existed = tables.remove_pipeline(id).await?;
    if existed {
        tables.append(record.record())?;
    }
    Ok(existed)
}

fn row_of(
    id: Uuid,
    definition: &PipelineDefinition,
    created_at: i64,
    updated_at: i64,
) -> TransactionResult<PipelineRow> {
    let name = definition.name.clone();
    let definition = round_trip_json(definition, "the definition of the pipeline")?;
    Ok(PipelineRow { id, name, definition, created_at, updated_at })
}

/// A pipeline from its row.
pub(crate) fn pipeline(row: &PipelineRow) -> TransactionResult<Pipeline> {
    Ok(Pipeline {
        id: row.id,
        definition: parsed(&row.definition, "the definition of the pipeline")?,
        created_at: from_micros(row.created_at)?,
        updated_at: from_micros(row.updated_at)?,
    })
}
