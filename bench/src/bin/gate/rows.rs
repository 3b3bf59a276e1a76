//! Verdicts a second, each durable before its caller goes on.

use std::sync::Arc;
use std::time::{Duration, Instant};

use rusqlite::{Connection, params};
use sekisho_gate::ledger::{Admission, Ledger};
use sekisho_gate::record::Change;
use sekisho_gate::{CallId, ExecutionId};
use sekisho_policy::Effect;
use sekisho_store::{Options, SqliteStore};
use sekisho_testkit::fixtures;

use crate::{Failure, ROUNDS, world};

/// How many callers wait at once.
pub(crate) const CALLERS: usize = 64;
/// How long a round is.
const ROUND: Duration = Duration::from_secs(1);

/// Verdicts a second in each round.
pub(crate) struct Rows {
    pub(crate) together: Vec<f64>,
    pub(crate) each: Vec<f64>,
}

pub(crate) fn measure() -> Result<Rows, Failure> {
    let runtime = world::runtime()?;
    let folder = tempfile::tempdir()?;
    let store = Arc::new(SqliteStore::open(folder.path().join("together.db"), Options::default())?);
    // The same tables with the same indexes.
    let path = folder.path().join("each.db");
    drop(SqliteStore::open(&path, Options::default())?);
    let peer = connect(&path)?;
    let mut rows = Rows { together: Vec::new(), each: Vec::new() };
    for round in 0..ROUNDS {
        eprintln!("verdicts, round {} of {ROUNDS} ...", round + 1);
        rows.together.push(runtime.block_on(together(&store))?);
        rows.each.push(each(&peer)?);
    }
    Ok(rows)
}

/// The next admission; the same for both but for its ids.
fn admission(like: &Admission) -> Admission {
    let at = jiff::Timestamp::now();
    let (call, execution) = (CallId::new(at), ExecutionId::new(at));
    let mut next = Admission { at, execution: Some(execution), ..like.clone() };
    next.call.id = call;
    next.record.entry.at = at;
    next.record.entry.call = Some(call);
    next.record.entry.execution = Some(execution);
    let tool = next.call.call.tool.clone();
    next.record.change = Some(Change::Started { execution, tool, approval: None });
    next
}

fn template() -> Admission {
    fixtures::admission(fixtures::call("1"), fixtures::asker(), fixtures::after(0), Effect::Allow)
}

async fn together(store: &Arc<SqliteStore>) -> Result<f64, Failure> {
    let start = Instant::now();
    let callers: Vec<_> = (0..CALLERS)
        .map(|_| {
            let (store, like) = (Arc::clone(store), template());
            tokio::spawn(async move {
                let mut done = 0_u32;
                while start.elapsed() < ROUND {
                    store.admit(admission(&like)).await?;
                    done += 1;
                }
                Ok::<u32, Failure>(done)
            })
        })
        .collect();
    let mut done = 0;
    for caller in callers {
        done += caller.await??;
    }
    Ok(f64::from(done) / start.elapsed().as_secs_f64())
}

fn each(db: &Connection) -> Result<f64, Failure> {
    let (like, start) = (template(), Instant::now());
    let mut done = 0_u32;
    while start.elapsed() < ROUND {
        insert(db, &admission(&like))?;
        done += 1;
    }
    Ok(f64::from(done) / start.elapsed().as_secs_f64())
}

/// Set up as the store's own connections are.
fn connect(path: &std::path::Path) -> Result<Connection, Failure> {
    let db = Connection::open(path)?;
    db.set_prepared_statement_cache_capacity(64);
    db.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
    db.pragma_update(None, "synchronous", "full")?;
    db.pragma_update(None, "foreign_keys", true)?;
    db.pragma_update(None, "trusted_schema", false)?;
    db.pragma_update_and_check(None, "journal_size_limit", 64 << 20, |_| Ok(()))?;
    Ok(db)
}

/// The rows of one verdict in a transaction of their own.
fn insert(db: &Connection, admission: &Admission) -> Result<(), Failure> {
    let (kept, entry) = (&admission.call, &admission.record.entry);
    let (call, at) = (&kept.call, admission.at.as_microsecond());
    let (input, execution) =
        (serde_json::to_string(&call.input)?, admission.execution.map(|execution| execution.0));
    let agent = call.agent.as_ref().map(|agent| &agent.id);
    db.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
    db.prepare_cached(
        "INSERT INTO calls (id, input, digest, tool, agent, credential, conversation, call_id, cwd, created_at) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    )?
    .execute(params![
        kept.id.0,
        input,
        kept.digest.0,
        call.tool,
        agent,
        kept.asker.credential,
        call.conversation,
        call.call_id,
        call.cwd,
        at
    ])?;
    db.prepare_cached(
        "INSERT INTO tool_executions (id, tool_name, input, created_at, call) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?
    .execute(params![execution, call.tool, input, at, kept.id.0])?;
    db.prepare_cached(
        "INSERT INTO audit_log (at, kind, call, execution, tool, agent, credential, decision, text, body) \
         VALUES (?1, 'verdict', ?2, ?3, ?4, ?5, ?6, 'allow', ?7, ?8)",
    )?
    .execute(params![
        at,
        kept.id.0,
        execution,
        call.tool,
        agent,
        kept.asker.credential,
        entry.text,
        serde_json::to_string(&entry.body)?
    ])?;
    db.prepare_cached(
        "INSERT INTO events (seq, at, body) SELECT coalesce(max(seq), 0) + 1, ?1, ?2 FROM events",
    )?
    .execute(params![at, serde_json::to_string(&admission.record.change)?])?;
    db.prepare_cached("COMMIT")?.execute([])?;
    Ok(())
}
