//! Which questions are open, kept up to date by the gate's one stream of changes: how many each credential has and how large
//! they are, and who is to be told when one ends. A question counts from before it is stored ([`OwnRoom`]), so that many asked
//! at once are no way past the limits.

mod open;
mod room;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sekisho_gate::feed::{Changed, Update};
use sekisho_gate::record::Change;
use sekisho_gate::{ApprovalId, Gate};
use tokio::sync::watch;

pub(crate) use open::Held;
use open::{Open, Weighed};
pub(crate) use room::OwnRoom;

use crate::auth::Doorkeeper;
use crate::edge::Room;

/// How long after a failure the stream is listened to again.
const AGAIN: Duration = Duration::from_millis(500);

/// The open questions.
#[derive(Default)]
pub(crate) struct Pending {
    open: Mutex<Open>,
    waiting: Mutex<HashMap<ApprovalId, watch::Sender<bool>>>,
}

impl Pending {
    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<ApprovalId, watch::Sender<bool>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps up with the gate, until it is gone. Tells the doorkeeper when tokens change, and the room of memory that is free.
    pub(crate) async fn follow(&self, gate: &Gate, doorkeeper: &Doorkeeper, room: &Room) {
        let mut feed = gate.subscribe(None);
        loop {
            match feed.next().await {
                Ok(Update::Snapshot(snapshot)) => {
                    self.begin_anew(snapshot.pending.iter().map(Weighed::of).collect());
                    // What happened to tokens before the snapshot was not told.
                    doorkeeper.forget();
                }
                Ok(Update::Change(changed)) => {
                    // The keeper has read a large question and dropped it.
                    if let (None, Some(about)) = (&changed.approval, &changed.about) {
                        room.freed(about.weight);
                    }
                    self.change(&changed, gate, doorkeeper).await;
                }
                Err(error) if error.passing => {
                    tracing::warn!(%error, "open questions cannot be followed; trying again");
                    tokio::time::sleep(AGAIN).await;
                }
                Err(_) => return,
            }
        }
    }

    async fn change(&self, changed: &Changed, gate: &Gate, doorkeeper: &Doorkeeper) {
        match (&changed.event.change, &changed.about) {
            (Change::Opened { .. }, Some(about)) if about.pending => {
                let weighed = Weighed::about(about);
                self.open().opened(weighed);
            }
            (Change::Resolved { id, .. }, _) => self.end(*id),
            (Change::TokensChanged, _) => {
                doorkeeper.forget();
                self.call_off_revoked(gate, doorkeeper).await;
            }
            _ => {}
        }
    }

    /// Withdraws the questions of credentials that do not count any more: nobody may be told their answers.
    async fn call_off_revoked(&self, gate: &Gate, doorkeeper: &Doorkeeper) {
        let open: Vec<(ApprovalId, Arc<str>)> =
            self.open().open().map(|(id, credential)| (id, Arc::clone(credential))).collect();
        for (id, credential) in open {
            let token = credential.strip_prefix("token:").and_then(|token| token.parse().ok());
            let Some(token) = token else { continue };
            if matches!(doorkeeper.still_counts(token, gate.clock().now()).await, Ok(false))
                && let Err(error) = gate.call_off(id, "the credential that asked was revoked").await
            {
                tracing::warn!(%error, %id, "the question of a revoked credential could not be withdrawn");
            }
        }
    }

    /// How many are open.
    pub(crate) fn len(&self) -> usize {
        self.open().open().count()
    }

    /// What a credential has open, or is about to.
    pub(crate) fn of(&self, credential: &str) -> Held {
        self.open().held(credential)
    }

    /// Tells when a question ends, or when it may have: whoever is told looks again.
    pub(crate) fn ends(&self, id: ApprovalId) -> watch::Receiver<bool> {
        let mut waiting = self.waiting();
        waiting.retain(|_, sender| sender.receiver_count() > 0);
        waiting.entry(id).or_insert_with(|| watch::Sender::new(false)).subscribe()
    }

    fn end(&self, id: ApprovalId) {
        self.open().remove(id);
        if let Some(waiting) = self.waiting().remove(&id) {
            waiting.send_replace(true);
        }
    }

    /// These are open and no others. Has everyone who waits look again.
    fn begin_anew(&self, questions: Vec<Weighed>) {
        let mut open = self.open();
        open.reset();
        questions.into_iter().for_each(|question| open.opened(question));
        drop(open);
        for waiting in std::mem::take(&mut *self.waiting()).into_values() {
            waiting.send_replace(true);
        }
    }
}
