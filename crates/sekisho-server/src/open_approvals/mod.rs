//! The open approvals, followed from the gate's event feed: how many each credential has and how large they
//! are, and who waits for the end of one. An approval counts from before it is stored ([`CredentialQuota`]),
//! so that many requests at once cannot exceed the limits.

mod quota;
mod usage;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sekisho_gate::feed::{FeedEvent, Update};
use sekisho_gate::record::EventPayload;
use sekisho_gate::{ApprovalId, Gate};
use tokio::sync::watch;

pub(crate) use quota::CredentialQuota;
pub(crate) use usage::OpenUsage;
use usage::{CountedApproval, UsageTable};

use crate::auth::Authenticator;
use crate::memory_budget::MemoryBudget;

/// How long to wait before following the feed again after a failure.
const RETRY_DELAY: Duration = Duration::from_millis(500);

/// The open approvals.
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

    /// Follows the gate's feed until the gate is gone. Invalidates the authenticator's cache when tokens
    /// change, and reports freed memory to the budget.
    pub(crate) async fn run(&self, gate: &Gate, authenticator: &Authenticator, budget: &MemoryBudget) {
        let mut feed = gate.subscribe(None);
        loop {
            match feed.next().await {
                Ok(Update::Snapshot(snapshot)) => {
                    self.replace_all(snapshot.pending.iter().map(CountedApproval::of).collect());
                    // Changes of tokens before the snapshot were not announced.
                    authenticator.invalidate();
                }
                Ok(Update::Event(changed)) => {
                    // The event feed has read a large approval and dropped it.
                    if let (None, Some(about)) = (&changed.approval, &changed.summary) {
                        budget.record_freed(about.memory_size);
                    }
                    self.apply(&changed, gate, authenticator).await;
                }
                Err(error) if error.transient => {
                    tracing::warn!(%error, "cannot follow open approvals; trying again");
                    tokio::time::sleep(RETRY_DELAY).await;
                }
                Err(_) => return,
            }
        }
    }

    async fn apply(&self, changed: &FeedEvent, gate: &Gate, authenticator: &Authenticator) {
        match (&changed.event.change, &changed.summary) {
            (EventPayload::Opened { .. }, Some(about)) if about.pending => {
                let counted = CountedApproval::about(about);
                self.open().mark_open(counted);
            }
            (EventPayload::Resolved { id, .. }, _) => self.end(*id),
            (EventPayload::TokensChanged, _) => {
                authenticator.invalidate();
                self.withdraw_revoked(gate, authenticator).await;
            }
            _ => {}
        }
    }

    /// Withdraws the approvals of credentials that are no longer valid: nobody may get their answers.
    async fn withdraw_revoked(&self, gate: &Gate, authenticator: &Authenticator) {
        let open: Vec<(ApprovalId, Arc<str>)> =
            self.open().open().map(|(id, credential)| (id, Arc::clone(credential))).collect();
        for (id, credential) in open {
            let token = credential.strip_prefix("token:").and_then(|token| token.parse().ok());
            let Some(token) = token else { continue };
            if matches!(authenticator.is_still_valid(token, gate.clock().now()).await, Ok(false))
                && let Err(error) = gate.cancel(id, "the credential that asked was revoked").await
            {
                tracing::warn!(%error, %id, "could not withdraw the approval of a revoked credential");
            }
        }
    }

    /// How many are open.
    pub(crate) fn len(&self) -> usize {
        self.open().open().count()
    }

    /// The open and reserved approvals of a credential.
    pub(crate) fn usage_of(&self, credential: &str) -> OpenUsage {
        self.open().usage_of(credential)
    }

    /// A signal that an approval has ended, or may have: the receiver reads it again.
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

    /// Replaces all open approvals. Everyone who waits reads again.
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
