//! How much memory bodies may take together that are arriving or worked on, and how much of it one credential.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What is no larger costs too little to be counted, so it is taken however full the room is.
pub(crate) const SMALL: usize = 4 << 10;
/// No credential takes more than one of so many parts.
const PARTS: usize = 4;

/// Room for so many bytes. All clones are one.
#[derive(Clone)]
pub(crate) struct Room(Arc<Mutex<State>>);

struct State {
    size: usize,
    taken: usize,
    credentials: HashMap<Arc<str>, usize>,
}

/// What somebody takes of it. Dropped, it is free again.
pub(crate) struct Taken {
    room: Room,
    credential: Arc<str>,
    bytes: usize,
}

impl Room {
    pub(crate) fn new(size: usize) -> Room {
        Room(Arc::new(Mutex::new(State { size, taken: 0, credentials: HashMap::new() })))
    }

    /// Takes nothing yet, for a credential.
    pub(crate) fn of(&self, credential: &str) -> Taken {
        Taken { room: self.clone(), credential: credential.into(), bytes: 0 }
    }

    /// Whether a credential takes more than its part, because it has to be told what happened.
    pub(crate) fn is_overdrawn(&self, credential: &str) -> bool {
        let state = self.state();
        state.credentials.get(credential).is_some_and(|own| *own > state.size / PARTS)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Taken {
    /// Takes so much more; `false`: there is none left, or none for this credential.
    pub(crate) fn more(&mut self, bytes: usize) -> bool {
        if bytes == 0 {
            return true;
        }
        self.add(bytes, |state, own, all| own <= state.size / PARTS && all <= state.size)
    }

    /// Takes so much more, whether there is room or not. Nothing else fits until enough is given back.
    pub(crate) fn overdraw(&mut self, bytes: usize) {
        self.add(bytes, |_, _, _| true);
    }

    fn add(&mut self, bytes: usize, fits: impl FnOnce(&State, usize, usize) -> bool) -> bool {
        let mut state = self.room.state();
        let own = state.credentials.get(&self.credential).copied().unwrap_or_default().saturating_add(bytes);
        let all = state.taken.saturating_add(bytes);
        if !fits(&state, own, all) {
            return false;
        }
        state.taken = all;
        state.credentials.insert(Arc::clone(&self.credential), own);
        self.bytes += bytes;
        true
    }

    /// Gives back what is over so many bytes.
    pub(crate) fn shrink(&mut self, bytes: usize) {
        let over = self.bytes.saturating_sub(bytes);
        if over == 0 {
            return;
        }
        let mut state = self.room.state();
        state.taken = state.taken.saturating_sub(over);
        let own = state.credentials.get(&self.credential).copied().unwrap_or_default().saturating_sub(over);
        match own {
            0 => drop(state.credentials.remove(&self.credential)),
            _ => drop(state.credentials.insert(Arc::clone(&self.credential), own)),
        }
        self.bytes -= over;
    }
}

impl Drop for Taken {
    fn drop(&mut self) {
        self.shrink(0);
    }
}

#[cfg(test)]
mod tests {
    use super::Room;

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
}
