//! Which questions are open, kept up to date by the gate's one stream of changes: how many each credential has and how large
//! they are, and who is to be told when one ends. A question counts from before it is stored ([`OwnRoom`]), so that many asked
//! at once are no way past the limits.

mod quota;
mod usage;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sekisho_gate::feed::Update;
use sekisho_gate::record::EventPayload;
use sekisho_gate::{ApprovalId, Gate};
use tokio::sync::watch;

pub(crate) use quota::CredentialQuota;
pub(crate) use usage::OpenUsage;
use usage::{CountedApproval, UsageTable};

use crate::auth::Authenticator;

/// How long after a failure the stream is listened to again.
const AGAIN: Duration = Duration::from_millis(500);

/// The open questions.
#[derive(Default)]
pub(crate) struct OpenApprovals {
    open: Mutex<UsageTable>,
    waiting: Mutex<HashMap<ApprovalId, watch::Sender<bool>>>,
}

impl OpenApprovals {
    fn open(&self) -> MutexGuard<'_, UsageTable> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<ApprovalId, watch::Sender<bool>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps up with the gate, until it is gone. Tells the doorkeeper when tokens change.
    pub(crate) async fn run(&self, gate: &Gate, doorkeeper: &Authenticator) {
        let mut feed = gate.subscribe(None);
        loop {
            match feed.next().await {
                Ok(Update::Snapshot(snapshot)) => {
                    self.replace_all(snapshot.pending.iter().map(CountedApproval::of).collect());
                    // What happened to tokens before the snapshot was not told.
                    doorkeeper.invalidate();
                }
                Ok(Update::Event(changed)) => match (&changed.event.change, &changed.summary) {
                    (EventPayload::Opened { .. }, Some(about)) if about.pending => {
                        let weighed = CountedApproval::about(about);
                        self.open().mark_open(weighed);
                    }
                    (EventPayload::Resolved { id, .. }, _) => self.end(*id),
                    (EventPayload::TokensChanged, _) => {
                        doorkeeper.invalidate();
                        self.withdraw_revoked(gate, doorkeeper).await;
                    }
                    _ => {}
                },
                Err(error) if error.transient => {
                    tracing::warn!(%error, "open questions cannot be followed; trying again");
                    tokio::time::sleep(AGAIN).await;
                }
                Err(_) => return,
            }
        }
    }

    /// Withdraws the questions of credentials that do not count any more: nobody may be told their answers.
    async fn withdraw_revoked(&self, gate: &Gate, doorkeeper: &Authenticator) {
        let open: Vec<(ApprovalId, Arc<str>)> =
            self.open().open().map(|(id, credential)| (id, Arc::clone(credential))).collect();
        for (id, credential) in open {
            let token = credential.strip_prefix("token:").and_then(|token| token.parse().ok());
            let Some(token) = token else { continue };
            if matches!(doorkeeper.is_still_valid(token, gate.clock().now()).await, Ok(false))
                && let Err(error) = gate.cancel(id, "the credential that asked was revoked").await
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
    pub(crate) fn usage_of(&self, credential: &str) -> OpenUsage {
        self.open().usage_of(credential)
    }

    /// Tells when a question ends, or when it may have: whoever is told looks again.
    pub(crate) fn end_signal(&self, id: ApprovalId) -> watch::Receiver<bool> {
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
    fn replace_all(&self, questions: Vec<CountedApproval>) {
        let mut open = self.open();
        open.reset();
        questions.into_iter().for_each(|question| open.mark_open(question));
        drop(open);
        for waiting in std::mem::take(&mut *self.waiting()).into_values() {
            waiting.send_replace(true);
        }
    }
}
