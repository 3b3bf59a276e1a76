//! The questions of each credential, counted: those that are open, and those about to be.

use std::collections::HashMap;
use std::sync::Arc;

use sekisho_gate::ApprovalId;
use sekisho_gate::approval::Approval;
use sekisho_gate::caller::IdempotencyKey;
use sekisho_gate::feed::ApprovalSummary;

use crate::settings::Limits;

/// What a credential has open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct OpenUsage {
    /// How many questions.
    pub(crate) count: usize,
    /// How many bytes telling of them takes.
    pub(crate) bytes: usize,
}

impl OpenUsage {
    /// What there is too much of to put one more.
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

/// What there is too much of where everybody's questions together are too large.
const TOO_LARGE_FOR_ALL: &str = "open questions that are too large together with those of others";

/// A question as far as it is counted.
pub(super) struct CountedApproval {
    pub(super) id: ApprovalId,
    credential: Arc<str>,
    place: CountKey,
    bytes: usize,
}

impl CountedApproval {
    pub(super) fn of(approval: &Approval) -> CountedApproval {
        let asked = &approval.asked;
        let place = asked.idempotency_key().map_or(CountKey::Single(approval.id), CountKey::SharedKey);
        let credential = asked.asker.credential.as_str().into();
        CountedApproval { id: approval.id, credential, place, bytes: asked.memory_size() }
    }

    /// The same of one that was not read.
    pub(super) fn about(about: &ApprovalSummary) -> CountedApproval {
        let place = about.key.clone().map_or(CountKey::Single(about.id), CountKey::SharedKey);
        CountedApproval {
            id: about.id,
            credential: about.credential.as_str().into(),
            place,
            bytes: about.memory_size,
        }
    }
}

/// What is counted once. Of the askings under one key only one becomes a question, and the others join it.
#[derive(Clone, PartialEq, Eq, Hash)]
enum CountKey {
    SharedKey(IdempotencyKey),
    Single(ApprovalId),
}

/// How far a question is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CountState {
    /// About to be put.
    Reserved,
    /// The same, and meanwhile it was told anew how things stand: whether it is to be told of is not known any more.
    ReservedBeforeSnapshot,
    /// It is open.
    Open,
}

/// The questions, and what they come to.
#[derive(Default)]
pub(super) struct UsageTable {
    questions: HashMap<ApprovalId, (Arc<str>, CountKey, CountState)>,
    /// The questions at each place, and how large each is; the largest counts.
    places: HashMap<CountKey, Vec<(ApprovalId, usize)>>,
    credentials: HashMap<Arc<str>, OpenUsage>,
    /// How many bytes all of them take.
    bytes: usize,
}

/// Where all open questions together are as large as they may be, a credential still has one of so many parts of that.
const PARTS: usize = 64;

impl UsageTable {
    pub(super) fn usage_of(&self, credential: &str) -> OpenUsage {
        self.credentials.get(credential).copied().unwrap_or_default()
    }

    /// Those that are open, and whose they are.
    pub(super) fn open(&self) -> impl Iterator<Item = (ApprovalId, &Arc<str>)> {
        let open = self.questions.iter().filter(|(_, (_, _, standing))| *standing == CountState::Open);
        open.map(|(id, (credential, _, _))| (*id, credential))
    }

    /// Counts a question that is about to be put, or says what there is too much of.
    pub(super) fn reserve(&mut self, question: CountedApproval, limits: &Limits) -> Result<(), &'static str> {
        let held = self.usage_of(&question.credential);
        let there = self.places.get(&question.place).map(|at| largest(at));
        let too_many = held.too_many(limits).filter(|_| there.is_none());
        let too_large = held.too_large(limits).filter(|_| question.bytes > there.unwrap_or_default());
        let more = question.bytes.saturating_sub(there.unwrap_or_default());
        let own = limits.all_open_approval_bytes / PARTS;
        let all = self.bytes.saturating_add(more) > limits.all_open_approval_bytes
            && held.bytes.saturating_add(more) > own;
        let too_large = too_large.or((all && more > 0).then_some(TOO_LARGE_FOR_ALL));
        match too_many.or(too_large) {
            Some(much) => Err(much),
            None => {
                self.insert(question, CountState::Reserved);
                Ok(())
            }
        }
    }

    /// It was put. Where it has ended already, it is not here any more.
    pub(super) fn confirm(&mut self, id: ApprovalId) {
        match self.questions.get_mut(&id) {
            Some((_, _, standing)) if *standing == CountState::Reserved => *standing = CountState::Open,
            // It has ended, or it is still to be told of.
            Some((_, _, CountState::ReservedBeforeSnapshot)) => self.remove(id),
            _ => {}
        }
    }

    /// Nothing came of it, unless it was told of.
    pub(super) fn release(&mut self, id: ApprovalId) {
        if self.questions.get(&id).is_some_and(|(_, _, standing)| *standing != CountState::Open) {
            self.remove(id);
        }
    }

    /// It is open, we are told.
    pub(super) fn mark_open(&mut self, question: CountedApproval) {
        match self.questions.get_mut(&question.id) {
            Some((_, _, standing)) => *standing = CountState::Open,
            None => self.insert(question, CountState::Open),
        }
    }

    pub(super) fn remove(&mut self, id: ApprovalId) {
        if let Some((credential, place, _)) = self.questions.remove(&id) {
            self.change(&credential, place, |at| at.retain(|(other, _)| *other != id));
        }
    }

    /// Forgets what is open. What is about to be is still about to be.
    pub(super) fn reset(&mut self) {
        let open: Vec<ApprovalId> = self.open().map(|(id, _)| id).collect();
        open.into_iter().for_each(|id| self.remove(id));
        for (_, _, standing) in self.questions.values_mut() {
            *standing = CountState::ReservedBeforeSnapshot;
        }
    }

    fn insert(&mut self, question: CountedApproval, standing: CountState) {
        let CountedApproval { id, credential, place, bytes } = question;
        self.change(&credential, place.clone(), |at| at.push((id, bytes)));
        self.questions.insert(id, (credential, place, standing));
    }

    /// Changes who is at a place, and what its credential holds with it.
    fn change(
        &mut self,
        credential: &Arc<str>,
        place: CountKey,
        how: impl FnOnce(&mut Vec<(ApprovalId, usize)>),
    ) {
        let mut at = self.places.remove(&place).unwrap_or_default();
        let before = (usize::from(!at.is_empty()), largest(&at));
        how(&mut at);
        let after = (usize::from(!at.is_empty()), largest(&at));
        if !at.is_empty() {
            self.places.insert(place, at);
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
