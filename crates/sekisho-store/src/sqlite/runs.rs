//! Runs of the built-in agent.

use jiff::Timestamp;
use rusqlite::{Connection, OptionalExtension, Row, Rows, ToSql, params};
use sekisho_agent::Runs;
use sekisho_agent::machine::Step;
use sekisho_agent::run_trees::{ReplyNeeds, Reserved, SubAgent, TreeGrowth, TreeLimits};
use sekisho_agent::runs::{
    RunCreation, RunQuery, RunRequest, StoredChunk, StoredMessage, StoredRequest, StoredRun, StoredStep,
};
use sekisho_gate::ReplicaId;
use sekisho_gate::ledger::LedgerFuture;
use uuid::Uuid;

use super::open_transaction::OpenTransaction;
use super::run_trees::sub_agents;
use super::statement::run as run_statement;
use super::store::SqliteStore;
use super::transaction_impl::{operations, poll_ready};
use crate::encoding::{count_from_column, micros, saturating_column};
use crate::run_trees::{create_child, create_sub_agent, reserve_reply};
use crate::runs::{
    PAGE_BYTES, RunRow, RunsTables, add_request, create, delete, store, stored_chunk, stored_message,
    stored_request, stored_run,
};
use crate::transaction_error::TransactionResult;

impl Runs for SqliteStore {
    fn create(&self, run: StoredRun, step: Step, most_active: Option<u64>) -> LedgerFuture<'_, RunCreation> {
        self.write(move |mut tx| poll_ready(create(&mut tx, &run, &step, most_active)))
    }

    fn active_runs(&self, credential: String) -> LedgerFuture<'_, u64> {
        self.read(move |db| active_runs(db, &credential))
    }

    fn run(&self, id: Uuid) -> LedgerFuture<'_, Option<StoredRun>> {
        self.read(move |db| run_row(db, id)?.as_ref().map(stored_run).transpose())
    }

    fn runs(&self, query: RunQuery) -> LedgerFuture<'_, Vec<StoredRun>> {
        self.read(move |db| list(db, &query))
    }

    fn delete_run(&self, id: Uuid) -> LedgerFuture<'_, bool> {
        self.write(move |mut tx| poll_ready(delete(&mut tx, id)))
    }

    fn messages_after(&self, id: Uuid, after: Option<u64>) -> LedgerFuture<'_, Vec<StoredMessage>> {
        self.read(move |db| messages(db, MESSAGES_AFTER, id, after.map_or(-1, saturating_column)))
    }

    fn messages_before(&self, id: Uuid, before: Option<u64>) -> LedgerFuture<'_, Vec<StoredMessage>> {
        self.read(move |db| messages(db, MESSAGES_BEFORE, id, before.map_or(i64::MAX, saturating_column)))
    }

    fn chunks(&self, id: Uuid, after: u64, limit: usize) -> LedgerFuture<'_, Vec<StoredChunk>> {
        self.read(move |db| chunks(db, id, saturating_column(after), limit))
    }

    fn store(&self, step: StoredStep) -> LedgerFuture<'_, bool> {
        self.write(move |mut tx| poll_ready(store(&mut tx, &step)))
    }

    fn claim(&self, owner: ReplicaId, seen_before: Timestamp, limit: usize) -> LedgerFuture<'_, Vec<Uuid>> {
        self.write(move |db| claim(db, owner.0, micros(seen_before), limit))
    }

    fn create_child(&self, run: StoredRun, step: Step, limits: TreeLimits) -> LedgerFuture<'_, TreeGrowth> {
        self.write(move |mut tx| poll_ready(create_child(&mut tx, &run, &step, limits)))
    }

    fn tree(&self, root: Uuid) -> LedgerFuture<'_, Vec<StoredRun>> {
        self.read(move |db| tree_rows(db, root)?.iter().map(stored_run).collect())
    }

    fn delegated_runs(&self, roots: Vec<Uuid>) -> LedgerFuture<'_, Vec<StoredRun>> {
        self.read(move |db| delegated_runs(db, &roots))
    }

    fn reserve(&self, run: Uuid, root: Uuid, needs: ReplyNeeds) -> LedgerFuture<'_, Reserved> {
        self.write(move |mut tx| poll_ready(reserve_reply(&mut tx, run, root, needs)))
    }

    fn create_sub_agent(&self, agent: SubAgent, most: u64) -> LedgerFuture<'_, TreeGrowth> {
        self.write(move |mut tx| poll_ready(create_sub_agent(&mut tx, &agent, most)))
    }

    fn sub_agents(&self, run: Uuid) -> LedgerFuture<'_, Vec<SubAgent>> {
        self.read(move |db| sub_agents(db, run))
    }

    fn request(&self, id: Uuid, request: RunRequest, at: Timestamp) -> LedgerFuture<'_, bool> {
        self.write(move |mut tx| poll_ready(add_request(&mut tx, id, &request, micros(at))))
    }

    fn requests(&self, owner: ReplicaId) -> LedgerFuture<'_, Vec<StoredRequest>> {
        self.read(move |db| requests(db, owner.0))
    }
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

