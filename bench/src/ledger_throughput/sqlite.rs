//! SQLite: the store, and rusqlite configured like the store's own connections.

use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;
use rusqlite::{Connection, params};
use sekisho_gate::ReplicaId;
use sekisho_gate::audit::{ChainRow, ChainWriter, WriterId};
use sekisho_gate::ledger::Admission;
use sekisho_store::{Options, SqliteStore};
use sekisho_testkit::fixtures;

use super::{Backend, Failure};

/// A store in one file of a directory, its peer in another.
pub fn sqlite(directory: &Path) -> Result<Backend, Failure> {
    let store = SqliteStore::open(directory.join("store.db"), Options::new(fixtures::audit_config()))?;
    let path = directory.join("peer.db");
    drop(SqliteStore::open(&path, Options::new(fixtures::audit_config()))?);
    let db = connect(&path)?;
    let mut chain_writer =
        ChainWriter::new(WriterId(ReplicaId::new(Timestamp::now()).0), fixtures::audit_config().keys);
    Ok(Backend {
        name: "SQLite",
        target: 3.0,
        ledger: Arc::new(store),
        insert_one: Box::new(move |admission| insert(&db, &mut chain_writer, admission)),
    })
}

fn connect(path: &Path) -> Result<Connection, Failure> {
    let db = Connection::open(path)?;
    db.set_prepared_statement_cache_capacity(64);
    db.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
    db.pragma_update(None, "synchronous", "full")?;
    db.pragma_update(None, "foreign_keys", true)?;
    db.pragma_update(None, "trusted_schema", false)?;
    db.pragma_update_and_check(None, "journal_size_limit", 64 << 20, |_| Ok(()))?;
    Ok(db)
}

fn insert(db: &Connection, chain_writer: &mut ChainWriter, admission: &Admission) -> Result<(), Failure> {
    let row = chain_writer.write(&fixtures::masked(admission.record.entry.clone())).ok_or("no key")?;
    db.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
    call(db, admission)?;
    append(db, &row)?;
    db.prepare_cached(
        "INSERT INTO events (seq, at, body) SELECT coalesce(max(seq), 0) + 1, ?1, ?2 FROM events",
    )?
    .execute(params![row.at_us, serde_json::to_string(&admission.record.event)?])?;
    db.prepare_cached("COMMIT")?.execute([])?;
    Ok(())
}

fn call(db: &Connection, admission: &Admission) -> Result<(), Failure> {
    let stored = &admission.call;
    let (call, at) = (&stored.call, admission.at.as_microsecond());
    let (input, execution) =
        (serde_json::to_string(&call.input)?, admission.execution.map(|execution| execution.0));
    let agent = call.agent.as_ref().map(|agent| &agent.id);
    db.prepare_cached(
        "INSERT INTO calls (id, input, digest, tool, agent, credential, conversation, call_id, cwd, created_at) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    )?
    .execute(params![
        stored.id.0,
        input,
        stored.digest.0,
        call.tool,
        agent,
        stored.asker.credential,
        call.conversation,
        call.call_id,
        call.cwd,
        at
    ])?;
    db.prepare_cached(
        "INSERT INTO tool_executions (id, tool_name, input, created_at, call) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?
    .execute(params![execution, call.tool, input, at, stored.id.0])?;
    Ok(())
}

fn append(db: &Connection, row: &ChainRow) -> Result<(), Failure> {
    let seq = i64::try_from(row.seq)?;
    db.prepare_cached(
        "INSERT INTO audit_log (writer, seq, key, at, kind, call, execution, tool, agent, credential, decision, \
         text, body, previous, code) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
    )?
    .execute(params![
        row.writer.0,
        seq,
        row.key,
        row.at_us,
        row.kind,
        row.call,
        row.execution,
        row.tool,
        row.agent,
        row.credential,
        row.decision,
        row.text,
        row.body,
        row.previous.0,
        row.code.0
    ])?;
    db.prepare_cached(
        "INSERT INTO writers (writer, seq, code, told) VALUES (?1, ?2, ?3, ?2) \
         ON CONFLICT (writer) DO UPDATE SET seq = excluded.seq, code = excluded.code, told = excluded.told",
    )?
    .execute(params![row.writer.0, seq, row.code.0])?;
    Ok(())
}
