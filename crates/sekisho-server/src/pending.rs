//! Which questions are open, kept up to date by the gate's one stream of changes: how many each credential has and how large
//! they are, and who is to be told when one ends.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sekisho_gate::feed::Update;
use sekisho_gate::record::Change;
use sekisho_gate::{ApprovalId, Gate};
use tokio::sync::watch;

use crate::auth::Doorkeeper;

/// How long after a failure the stream is listened to again.
const AGAIN: Duration = Duration::from_millis(500);

/// The open questions.
#[derive(Default)]
pub(crate) struct Pending {
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    /// Whose it is, and its bytes.
    questions: HashMap<ApprovalId, (Arc<str>, usize)>,
    credentials: HashMap<Arc<str>, Held>,
    waiting: HashMap<ApprovalId, watch::Sender<bool>>,
}

/// What a credential has open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Held {
    /// How many questions.
    pub(crate) count: usize,
    /// How many bytes telling of them takes.
    pub(crate) bytes: usize,
}

impl Pending {
    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps up with the gate, until it is gone. Tells the doorkeeper when tokens change.
    pub(crate) async fn follow(&self, gate: &Gate, doorkeeper: &Doorkeeper) {
        let mut feed = gate.subscribe(None);
        loop {
            match feed.next().await {
                Ok(Update::Snapshot(snapshot)) => {
                    let mut open = self.open();
                    open.reset();
                    for approval in &snapshot.pending {
                        open.add(approval.id, &approval.asked.asker.credential, approval.asked.weight());
                    }
                    drop(open);
                    // What happened to tokens before the snapshot was not told.
                    doorkeeper.forget();
                }
                Ok(Update::Change(changed)) => match (&changed.event.change, &changed.approval) {
                    (Change::Opened { id }, Some(approval)) if approval.is_pending() => {
                        let bytes = approval.asked.weight();
                        self.open().add(*id, &approval.asked.asker.credential, bytes);
                    }
                    (Change::Resolved { id, .. }, _) => self.open().end(*id),
                    (Change::TokensChanged, _) => {
                        doorkeeper.forget();
                        self.call_off_revoked(gate, doorkeeper).await;
                    }
                    _ => {}
                },
                Err(error) if error.passing => {
                    tracing::warn!(%error, "open questions cannot be followed; trying again");
                    tokio::time::sleep(AGAIN).await;
                }
                Err(_) => return,
            }
        }
    }

    /// Withdraws the questions of credentials that do not count any more: nobody may be told their answers.
    async fn call_off_revoked(&self, gate: &Gate, doorkeeper: &Doorkeeper) {
        let open: Vec<(ApprovalId, Arc<str>)> =
            self.open().questions.iter().map(|(id, (credential, _))| (*id, Arc::clone(credential))).collect();
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
        self.open().questions.len()
    }

    /// What a credential has open.
    pub(crate) fn of(&self, credential: &str) -> Held {
        self.open().credentials.get(credential).copied().unwrap_or_default()
    }

    /// Tells when a question ends, or when it may have: whoever is told looks again.
    pub(crate) fn ends(&self, id: ApprovalId) -> watch::Receiver<bool> {
        let mut open = self.open();
        open.waiting.retain(|_, sender| sender.receiver_count() > 0);
        open.waiting.entry(id).or_insert_with(|| watch::Sender::new(false)).subscribe()
    }
}

impl Open {
    fn add(&mut self, id: ApprovalId, credential: &str, bytes: usize) {
        let credential: Arc<str> = credential.into();
        if self.questions.insert(id, (Arc::clone(&credential), bytes)).is_none() {
            let held = self.credentials.entry(credential).or_default();
            held.count += 1;
            held.bytes = held.bytes.saturating_add(bytes);
        }
    }

    fn end(&mut self, id: ApprovalId) {
        if let Some((credential, bytes)) = self.questions.remove(&id)
            && let Some(held) = self.credentials.get_mut(&credential)
        {
            held.count = held.count.saturating_sub(1);
            held.bytes = held.bytes.saturating_sub(bytes);
            if held.count == 0 {
                self.credentials.remove(&credential);
            }
        }
        if let Some(waiting) = self.waiting.remove(&id) {
            waiting.send_replace(true);
        }
    }

    /// Forgets all, and has everyone who waits look again.
    fn reset(&mut self) {
        self.questions.clear();
        self.credentials.clear();
        for waiting in std::mem::take(&mut self.waiting).into_values() {
            waiting.send_replace(true);
        }
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use sekisho_gate::ApprovalId;

    use super::{Held, Pending};

    #[test]
    fn what_a_credential_has_open_is_counted_once_and_given_back() {
        let pending = Pending::default();
        let [a, b] = [1, 2].map(|second| ApprovalId::new(Timestamp::from_second(second).unwrap()));
        for (id, bytes) in [(a, 10), (b, 5), (a, 10)] {
            pending.open().add(id, "token:x", bytes);
        }
        assert_eq!(pending.of("token:x"), Held { count: 2, bytes: 15 });
        assert_eq!(pending.of("token:y"), Held::default());
        for _ in 0..2 {
            pending.open().end(a);
        }
        assert_eq!(pending.of("token:x"), Held { count: 1, bytes: 5 });
        pending.open().end(b);
        assert_eq!((pending.of("token:x"), pending.len()), (Held::default(), 0));
    }
}
