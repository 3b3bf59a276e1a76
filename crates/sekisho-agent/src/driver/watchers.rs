//! Tells those who watch a run what happens, while it happens.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use tokio::sync::broadcast;
use uuid::Uuid;

use crate::model::ReplyPiece;
use crate::runs::StoredRun;

/// How many pieces a slow watcher may be behind. It then reads what was stored.
const CAPACITY: usize = 1024;

/// Something that happens in a run.
#[derive(Clone, Debug, PartialEq)]
pub enum LivePiece {
    /// The model is asked: all pieces of its reply follow.
    Asked {
        /// The reply, counted as in [`RunState::replies`](crate::machine::RunState::replies).
        reply: u32,
    },
    /// A piece of the reply that is being received. Not stored.
    Piece(ReplyPiece),
    /// The reply is asked for again: the pieces so far do not count.
    Restarted,
    /// A step was stored: new chunks can be read.
    Stored(Progress),
}

/// How far a run is. What was told about it before does not count for somebody who has read it since.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Counts the steps.
    pub version: u64,
    /// How many chunks are stored.
    pub chunk_count: u64,
    /// How many replies are stored.
    pub replies: u32,
}

impl Progress {
    /// A run that has just been created, with its first message.
    pub const CREATED: Progress = Progress { version: 0, chunk_count: 1, replies: 0 };

    /// How far a run is.
    pub fn of(run: &StoredRun) -> Progress {
        Progress { version: run.version, chunk_count: run.chunk_count, replies: run.state.replies }
    }
}

/// Receives what happens in a run.
pub type Watcher = broadcast::Receiver<LivePiece>;

#[derive(Debug, Default)]
pub(super) struct Watchers {
    senders: Mutex<HashMap<Uuid, broadcast::Sender<LivePiece>>>,
}

impl Watchers {
    pub(super) fn watch(&self, run: Uuid) -> Watcher {
        let mut senders = self.senders.lock().unwrap_or_else(PoisonError::into_inner);
        senders.retain(|_, sender| sender.receiver_count() > 0);
        senders.entry(run).or_insert_with(|| broadcast::channel(CAPACITY).0).subscribe()
    }

    pub(super) fn tell(&self, run: Uuid, piece: LivePiece) {
        let senders = self.senders.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(sender) = senders.get(&run) {
            // Nobody watching is fine.
            let _ = sender.send(piece);
        }
    }
}
