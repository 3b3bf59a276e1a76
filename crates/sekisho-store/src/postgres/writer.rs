//! The one writer of this process: a task that commits together whatever is waiting.
//!
//! There is no delay to gather company: while one batch is on its way to the server's disk, the next gathers by itself. A
//! batch that got in the way of another process's is run again, and so is one whose connection was found dead before
//! its commit was sent. When the connection is lost during the commit nobody knows whether it happened: everyone is
//! told of an error that may pass, and the gate, which can ask again under the same key, finds out.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use deadpool_postgres::ClientWrapper;
use sekisho_gate::audit::Keys;
use sekisho_gate::ledger::LedgerError;
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::back_off::BackOff;
use super::batch::{Batch, Told};
use super::chain::Chain;
use super::connect::{Place, Role};
use super::db::Db;
use super::fault::{Trouble, told, words};
use super::heads::Heads;
use super::page::{Draft, Page};
use super::request::Order;
use crate::fault::Fault;
use crate::masking::Lines;

/// How often a batch is run before its callers are told that it does not work.
const TRIES: u32 = 5;
/// How much longer than one statement a whole batch may take.
const STATEMENTS: u32 = 3;

/// The task's own things.
pub(super) struct Desk {
    pub(super) place: Arc<Place>,
    pub(super) heads: Arc<Heads>,
    chain: Chain,
    /// None after a failure: another one is made for the next batch.
    client: Option<ClientWrapper>,
    back_off: BackOff,
}

/// Why a batch was not committed.
struct Failure {
    fault: Fault,
    /// It certainly was not, and the same may work at once.
    again: bool,
    /// There is no connection to be had.
    unreachable: bool,
}

/// What ended a batch.
enum Broken {
    Fault(Fault),
    /// The server said nothing more.
    Late,
}

impl Broken {
    fn fault(self, patience: Duration) -> Fault {
        match self {
            Broken::Fault(fault) => fault,
            Broken::Late => Fault::Database { what: format!("no answer within {patience:?}"), passing: true },
        }
    }
}

impl Desk {
    pub(super) fn new(place: Arc<Place>, heads: Arc<Heads>, keys: Arc<Keys>) -> Desk {
        Desk { place, heads, chain: Chain::new(keys), client: None, back_off: BackOff::default() }
    }

    /// Serves until nobody can ask any more and everything asked is done.
    pub(super) async fn serve(mut self, mut inbox: mpsc::Receiver<Order>) {
        let most = self.place.options.largest_batch.max(1);
        let mut orders = Vec::new();
        while inbox.recv_many(&mut orders, most).await > 0 {
            let batch = Box::pin(self.commit_together(std::mem::take(&mut orders)));
            // A script that panics takes its batch with it: the connection is dropped before anything is committed, and
            // those who wait find nobody at the other end. The task itself goes on.
            if caught(batch).await.is_none() {
                self.client = None;
                self.chain.failed(None);
            }
        }
    }

    async fn commit_together(&mut self, mut orders: Vec<Order>) {
        for order in &orders {
            if let Order::Keys(keys, _) = order {
                self.chain.take_keys(keys);
            }
        }
        let mut tries = 0;
        let failure = loop {
            tries += 1;
            match self.attempt(&mut orders).await {
                Ok(told) => {
                    self.heads.tell(told);
                    self.answer(orders, None);
                    return;
                }
                Err(failure) if failure.again && tries < TRIES => {
                    tokio::time::sleep(BackOff::jitter(Duration::from_millis(5) * tries)).await;
                }
                Err(failure) => break failure,
            }
        };
        let error = LedgerError { passing: true, ..told(&failure.fault, self.place.shown()) };
        self.answer(orders, Some(&error));
        if failure.unreachable {
            self.back_off.wait().await;
        }
    }

    fn answer(&self, orders: Vec<Order>, lost: Option<&LedgerError>) {
        for order in orders {
            order.answer(lost, self.place.shown());
        }
    }

    async fn attempt(&mut self, orders: &mut [Order]) -> Result<Told, Failure> {
        let client = match self.client.take() {
            Some(client) if !client.is_closed() => client,
            _ => self.connect().await?,
        };
        let patience = self.place.options.statement_timeout * STATEMENTS;
        let (result, batch) = self.run(&client, orders, patience).await;
        let trouble = batch.as_ref().map_or(Some(Trouble::Lost), Batch::trouble);
        let committing = batch.as_ref().is_some_and(|batch| batch.committing);
        let ink = batch.map(Batch::into_ink);
        let lost = trouble == Some(Trouble::Lost) || matches!(result, Err(Broken::Late));
        let broken = match (result, ink) {
            (Ok(told), Some(ink)) => {
                self.chain.committed(ink);
                self.client = Some(client);
                return Ok(told);
            }
            (Ok(_), None) => Broken::Fault(Fault::wrong("a batch was written without its log")),
            (Err(broken), ink) => {
                self.chain.failed(ink.filter(|_| lost && committing));
                broken
            }
        };
        if !lost && client.batch_execute("ROLLBACK").await.is_ok() {
            self.client = Some(client);
        }
        let again = trouble.is_some() && !(lost && committing);
        Err(Failure { fault: broken.fault(patience), again, unreachable: false })
    }

    /// Runs a batch. What there is of it afterwards says how far it came; none: it did not begin.
    async fn run<'c>(
        &mut self,
        client: &'c ClientWrapper,
        orders: &mut [Order],
        patience: Duration,
    ) -> (Result<Told, Broken>, Option<Batch<'c>>) {
        let db = Db::new(client);
        let ink = match timeout(patience, self.chain.ink(&db)).await {
            Ok(Ok(ink)) => ink,
            Ok(Err(fault)) => return (Err(Broken::Fault(fault)), None),
            Err(_) => return (Err(Broken::Late), None),
        };
        let mut batch = Batch::new(Page { db, draft: Draft::new(ink), lines: Lines::default() });
        let result = match timeout(patience, batch.commit(orders)).await {
            Ok(result) => result.map_err(Broken::Fault),
            Err(_) => Err(Broken::Late),
        };
        (result, Some(batch))
    }

    async fn connect(&mut self) -> Result<ClientWrapper, Failure> {
        match self.place.connect(Role::Write).await {
            Ok(client) => {
                self.back_off = BackOff::default();
                Ok(client)
            }
            Err(error) => Err(Failure {
                fault: Fault::Database { what: words(&error), passing: true },
                again: false,
                unreachable: true,
            }),
        }
    }
}

/// What a future comes to; nothing, where it panics. It is not polled again then.
async fn caught<T>(mut future: Pin<Box<impl Future<Output = T>>>) -> Option<T> {
    poll_fn(|context| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
        Ok(polled) => polled.map(Some),
        Err(_) => Poll::Ready(None),
    })
    .await
}

#[cfg(test)]
mod tests;
