//! A database of either kind, with access that bypasses the store.

use std::path::Path;
use std::sync::Arc;

use rusqlite::types::ValueRef;
use sekisho_agent::{Agents, PipelineRuns, Pipelines, Runs};
use sekisho_gate::audit::AuditLog;
use sekisho_gate::ledger::Ledger;
use sekisho_gate::rule_store::RuleStore;
use sekisho_store::{Options, PostgresStore, SqliteStore};
use sekisho_testkit::fixtures::audit_config;
use sekisho_tools::RunStorage;
use tokio_postgres::{Client, SimpleQueryMessage};
use uuid::Uuid;

use crate::harness::{TempDatabase, wait};
use crate::postgres::harness::{self, RUNTIME};
use sekisho_testkit::postgres::PgServer;

/// All ports of a store.
pub(crate) trait TestPorts:
    Agents + AuditLog + Ledger + PipelineRuns + Pipelines + RuleStore + RunStorage + Runs
{
}

impl<T: Agents + AuditLog + Ledger + PipelineRuns + Pipelines + RuleStore + RunStorage + Runs> TestPorts
    for T
{
}

/// Opens a store by its address: a path or a URL.
pub(crate) async fn opened(address: &str) -> Arc<dyn TestPorts> {
    if address.starts_with("postgres://") {
        return Arc::new(PostgresStore::open(address, harness::options()).await.unwrap());
    }
    Arc::new(SqliteStore::open(Path::new(address), Options::new(audit_config())).unwrap())
}

/// A database under test.
pub(crate) enum TestDatabase {
    File(TempDatabase),
    Server { url: String, past: Client },
}

impl TestDatabase {
    /// A file that does not exist yet.
    pub(crate) fn file() -> TestDatabase {
        TestDatabase::File(TempDatabase::new())
    }

    /// An empty database on the shared server.
    pub(crate) fn server() -> TestDatabase {
        RUNTIME.block_on(async {
            let url = PgServer::shared().database().await;
            TestDatabase::Server { past: harness::other(&url).await, url }
        })
    }

    /// The address for another process.
    pub(crate) fn address(&self) -> &str {
        match self {
            TestDatabase::File(place) => place.path.to_str().unwrap(),
            TestDatabase::Server { url, .. } => url,
        }
    }

    /// A store, as another process would open it.
    pub(crate) fn store(&self) -> Arc<dyn TestPorts> {
        match self {
            // A file needs no runtime.
            TestDatabase::File(_) => wait(opened(self.address())),
            TestDatabase::Server { url, .. } => RUNTIME.block_on(opened(url)),
        }
    }

    /// Runs statements.
    pub(crate) fn run(&self, sql: &str) -> Result<(), String> {
        match self {
            TestDatabase::File(place) => place.other().execute_batch(sql).map_err(|error| error.to_string()),
            TestDatabase::Server { past, .. } => RUNTIME.block_on(past.batch_execute(sql)).map_err(|error| {
                error.as_db_error().map_or_else(|| error.to_string(), |error| error.message().to_owned())
            }),
        }
    }

    /// Makes every write to the audit log fail, or lets them succeed again.
    pub(crate) fn fail_records(&self, fail: bool) {
        let sql = match (self, fail) {
            (TestDatabase::File(_), true) => {
                "CREATE TRIGGER fail BEFORE INSERT ON audit_log BEGIN SELECT RAISE(ABORT, 'no record'); END"
            }
            (TestDatabase::File(_), false) => "DROP TRIGGER fail",
            (TestDatabase::Server { .. }, true) => {
                "CREATE FUNCTION fail() RETURNS trigger AS $$ BEGIN RAISE EXCEPTION 'no record'; END $$ LANGUAGE plpgsql; \
                 CREATE TRIGGER fail BEFORE INSERT ON audit_log FOR EACH STATEMENT EXECUTE FUNCTION fail()"
            }
            (TestDatabase::Server { .. }, false) => "DROP TRIGGER fail ON audit_log; DROP FUNCTION fail",
        };
        self.run(sql).unwrap();
    }

    /// The first column of a query's rows, as text.
    pub(crate) fn texts(&self, sql: &str) -> Vec<String> {
        match self {
            TestDatabase::File(place) => {
                let db = place.other();
                let mut query = db.prepare(sql).unwrap();
                let rows = query.query_map([], |row| row.get_ref(0).map(text)).unwrap();
                rows.map(Result::unwrap).collect()
            }
            TestDatabase::Server { past, .. } => {
                let found = RUNTIME.block_on(past.simple_query(sql)).unwrap();
                let row = |message: &SimpleQueryMessage| match message {
                    SimpleQueryMessage::Row(row) => Some(row.get(0).unwrap_or_default().to_owned()),
                    _ => None,
                };
                found.iter().filter_map(row).collect()
            }
        }
    }

    /// The number that a query returns.
    pub(crate) fn one(&self, sql: &str) -> i64 {
        self.texts(sql).first().unwrap().parse().unwrap()
    }

    pub(crate) fn count(&self, table: &str) -> i64 {
        self.one(&format!("SELECT count(*) FROM {table}"))
    }

    /// An id as an SQL literal.
    pub(crate) fn id(&self, id: Uuid) -> String {
        match self {
            TestDatabase::File(_) => format!("x'{}'", id.simple()),
            TestDatabase::Server { .. } => format!("'{id}'::uuid"),
        }
    }

    /// Bytes as an SQL literal.
    pub(crate) fn bytes(&self, bytes: &[u8]) -> String {
        match self {
            TestDatabase::File(_) => format!("x'{}'", hex(bytes)),
            TestDatabase::Server { .. } => format!("decode('{}', 'hex')", hex(bytes)),
        }
    }
}

fn text(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Null => String::new(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => number.to_string(),
        ValueRef::Text(text) => String::from_utf8(text.to_vec()).unwrap(),
        ValueRef::Blob(bytes) => hex(bytes),
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
