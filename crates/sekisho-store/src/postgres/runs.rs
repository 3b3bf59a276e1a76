//! Runs of the built-in agent.

use jiff::Timestamp;
use sekisho_agent::Runs;
use sekisho_agent::machine::Step;
use sekisho_agent::run_trees::{ReplyNeeds, Reserved, SubAgent, TreeGrowth, TreeLimits};
use sekisho_agent::runs::{
    RunCreation, RunQuery, RunRequest, StoredChunk, StoredMessage, StoredRequest, StoredRun, StoredStep,
};
use sekisho_gate::ReplicaId;
use sekisho_gate::ledger::LedgerFuture;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;
use uuid::Uuid;

use super::connection::PgConnection;
use super::nul_escape::{escape_nul, escape_nul_option, unescape_nul};
use super::open_transaction::OpenTransaction;
use super::run_trees::{CreateChild, CreateSubAgent, Reserve, sub_agents};
use super::store::PostgresStore;
use super::transaction_impl::operations;
use super::write_operation::{RUNS, WriteOperation, lock_of};
use crate::encoding::{count_from_column, micros, saturating_column};
use crate::runs::{
    PAGE_BYTES, RunRow, RunsTables, add_request, create, delete, store, stored_chunk, stored_message,
    stored_request, stored_run,
};
use crate::transaction_error::TransactionResult;

impl Runs for PostgresStore {
    fn create(&self, run: StoredRun, step: Step, most_active: Option<u64>) -> LedgerFuture<'_, RunCreation> {
        self.write(CreateRun { run, step, most_active })
    }

    fn active_runs(&self, credential: String) -> LedgerFuture<'_, u64> {
        self.read(move |db| Box::pin(async move { active_runs(db, &credential).await }))
    }

    fn run(&self, id: Uuid) -> LedgerFuture<'_, Option<StoredRun>> {
        self.read(move |db| {
            Box::pin(async move { run_row(db, id).await?.as_ref().map(stored_run).transpose() })
        })
    }

    fn runs(&self, query: RunQuery) -> LedgerFuture<'_, Vec<StoredRun>> {
        self.read(move |db| Box::pin(async move { list(db, &query).await }))
    }

    fn delete_run(&self, id: Uuid) -> LedgerFuture<'_, bool> {
        self.write(DeleteRun(id))
    }

    fn messages_after(&self, id: Uuid, after: Option<u64>) -> LedgerFuture<'_, Vec<StoredMessage>> {
        self.read(move |db| Box::pin(messages(db, MESSAGES_AFTER, id, after.map_or(-1, saturating_column))))
    }

    fn messages_before(&self, id: Uuid, before: Option<u64>) -> LedgerFuture<'_, Vec<StoredMessage>> {
        let before = before.map_or(i64::MAX, saturating_column);
        self.read(move |db| Box::pin(messages(db, MESSAGES_BEFORE, id, before)))
    }

    fn chunks(&self, id: Uuid, after: u64, limit: usize) -> LedgerFuture<'_, Vec<StoredChunk>> {
        self.read(move |db| Box::pin(chunks(db, id, saturating_column(after), limit)))
    }

    fn store(&self, step: StoredStep) -> LedgerFuture<'_, bool> {
        self.write(StoreStep(step))
    }

    fn claim(&self, owner: ReplicaId, seen_before: Timestamp, limit: usize) -> LedgerFuture<'_, Vec<Uuid>> {
        self.write(Claim { owner: owner.0, seen_before: micros(seen_before), limit })
    }

    fn create_child(&self, run: StoredRun, step: Step, limits: TreeLimits) -> LedgerFuture<'_, TreeGrowth> {
        self.write(CreateChild { run, step, limits })
    }

    fn tree(&self, root: Uuid) -> LedgerFuture<'_, Vec<StoredRun>> {
        self.read(move |db| {
            Box::pin(async move { tree_rows(db, root).await?.iter().map(stored_run).collect() })
        })
    }

    fn delegated_runs(&self, roots: Vec<Uuid>) -> LedgerFuture<'_, Vec<StoredRun>> {
        self.read(move |db| {
            Box::pin(async move {
                let rows = db.rows(DELEGATED, &[&roots]).await?;
                rows.iter().map(|row| stored_run(&read_row(row)?)).collect()
            })
        })
    }

    fn reserve(&self, run: Uuid, root: Uuid, needs: ReplyNeeds) -> LedgerFuture<'_, Reserved> {
        self.write(Reserve { run, root, needs })
    }

    fn create_sub_agent(&self, agent: SubAgent, most: u64) -> LedgerFuture<'_, TreeGrowth> {
        self.write(CreateSubAgent { agent, most })
    }

    fn sub_agents(&self, run: Uuid) -> LedgerFuture<'_, Vec<SubAgent>> {
        self.read(move |db| Box::pin(sub_agents(db, run)))
    }

    fn request(&self, id: Uuid, request: RunRequest, at: Timestamp) -> LedgerFuture<'_, bool> {
        self.write(AddRequest { id, request, at: micros(at) })
    }

    fn requests(&self, owner: ReplicaId) -> LedgerFuture<'_, Vec<StoredRequest>> {
        self.read(move |db| Box::pin(requests(db, owner.0)))
    }
}

