//! The one writer of this process: a task that commits all waiting requests together.
//!
//! There is no delay to collect requests: while one batch is being committed, the next collects by itself. A
//! batch that conflicted with another process is run again, and so is one whose connection was found dead
//! before its commit was sent. If the connection is lost during the commit its outcome is unknown: all
//! callers get a transient error, and the gate, which can retry under the same key, finds out.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use deadpool_postgres::ClientWrapper;
use sekisho_gate::audit::KeyRing;
use sekisho_gate::ledger::LedgerError;
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::backoff::BackOff;
use super::batch::{Batch, CommittedCounters};
use super::commit_counters::CommitCounters;
use super::connection::PgConnection;
use super::connector::{ConnectionPurpose, Connector};
use super::error_class::{ErrorClass, one_line_message, to_ledger_error};
use super::open_transaction::{OpenTransaction, PendingAppends};
use super::write_queue::QueuedWrite;
use super::writer_chain::WriterChain;
use crate::entry_masking::MaskedLines;
use crate::transaction_error::TransactionError;

/// How often a batch is run before its callers get an error.
const TRIES: u32 = 5;
/// How many statement timeouts a whole batch may take.
const STATEMENTS: u32 = 3;

/// The state of the writer task.
pub(super) struct WriterTask {
    pub(super) place: Arc<Connector>,
    pub(super) heads: Arc<CommitCounters>,
    chain: WriterChain,
    /// `None` after a failure: it is opened again for the next batch.
    client: Option<ClientWrapper>,
    back_off: BackOff,
}

/// Why a batch was not committed.
struct BatchFailure {
    fault: TransactionError,
    /// It was certainly not committed, and can be retried at once.
    again: bool,
    /// The server cannot be reached.
    unreachable: bool,
}

/// What ended a batch.
enum BatchError {
    Fault(TransactionError),
    /// The server did not answer in time.
    Late,
}

impl BatchError {
    fn fault(self, patience: Duration) -> TransactionError {
        match self {
            BatchError::Fault(fault) => fault,
            BatchError::Late => {
                TransactionError::Database { what: format!("no answer within {patience:?}"), passing: true }
            }
        }
    }
}

impl WriterTask {
    pub(super) fn new(place: Arc<Connector>, heads: Arc<CommitCounters>, keys: Arc<KeyRing>) -> WriterTask {
        WriterTask { place, heads, chain: WriterChain::new(keys), client: None, back_off: BackOff::default() }
    }

    /// Runs until all senders are gone and every queued request is done.
    pub(super) async fn serve(mut self, mut inbox: mpsc::Receiver<QueuedWrite>) {
        let most = self.place.options.largest_batch.max(1);
        let mut orders = Vec::new();
        while inbox.recv_many(&mut orders, most).await > 0 {
            let batch = Box::pin(self.commit_together(std::mem::take(&mut orders)));
            // If an operation panics its batch is lost: the connection is dropped before anything is
            // committed, and the callers' channels close. The task itself continues.
            if catch_panic(batch).await.is_none() {
                self.client = None;
                self.chain.failed(None);
            }
        }
    }

    async fn commit_together(&mut self, mut orders: Vec<QueuedWrite>) {
        for order in &orders {
            if let QueuedWrite::Keys(keys, _) = order {
                self.chain.take_keys(keys);
            }
        }
        let mut tries = 0;
        let failure = loop {
            tries += 1;
            match self.attempt(&mut orders).await {
                Ok(told) => {
                    self.heads.publish_commit(told);
                    self.answer(orders, None);
                    return;
                }
                Err(failure) if failure.again && tries < TRIES => {
                    tokio::time::sleep(BackOff::jitter(Duration::from_millis(5) * tries)).await;
                }
                Err(failure) => break failure,
            }
        };
        let error = LedgerError { transient: true, ..to_ledger_error(&failure.fault, self.place.shown()) };
        self.answer(orders, Some(&error));
        if failure.unreachable {
            self.back_off.wait().await;
        }
    }

    fn answer(&self, orders: Vec<QueuedWrite>, lost: Option<&LedgerError>) {
        for order in orders {
            order.answer(lost, self.place.shown());
        }
    }

    async fn attempt(&mut self, orders: &mut [QueuedWrite]) -> Result<CommittedCounters, BatchFailure> {
        let client = match self.client.take() {
            Some(client) if !client.is_closed() => client,
            _ => self.connect().await?,
        };
        let patience = self.place.options.statement_timeout * STATEMENTS;
        let (result, batch) = self.run(&client, orders, patience).await;
        let trouble = batch.as_ref().map_or(Some(ErrorClass::Lost), Batch::trouble);
        let committing = batch.as_ref().is_some_and(|batch| batch.committing);
        let chain_state = batch.map(Batch::into_chain_state);
        let lost = trouble == Some(ErrorClass::Lost) || matches!(result, Err(BatchError::Late));
        let broken = match (result, chain_state) {
            (Ok(told), Some(chain_state)) => {
                self.chain.committed(chain_state);
                self.client = Some(client);
                return Ok(told);
            }
            (Ok(_), None) => BatchError::Fault(TransactionError::inconsistent(
                "a batch was written without its audit entries",
            )),
            (Err(broken), chain_state) => {
                self.chain.failed(chain_state.filter(|_| lost && committing));
                broken
            }
        };
        if !lost && client.batch_execute("ROLLBACK").await.is_ok() {
            self.client = Some(client);
        }
        let again = trouble.is_some() && !(lost && committing);
        Err(BatchFailure { fault: broken.fault(patience), again, unreachable: false })
    }

    /// Runs a batch. The returned batch shows how far it got; `None`: it did not begin.
    async fn run<'c>(
        &mut self,
        client: &'c ClientWrapper,
        orders: &mut [QueuedWrite],
        patience: Duration,
    ) -> (Result<CommittedCounters, BatchError>, Option<Batch<'c>>) {
        let db = PgConnection::new(client);
        let chain_state = match timeout(patience, self.chain.chain_state(&db)).await {
            Ok(Ok(chain_state)) => chain_state,
            Ok(Err(fault)) => return (Err(BatchError::Fault(fault)), None),
            Err(_) => return (Err(BatchError::Late), None),
        };
        let mut batch = Batch::new(OpenTransaction {
            db,
            draft: PendingAppends::new(chain_state),
            lines: MaskedLines::default(),
        });
        let result = match timeout(patience, batch.commit(orders)).await {
            Ok(result) => result.map_err(BatchError::Fault),
            Err(_) => Err(BatchError::Late),
        };
        (result, Some(batch))
    }

    async fn connect(&mut self) -> Result<ClientWrapper, BatchFailure> {
        match self.place.connect(ConnectionPurpose::Write).await {
            Ok(client) => {
                self.back_off = BackOff::default();
                Ok(client)
            }
            Err(error) => Err(BatchFailure {
                fault: TransactionError::Database { what: one_line_message(&error), passing: true },
                again: false,
                unreachable: true,
            }),
        }
    }
}

/// The result of a future, or `None` if it panics. It is not polled again then.
async fn catch_panic<T>(mut future: Pin<Box<impl Future<Output = T>>>) -> Option<T> {
    poll_fn(|context| match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
        Ok(polled) => polled.map(Some),
        Err(_) => Poll::Ready(None),
    })
    .await
}

#[cfg(test)]
mod panic_tests;
