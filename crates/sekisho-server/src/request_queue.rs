//! Queues for kinds of requests that take long. A queue is fair between credentials.

use std::future::Future;
use std::sync::Arc;

use axum::http::StatusCode;
use sekisho_gate::fair_queue::{FairQueue, QueueSlot};
use sekisho_gate::ledger::LedgerError;

use crate::error::ApiError;
use crate::exclusive_jobs::join_outcome;

/// The queue of one kind of request.
pub(crate) struct RequestQueue {
    queue: Arc<FairQueue>,
    /// How many requests of one credential may wait.
    max_waiting: usize,
}

/// Permission to run. Dropping it starts the next waiting request.
pub(crate) struct RequestSlot {
    _slot: QueueSlot,
}

impl RequestQueue {
    /// A queue that runs `at_a_time` requests and lets `max_waiting` of each credential wait.
    pub(crate) fn new(at_a_time: usize, max_waiting: usize) -> RequestQueue {
        RequestQueue { queue: FairQueue::new(at_a_time), max_waiting }
    }

    /// Waits for a slot, or fails if too many of that credential wait already. Dropping the future stops
    /// waiting.
    pub(crate) async fn acquire(&self, credential: &str) -> Result<RequestSlot, ApiError> {
        self.acquire_within(credential, self.max_waiting).await
    }

    /// The same without a limit on waiters, for work that has begun and must go on.
    pub(crate) async fn acquire_uncapped(&self, credential: &str) -> Result<RequestSlot, ApiError> {
        self.acquire_within(credential, usize::MAX).await
    }

    async fn acquire_within(&self, credential: &str, max_waiting: usize) -> Result<RequestSlot, ApiError> {
        let slot = self.queue.acquire(credential, max_waiting).await;
        slot.map(|slot| RequestSlot { _slot: slot }).map_err(|_| {
            let message = "too many requests of this kind are waiting";
            ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "NoRoom", message)
                .with_hint("wait until some of them are done")
        })
    }
}

impl RequestSlot {
    /// Runs a read and holds the slot until it is done, even if the caller has gone: the store does not stop
    /// in the middle either.
    pub(crate) async fn hold_during<T, F>(self, work: F) -> Result<(T, RequestSlot), ApiError>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, LedgerError>> + Send + 'static,
    {
        let (result, slot) = join_outcome(tokio::spawn(async move { (work.await, self) }).await)?;
        Ok((result?, slot))
    }
}
