//! The ledger in a PostgreSQL database that several processes share.
//!
//! Every process has one task that writes ([`writer`]), a few connections that read, and one that listens for the others'
//! commits ([`listener`]). Everything that waits for the writer is committed together ([`batch`]). What becomes of a
//! question is decided by the gate's own functions between reading a row `FOR UPDATE` and writing it, so of all processes
//! exactly one gets to decide. Connections that are lost are made again; callers hear of it as an error that may pass.

mod address;
mod audit;
mod back_off;
mod batch;
mod chain;
mod connect;
pub mod copy;
mod db;
mod fault;
mod heads;
mod ledger;
mod listener;
mod migrate;
mod request;
mod rules;
mod scripts;
mod sql;
mod tables;
mod text;
mod tls;
mod tokens;
mod version;
mod writer;

pub use version::{shown, version};

use std::sync::Arc;
use std::time::Duration;

use deadpool_postgres::{Object, Pool};
use sekisho_gate::audit::{Keys, Seal};
use sekisho_gate::ledger::{Admission, Kept, Later, LedgerError};
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot};

use self::connect::Place;
use self::db::Db;
use self::fault::told;
use self::heads::{Heads, Reading};
use self::request::{Admitting, Order, Request};
use self::scripts::Script;
use crate::error::StoreError;
use crate::fault::{Fault, Scripted};
use crate::rows::{SHARE, another};

/// How a database is opened. The defaults fit a gate that serves people.
#[derive(Clone)]
pub struct Options {
    /// The keys that sign the log, and the masks of what must not be in it.
    pub seal: Seal,
    /// How many connections read.
    pub readers: usize,
    /// How many writes are committed together at most.
    pub largest_batch: usize,
    /// How long a statement may take.
    pub statement_timeout: Duration,
    /// How long a statement may wait for another process.
    pub lock_timeout: Duration,
    /// How often to look for what others have written, where no notification of it came.
    pub look_every: Duration,
}

impl Options {
    /// The defaults, with a seal.
    pub fn new(seal: Seal) -> Options {
        Options {
            seal,
            readers: 4,
            largest_batch: 512,
            statement_timeout: Duration::from_secs(10),
            lock_timeout: Duration::from_secs(5),
            look_every: Duration::from_secs(3),
        }
    }
}

/// So many requests may wait; more wait to be let in.
const WAITING: usize = 4096;

/// The ledger and the rules in one PostgreSQL database.
///
/// It lives on the runtime it was opened on; its futures can be awaited anywhere. Dropping it lets what was asked of it
/// finish there.
pub struct PostgresStore {
    place: Arc<Place>,
    inbox: mpsc::Sender<Order>,
    readers: Pool,
    heads: Arc<Heads>,
    runtime: Handle,
}

impl PostgresStore {
    /// Opens a database by its address, making its tables where they are missing:
    /// `postgres://user:password@host:5432/database`, with `sslmode` and `sslrootcert` as for any other client.
    ///
    /// Tables that a later version has made are refused, and so is a key that is another one than the database knows under
    /// its number. Must be called on a tokio runtime.
    pub async fn open(url: &str, options: Options) -> Result<PostgresStore, StoreError> {
        let (seal, keys) = (options.seal.clone(), Arc::clone(&options.seal.keys));
        let place = Arc::new(Place::new(url, options)?);
        migrate::migrate(&place).await?;
        let (runtime, heads) = (Handle::current(), Arc::new(Heads::default()));
        let (inbox, orders) = mpsc::channel(WAITING);
        let desk = writer::Desk::new(Arc::clone(&place), Arc::clone(&heads), seal);
        let store = PostgresStore { readers: place.readers()?, place, inbox, heads, runtime };
        let reading = store
            .read(|db| Box::pin(Reading::take(db)))
            .await
            .map_err(|error| store.place.address.unusable(error.message, "check that its server runs"))?;
        store.heads.publish(reading);
        store.runtime.spawn(desk.serve(orders));
        store.meet(keys).await?;
        store.runtime.spawn(listener::listen(Arc::clone(&store.place), Arc::downgrade(&store.heads)));
        Ok(store)
    }

