//! How much memory all bodies may take together that are arriving or worked on.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// What is no larger costs too little to be counted.
pub(crate) const SMALL: usize = 64 << 10;

/// Room for so many bytes.
pub(crate) struct Room(Arc<Semaphore>);

/// What one body takes of it. Dropped, it is free again.
#[derive(Default)]
pub(crate) struct Taken(Option<OwnedSemaphorePermit>);

impl Room {
    pub(crate) fn new(bytes: usize) -> Room {
        Room(Arc::new(Semaphore::new(bytes.min(Semaphore::MAX_PERMITS))))
    }

    /// Another way to the same room.
    pub(super) fn share(&self) -> Room {
        Room(Arc::clone(&self.0))
    }

    /// Takes so much more of it; `false`: there is none left.
    pub(crate) fn take(&self, bytes: usize, taken: &mut Taken) -> bool {
        let more = u32::try_from(bytes).ok();
        let more = more.and_then(|bytes| Arc::clone(&self.0).try_acquire_many_owned(bytes).ok());
        let Some(more) = more else { return false };
        match &mut taken.0 {
            Some(before) => before.merge(more),
            none => *none = Some(more),
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::{Room, Taken};

    #[test]
    fn room_is_taken_and_free_again() {
        let room = Room::new(10);
        let (mut one, mut other) = (Taken::default(), Taken::default());
        assert!(room.take(4, &mut one) && room.take(4, &mut one) && room.take(0, &mut other));
        assert!(!room.take(3, &mut other) && room.share().take(2, &mut other));
        drop(one);
        assert!(room.take(8, &mut other) && !room.take(1, &mut other));
    }
}
