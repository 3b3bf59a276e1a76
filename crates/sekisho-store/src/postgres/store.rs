//! The store: opening it, writing through its one task, and reading through a pool.

use std::sync::Arc;

use deadpool_postgres::{Object, Pool};
use sekisho_gate::audit::{AuditConfig, KeyRing, MaskedEntry};
use sekisho_gate::ledger::{Admission, AdmissionOutcome, BoxFuture, LedgerError, LedgerFuture};
use sekisho_gate::mask::Masks;
use sekisho_gate::record::AuditEntry;
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot};

use super::commit_counters::{CommitCounters, CounterValues};
use super::connection::PgConnection;
use super::connector::Connector;
use super::error_class::to_ledger_error;
use super::options::Options;
use super::signing_keys::RegisterKeys;
use super::write_operation::WriteOperation;
use super::write_queue::{QueuedAdmission, QueuedWrite, WriteQueue, WriteRequest};
use super::{listener, migrate, writer};
use crate::error::StoreError;
use crate::signing_keys::{SHARE, mismatch_message};
use crate::transaction_error::{TransactionError, TransactionResult};

/// How many requests may be queued; further callers wait.
const WAITING: usize = 4096;

/// All ports of the gate in one PostgreSQL database.
///
/// It runs on the runtime it was opened on; its futures can be awaited anywhere. Dropping it lets queued
/// requests finish there.
pub struct PostgresStore {
    pub(super) place: Arc<Connector>,
    pub(super) way: WriteQueue,
    readers: Pool,
    pub(super) heads: Arc<CommitCounters>,
}

impl PostgresStore {
    /// Opens a database by its URL and creates missing tables: `postgres://user:password@host:5432/database`,
    /// with `sslmode` and `sslrootcert` as for any other client.
    ///
    /// Refuses tables made by a later version, and a key that differs from the one the database knows under
    /// its number. Must be called on a tokio runtime.
    pub async fn open(url: &str, options: Options) -> Result<PostgresStore, StoreError> {
        let AuditConfig { keys, masks } = options.audit.clone();
        let place = Arc::new(Connector::new(url, options)?);
        migrate::migrate(&place).await?;
        let (runtime, heads) = (Handle::current(), Arc::new(CommitCounters::default()));
        let (inbox, orders) = mpsc::channel(WAITING);
        let worker = writer::WriterTask::new(Arc::clone(&place), Arc::clone(&heads), Arc::clone(&keys));
        let way = WriteQueue { inbox, masks, runtime };
        let store = PostgresStore { readers: place.readers()?, place, way, heads };
        let reading = store.read(|db| Box::pin(CounterValues::take(db))).await.map_err(|error| {
            store.place.address.unusable(error.message, "check that its server is running")
        })?;
        store.heads.publish(reading);
        store.way.runtime.spawn(worker.serve(orders));
        store.meet(keys).await?;
        store.way.runtime.spawn(listener::listen(Arc::clone(&store.place), Arc::downgrade(&store.heads)));
        Ok(store)
    }

    /// Refuses keys that differ from those the database knows under their numbers. A read-only store has no
    /// keys.
    async fn meet(&self, keys: Arc<KeyRing>) -> Result<(), StoreError> {
        if keys.all().is_empty() {
            return Ok(());
        }
        let address = &self.place.address;
        match self.write(RegisterKeys(keys)).await {
            Ok(None) => Ok(()),
            Ok(Some(key)) => Err(address.unusable(mismatch_message(key), SHARE)),
            Err(error) => Err(address.unusable(error.message, "check that its server is running")),
        }
    }

