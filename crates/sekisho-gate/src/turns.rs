//! Whose turn it is to do work that may take long.
//!
//! Such work is done one at a time, so that it never takes all the threads there are. Credentials take turns, so that
//! somebody with a hundred calls delays somebody with one by no more than one. Whoever stops waiting is passed over.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::oneshot;

/// Does work that may take a moment, where there is a turn for it: other tasks of this thread go on elsewhere meanwhile.
pub(crate) fn work<T>(turn: Option<&Turn>, work: impl FnOnce() -> T) -> T {
    aside(turn.is_some(), work)
}

/// The same for work that there is only one of at any time.
pub(crate) fn aside<T>(takes_long: bool, work: impl FnOnce() -> T) -> T {
    let flavor = Handle::try_current().map(|handle| handle.runtime_flavor());
    match flavor {
        Ok(RuntimeFlavor::MultiThread) if takes_long => tokio::task::block_in_place(work),
        _ => work(),
    }
}

/// All turns of a gate.
#[derive(Default)]
pub(crate) struct Turns {
    queue: Mutex<Queue>,
}

#[derive(Default)]
struct Queue {
    is_taken: bool,
    /// Nobody has a turn any more.
    is_closed: bool,
    /// Those who wait, by credential; the first credential is the next one.
    waiting: VecDeque<(String, VecDeque<oneshot::Sender<Turn>>)>,
}

/// A turn. Dropped, it is the next one's.
pub(crate) struct Turn {
    turns: Arc<Turns>,
}

impl Turns {
    /// Waits for a turn. Dropping the future gives up the place. `None`: there are no more turns.
    pub(crate) async fn take(self: &Arc<Turns>, credential: &str) -> Option<Turn> {
        let waiting = {
            let mut queue = self.queue();
            if queue.is_closed {
                return None;
            }
            if !queue.is_taken {
                queue.is_taken = true;
                return Some(Turn { turns: Arc::clone(self) });
            }
            let (sender, receiver) = oneshot::channel();
            match queue.waiting.iter_mut().find(|(other, _)| other == credential) {
                Some((_, own)) => own.push_back(sender),
                None => queue.waiting.push_back((credential.to_owned(), VecDeque::from([sender]))),
            }
            receiver
        };
        // Whoever has a turn hands it on; only closing drops a sender without one.
        waiting.await.ok()
    }

    /// Lets nobody wait for a turn any more.
    pub(crate) fn close(&self) {
        let waiting = {
            let mut queue = self.queue();
            queue.is_closed = true;
            std::mem::take(&mut queue.waiting)
        };
        drop(waiting);
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Queue {
    fn next(&mut self) -> Option<oneshot::Sender<Turn>> {
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

impl Drop for Turn {
    fn drop(&mut self) {
        let next = {
            let mut queue = self.turns.queue();
            let next = queue.next();
            queue.is_taken = next.is_some();
            next
        };
        // Where the receiver has gone meanwhile, the turn comes back and is dropped here: the next one gets it.
        if let Some(next) = next {
            drop(next.send(Turn { turns: Arc::clone(&self.turns) }));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Turns;
    use std::sync::{Arc, Mutex};

    #[tokio::test]
    async fn credentials_take_turns() {
        let turns = Arc::new(Turns::default());
        let done = Arc::new(Mutex::new(Vec::new()));
        let first = turns.take("a").await.unwrap();
        let mut tasks = Vec::new();
        for who in ["a", "a", "a", "b", "c", "b"] {
            let (turns, done) = (Arc::clone(&turns), Arc::clone(&done));
            tasks.push(tokio::spawn(async move {
                let _turn = turns.take(who).await;
                done.lock().unwrap().push(who);
            }));
            tokio::task::yield_now().await;
        }
        drop(first);
        for task in tasks {
            task.await.unwrap();
        }
        assert_eq!(*done.lock().unwrap(), ["a", "b", "c", "a", "b", "a"]);
        assert!(turns.queue().waiting.is_empty() && !turns.queue().is_taken);
    }

    #[tokio::test]
    async fn who_stops_waiting_is_passed_over() {
        let turns = Arc::new(Turns::default());
        let first = turns.take("a").await.unwrap();
        let waits = |who: &'static str| {
            let turns = Arc::clone(&turns);
            tokio::spawn(async move { drop(turns.take(who).await) })
        };
        let (gone, other, stays) = (waits("b"), waits("b"), waits("c"));
        tokio::task::yield_now().await;
        gone.abort();
        other.abort();
        let _ = (gone.await, other.await);
        drop(first);
        stays.await.unwrap();
        // Also where it was handed over already.
        let first = turns.take("a").await.unwrap();
        let gone = waits("b");
        tokio::task::yield_now().await;
        drop(first);
        gone.abort();
        let _ = gone.await;
        assert!(!turns.queue().is_taken);
        drop(turns.take("c").await.unwrap());
    }

    #[tokio::test]
    async fn nobody_waits_for_a_turn_that_will_not_come() {
        let turns = Arc::new(Turns::default());
        let first = turns.take("a").await.unwrap();
        let waits = tokio::spawn({
            let turns = Arc::clone(&turns);
            async move { turns.take("b").await.is_none() }
        });
        tokio::task::yield_now().await;
        turns.close();
        assert!(waits.await.unwrap() && turns.take("a").await.is_none());
        drop(first);
        assert!(turns.take("a").await.is_none());
    }
}
