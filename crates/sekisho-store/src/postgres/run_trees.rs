//! Runs of sub-agents.

use sekisho_agent::machine::Step;
use sekisho_agent::run_trees::{ReplyNeeds, Reserved, SubAgent, TreeGrowth, TreeLimits};
use sekisho_agent::runs::StoredRun;
use uuid::Uuid;

use super::connection::PgConnection;
use super::open_transaction::OpenTransaction;
use super::transaction_impl::operations;
use super::write_operation::{RUNS, WriteOperation, lock_of};
use crate::encoding::count_from_column;
use crate::run_trees::{SubAgentRow, TreeTables, create_child, create_sub_agent, reserve_reply, sub_agent};
use crate::transaction_error::TransactionResult;

pub(super) struct CreateChild {
    pub(super) run: StoredRun,
    pub(super) step: Step,
    pub(super) limits: TreeLimits,
}

impl WriteOperation for CreateChild {
    type Outcome = TreeGrowth;

    /// Two processes that start runs at once do not exceed the limits.
    fn locks(&self) -> Option<i64> {
        Some(RUNS)
    }

    async fn run(&self, tx: &mut OpenTransaction<'_>) -> TransactionResult<TreeGrowth> {
        create_child(tx, &self.run, &self.step, self.limits).await
    }
}

pub(super) struct CreateSubAgent {
    pub(super) agent: SubAgent,
    pub(super) most: u64,
}

impl WriteOperation for CreateSubAgent {
    type Outcome = TreeGrowth;

    fn locks(&self) -> Option<i64> {
        Some(lock_of(self.agent.run))
    }

    async fn run(&self, tx: &mut OpenTransaction<'_>) -> TransactionResult<TreeGrowth> {
        create_sub_agent(tx, &self.agent, self.most).await
    }
}

pub(super) struct Reserve {
    pub(super) run: Uuid,
    pub(super) root: Uuid,
    pub(super) needs: ReplyNeeds,
}

impl WriteOperation for Reserve {
    type Outcome = Reserved;

    /// Two runs of a tree never reserve at once.
    fn locks(&self) -> Option<i64> {
        Some(lock_of(self.root))
    }

    async fn run(&self, tx: &mut OpenTransaction<'_>) -> TransactionResult<Reserved> {
        reserve_reply(tx, self.run, self.root, self.needs).await
    }
}

const SIZE: &str = "SELECT count(*) FROM runs WHERE root = $1";

async fn tree_size(db: &PgConnection<'_>, root: Uuid) -> TransactionResult<u64> {
    count_from_column(db.one(SIZE, &[&root]).await?.try_get(0)?)
}

const RESERVE: &str = "UPDATE runs SET reserved = $2 WHERE id = $1";

async fn set_reserved(db: &PgConnection<'_>, run: Uuid, body: &str) -> TransactionResult<()> {
    db.run(RESERVE, &[&run, &body]).await.map(drop)
}

const HAS_AGENT: &str = "SELECT EXISTS (SELECT 1 FROM sub_agents WHERE id = $1)";

async fn has_sub_agent(db: &PgConnection<'_>, id: Uuid) -> TransactionResult<bool> {
    Ok(db.one(HAS_AGENT, &[&id]).await?.try_get(0)?)
}

const COUNT: &str = "SELECT count(*) FROM sub_agents WHERE run = $1";

async fn sub_agent_count(db: &PgConnection<'_>, run: Uuid) -> TransactionResult<u64> {
    count_from_column(db.one(COUNT, &[&run]).await?.try_get(0)?)
}

const INSERT: &str = "INSERT INTO sub_agents (id, run, spec, created_at) VALUES ($1, $2, $3, $4)";

async fn insert_sub_agent(db: &PgConnection<'_>, row: &SubAgentRow) -> TransactionResult<()> {
    db.run(INSERT, &[&row.id, &row.run, &row.spec, &row.created_at]).await.map(drop)
}

const OF_RUN: &str =
    "SELECT id, run, spec, created_at FROM sub_agents WHERE run = $1 ORDER BY created_at, id";

/// The sub-agents that a run made.
pub(super) async fn sub_agents(db: &PgConnection<'_>, run: Uuid) -> TransactionResult<Vec<SubAgent>> {
    let rows = db.rows(OF_RUN, &[&run]).await?;
    let read = |row: &tokio_postgres::Row| {
        sub_agent(&SubAgentRow {
            id: row.try_get(0)?,
            run: row.try_get(1)?,
            spec: row.try_get(2)?,
            created_at: row.try_get(3)?,
        })
    };
    rows.iter().map(read).collect()
}

operations! {
    impl TreeTables for OpenTransaction<'_> {
        tree_size(root: Uuid) -> u64 = tree_size;
        set_reserved(run: Uuid, body: &str) -> () = set_reserved;
        has_sub_agent(id: Uuid) -> bool = has_sub_agent;
        sub_agent_count(run: Uuid) -> u64 = sub_agent_count;
        insert_sub_agent(row: &SubAgentRow) -> () = insert_sub_agent;
    }
}