/// Looks at the active runs of all credentials, since one credential may have many runs that have ended.
const ACTIVE: &str = "SELECT count(*) FROM runs WHERE works = 1 AND +credential = ?1";

fn active_runs(db: &Connection, credential: &str) -> TransactionResult<u64> {
    count_from_column(db.prepare_cached(ACTIVE)?.query_row([credential], |row| row.get(0))?)
}

const RUN: &str = select_runs!("id = ?1");

fn run_row(db: &Connection, id: Uuid) -> TransactionResult<Option<RunRow>> {
    Ok(db.prepare_cached(RUN)?.query_row([id], read_row).optional()?)
}

fn read_row(row: &Row<'_>) -> rusqlite::Result<RunRow> {
    Ok(RunRow {
        id: row.get(0)?,
        agent: row.get(1)?,
        credential: row.get(2)?,
        settings: row.get(3)?,
        state: row.get(4)?,
        version: row.get(5)?,
        messages: row.get(6)?,
        chunks: row.get(7)?,
        owner: row.get(8)?,
        works: row.get(9)?,
        created_at: row.get(10)?,
        updated_at: row.get(11)?,
        parent: row.get(12)?,
        root: row.get(13)?,
        reserved: row.get(14)?,
    })
}

/// Runs of one agent, of one credential, or of all. The further conditions do not use an index.
const LIST_BY_AGENT: &str = select_runs!(
    "agent = ?1 AND (?2 IS NULL OR credential = ?2) AND (?3 IS NULL OR works = ?3) \
    AND id < ?4 AND (?6 = 0 OR parent IS NULL) ORDER BY id DESC LIMIT ?5"
);
const LIST_BY_CREDENTIAL: &str = select_runs!(
    "?1 IS NULL AND credential = ?2 AND (?3 IS NULL OR works = ?3) AND id < ?4 \
    AND (?6 = 0 OR parent IS NULL) ORDER BY id DESC LIMIT ?5"
);
const LIST_ALL: &str = select_runs!(
    "?1 IS NULL AND ?2 IS NULL AND (?3 IS NULL OR works = ?3) AND id < ?4 \
    AND (?6 = 0 OR parent IS NULL) ORDER BY id DESC LIMIT ?5"
);

fn list(db: &Connection, query: &RunQuery) -> TransactionResult<Vec<StoredRun>> {
    let sql = match (&query.agent, &query.credential) {
        (Some(_), _) => LIST_BY_AGENT,
        (None, Some(_)) => LIST_BY_CREDENTIAL,
        (None, None) => LIST_ALL,
    };
    let (before, limit) = (query.before.unwrap_or(Uuid::max()), saturating_column(query.limit));
    let values: [&dyn ToSql; 6] =
        [&query.agent, &query.credential, &query.works, &before, &limit, &query.roots];
    let mut statement = db.prepare_cached(sql)?;
    let rows: Vec<RunRow> = statement.query_map(values, read_row)?.collect::<rusqlite::Result<_>>()?;
    rows.iter().map(stored_run).collect()
}

const INSERT: &str = "INSERT INTO runs (id, agent, credential, settings, state, version, messages, chunks, owner, works, \
    created_at, updated_at, parent, root) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)";

fn insert_run(db: &Connection, row: &RunRow) -> TransactionResult<()> {
    let values = params![
        row.id,
        row.agent,
        row.credential,
        row.settings,
        row.state,
        row.version,
        row.messages,
        row.chunks,
        row.owner,
        row.works,
        row.created_at,
        row.updated_at,
        row.parent,
        row.root
    ];
    run_statement(db, INSERT, values).map(drop)
}

