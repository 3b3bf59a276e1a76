//! Counts the approvals of each credential: those that are open, and those about to be.

use std::collections::HashMap;
use std::sync::Arc;

use sekisho_gate::ApprovalId;
use sekisho_gate::approval::Approval;
use sekisho_gate::caller::IdempotencyKey;
use sekisho_gate::feed::ApprovalSummary;

use crate::settings::Limits;

/// The open approvals of a credential.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct OpenUsage {
    /// How many approvals.
    pub(crate) count: usize,
    /// How many bytes they need.
    pub(crate) bytes: usize,
}

impl OpenUsage {
    /// The limit that one more approval would exceed.
    pub(crate) fn exceeded_limit(self, limits: &Limits) -> Option<&'static str> {
        self.too_many(limits).or_else(|| self.too_large(limits))
    }

    fn too_many(self, limits: &Limits) -> Option<&'static str> {
        (self.count >= limits.open_approvals).then_some("too many open questions")
    }

    fn too_large(self, limits: &Limits) -> Option<&'static str> {
        (self.bytes >= limits.open_approval_bytes).then_some("open questions that are too large together")
    }
}

/// The error when the approvals of all credentials together are too large.
const TOO_LARGE_FOR_ALL: &str = "open questions that are too large together with those of others";

/// The counted properties of an approval.
pub(super) struct CountedApproval {
    pub(super) id: ApprovalId,
    credential: Arc<str>,
    key: CountKey,
    bytes: usize,
}

impl CountedApproval {
    pub(super) fn of(approval: &Approval) -> CountedApproval {
        let asked = &approval.asked;
        let key = asked.idempotency_key().map_or(CountKey::Single(approval.id), CountKey::SharedKey);
        let credential = asked.asker.credential.as_str().into();
        CountedApproval { id: approval.id, credential, key, bytes: asked.memory_size() }
    }

    /// The same from a summary, for an approval that was not read.
    pub(super) fn about(about: &ApprovalSummary) -> CountedApproval {
        let key = about.key.clone().map_or(CountKey::Single(about.id), CountKey::SharedKey);
        CountedApproval {
            id: about.id,
            credential: about.credential.as_str().into(),
            key,
            bytes: about.memory_size,
        }
    }
}

/// What is counted once. Of several requests with one key only one opens an approval, and the others join it.
#[derive(Clone, PartialEq, Eq, Hash)]
enum CountKey {
    SharedKey(IdempotencyKey),
    Single(ApprovalId),
}

/// The state of a counted approval.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CountState {
    /// Space is reserved, but the approval is not stored yet.
    Reserved,
    /// The same, and a snapshot arrived meanwhile: it is unknown whether the approval will still be
    /// announced.
    ReservedBeforeSnapshot,
    /// It is open.
    Open,
}

/// The counted approvals, and the sums by credential.
#[derive(Default)]
pub(super) struct UsageTable {
    questions: HashMap<ApprovalId, (Arc<str>, CountKey, CountState)>,
    /// The approvals with each key and their sizes; only the largest counts.
    groups: HashMap<CountKey, Vec<(ApprovalId, usize)>>,
    credentials: HashMap<Arc<str>, OpenUsage>,
    /// The bytes of all of them.
    bytes: usize,
}

/// When the total limit is reached, each credential may still use one of this many parts of it.
const PARTS: usize = 64;

impl UsageTable {
    pub(super) fn usage_of(&self, credential: &str) -> OpenUsage {
        self.credentials.get(credential).copied().unwrap_or_default()
    }

    /// The open approvals and their credentials.
    pub(super) fn open(&self) -> impl Iterator<Item = (ApprovalId, &Arc<str>)> {
        let open = self.questions.iter().filter(|(_, (_, _, state))| *state == CountState::Open);
        open.map(|(id, (credential, _, _))| (*id, credential))
    }

