//! A queue for work that may take a long time.
//!
//! The work runs one piece at a time, so that it never occupies all threads. Credentials take turns, so
//! a caller with a hundred calls delays a caller with one call by one piece of work at most. A caller
//! that stops waiting is skipped.

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

/// The queue of a gate.
#[derive(Default)]
pub(crate) struct FairQueue {
    queue: Mutex<QueueState>,
}

#[derive(Default)]
struct QueueState {
    is_taken: bool,
    /// No more slots are given out.
    is_closed: bool,
    /// The waiters by credential. The first credential is next.
    waiting: VecDeque<(String, VecDeque<oneshot::Sender<QueueSlot>>)>,
}

/// The right to run one piece of work. Dropping it passes the slot on.
pub(crate) struct QueueSlot {
    fair_queue: Arc<FairQueue>,
}

impl FairQueue {
    /// Waits for a slot. Dropping the future leaves the queue. `None` once the queue is closed.
    pub(crate) async fn take(self: &Arc<FairQueue>, credential: &str) -> Option<QueueSlot> {
        let waiting = {
            let mut queue = self.queue();
            if queue.is_closed {
                return None;
            }
            if !queue.is_taken {
                queue.is_taken = true;
                return Some(QueueSlot { fair_queue: Arc::clone(self) });
            }
            let (sender, receiver) = oneshot::channel();
            match queue.waiting.iter_mut().find(|(other, _)| other == credential) {
                Some((_, own)) => own.push_back(sender),
                None => queue.waiting.push_back((credential.to_owned(), VecDeque::from([sender]))),
            }
            receiver
        };
        // Each slot is passed on when it is dropped, so only closing drops a sender without sending.
        waiting.await.ok()
    }

    /// Closes the queue: nobody can wait for a slot any more.
    pub(crate) fn close(&self) {
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
            queue.is_taken = next.is_some();
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
    use super::FairQueue;
    use std::sync::{Arc, Mutex};

    #[tokio::test]
    async fn credentials_take_turns() {
        let fair_queue = Arc::new(FairQueue::default());
        let done = Arc::new(Mutex::new(Vec::new()));
        let first = fair_queue.take("a").await.unwrap();
        let mut tasks = Vec::new();
        for credential in ["a", "a", "a", "b", "c", "b"] {
            let (fair_queue, done) = (Arc::clone(&fair_queue), Arc::clone(&done));
            tasks.push(tokio::spawn(async move {
                let _slot = fair_queue.take(credential).await;
                done.lock().unwrap().push(credential);
            }));
            tokio::task::yield_now().await;
        }
        drop(first);
        for task in tasks {
            task.await.unwrap();
        }
        assert_eq!(*done.lock().unwrap(), ["a", "b", "c", "a", "b", "a"]);
        assert!(fair_queue.queue().waiting.is_empty() && !fair_queue.queue().is_taken);
    }

    #[tokio::test]
    async fn departed_waiters_are_skipped() {
        let fair_queue = Arc::new(FairQueue::default());
        let first = fair_queue.take("a").await.unwrap();
        let waits = |credential: &'static str| {
            let fair_queue = Arc::clone(&fair_queue);
            tokio::spawn(async move { drop(fair_queue.take(credential).await) })
        };
        let (gone, other, stays) = (waits("b"), waits("b"), waits("c"));
        tokio::task::yield_now().await;
        gone.abort();
        other.abort();
        let _ = (gone.await, other.await);
        drop(first);
        stays.await.unwrap();
        // The same if the slot had already been handed over.
        let first = fair_queue.take("a").await.unwrap();
        let gone = waits("b");
        tokio::task::yield_now().await;
        drop(first);
        gone.abort();
        let _ = gone.await;
        assert!(!fair_queue.queue().is_taken);
        drop(fair_queue.take("c").await.unwrap());
    }

    #[tokio::test]
    async fn closed_queue_gives_out_no_slots() {
        let fair_queue = Arc::new(FairQueue::default());
        let first = fair_queue.take("a").await.unwrap();
        let waits = tokio::spawn({
            let fair_queue = Arc::clone(&fair_queue);
            async move { fair_queue.take("b").await.is_none() }
        });
        tokio::task::yield_now().await;
        fair_queue.close();
        assert!(waits.await.unwrap() && fair_queue.take("a").await.is_none());
        drop(first);
        assert!(fair_queue.take("a").await.is_none());
    }
}