const UPDATE: &str = "UPDATE runs SET state = ?2, version = ?3, messages = ?4, chunks = ?5, works = ?6, updated_at = ?7 \
    WHERE id = ?1";

fn update_run(db: &Connection, row: &RunRow) -> TransactionResult<()> {
    let values = params![row.id, row.state, row.version, row.messages, row.chunks, row.works, row.updated_at];
    run_statement(db, UPDATE, values).map(drop)
}

const INSERT_MESSAGE: &str = "INSERT INTO run_messages (run, seq, body) VALUES (?1, ?2, ?3)";

fn insert_message(db: &Connection, run: Uuid, seq: i64, body: &str) -> TransactionResult<()> {
    run_statement(db, INSERT_MESSAGE, params![run, seq, body]).map(drop)
}

const INSERT_CHUNK: &str = "INSERT INTO run_chunks (run, seq, body) VALUES (?1, ?2, ?3)";

fn insert_chunk(db: &Connection, run: Uuid, seq: i64, body: &str) -> TransactionResult<()> {
    run_statement(db, INSERT_CHUNK, params![run, seq, body]).map(drop)
}

const INSERT_REQUEST: &str = "INSERT INTO run_requests (run, body, created_at) VALUES (?1, ?2, ?3)";

const WORKS: &str = "UPDATE runs SET works = 1 WHERE id = ?1";

fn insert_request(db: &Connection, run: Uuid, body: &str, at: i64) -> TransactionResult<()> {
    run_statement(db, WORKS, [run])?;
    run_statement(db, INSERT_REQUEST, params![run, body, at]).map(drop)
}

const WORKING_CHILDREN: &str = "SELECT id FROM runs WHERE parent = ?1 AND works = 1";

fn working_children(db: &Connection, parent: Uuid) -> TransactionResult<Vec<Uuid>> {
    let mut statement = db.prepare_cached(WORKING_CHILDREN)?;
    let found = statement.query_map([parent], |row| row.get(0))?;
    Ok(found.collect::<rusqlite::Result<_>>()?)
}

const TREE_WORK: &str = "SELECT id, works FROM runs WHERE root = ?1";

