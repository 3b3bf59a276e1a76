//! Whose turn it is to do what only a few may do at a time.
//!
//! Credentials take turns: somebody with a hundred requests delays somebody with one by no more than one. Whoever stops
//! waiting is passed over.

use std::collections::VecDeque;
use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::http::StatusCode;
use sekisho_gate::ledger::LedgerError;
use tokio::sync::oneshot;

use crate::error::ApiError;
use crate::exclusive_jobs::join_outcome;

/// The turns of one kind of work.
pub(crate) struct FairQueue {
    /// How many of one credential may wait.
    most: usize,
    queue: Mutex<Queue>,
}

struct Queue {
    /// How many more may begin at once.
    free: usize,
    /// Those who wait, by credential; the first credential is the next one.
    waiting: VecDeque<(String, VecDeque<oneshot::Sender<QueueSlot>>)>,
}

/// A turn. Dropped, it is the next one's.
pub(crate) struct QueueSlot(Arc<FairQueue>);

impl FairQueue {
    /// So many at a time, and so many of each credential that wait.
    pub(crate) fn new(at_a_time: usize, most: usize) -> Arc<FairQueue> {
        let queue = Mutex::new(Queue { free: at_a_time, waiting: VecDeque::new() });
        Arc::new(FairQueue { most, queue })
    }

    /// Waits for a turn, unless too many of that credential do. Dropping the future gives up the place.
    pub(crate) async fn acquire(self: &Arc<FairQueue>, credential: &str) -> Result<QueueSlot, ApiError> {
        self.take_among(credential, self.most).await
    }

    /// The same for work that was begun and has to go on, however many wait.
    pub(crate) async fn acquire_uncapped(
        self: &Arc<FairQueue>,
        credential: &str,
    ) -> Result<QueueSlot, ApiError> {
        self.take_among(credential, usize::MAX).await
    }

    async fn take_among(self: &Arc<FairQueue>, credential: &str, most: usize) -> Result<QueueSlot, ApiError> {
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
    let message = "too many requests of this kind wait for their turn";
    ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "NoRoom", message).with_hint("wait for some of them")
}

impl QueueSlot {
    /// Reads something, and keeps the turn until it is read, also where nobody waits for it any more: a store does not stop
    /// in the middle either.
    pub(crate) async fn hold_during<T, F>(self, reading: F) -> Result<(T, QueueSlot), ApiError>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, LedgerError>> + Send + 'static,
    {
        let (read, turn) = join_outcome(tokio::spawn(async move { (reading.await, self) }).await)?;
        Ok((read?, turn))
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
        // Where the receiver has gone meanwhile, the turn comes back and is dropped here: the next one gets it.
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
    async fn credentials_take_turns_and_few_work_at_a_time() {
        let turns = FairQueue::new(2, 10);
        let done = Arc::new(Mutex::new(Vec::new()));
        let first = (turns.acquire("a").await, turns.acquire("a").await);
        let mut tasks = Vec::new();
        for who in ["a", "a", "a", "b", "c", "b"] {
            let (turns, done) = (Arc::clone(&turns), Arc::clone(&done));
            tasks.push(tokio::spawn(async move {
                let _turn = turns.acquire(who).await;
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
        assert!(turns.queue().waiting.is_empty() && turns.queue().free == 2);
    }

    #[tokio::test]
    async fn so_many_of_a_credential_wait_and_no_more() {
        let turns = FairQueue::new(1, 2);
        let first = turns.acquire("a").await.unwrap();
        let waits = |who: &'static str| {
            let turns = Arc::clone(&turns);
            tokio::spawn(async move { turns.acquire(who).await.map(drop) })
        };
        let (one, gone) = (waits("a"), waits("a"));
        tokio::task::yield_now().await;
        assert_eq!(waits("a").await.unwrap().unwrap_err().status, 503);
        let (begun, other) = (Arc::clone(&turns), waits("b"));
        let begun = tokio::spawn(async move { begun.acquire_uncapped("a").await.map(drop) });
        tokio::task::yield_now().await;
        // Whoever stops waiting leaves its place, and is passed over.
        gone.abort();
        let _ = gone.await;
        begun.abort();
        let _ = begun.await;
        let instead = waits("a");
        tokio::task::yield_now().await;
        drop(first);
        for waited in [one, other, instead] {
            waited.await.unwrap().unwrap();
        }
        assert_eq!(turns.queue().free, 1);
    }
}
