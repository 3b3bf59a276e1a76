//! Limits how many pieces of work run at a time, and is fair between credentials.
//!
//! Credentials alternate: a credential with a hundred requests delays a credential with one by at most one
//! request. A caller that stops waiting is skipped.

use std::collections::VecDeque;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::http::StatusCode;
use sekisho_gate::ledger::LedgerError;
use tokio::sync::oneshot;

use crate::error::ApiError;
use crate::exclusive_jobs::join_outcome;

/// The queue of one kind of work.
pub(crate) struct FairQueue {
    /// How many requests of one credential may wait.
    most: usize,
    queue: Mutex<Queue>,
}

struct Queue {
    /// How many more may start now.
    free: usize,
    /// Waiting requests by credential; the first credential is next.
    waiting: VecDeque<(String, VecDeque<oneshot::Sender<QueueSlot>>)>,
}

/// Permission to run. Dropping it starts the next waiting request.
pub(crate) struct QueueSlot(Arc<FairQueue>);

impl FairQueue {
    /// A queue that runs `at_a_time` pieces of work and lets `most` of each credential wait.
    pub(crate) fn new(at_a_time: usize, most: usize) -> Arc<FairQueue> {
        let queue = Mutex::new(Queue { free: at_a_time, waiting: VecDeque::new() });
        Arc::new(FairQueue { most, queue })
    }

    /// Waits for a slot, or fails if too many of that credential wait already. Dropping the future stops
    /// waiting.
    pub(crate) async fn acquire(self: &Arc<FairQueue>, credential: &str) -> Result<QueueSlot, ApiError> {
        self.acquire_within(credential, self.most).await
    }

    /// The same without a limit on waiters, for work that has begun and must go on.
    pub(crate) async fn acquire_uncapped(
        self: &Arc<FairQueue>,
        credential: &str,
    ) -> Result<QueueSlot, ApiError> {
        self.acquire_within(credential, usize::MAX).await
    }

    async fn acquire_within(
        self: &Arc<FairQueue>,
        credential: &str,
        most: usize,
    ) -> Result<QueueSlot, ApiError> {
        let waiting = {
            let mut queue = self.queue();
            if queue.free > 0 {
                queue.free -= 1;
                return Ok(QueueSlot(Arc::clone(self)));
            }
            queue.wait(credential, most).ok_or_else(too_many)?
        };
        waiting.await.map_err(|_| too_many())
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn too_many() -> ApiError {
    let message = "too many requests of this kind are waiting";
    ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "NoRoom", message)
        .with_hint("wait until some of them are done")
}

impl QueueSlot {
    /// Runs a read and holds the slot until it is done, even if the caller has gone: the store does not stop
    /// in the middle either.
    pub(crate) async fn hold_during<T, F>(self, work: F) -> Result<(T, QueueSlot), ApiError>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, LedgerError>> + Send + 'static,
    {
        let (result, slot) = join_outcome(tokio::spawn(async move { (work.await, self) }).await)?;
        Ok((result?, slot))
    }
}

impl Queue {
    fn wait(&mut self, credential: &str, most: usize) -> Option<oneshot::Receiver<QueueSlot>> {
        let (sender, receiver) = oneshot::channel();
        match self.waiting.iter_mut().find(|(other, _)| other == credential) {
            Some((_, own)) => {
                own.retain(|waiting| !waiting.is_closed());
                if own.len() >= most {
                    return None;
                }
                own.push_back(sender);
            }
            None => self.waiting.push_back((credential.to_owned(), VecDeque::from([sender]))),
        }
        Some(receiver)
    }

    fn next(&mut self) -> Option<oneshot::Sender<QueueSlot>> {
        loop {
            let (credential, mut own) = self.waiting.pop_front()?;
            let next = std::iter::from_fn(|| own.pop_front()).find(|waiting| !waiting.is_closed());
            if !own.is_empty() {
                self.waiting.push_back((credential, own));
            }
            if next.is_some() {
                return next;
            }
        }
    }
}

impl Drop for QueueSlot {
    fn drop(&mut self) {
        let next = {
            let mut queue = self.0.queue();
            let next = queue.next();
            queue.free += usize::from(next.is_none());
            next
        };
        // If the receiver has gone meanwhile, the slot comes back and is dropped here, so the next waiter
        // gets it.
        if let Some(next) = next {
            drop(next.send(QueueSlot(Arc::clone(&self.0))));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::FairQueue;

    #[tokio::test]
    async fn credentials_alternate_and_concurrency_is_bounded() {
        let queue = FairQueue::new(2, 10);
        let done = Arc::new(Mutex::new(Vec::new()));
        let first = (queue.acquire("a").await, queue.acquire("a").await);
        let mut tasks = Vec::new();
        for who in ["a", "a", "a", "b", "c", "b"] {
            let (queue, done) = (Arc::clone(&queue), Arc::clone(&done));
            tasks.push(tokio::spawn(async move {
                let _slot = queue.acquire(who).await;
                done.lock().unwrap().push(who);
            }));
            tokio::task::yield_now().await;
        }
        assert!(done.lock().unwrap().is_empty());
        drop(first.0);
        for task in tasks {
            task.await.unwrap();
        }
        assert_eq!(*done.lock().unwrap(), ["a", "b", "c", "a", "b", "a"]);
        drop(first.1);
        assert!(queue.queue().waiting.is_empty() && queue.queue().free == 2);
    }

    #[tokio::test]
    async fn waiters_per_credential_are_limited() {
        let queue = FairQueue::new(1, 2);
        let first = queue.acquire("a").await.unwrap();
        let waits = |who: &'static str| {
            let queue = Arc::clone(&queue);
            tokio::spawn(async move { queue.acquire(who).await.map(drop) })
        };
        let (one, gone) = (waits("a"), waits("a"));
        tokio::task::yield_now().await;
        assert_eq!(waits("a").await.unwrap().unwrap_err().status, 503);
        let (started, other) = (Arc::clone(&queue), waits("b"));
        let started = tokio::spawn(async move { started.acquire_uncapped("a").await.map(drop) });
        tokio::task::yield_now().await;
        // A caller that stops waiting frees its place and is skipped.
        gone.abort();
        let _ = gone.await;
        started.abort();
        let _ = started.await;
        let instead = waits("a");
        tokio::task::yield_now().await;
        drop(first);
        for waited in [one, other, instead] {
            waited.await.unwrap().unwrap();
        }
        assert_eq!(queue.queue().free, 1);
    }
}
