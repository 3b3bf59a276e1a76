//! Purges what runs of pipelines were started with and what they gave.

use jiff::Timestamp;
use uuid::Uuid;

use super::connection::PgConnection;
use super::open_transaction::OpenTransaction;
use super::transaction_impl::operations;
use super::write_operation::{PRUNING, WriteOperation};
use crate::encoding::saturating_column;
use crate::pipeline_run_purge::{PipelinePurgeTables, purge_pipeline_runs};
use crate::transaction_error::TransactionResult;

const WITH_CHUNKS: &str = "SELECT run FROM pipeline_chunks WHERE run > $1 AND seq = 1 ORDER BY run LIMIT $2";

async fn runs_with_chunks(db: &PgConnection<'_>, after: Uuid, limit: usize) -> TransactionResult<Vec<Uuid>> {
    let rows = db.rows(WITH_CHUNKS, &[&after, &saturating_column(limit)]).await?;
    rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
}

const DELETE_CHUNKS: &str = "DELETE FROM pipeline_chunks WHERE run = $1";

async fn delete_chunks(db: &PgConnection<'_>, run: Uuid) -> TransactionResult<()> {
    db.run(DELETE_CHUNKS, &[&run]).await.map(drop)
}

const WRITE_SETTINGS: &str = "UPDATE pipeline_runs SET settings = $2 WHERE id = $1";

async fn write_settings(db: &PgConnection<'_>, run: Uuid, settings: &str) -> TransactionResult<()> {
    db.run(WRITE_SETTINGS, &[&run, &settings]).await.map(drop)
}

operations! {
    impl PipelinePurgeTables for OpenTransaction<'_> {
        pipeline_runs_with_chunks(after: Uuid, limit: usize) -> Vec<Uuid> = runs_with_chunks;
        delete_pipeline_chunks(run: Uuid) -> () = delete_chunks;
        write_pipeline_settings(run: Uuid, settings: &str) -> () = write_settings;
    }
}

/// Purges runs of pipelines that ended before a time, among the next ones after an id.
pub(super) struct PurgePipelineRuns {
    pub(super) before: Timestamp,
    pub(super) after: Uuid,
}

impl WriteOperation for PurgePipelineRuns {
    type Outcome = Option<Uuid>;

    fn locks(&self) -> Option<i64> {
        Some(PRUNING)
    }

    async fn run(&self, tx: &mut OpenTransaction<'_>) -> TransactionResult<Option<Uuid>> {
        purge_pipeline_runs(tx, self.before, self.after).await
    }
}