    /// Reserves space for an approval that is about to be stored, or returns the limit it would exceed.
    pub(super) fn reserve(&mut self, question: CountedApproval, limits: &Limits) -> Result<(), &'static str> {
        let held = self.usage_of(&question.credential);
        let there = self.groups.get(&question.key).map(|at| largest(at));
        let too_many = held.too_many(limits).filter(|_| there.is_none());
        let too_large = held.too_large(limits).filter(|_| question.bytes > there.unwrap_or_default());
        let more = question.bytes.saturating_sub(there.unwrap_or_default());
        let own = limits.all_open_approval_bytes / PARTS;
        let all = self.bytes.saturating_add(more) > limits.all_open_approval_bytes
            && held.bytes.saturating_add(more) > own;
        let too_large = too_large.or((all && more > 0).then_some(TOO_LARGE_FOR_ALL));
        match too_many.or(too_large) {
            Some(excess) => Err(excess),
            None => {
                self.insert(question, CountState::Reserved);
                Ok(())
            }
        }
    }

    /// The approval was stored. If it has already ended, it is no longer here.
    pub(super) fn confirm(&mut self, id: ApprovalId) {
        match self.questions.get_mut(&id) {
            Some((_, _, state)) if *state == CountState::Reserved => *state = CountState::Open,
            // It has ended, or will be announced next.
            Some((_, _, CountState::ReservedBeforeSnapshot)) => self.remove(id),
            _ => {}
        }
    }

    /// The approval was not stored, unless it was announced.
    pub(super) fn release(&mut self, id: ApprovalId) {
        if self.questions.get(&id).is_some_and(|(_, _, state)| *state != CountState::Open) {
            self.remove(id);
        }
    }

    /// The approval was announced as open.
    pub(super) fn mark_open(&mut self, question: CountedApproval) {
        match self.questions.get_mut(&question.id) {
            Some((_, _, state)) => *state = CountState::Open,
            None => self.insert(question, CountState::Open),
        }
    }

    pub(super) fn remove(&mut self, id: ApprovalId) {
        if let Some((credential, key, _)) = self.questions.remove(&id) {
            self.change(&credential, key, |at| at.retain(|(other, _)| *other != id));
        }
    }

    /// Drops all open approvals. Reservations stay.
    pub(super) fn reset(&mut self) {
        let open: Vec<ApprovalId> = self.open().map(|(id, _)| id).collect();
        open.into_iter().for_each(|id| self.remove(id));
        for (_, _, state) in self.questions.values_mut() {
            *state = CountState::ReservedBeforeSnapshot;
        }
    }

    fn insert(&mut self, question: CountedApproval, state: CountState) {
        let CountedApproval { id, credential, key, bytes } = question;
        self.change(&credential, key.clone(), |at| at.push((id, bytes)));
        self.questions.insert(id, (credential, key, state));
    }

    /// Changes the approvals with a key, and the sums of its credential.
    fn change(
        &mut self,
        credential: &Arc<str>,
        key: CountKey,
        edit: impl FnOnce(&mut Vec<(ApprovalId, usize)>),
    ) {
        let mut at = self.groups.remove(&key).unwrap_or_default();
        let before = (usize::from(!at.is_empty()), largest(&at));
        edit(&mut at);
        let after = (usize::from(!at.is_empty()), largest(&at));
        if !at.is_empty() {
            self.groups.insert(key, at);
        }
        self.bytes = self.bytes.saturating_sub(before.1).saturating_add(after.1);
        let mut held = self.usage_of(credential);
        held.count = held.count.saturating_sub(before.0).saturating_add(after.0);
        held.bytes = held.bytes.saturating_sub(before.1).saturating_add(after.1);
        match held.count {
            0 => drop(self.credentials.remove(credential)),
            _ => drop(self.credentials.insert(Arc::clone(credential), held)),
        }
    }
}

fn largest(at: &[(ApprovalId, usize)]) -> usize {
    at.iter().map(|(_, bytes)| *bytes).max().unwrap_or_default()
}

#[cfg(test)]
mod tests;