struct CreateRun {
    run: StoredRun,
    step: Step,
    most_active: Option<u64>,
}

impl WriteOperation for CreateRun {
    type Outcome = RunCreation;

    /// Two processes that start runs at once do not exceed the limit.
    fn locks(&self) -> Option<i64> {
        self.most_active.map(|_| RUNS)
    }

    async fn run(&self, tx: &mut OpenTransaction<'_>) -> TransactionResult<RunCreation> {
        create(tx, &self.run, &self.step, self.most_active).await
    }
}

struct StoreStep(StoredStep);

impl WriteOperation for StoreStep {
    type Outcome = bool;

    fn locks(&self) -> Option<i64> {
        Some(lock_of(self.0.run))
    }

    async fn run(&self, tx: &mut OpenTransaction<'_>) -> TransactionResult<bool> {
        store(tx, &self.0).await
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
    request: RunRequest,
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

struct DeleteRun(Uuid);

impl WriteOperation for DeleteRun {
    type Outcome = bool;

    fn locks(&self) -> Option<i64> {
        Some(lock_of(self.0))
    }

    async fn run(&self, tx: &mut OpenTransaction<'_>) -> TransactionResult<bool> {
        delete(tx, self.0).await
    }
}

const ACTIVE: &str = "SELECT count(*) FROM runs WHERE works AND credential = $1";

async fn active_runs(db: &PgConnection<'_>, credential: &str) -> TransactionResult<u64> {
    count_from_column(db.one(ACTIVE, &[&escape_nul(credential)]).await?.try_get(0)?)
}

/// A query of runs that begins with the columns of [`read_row`].
macro_rules! select_runs {
    ($condition:literal) => {
        concat!(
            "SELECT id, agent, credential, settings, state, version, messages, chunks, owner, works, created_at, ",
            "updated_at, parent, root, reserved FROM runs WHERE ",
            $condition
        )
    };
}

const RUN: &str = select_runs!("id = $1");

async fn run_row(db: &PgConnection<'_>, id: Uuid) -> TransactionResult<Option<RunRow>> {
    db.row(RUN, &[&id]).await?.as_ref().map(read_row).transpose()
}

const RUN_FOR_UPDATE: &str = select_runs!("id = $1 FOR UPDATE");

async fn run_for_update(db: &PgConnection<'_>, id: Uuid) -> TransactionResult<Option<RunRow>> {
    db.row(RUN_FOR_UPDATE, &[&id]).await?.as_ref().map(read_row).transpose()
}

fn read_row(row: &Row) -> TransactionResult<RunRow> {
    Ok(RunRow {
        id: row.try_get(0)?,
        agent: row.try_get(1)?,
        credential: unescape_nul(row.try_get(2)?),
        settings: row.try_get(3)?,
        state: row.try_get(4)?,
        version: row.try_get(5)?,
        messages: row.try_get(6)?,
        chunks: row.try_get(7)?,
        owner: row.try_get(8)?,
        works: row.try_get(9)?,
        created_at: row.try_get(10)?,
        updated_at: row.try_get(11)?,
        parent: row.try_get(12)?,
        root: row.try_get(13)?,
        reserved: row.try_get(14)?,
    })
}

const LIST: &str = select_runs!(
    "($1::uuid IS NULL OR agent = $1) AND ($2::text IS NULL OR credential = $2) \
    AND ($3::boolean IS NULL OR works = $3) AND id < $4 AND (NOT $6::boolean OR parent IS NULL) \
    ORDER BY id DESC LIMIT $5"
);

async fn list(db: &PgConnection<'_>, query: &RunQuery) -> TransactionResult<Vec<StoredRun>> {
    let credential = escape_nul_option(query.credential.as_ref());
    let (before, limit) = (query.before.unwrap_or(Uuid::max()), saturating_column(query.limit));
    let values: [&(dyn ToSql + Sync); 6] =
        [&query.agent, &credential, &query.works, &before, &limit, &query.roots];
    let rows = db.rows(LIST, &values).await?;
    rows.iter().map(|row| stored_run(&read_row(row)?)).collect()
}

const INSERT: &str = "INSERT INTO runs (id, agent, credential, settings, state, version, messages, chunks, owner, works, \
    created_at, updated_at, parent, root) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)";

async fn insert_run(db: &PgConnection<'_>, row: &RunRow) -> TransactionResult<()> {
    let credential = escape_nul(&row.credential);
    db.run(
        INSERT,
        &[
            &row.id,
            &row.agent,
            &credential,
            &row.settings,
            &row.state,
            &row.version,
            &row.messages,
            &row.chunks,
            &row.owner,
            &row.works,
            &row.created_at,
            &row.updated_at,
            &row.parent,
            &row.root,
        ],
    )
    .await
    .map(drop)
}

const UPDATE: &str = "UPDATE runs SET state = $2, version = $3, messages = $4, chunks = $5, works = $6, updated_at = $7 \
    WHERE id = $1";

async fn update_run(db: &PgConnection<'_>, row: &RunRow) -> TransactionResult<()> {
    db.run(
        UPDATE,
        &[&row.id, &row.state, &row.version, &row.messages, &row.chunks, &row.works, &row.updated_at],
    )
    .await
    .map(drop)
}

const INSERT_MESSAGE: &str = "INSERT INTO run_messages (run, seq, body) VALUES ($1, $2, $3)";

async fn insert_message(db: &PgConnection<'_>, run: Uuid, seq: i64, body: &str) -> TransactionResult<()> {
    db.run(INSERT_MESSAGE, &[&run, &seq, &body]).await.map(drop)
}

const INSERT_CHUNK: &str = "INSERT INTO run_chunks (run, seq, body) VALUES ($1, $2, $3)";

async fn insert_chunk(db: &PgConnection<'_>, run: Uuid, seq: i64, body: &str) -> TransactionResult<()> {
    db.run(INSERT_CHUNK, &[&run, &seq, &body]).await.map(drop)
}

const INSERT_REQUEST: &str = "INSERT INTO run_requests (run, body, created_at) VALUES ($1, $2, $3)";

async fn insert_request(db: &PgConnection<'_>, run: Uuid, body: &str, at: i64) -> TransactionResult<()> {
    db.run(WORKS, &[&run]).await?;
    db.run(INSERT_REQUEST, &[&run, &body, &at]).await.map(drop)
}

const WORKS: &str = "UPDATE runs SET works = TRUE WHERE id = $1";

const WORKING_CHILDREN: &str = "SELECT id FROM runs WHERE parent = $1 AND works ORDER BY id";

async fn working_children(db: &PgConnection<'_>, parent: Uuid) -> TransactionResult<Vec<Uuid>> {
    let rows = db.rows(WORKING_CHILDREN, &[&parent]).await?;
    rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
}

const TREE_WORK: &str = "SELECT id, works FROM runs WHERE root = $1 ORDER BY id";

async fn tree_work(db: &PgConnection<'_>, root: Uuid) -> TransactionResult<Vec<(Uuid, bool)>> {
    let rows = db.rows(TREE_WORK, &[&root]).await?;
    rows.iter().map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).collect()
}

const TREE: &str = select_runs!("root = $1 ORDER BY id");

/// The runs of a tree, in order of their ids.
async fn tree_rows(db: &PgConnection<'_>, root: Uuid) -> TransactionResult<Vec<RunRow>> {
    db.rows(TREE, &[&root]).await?.iter().map(read_row).collect()
}

const DELEGATED: &str = select_runs!("root = ANY($1) AND parent IS NOT NULL ORDER BY id");

const HAS_REQUESTS: &str = "SELECT EXISTS (SELECT 1 FROM run_requests WHERE run = $1)";

async fn has_requests(db: &PgConnection<'_>, run: Uuid) -> TransactionResult<bool> {
    Ok(db.one(HAS_REQUESTS, &[&run]).await?.try_get(0)?)
}

const DELETE_REQUEST: &str = "DELETE FROM run_requests WHERE seq = $1";

async fn delete_request(db: &PgConnection<'_>, seq: i64) -> TransactionResult<()> {
    db.run(DELETE_REQUEST, &[&seq]).await.map(drop)
}

const FORGET_IN_EXECUTIONS: &str = "UPDATE tool_executions SET execution_id = NULL WHERE execution_id = $1";

const DELETE: &str = "DELETE FROM runs WHERE id = $1";

async fn delete_run(db: &PgConnection<'_>, id: Uuid) -> TransactionResult<()> {
    db.run(FORGET_IN_EXECUTIONS, &[&id]).await?;
    db.run(DELETE, &[&id]).await.map(drop)
}

/// Stops at the first message that follows on this many bytes.
const MESSAGES_AFTER: &str = "SELECT seq, body FROM (SELECT seq, body, \
        sum(octet_length(body)) OVER (ORDER BY seq) - octet_length(body) AS bytes_before \
        FROM (SELECT seq, body FROM run_messages WHERE run = $1 AND seq > $2 ORDER BY seq LIMIT $3) next) page \
    WHERE bytes_before < $4 ORDER BY seq";

const MESSAGES_BEFORE: &str = "SELECT seq, body FROM (SELECT seq, body, \
        sum(octet_length(body)) OVER (ORDER BY seq DESC) - octet_length(body) AS bytes_before \
        FROM (SELECT seq, body FROM run_messages WHERE run = $1 AND seq < $2 ORDER BY seq DESC LIMIT $3) next) page \
    WHERE bytes_before < $4 ORDER BY seq DESC";

/// How many messages are looked at for a page.
const PAGE_MESSAGES: i64 = 64;

async fn messages(
    db: &PgConnection<'_>,
    page: &'static str,
    run: Uuid,
    from: i64,
) -> TransactionResult<Vec<StoredMessage>> {
    let most = saturating_column(PAGE_BYTES);
    let rows = db.rows(page, &[&run, &from, &PAGE_MESSAGES, &most]).await?;
    rows.iter().map(|row| stored_message(row.try_get(0)?, row.try_get(1)?)).collect()
}

/// Stops at the first chunk that follows on this many bytes.
const CHUNKS: &str = "SELECT seq, body FROM (SELECT seq, body, \
        sum(octet_length(body)) OVER (ORDER BY seq) - octet_length(body) AS bytes_before \
        FROM run_chunks WHERE run = $1 AND seq > $2 ORDER BY seq LIMIT $3) page \
    WHERE bytes_before < $4 ORDER BY seq";

async fn chunks(
    db: &PgConnection<'_>,
    run: Uuid,
    after: i64,
    limit: usize,
) -> TransactionResult<Vec<StoredChunk>> {
    let most = saturating_column(PAGE_BYTES);
    let rows = db.rows(CHUNKS, &[&run, &after, &saturating_column(limit), &most]).await?;
    rows.iter().map(|row| stored_chunk(row.try_get(0)?, row.try_get(1)?)).collect()
}

/// Runs at work whose owner is not among the replicas that were seen since. Two replicas never claim the same run.
const CLAIM: &str = "UPDATE runs SET owner = $1 WHERE id IN (SELECT id FROM runs u WHERE works \
    AND owner IS DISTINCT FROM $1 \
    AND NOT EXISTS (SELECT 1 FROM replicas r WHERE r.id = u.owner AND r.seen_at >= $2) \
    LIMIT $3 FOR UPDATE SKIP LOCKED) RETURNING id";

async fn claim(db: &PgConnection<'_>, claim: &Claim) -> TransactionResult<Vec<Uuid>> {
    let rows = db.rows(CLAIM, &[&claim.owner, &claim.seen_before, &saturating_column(claim.limit)]).await?;
    rows.iter().map(|row| Ok(row.try_get(0)?)).collect()
}

const REQUESTS: &str = "SELECT q.seq, q.run, q.body FROM run_requests q JOIN runs r ON r.id = q.run WHERE r.owner = $1 \
    ORDER BY q.seq";

async fn requests(db: &PgConnection<'_>, owner: Uuid) -> TransactionResult<Vec<StoredRequest>> {
    let rows = db.rows(REQUESTS, &[&owner]).await?;
    rows.iter().map(|row| stored_request(row.try_get(0)?, row.try_get(1)?, row.try_get(2)?)).collect()
}

operations! {
    impl RunsTables for OpenTransaction<'_> {
        active_runs(credential: &str) -> u64 = active_runs;
        insert_run(row: &RunRow) -> () = insert_run;
        run_for_update(id: Uuid) -> Option<RunRow> = run_for_update;
        update_run(row: &RunRow) -> () = update_run;
        insert_message(run: Uuid, seq: i64, body: &str) -> () = insert_message;
        insert_chunk(run: Uuid, seq: i64, body: &str) -> () = insert_chunk;
        insert_request(run: Uuid, body: &str, at: i64) -> () = insert_request;
        has_requests(run: Uuid) -> bool = has_requests;
        delete_request(seq: i64) -> () = delete_request;
        working_children(parent: Uuid) -> Vec<Uuid> = working_children;
        tree_rows(root: Uuid) -> Vec<RunRow> = tree_rows;
        tree_work(root: Uuid) -> Vec<(Uuid, bool)> = tree_work;
        delete_run(id: Uuid) -> () = delete_run;
    }
}
