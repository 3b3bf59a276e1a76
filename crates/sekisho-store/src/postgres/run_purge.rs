//! Purges what runs of agents said and did.

use jiff::Timestamp;
use uuid::Uuid;

use super::connection::PgConnection;
use super::open_transaction::OpenTransaction;
use super::transaction_impl::operations;
use super::write_operation::{PRUNING, WriteOperation};
use crate::encoding::saturating_column;
use crate::run_purge::{RunPurgeTables, purge_runs};
use crate::transaction_error::TransactionResult;

const WITH_MESSAGES: &str =
    "SELECT DISTINCT run FROM run_messages WHERE run > $1 AND seq > 0 ORDER BY run LIMIT $2";

async fn runs_with_messages(
    db: &PgConnection<'_>,
    after: Uuid,
    limit: usize,
) -> TransactionResult<Vec<Uuid>> {
    let rows = db.rows(WITH_MESSAGES, &[&after, &saturating_column(limit)]).await?;
    rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
}

const TREE_IS_USED: &str =
    "SELECT EXISTS (SELECT 1 FROM runs WHERE root = $1 AND (works OR updated_at >= $2))";

async fn tree_is_used(db: &PgConnection<'_>, root: Uuid, since: i64) -> TransactionResult<bool> {
    Ok(db.one(TREE_IS_USED, &[&root, &since]).await?.try_get(0)?)
}

const PIPELINE_NAMES: &str =
    "SELECT EXISTS (SELECT 1 FROM pipeline_runs WHERE works AND strpos(state, $1) > 0)";

async fn pipeline_names(db: &PgConnection<'_>, run: &str) -> TransactionResult<bool> {
    Ok(db.one(PIPELINE_NAMES, &[&run]).await?.try_get(0)?)
}

const DELETE_MESSAGES: &str = "DELETE FROM run_messages WHERE run = $1";

const DELETE_CHUNKS: &str = "DELETE FROM run_chunks WHERE run = $1";

const DELETE_SUB_AGENTS: &str = "DELETE FROM sub_agents WHERE run = $1";

async fn delete_contents(db: &PgConnection<'_>, run: Uuid) -> TransactionResult<()> {
    db.run(DELETE_MESSAGES, &[&run]).await?;
    db.run(DELETE_CHUNKS, &[&run]).await?;
    db.run(DELETE_SUB_AGENTS, &[&run]).await.map(drop)
}

const WRITE_SETTINGS: &str = "UPDATE runs SET settings = $2 WHERE id = $1";

async fn write_settings(db: &PgConnection<'_>, run: Uuid, settings: &str) -> TransactionResult<()> {
    db.run(WRITE_SETTINGS, &[&run, &settings]).await.map(drop)
}

operations! {
    impl RunPurgeTables for OpenTransaction<'_> {
        runs_with_messages(after: Uuid, limit: usize) -> Vec<Uuid> = runs_with_messages;
        tree_is_used(root: Uuid, since: i64) -> bool = tree_is_used;
        pipeline_names(run: &str) -> bool = pipeline_names;
        delete_contents(run: Uuid) -> () = delete_contents;
        write_settings(run: Uuid, settings: &str) -> () = write_settings;
    }
}

/// Purges runs that ended before a time, among the next ones after an id.
pub(super) struct PurgeRuns {
    pub(super) before: Timestamp,
    pub(super) after: Uuid,
}

impl WriteOperation for PurgeRuns {
    type Outcome = Option<Uuid>;

    fn locks(&self) -> Option<i64> {
        Some(PRUNING)
    }

    async fn run(&self, tx: &mut OpenTransaction<'_>) -> TransactionResult<Option<Uuid>> {
        purge_runs(tx, self.before, self.after).await
    }
}
