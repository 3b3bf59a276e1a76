//! A database, a store on it, and connections that bypass the store.

use std::sync::LazyLock;
use std::time::Duration;

use sekisho_store::PostgresStore;
use sekisho_store::postgres::Options;
use sekisho_testkit::fixtures::audit_config;
use tokio::runtime::Runtime;
use tokio_postgres::{Client, NoTls};

use sekisho_testkit::postgres::PgServer;

/// The runtime of all these tests.
pub(crate) static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    tokio::runtime::Builder::new_multi_thread().worker_threads(4).enable_all().build().unwrap()
});

/// Statement timeouts long enough for a busy machine.
pub(crate) fn options() -> Options {
    let (statement_timeout, lock_timeout) = (Duration::from_secs(120), Duration::from_secs(60));
    Options { statement_timeout, lock_timeout, ..Options::new(audit_config()) }
}

pub(crate) async fn store(url: &str) -> PostgresStore {
    PostgresStore::open(url, options()).await.unwrap()
}

/// A store on an empty database of the shared server, and its URL.
pub(crate) async fn fresh() -> (PostgresStore, String) {
    let url = PgServer::shared().database().await;
    (store(&url).await, url)
}

/// A connection as another program would open it.
pub(crate) async fn other(url: &str) -> Client {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

pub(crate) async fn count(url: &str, table: &str) -> i64 {
    other(url).await.query_one(&format!("SELECT count(*) FROM {table}"), &[]).await.unwrap().get(0)
}
