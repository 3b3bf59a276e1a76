//! The port to the store of pipelines.

use jiff::Timestamp;
use sekisho_gate::ledger::LedgerFuture;
use sekisho_gate::registered_records::CheckedRecord;
use uuid::Uuid;

use super::definition::PipelineDefinition;

/// A pipeline as it is stored.
#[derive(Clone, Debug, PartialEq)]
pub struct Pipeline {
    /// Its id.
    pub id: Uuid,
    /// What an admin can change.
    pub definition: PipelineDefinition,
    /// When it was created.
    pub created_at: Timestamp,
    /// When its definition was last changed.
    pub updated_at: Timestamp,
}

/// What became of a change of a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum PipelineChange {
    /// It is stored.
    Stored,
    /// There is no pipeline with this id.
    NotFound,
    /// Another pipeline has this name. Nothing was stored.
    NameTaken,
}

/// Stores pipelines. Everything is durable once the future returns. Every change is stored together with its audit record,
/// or not at all; what changes nothing is not recorded.
pub trait Pipelines: Send + Sync {
    /// Stores a new pipeline.
    fn create_pipeline(&self, pipeline: Pipeline, record: CheckedRecord) -> LedgerFuture<'_, PipelineChange>;

    /// Replaces the definition of a pipeline. Its runs keep the one that they were started with.
    fn update_pipeline(
        &self,
        id: Uuid,
        definition: PipelineDefinition,
        at: Timestamp,
        record: CheckedRecord,
    ) -> LedgerFuture<'_, PipelineChange>;

    /// Deletes a pipeline. Its runs stay. Returns `false` if there is no such pipeline.
    fn delete_pipeline(&self, id: Uuid, record: CheckedRecord) -> LedgerFuture<'_, bool>;

    /// A pipeline.
    fn pipeline(&self, id: Uuid) -> LedgerFuture<'_, Option<Pipeline>>;

    /// All pipelines, in order of creation.
    fn pipelines(&self) -> LedgerFuture<'_, Vec<Pipeline>>;
}