fn tree_work(db: &Connection, root: Uuid) -> TransactionResult<Vec<(Uuid, bool)>> {
    let mut statement = db.prepare_cached(TREE_WORK)?;
    let found = statement.query_map([root], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(found.collect::<rusqlite::Result<_>>()?)
}

const TREE: &str = select_runs!("root = ?1 ORDER BY id");

/// The runs of a tree, in order of their ids.
fn tree_rows(db: &Connection, root: Uuid) -> TransactionResult<Vec<RunRow>> {
    let mut statement = db.prepare_cached(TREE)?;
    let rows = statement.query_map([root], read_row)?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

const DELEGATED: &str = select_runs!("root = ?1 AND parent IS NOT NULL ORDER BY id");

fn delegated_runs(db: &Connection, roots: &[Uuid]) -> TransactionResult<Vec<StoredRun>> {
    let mut statement = db.prepare_cached(DELEGATED)?;
    let mut found = Vec::new();
    for root in roots {
        let rows = statement.query_map([root], read_row)?;
        for row in rows {
            found.push(stored_run(&row?)?);
        }
    }
    Ok(found)
}

const HAS_REQUESTS: &str = "SELECT EXISTS (SELECT 1 FROM run_requests WHERE run = ?1)";

fn has_requests(db: &Connection, run: Uuid) -> TransactionResult<bool> {
    Ok(db.prepare_cached(HAS_REQUESTS)?.query_row([run], |row| row.get(0))?)
}

const DELETE_REQUEST: &str = "DELETE FROM run_requests WHERE seq = ?1";

fn delete_request(db: &Connection, seq: i64) -> TransactionResult<()> {
    run_statement(db, DELETE_REQUEST, [seq]).map(drop)
}

const FORGET_IN_EXECUTIONS: &str = "UPDATE tool_executions SET execution_id = NULL WHERE execution_id = ?1";

const DELETE: &str = "DELETE FROM runs WHERE id = ?1";

fn delete_run(db: &Connection, id: Uuid) -> TransactionResult<()> {
    run_statement(db, FORGET_IN_EXECUTIONS, [id])?;
    run_statement(db, DELETE, [id]).map(drop)
}

const MESSAGES_AFTER: &str = "SELECT seq, body FROM run_messages WHERE run = ?1 AND seq > ?2 ORDER BY seq";

const MESSAGES_BEFORE: &str =
    "SELECT seq, body FROM run_messages WHERE run = ?1 AND seq < ?2 ORDER BY seq DESC";

fn messages(db: &Connection, page: &str, run: Uuid, from: i64) -> TransactionResult<Vec<StoredMessage>> {
    let mut statement = db.prepare_cached(page)?;
    page_of(statement.query(params![run, from])?, stored_message)
}

const CHUNKS: &str = "SELECT seq, body FROM run_chunks WHERE run = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3";

fn chunks(db: &Connection, run: Uuid, after: i64, limit: usize) -> TransactionResult<Vec<StoredChunk>> {
    let mut statement = db.prepare_cached(CHUNKS)?;
    page_of(statement.query(params![run, after, saturating_column(limit)])?, stored_chunk)
}

/// Reads numbered bodies until they have [`PAGE_BYTES`].
fn page_of<T>(
    mut rows: Rows<'_>,
    read: impl Fn(i64, &str) -> TransactionResult<T>,
) -> TransactionResult<Vec<T>> {
    let (mut found, mut bytes) = (Vec::new(), 0_usize);
    while bytes < PAGE_BYTES {
        let Some(row) = rows.next()? else { break };
        let (seq, body): (i64, String) = (row.get(0)?, row.get(1)?);
        bytes = bytes.saturating_add(body.len());
        found.push(read(seq, &body)?);
    }
    Ok(found)
}

/// Runs at work whose owner is not among the replicas that were seen since.
const CLAIM: &str = "UPDATE runs SET owner = ?1 WHERE id IN (SELECT id FROM runs WHERE works = 1 AND owner IS NOT ?1 \
    AND NOT EXISTS (SELECT 1 FROM replicas r WHERE r.id = runs.owner AND r.seen_at >= ?2) LIMIT ?3) RETURNING id";

fn claim(db: &Connection, owner: Uuid, seen_before: i64, limit: usize) -> TransactionResult<Vec<Uuid>> {
    let mut statement = db.prepare_cached(CLAIM)?;
    let claimed =
        statement.query_map(params![owner, seen_before, saturating_column(limit)], |row| row.get(0))?;
    Ok(claimed.collect::<rusqlite::Result<_>>()?)
}

const REQUESTS: &str = "SELECT q.seq, q.run, q.body FROM run_requests q JOIN runs r ON r.id = q.run WHERE r.owner = ?1 \
    ORDER BY q.seq";

fn requests(db: &Connection, owner: Uuid) -> TransactionResult<Vec<StoredRequest>> {
    let mut statement = db.prepare_cached(REQUESTS)?;
    let rows = statement.query_map([owner], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    let rows: Vec<(i64, Uuid, String)> = rows.collect::<rusqlite::Result<_>>()?;
    rows.iter().map(|(seq, run, body)| stored_request(*seq, *run, body)).collect()
}

operations! {
    impl RunsTables for &OpenTransaction<'_> {
        active_runs(credential: &str) -> u64 = active_runs;
        insert_run(row: &RunRow) -> () = insert_run;
        run_for_update(id: Uuid) -> Option<RunRow> = run_row;
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

#[cfg(test)]
mod tests {
    use super::super::query_plan::assert_by_index;
    use super::*;

    #[test]
    fn frequent_statements_use_an_index() {
        assert_by_index(&[
            (LIST_BY_AGENT, "runs_by_agent"),
            (LIST_BY_CREDENTIAL, "runs_by_credential"),
            (LIST_ALL, "sqlite_autoindex_runs_1"),
            (ACTIVE, "runs_at_work"),
            (CLAIM, "runs_at_work"),
            (TREE, "runs_by_root"),
            (DELEGATED, "runs_by_root"),
            (TREE_WORK, "runs_by_root"),
            (WORKING_CHILDREN, "runs_by_parent"),
            (HAS_REQUESTS, "run_requests_by_run"),
            (MESSAGES_AFTER, "sqlite_autoindex_run_messages_1"),
            (MESSAGES_BEFORE, "sqlite_autoindex_run_messages_1"),
            (CHUNKS, "sqlite_autoindex_run_chunks_1"),
            (FORGET_IN_EXECUTIONS, "tool_executions_by_run"),
        ]);
    }
}
