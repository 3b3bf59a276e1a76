//! A queue for work that may take a long time.
//!
//! Only a few pieces of work run at a time, so that they never occupy all threads. Credentials take
//! turns, so a caller with a hundred calls delays a caller with one call by one piece of work at most. A
//! caller that stops waiting is skipped.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::oneshot;

/// Runs work. With a slot, it may take a long time, and other tasks of this thread move to another thread
/// meanwhile. Without a slot, it runs in place.
pub(crate) fn run_in_slot<T>(slot: Option<&QueueSlot>, work: impl FnOnce() -> T) -> T {
    run_blocking(slot.is_some(), work)
}

/// Like [`run_in_slot`], but without a slot, for work of which only one piece runs at a time anyway.
pub(crate) fn run_blocking<T>(takes_long: bool, work: impl FnOnce() -> T) -> T {
    let flavor = Handle::try_current().map(|handle| handle.runtime_flavor());
    match flavor {
        Ok(RuntimeFlavor::MultiThread) if takes_long => tokio::task::block_in_place(work),
        _ => work(),
    }
}

/// A queue that runs a fixed number of pieces of work at a time.
pub struct FairQueue {
    queue: Mutex<QueueState>,
}

struct QueueState {
    /// How many more may start now.
    free: usize,
    /// No more slots are given out.
    is_closed: bool,
    /// The waiters by credential. The first credential is next.
    waiting: VecDeque<(String, VecDeque<oneshot::Sender<QueueSlot>>)>,
}

/// The right to run one piece of work. Dropping it passes the slot on.
pub struct QueueSlot {
    fair_queue: Arc<FairQueue>,
}

/// Why no slot was given out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueError {
    /// Too many of this credential wait already.
    Full,
    /// The queue is closed.
    Closed,
}

impl FairQueue {
    /// A queue that runs `at_a_time` pieces of work.
    pub fn new(at_a_time: usize) -> Arc<FairQueue> {
        let queue = QueueState { free: at_a_time, is_closed: false, waiting: VecDeque::new() };
        Arc::new(FairQueue { queue: Mutex::new(queue) })
    }

    /// Waits for a slot, unless `max_waiting` of that credential wait already. Dropping the future leaves
    /// the queue.
    pub async fn acquire(
        self: &Arc<FairQueue>,
        credential: &str,
        max_waiting: usize,
    ) -> Result<QueueSlot, QueueError> {
        let waiting = {
            let mut queue = self.queue();
            if queue.is_closed {
                return Err(QueueError::Closed);
            }
            if queue.free > 0 {
                queue.free -= 1;
                return Ok(QueueSlot { fair_queue: Arc::clone(self) });
            }
            queue.wait(credential, max_waiting).ok_or(QueueError::Full)?
        };
        // Each slot is passed on when it is dropped, so only closing drops a sender without sending.
        waiting.await.map_err(|_| QueueError::Closed)
    }

    /// Closes the queue: nobody can wait for a slot any more.
    pub fn close(&self) {
        let waiting = {
            let mut queue = self.queue();
            queue.is_closed = true;
            std::mem::take(&mut queue.waiting)
        };
        drop(waiting);
    }

    fn queue(&self) -> MutexGuard<'_, QueueState> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl QueueState {
    fn wait(&mut self, credential: &str, max_waiting: usize) -> Option<oneshot::Receiver<QueueSlot>> {
        let (sender, receiver) = oneshot::channel();
        match self.waiting.iter_mut().find(|(other, _)| other == credential) {
            Some((_, own)) => {
                own.retain(|waiting| !waiting.is_closed());
                if own.len() >= max_waiting {
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
            let mut queue = self.fair_queue.queue();
            let next = queue.next();
            queue.free += usize::from(next.is_none());
            next
        };
        // If the receiver was dropped meanwhile, the slot comes back and is dropped here, which passes
        // it on.
        if let Some(next) = next {
            drop(next.send(QueueSlot { fair_queue: Arc::clone(&self.fair_queue) }));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use tokio::task::JoinHandle;

    use super::{FairQueue, QueueError};

    fn acquire(
        queue: &Arc<FairQueue>,
        credential: &'static str,
        max_waiting: usize,
    ) -> JoinHandle<Result<(), QueueError>> {
        let queue = Arc::clone(queue);
        tokio::spawn(async move { queue.acquire(credential, max_waiting).await.map(drop) })
    }

    #[tokio::test]
    async fn credentials_take_turns_and_concurrency_is_bounded() {
        let queue = FairQueue::new(2);
        let done = Arc::new(Mutex::new(Vec::new()));
        let (first, second) = (queue.acquire("a", 10).await.unwrap(), queue.acquire("a", 10).await.unwrap());
        let mut tasks = Vec::new();
        for credential in ["a", "a", "a", "b", "c", "b"] {
            let (queue, done) = (Arc::clone(&queue), Arc::clone(&done));
            tasks.push(tokio::spawn(async move {
                let _slot = queue.acquire(credential, 10).await;
                done.lock().unwrap().push(credential);
            }));
            tokio::task::yield_now().await;
        }
        assert!(done.lock().unwrap().is_empty());
        drop(first);
        for task in tasks {
            task.await.unwrap();
        }
        assert_eq!(*done.lock().unwrap(), ["a", "b", "c", "a", "b", "a"]);
        drop(second);
        assert!(queue.queue().waiting.is_empty() && queue.queue().free == 2);
    }

    #[tokio::test]
    async fn departed_waiters_are_skipped() {
        let queue = FairQueue::new(1);
        let first = queue.acquire("a", 10).await.unwrap();
        let (gone, other, stays) =
            (acquire(&queue, "b", 10), acquire(&queue, "b", 10), acquire(&queue, "c", 10));
        tokio::task::yield_now().await;
        gone.abort();
        other.abort();
        let _ = (gone.await, other.await);
        drop(first);
        stays.await.unwrap().unwrap();
        // The same if the slot had already been handed over.
        let first = queue.acquire("a", 10).await.unwrap();
        let gone = acquire(&queue, "b", 10);
        tokio::task::yield_now().await;
        drop(first);
        gone.abort();
        let _ = gone.await;
        assert_eq!(queue.queue().free, 1);
    }

    #[tokio::test]
    async fn waiters_per_credential_are_limited() {
        let queue = FairQueue::new(1);
        let first = queue.acquire("a", 2).await.unwrap();
        let (one, gone) = (acquire(&queue, "a", 2), acquire(&queue, "a", 2));
        tokio::task::yield_now().await;
        assert_eq!(acquire(&queue, "a", 2).await.unwrap(), Err(QueueError::Full));
        let other = acquire(&queue, "b", 2);
        // A caller that stops waiting makes room.
        gone.abort();
        let _ = gone.await;
        let instead = acquire(&queue, "a", 2);
        tokio::task::yield_now().await;
        drop(first);
        for waited in [one, other, instead] {
            waited.await.unwrap().unwrap();
        }
        assert_eq!(queue.queue().free, 1);
    }

    #[tokio::test]
    async fn closed_queue_gives_out_no_slots() {
        let queue = FairQueue::new(1);
        let first = queue.acquire("a", 10).await.unwrap();
        let waits = acquire(&queue, "b", 10);
        tokio::task::yield_now().await;
        queue.close();
        assert_eq!(waits.await.unwrap(), Err(QueueError::Closed));
        drop(first);
        assert_eq!(acquire(&queue, "a", 10).await.unwrap(), Err(QueueError::Closed));
    }
}