    /// Refuses keys that are others than those the database knows under their numbers. Those who only read have none.
    async fn meet(&self, keys: Arc<Keys>) -> Result<(), StoreError> {
        if keys.all().is_empty() {
            return Ok(());
        }
        let address = &self.place.address;
        match self.write(scripts::MeetKeys(keys)).await {
            Ok(None) => Ok(()),
            Ok(Some(key)) => Err(address.unusable(another(key), SHARE)),
            Err(error) => Err(address.unusable(error.message, "check that its server runs")),
        }
    }

    /// Has the writer run a script in the next transaction. It is sent when the future is first polled.
    fn write<S: Script>(&self, script: S) -> Kept<'_, S::Given> {
        Box::pin(async move {
            let (answer, answered) = oneshot::channel();
            self.send(Order::Other(Box::new(Request { script, result: None, answer }))).await?;
            answered.await.unwrap_or_else(|_| Err(self.gone()))
        })
    }

    fn write_admission(&self, admission: Admission) -> Kept<'_, ()> {
        Box::pin(async move {
            let (answer, answered) = oneshot::channel();
            self.send(Order::Admit(Box::new(Admitting { admission, result: None, answer }))).await?;
            answered.await.unwrap_or_else(|_| Err(self.gone()))
        })
    }

    async fn send(&self, order: Order) -> Result<(), LedgerError> {
        self.inbox.send(order).await.map_err(|_| self.gone())
    }

    fn gone(&self) -> LedgerError {
        LedgerError::passing(format!(
            "the writer of database `{}` gave no answer: try again",
            self.place.shown()
        ))
    }

    /// Runs one query, on the runtime of the store.
    fn read<T, F>(&self, script: F) -> Kept<'_, T>
    where
        T: Send + 'static,
        F: for<'a> FnOnce(&'a Db<'a>) -> Later<'a, Scripted<T>> + Send + 'static,
    {
        self.read_within("", script)
    }

    /// Runs several queries that see the database as it is at one moment.
    fn read_at_one_moment<T, F>(&self, script: F) -> Kept<'_, T>
    where
        T: Send + 'static,
        F: for<'a> FnOnce(&'a Db<'a>) -> Later<'a, Scripted<T>> + Send + 'static,
    {
        self.read_within("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", script)
    }

    fn read_within<T, F>(&self, begin: &'static str, script: F) -> Kept<'_, T>
    where
        T: Send + 'static,
        F: for<'a> FnOnce(&'a Db<'a>) -> Later<'a, Scripted<T>> + Send + 'static,
    {
        let (readers, place, runtime) = (self.readers.clone(), Arc::clone(&self.place), self.runtime.clone());
        Box::pin(async move {
            let shown = Arc::clone(&place);
            let reading = runtime.spawn(async move {
                read(&readers, &place, begin, script).await.map_err(|fault| told(&fault, place.shown()))
            });
            reading.await.unwrap_or_else(|_| {
                Err(LedgerError::passing(format!("reading database `{}` was broken off", shown.shown())))
            })
        })
    }
}

async fn read<T, F>(readers: &Pool, place: &Place, begin: &'static str, script: F) -> Scripted<T>
where
    F: for<'a> FnOnce(&'a Db<'a>) -> Later<'a, Scripted<T>>,
{
    let passing = |what: String| Fault::Database { what, passing: true };
    let client = readers.get().await.map_err(|error| passing(error.to_string()))?;
    let patience = place.options.statement_timeout * 3;
    let whole = tokio::time::timeout(patience, async {
        let db = Db::new(&client);
        if begin.is_empty() {
            return script(&db).await;
        }
        db.say(begin).await?;
        let result = script(&db).await;
        db.say("ROLLBACK").await?;
        result
    })
    .await;
    let result = whole.unwrap_or_else(|_| Err(passing(format!("no answer within {patience:?}"))));
    if matches!(result, Err(Fault::Database { .. })) {
        // What state it is in is not worth knowing.
        drop(Object::take(client));
    }
    result
}

impl std::fmt::Debug for PostgresStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PostgresStore").field("place", &self.place.shown()).finish_non_exhaustive()
    }
}
