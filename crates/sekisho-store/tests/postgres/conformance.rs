//! The PostgreSQL store passes the conformance suite.

use std::sync::{Arc, Mutex};

use jiff::Timestamp;
use sekisho_gate::answer::Actor;
use sekisho_gate::ledger::{BoxFuture, ExecutionOutcome, ProgramExit};
use sekisho_gate::record::AuditEntry;
use sekisho_gate::{ApprovalId, CallId, Digest, ExecutionId};
use sekisho_testkit::Inspect;
use sekisho_testkit::conformance::{Backend, StorePorts, cases};
use sekisho_testkit::inspect::{CallRow, ExecutionRow};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::sync::Semaphore;
use tokio_postgres::Row;

use super::harness::{RUNTIME, other, store};
use sekisho_testkit::postgres::PgServer;

/// How many cases run at once: they mostly wait for the server's disk.
const AT_ONCE: usize = 8;

#[test]
fn postgres_store_conforms() {
    let failed: Vec<&str> = RUNTIME.block_on(async {
        let places = Arc::new(Semaphore::new(AT_ONCE));
        let running: Vec<_> = cases()
            .into_iter()
            .map(|(name, case)| {
                let places = places.clone();
                let running = tokio::spawn(async move {
                    let _place = places.acquire_owned().await.unwrap();
                    case(&PostgresBackend(Mutex::new(String::new()))).await;
                });
                (name, running)
            })
            .collect();
        let mut failed = Vec::new();
        for (name, running) in running {
            if running.await.is_err() {
                failed.push(name);
            }
        }
        failed
    });
    assert!(failed.is_empty(), "{} cases failed: {}", failed.len(), failed.join(", "));
}

/// One database for one case.
struct PostgresBackend(Mutex<String>);

impl PostgresBackend {
    async fn store(&self, url: String) -> StorePorts {
        let store = Arc::new(store(&url).await);
        StorePorts {
            ledger: store.clone(),
            rules: store.clone(),
            tokens: store.clone(),
            runs: store.clone(),
            audit: store,
            inspect: Arc::new(RawInspect(url)),
        }
    }
}

impl Backend for PostgresBackend {
    fn fresh(&self) -> BoxFuture<'_, StorePorts> {
        Box::pin(async {
            let url = PgServer::shared().database().await;
            *self.0.lock().unwrap() = url.clone();
            self.store(url).await
        })
    }

    fn reopen(&self, store: StorePorts) -> BoxFuture<'_, StorePorts> {
        drop(store);
        let url = self.0.lock().unwrap().clone();
        Box::pin(self.store(url))
    }

    fn at_once(&self, tasks: Vec<BoxFuture<'static, ()>>) -> BoxFuture<'_, ()> {
        Box::pin(async {
            let tasks: Vec<_> = tasks.into_iter().map(tokio::spawn).collect();
            for task in tasks {
                task.await.unwrap();
            }
        })
    }
}

/// Reads with another connection, bypassing the store.
struct RawInspect(String);

impl RawInspect {
    fn read<T: Send + 'static>(&self, text: &'static str, read: fn(&Row) -> T) -> BoxFuture<'_, Vec<T>> {
        Box::pin(
            async move { other(&self.0).await.query(text, &[]).await.unwrap().iter().map(read).collect() },
        )
    }
}

impl Inspect for RawInspect {
    fn entries(&self) -> BoxFuture<'_, Vec<AuditEntry>> {
        self.read("SELECT * FROM audit_log ORDER BY writer, seq", entry)
    }

    fn calls(&self) -> BoxFuture<'_, Vec<CallRow>> {
        self.read("SELECT * FROM calls ORDER BY id", |row| CallRow {
            id: CallId(row.get("id")),
            tool: row.get("tool"),
            input: json(row.get("input")),
            digest: Digest(row.get::<_, &[u8]>("digest").try_into().unwrap()),
        })
    }

    fn executions(&self) -> BoxFuture<'_, Vec<ExecutionRow>> {
        self.read("SELECT * FROM tool_executions ORDER BY id", |row| ExecutionRow {
            id: ExecutionId(row.get("id")),
            approval: row.get::<_, Option<_>>("approval").map(ApprovalId),
            tool: row.get("tool_name"),
            input: json(row.get("input")),
            started_at: moment(row.get("created_at")),
            began_at: row.get::<_, Option<i64>>("began_at").map(moment),
            sandbox: row.get("sandbox"),
            ending: row.get::<_, Option<i64>>("finished_at").map(|at| ExecutionOutcome {
                at: moment(at),
                is_error: row.get("is_error"),
                output: row.get("output"),
                duration_ms: row.get("duration_ms"),
                exit: ProgramExit::from_columns(row.get("exit_code"), row.get("signal")),
            }),
        })
    }
}

/// Reads the entry back from a row of the audit log. Nothing in the suite is masked.
fn entry(row: &Row) -> AuditEntry {
    let mut body: Value = json(row.get("body"));
    let mut part = |name: &str| body.get_mut(name).map(Value::take).unwrap_or_default();
    let (by, body): (Option<Actor>, Value) = match row.get::<_, Option<&str>>("approver") {
        Some(_) => (serde_json::from_value(part("by")).ok(), part("about")),
        None => (None, body),
    };
    AuditEntry {
        at: moment(row.get("at")),
        kind: word(row.get("kind")),
        call: row.get::<_, Option<_>>("call").map(CallId),
        approval: row.get::<_, Option<_>>("approval").map(ApprovalId),
        execution: row.get::<_, Option<_>>("execution").map(ExecutionId),
        tool: row.get("tool"),
        server: row.get("server"),
        agent: row.get("agent"),
        credential: row.get("credential"),
        decision: row.get::<_, Option<String>>("decision").map(word),
        by,
        text: row.get("text"),
        body,
        context: sekisho_gate::record::SecretContext::default(),
    }
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
