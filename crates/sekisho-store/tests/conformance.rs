//! The SQLite store passes the conformance suite.

use std::sync::Arc;

use jiff::Timestamp;
use rusqlite::{Connection, Row};
use sekisho_gate::ledger::{BoxFuture, ExecutionOutcome, ProgramExit};
use sekisho_gate::record::AuditEntry;
use sekisho_gate::{ApprovalId, CallId, Digest, ExecutionId};
use sekisho_testkit::Inspect;
use sekisho_testkit::conformance::{self, Backend, StorePorts};
use sekisho_testkit::inspect::{CallRow, ExecutionRow};
use serde::de::DeserializeOwned;
use serde_json::Value;
use uuid::Uuid;

use crate::harness::TempDatabase;

#[test]
fn sqlite_store_conforms() {
    conformance::run(|| Box::new(SqliteBackend(Arc::new(TempDatabase::new()))));
}

/// One file for one case.
struct SqliteBackend(Arc<TempDatabase>);

impl SqliteBackend {
    fn store(&self) -> StorePorts {
        let store = Arc::new(self.0.store());
        StorePorts {
            ledger: store.clone(),
            rules: store.clone(),
            tokens: store.clone(),
            runs: store.clone(),
            audit: store,
            inspect: self.0.clone(),
        }
    }
}

impl Backend for SqliteBackend {
    fn fresh(&self) -> BoxFuture<'_, StorePorts> {
        Box::pin(async { self.store() })
    }

    fn reopen(&self, store: StorePorts) -> BoxFuture<'_, StorePorts> {
        assert_eq!(Arc::strong_count(&store.rules), 5, "nobody else has the store open");
        drop(store);
        Box::pin(async { self.store() })
    }
}

/// Reads with another connection, bypassing the store.
impl Inspect for TempDatabase {
    fn entries(&self) -> BoxFuture<'_, Vec<AuditEntry>> {
        let text = "SELECT * FROM audit_log ORDER BY rowid";
        Box::pin(async { rows(&self.other(), text, entry) })
    }

    fn calls(&self) -> BoxFuture<'_, Vec<CallRow>> {
        let text = "SELECT * FROM calls ORDER BY id";
        Box::pin(async { rows(&self.other(), text, call) })
    }

    fn executions(&self) -> BoxFuture<'_, Vec<ExecutionRow>> {
        let text = "SELECT * FROM tool_executions ORDER BY id";
        Box::pin(async { rows(&self.other(), text, execution) })
    }
}

fn rows<T>(db: &Connection, text: &str, read: fn(&Row<'_>) -> rusqlite::Result<T>) -> Vec<T> {
    db.prepare(text).unwrap().query_map([], read).unwrap().map(Result::unwrap).collect()
}

fn entry(row: &Row<'_>) -> rusqlite::Result<AuditEntry> {
    let approver: Option<String> = row.get("approver")?;
    let mut body: Value = json(&row.get::<_, String>("body")?);
    // The body wraps the original and says who decided.
    let mut part = |name: &str| body.pointer_mut(name).unwrap().take();
    let decided = approver.map(|_| (serde_json::from_value(part("/by")).unwrap(), part("/about")));
    let (by, about) = decided.unzip();
    Ok(AuditEntry {
        at: moment(row.get("at")?),
        kind: word(row.get("kind")?),
        call: row.get::<_, Option<Uuid>>("call")?.map(CallId),
        approval: row.get::<_, Option<Uuid>>("approval")?.map(ApprovalId),
        execution: row.get::<_, Option<Uuid>>("execution")?.map(ExecutionId),
        tool: row.get("tool")?,
        server: row.get("server")?,
        agent: row.get("agent")?,
        credential: row.get("credential")?,
        decision: row.get::<_, Option<String>>("decision")?.map(word),
        body: about.unwrap_or(body),
        context: sekisho_gate::record::SecretContext::default(),
        by,
        text: row.get("text")?,
    })
}

fn call(row: &Row<'_>) -> rusqlite::Result<CallRow> {
    Ok(CallRow {
        id: CallId(row.get("id")?),
        tool: row.get("tool")?,
        input: json(&row.get::<_, String>("input")?),
        digest: Digest(row.get("digest")?),
    })
}

fn execution(row: &Row<'_>) -> rusqlite::Result<ExecutionRow> {
    let ending = match row.get::<_, Option<i64>>("finished_at")? {
        Some(at) => Some(ExecutionOutcome {
            at: moment(at),
            is_error: row.get("is_error")?,
            output: row.get("output")?,
            duration_ms: row.get("duration_ms")?,
            exit: ProgramExit::from_columns(row.get("exit_code")?, row.get("signal")?),
        }),
        None => None,
    };
    Ok(ExecutionRow {
        id: ExecutionId(row.get("id")?),
        approval: row.get::<_, Option<Uuid>>("approval")?.map(ApprovalId),
        tool: row.get("tool_name")?,
        input: json(&row.get::<_, String>("input")?),
        started_at: moment(row.get("created_at")?),
        began_at: row.get::<_, Option<i64>>("began_at")?.map(moment),
        sandbox: row.get("sandbox")?,
        ending,
    })
}

fn moment(micros: i64) -> Timestamp {
    Timestamp::from_microsecond(micros).unwrap()
}

fn json<T: DeserializeOwned>(text: &str) -> T {
    serde_json::from_str(text).unwrap()
}

/// Parses a value stored as a bare word.
fn word<T: DeserializeOwned>(word: String) -> T {
    serde_json::from_value(Value::String(word)).unwrap()
}
