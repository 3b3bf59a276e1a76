//! How much memory bodies may take together that are arriving or worked on, and how much of it one credential.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

/// What is no larger costs too little to be counted, so it is taken however full the room is.
pub(crate) const SMALL: usize = 4 << 10;
/// No credential takes more than one of so many parts.
const PARTS: usize = 4;

/// So much that was given back is worth telling: what is made of a body while it is handled takes many times its size, and of
/// small ones most.
const MUCH: usize = 64 << 10;

/// Room for so many bytes. All clones are one.
#[derive(Clone)]
pub(crate) struct Room(Arc<Inner>);

struct Inner {
    state: Mutex<State>,
    much_freed: Notify,
}

struct State {
    size: usize,
    taken: usize,
    /// What was given back since that was told.
    freed: usize,
    /// What each credential takes, also what there was no room for.
    credentials: HashMap<Arc<str>, usize>,
}

/// What somebody takes of it. Dropped, it is free again.
pub(crate) struct Taken {
    room: Room,
    credential: Arc<str>,
    bytes: usize,
    /// What there was no room for: it counts for its credential alone.
    overdrawn: usize,
}

impl Room {
    pub(crate) fn new(size: usize) -> Room {
        let state = Mutex::new(State { size, taken: 0, freed: 0, credentials: HashMap::new() });
        Room(Arc::new(Inner { state, much_freed: Notify::new() }))
    }

    /// Takes nothing yet, for a credential.
    pub(crate) fn of(&self, credential: &str) -> Taken {
        Taken { room: self.clone(), credential: credential.into(), bytes: 0, overdrawn: 0 }
    }

    /// Whether a credential takes more than its part, because it has to be told what happened.
    pub(crate) fn is_overdrawn(&self, credential: &str) -> bool {
        let state = self.state();
        state.own(credential) > state.size / PARTS
    }

    /// What is taken.
    pub(crate) fn taken(&self) -> usize {
        self.state().taken
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Counts memory that was freed without having taken room.
    pub(crate) fn freed(&self, bytes: usize) {
        self.tell_of(&mut self.state(), bytes);
    }

    fn tell_of(&self, state: &mut State, freed: usize) {
        state.freed = state.freed.saturating_add(freed);
        if state.freed >= MUCH {
            state.freed = 0;
            self.0.much_freed.notify_one();
        }
    }

    /// Ends when much was given back since the last time it ended.
    pub(crate) async fn much_freed(&self) {
        self.0.much_freed.notified().await;
    }
}

impl Taken {
    /// Takes so much more; `false`: there is none left, or none for this credential.
    pub(crate) fn more(&mut self, bytes: usize) -> bool {
        if bytes == 0 {
            return true;
        }
        let mut state = self.room.state();
        let own = state.own(&self.credential).saturating_add(bytes);
        let all = state.taken.saturating_add(bytes);
        if own > state.size / PARTS || all > state.size {
            return false;
        }
        state.taken = all;
        state.set(&self.credential, own);
        self.bytes += bytes;
        true
    }

    /// Takes so much more though there is no room for it. Its credential gets nothing else until enough is given back; the
    /// others have as much room as before.
    pub(crate) fn overdraw(&mut self, bytes: usize) {
        let mut state = self.room.state();
        let own = state.own(&self.credential).saturating_add(bytes);
        state.set(&self.credential, own);
        self.overdrawn = self.overdrawn.saturating_add(bytes);
    }

    /// Gives back what is over so many bytes.
    pub(crate) fn shrink(&mut self, bytes: usize) {
        let over = self.bytes.saturating_sub(bytes);
        let given_back = over.saturating_add(self.overdrawn);
        if given_back == 0 {
            return;
        }
        let mut state = self.room.state();
        state.taken = state.taken.saturating_sub(over);
        let own = state.own(&self.credential).saturating_sub(given_back);
        state.set(&self.credential, own);
        self.room.tell_of(&mut state, given_back);
        drop(state);
        self.bytes -= over;
        self.overdrawn = 0;
    }
}

impl State {
    fn own(&self, credential: &str) -> usize {
        self.credentials.get(credential).copied().unwrap_or_default()
    }

    fn set(&mut self, credential: &Arc<str>, own: usize) {
        match own {
            0 => drop(self.credentials.remove(credential)),
            _ => drop(self.credentials.insert(Arc::clone(credential), own)),
        }
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        self.shrink(0);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::timeout;

    use super::{MUCH, Room};

    #[test]
    fn room_is_taken_and_free_again() {
        let room = Room::new(16);
        let mut all = ["a", "b", "c", "d"].map(|credential| room.of(credential));
        assert!(all.iter_mut().all(|taken| taken.more(4)));
        let mut other = room.of("e");
        assert!(other.more(0) && !other.more(1));
        all[0].shrink(3);
        assert!(other.more(1) && !other.more(1));
        drop(all);
        assert!(other.more(3));
        drop(other);
        assert!(room.state().taken == 0 && room.state().credentials.is_empty());
    }

    #[test]
    fn a_credential_takes_no_more_than_its_part() {
        let room = Room::new(16);
        let (mut one, mut again, mut other) = (room.of("a"), room.of("a"), room.of("b"));
        assert!(one.more(3) && !again.more(2) && again.more(1));
        assert!(other.more(4));
        drop(one);
        assert!(again.more(3) && !again.more(1));
    }

    #[test]
    fn an_overdraft_is_its_credentials_alone() {
        let room = Room::new(16);
        let (mut one, mut again) = (room.of("a"), room.of("a"));
        one.overdraw(100);
        assert!(room.is_overdrawn("a") && !again.more(1));
        let mut others = ["b", "c", "d"].map(|credential| room.of(credential));
        assert!(others.iter_mut().all(|taken| taken.more(4)));
        assert!(others.iter_mut().all(|taken| !taken.more(1)));
        drop(one);
        assert!(again.more(4) && !room.is_overdrawn("a"));
        drop((again, others));
        assert!(room.state().taken == 0 && room.state().credentials.is_empty());
    }

    #[tokio::test]
    async fn it_is_told_when_much_was_given_back() {
        let room = Room::new(16 * MUCH);
        let told = async || timeout(Duration::ZERO, room.much_freed()).await.is_ok();
        let mut taken = room.of("a");
        assert!(taken.more(2 * MUCH));
        taken.shrink(MUCH + 1);
        assert!(!told().await);
        taken.shrink(MUCH);
        assert!(told().await && !told().await);
        drop(taken);
        assert!(told().await && !told().await);
        room.freed(MUCH - 1);
        assert!(!told().await);
        room.freed(1);
        assert!(told().await && !told().await);
        assert_eq!(room.taken(), 0);
    }
}