    /// Lets the writer run an operation in the next transaction after its entries are masked. This starts
    /// when the future is first polled.
    pub(super) fn write<S: WriteOperation>(&self, script: S) -> LedgerFuture<'_, S::Outcome> {
        Box::pin(async move {
            let (answer, answered) = oneshot::channel();
            let way = self.way.clone();
            if S::PREDICTS_ENTRIES {
                let (readers, place) = (self.readers.clone(), Arc::clone(&self.place));
                self.way.runtime.spawn(async move {
                    let (script, lines) = ahead(script, &readers, &place).await?;
                    WriteRequest::send(way, script, lines, answer).await;
                    Some(())
                });
            } else {
                let lines = script.known_entries();
                WriteRequest::send(way, script, lines, answer).await;
            }
            answered.await.unwrap_or_else(|_| Err(self.gone()))
        })
    }

    pub(super) fn write_admission(&self, admission: Admission) -> LedgerFuture<'_, AdmissionOutcome> {
        Box::pin(async move {
            let (answer, answered) = oneshot::channel();
            let entry = admission.record.entry.clone();
            let is_quick = MaskedEntry::is_quick([&entry]);
            let order = move |masks: &Masks| {
                let line = MaskedEntry::new(entry, masks);
                QueuedWrite::Admit(Box::new(QueuedAdmission { admission, line, result: None, answer }))
            };
            self.way.clone().send(is_quick, order).await;
            answered.await.unwrap_or_else(|_| Err(self.gone()))
        })
    }

    pub(super) async fn send(&self, order: QueuedWrite) -> Result<(), LedgerError> {
        self.way.inbox.send(order).await.map_err(|_| self.gone())
    }

    pub(super) fn gone(&self) -> LedgerError {
        LedgerError::transient(format!(
            "the writer of database `{}` did not answer: try again",
            self.place.shown()
        ))
    }

    /// Runs one query on the store's runtime.
    pub(super) fn read<T, F>(&self, script: F) -> LedgerFuture<'_, T>
    where
        T: Send + 'static,
        F: for<'a> FnOnce(&'a PgConnection<'a>) -> BoxFuture<'a, TransactionResult<T>> + Send + 'static,
    {
        self.read_within("", script)
    }

    /// Runs several queries against one snapshot of the database.
    pub(super) fn read_at_one_moment<T, F>(&self, script: F) -> LedgerFuture<'_, T>
    where
        T: Send + 'static,
        F: for<'a> FnOnce(&'a PgConnection<'a>) -> BoxFuture<'a, TransactionResult<T>> + Send + 'static,
    {
        self.read_within("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", script)
    }

    fn read_within<T, F>(&self, begin: &'static str, script: F) -> LedgerFuture<'_, T>
    where
        T: Send + 'static,
        F: for<'a> FnOnce(&'a PgConnection<'a>) -> BoxFuture<'a, TransactionResult<T>> + Send + 'static,
    {
        let (readers, place, runtime) =
            (self.readers.clone(), Arc::clone(&self.place), self.way.runtime.clone());
        Box::pin(async move {
            let shown = Arc::clone(&place);
            let reading = runtime.spawn(async move {
                read(&readers, &place, begin, script)
                    .await
                    .map_err(|fault| to_ledger_error(&fault, place.shown()))
            });
            reading.await.unwrap_or_else(|_| {
                Err(LedgerError::transient(format!("reading database `{}` was interrupted", shown.shown())))
            })
        })
    }
}

/// Predicts the entries an operation will write, judging by what is stored now. Entries that could not be
/// predicted are found when the operation runs.
async fn ahead<S: WriteOperation>(
    script: S,
    readers: &Pool,
    place: &Connector,
) -> Option<(S, Vec<AuditEntry>)> {
    let script = Arc::new(script);
    let reading = Arc::clone(&script);
    let lines =
        read(readers, place, "", move |db| Box::pin(async move { reading.predict_entries(db).await }));
    let lines = lines.await.unwrap_or_default();
    Some((Arc::into_inner(script)?, lines))
}

async fn read<T, F>(readers: &Pool, place: &Connector, begin: &'static str, script: F) -> TransactionResult<T>
where
    F: for<'a> FnOnce(&'a PgConnection<'a>) -> BoxFuture<'a, TransactionResult<T>>,
{
    let passing = |what: String| TransactionError::Database { what, passing: true };
    let client = readers.get().await.map_err(|error| passing(error.to_string()))?;
    let patience = place.options.statement_timeout * 3;
    let whole = tokio::time::timeout(patience, async {
        let db = PgConnection::new(&client);
        if begin.is_empty() {
            return script(&db).await;
        }
        db.batch_execute(begin).await?;
        let result = script(&db).await;
        db.batch_execute("ROLLBACK").await?;
        result
    })
    .await;
    let result = whole.unwrap_or_else(|_| Err(passing(format!("no answer within {patience:?}"))));
    if matches!(result, Err(TransactionError::Database { .. })) {
        // Its state is unknown, so it does not return to the pool.
        drop(Object::take(client));
    }
    result
}

impl std::fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PostgresStore").field("place", &self.place.shown()).finish_non_exhaustive()
    }
}
