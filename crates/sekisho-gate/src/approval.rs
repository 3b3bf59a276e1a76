//! An approval: a question to a human about one call, and its outcome.

use std::fmt;
use std::sync::Arc;

use jiff::Timestamp;
use sekisho_policy::{Call, Verdict};
use serde::{Deserialize, Serialize};

use crate::answer::{Actor, Answer, Behavior};
use crate::caller::{Caller, CallerEnvironment, IdempotencyKey, Session};
use crate::display::CallView;
use crate::ids::{ApprovalId, CallId, ExecutionId};
use crate::memory_size::{json_size, structure_size};
use crate::proposals::Proposal;
use sekisho_policy::Digest;

/// An approval: the request and its progress.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Approval {
    /// Its id.
    pub id: ApprovalId,
    /// The request; it never changes.
    pub asked: Arc<ApprovalRequest>,
    /// State, deadline and claim.
    pub fate: ApprovalProgress,
}

/// The part of an approval that never changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ApprovalRequest {
    /// The id under which the call's raw input is stored.
    pub call_id: CallId,
    /// The call.
    pub call: Call,
    /// The digest of the call. An answer is bound to it.
    pub digest: Digest,
    /// Who submitted the call.
    pub asker: Caller,
    /// The caller's environment.
    pub around: CallerEnvironment,
    /// The verdict that required the approval. Holds at most [`MAX_PARTS`](crate::display::MAX_PARTS)
    /// parts, the most dangerous ones.
    pub verdict: Verdict,
    /// The call as people see it.
    pub shown: CallView,
    /// The rules that remembering an answer could store.
    pub proposals: Vec<Proposal>,
    /// The version of the tool's input schema. An edited input is checked against it. The ledger stores
    /// the schema.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Digest>,
    /// When the approval was opened.
    pub at: Timestamp,
}

impl ApprovalRequest {
    /// The key by which repeated requests for the same call are recognised.
    pub fn idempotency_key(&self) -> Option<IdempotencyKey> {
        IdempotencyKey::for_call(&self.asker, &self.call)
    }

    /// The key under which the call runs at most once, if it has one.
    pub fn durable_key(&self) -> Option<IdempotencyKey> {
        IdempotencyKey::for_durable_call(&self.asker, &self.call)
    }

    /// The session the call belongs to.
    pub fn session(&self) -> Option<Session> {
        Session::of(&self.asker, &self.call)
    }

    /// The approximate memory it takes once read, in bytes.
    pub fn memory_size(&self) -> usize {
        let parts = (&self.call.input, &self.shown, &self.verdict, &self.proposals);
        json_size(&parts, usize::MAX - 1).saturating_add(structure_size(&self.call.input))
    }
}

/// The part of an approval that changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ApprovalProgress {
    /// The current state.
    pub state: ApprovalState,
    /// When it expires. Parked approvals do not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline: Option<Timestamp>,
    /// Set once the caller has taken the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed: Option<CompletedClaim>,
}

impl ApprovalProgress {
    /// Open until a deadline, or without one.
    pub fn open(deadline: Option<Timestamp>) -> ApprovalProgress {
        ApprovalProgress { state: ApprovalState::Pending, deadline, claimed: None }
    }
}

/// The state of an approval. It leaves `Pending` exactly once, for one of the others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum ApprovalState {
    /// Nobody has answered yet.
    Pending,
    /// The call may run.
    Approved(AcceptedAnswer),
    /// The call may not run.
    Denied(AcceptedAnswer),
    /// Nobody answered in time.
    Expired {
        /// When it expired.
        at: Timestamp,
    },
    /// The caller left, or the approval was cancelled.
    Aborted {
        /// When it was aborted.
        at: Timestamp,
        /// Why it was aborted.
        why: AbortReason,
    },
}

/// Why an approval was aborted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AbortReason {
    /// Nobody waited for the answer any more.
    CallerLeft,
    /// It was cancelled, with the reason given.
    CalledOff(String),
}

impl fmt::Display for AbortReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            AbortReason::CallerLeft => "the caller disconnected",
            AbortReason::CalledOff(why) => why,
        })
    }
}

impl ApprovalState {
    /// The name in the store and on the wire.
    pub fn name(&self) -> &'static str {
        match self {
            ApprovalState::Pending => "pending",
            ApprovalState::Approved(_) => "approved",
            ApprovalState::Denied(_) => "denied",
            ApprovalState::Expired { .. } => "expired",
            ApprovalState::Aborted { .. } => "aborted",
        }
    }

    /// The answer, if there is one.
    pub fn answered(&self) -> Option<&AcceptedAnswer> {
        match self {
            ApprovalState::Approved(answered) | ApprovalState::Denied(answered) => Some(answered),
            ApprovalState::Pending | ApprovalState::Expired { .. } | ApprovalState::Aborted { .. } => None,
        }
    }
}

/// An answer that was accepted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AcceptedAnswer {
    /// The answer itself.
    pub answer: Answer,
    /// The person or rule that decided.
    pub by: Actor,
    /// When it was accepted.
    pub at: Timestamp,
    /// The edited call, if the input was changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited: Option<Box<EditedCall>>,
}

/// An edited call, judged again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EditedCall {
    /// The id under which its raw input is stored.
    pub call_id: CallId,
    /// Its digest.
    pub digest: Digest,
    /// The verdict on the edited call.
    pub verdict: Verdict,
}

/// Proof that the caller took the answer. An answer is taken once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CompletedClaim {
    /// When it was taken.
    pub at: Timestamp,
    /// The execution the answer was spent on. None if the call was refused or the answer no longer
    /// held.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub execution: Option<ExecutionId>,
    /// Why an approved call was refused after all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub void: Option<String>,
}

impl Approval {
    /// Whether nobody has answered yet.
    pub fn is_pending(&self) -> bool {
        self.fate.state == ApprovalState::Pending
    }

    /// Whether it stays open when its caller disconnects: it is parked, or belongs to a durable run.
    pub fn outlives_caller(&self) -> bool {
        self.asked.asker.durable || self.fate.deadline.is_none()
    }

    /// The call to run: with the edited input, if the answer has one.
    pub fn call_to_run(&self) -> Call {
        let mut call = self.asked.call.clone();
        let edited =
            self.fate.state.answered().filter(|answered| answered.answer.behavior == Behavior::Allow);
        if let Some(input) = edited.and_then(|answered| answered.answer.updated_input.clone()) {
            call.input = input;
        }
        call
    }

    /// The digest of that call, which the answer is bound to.
    pub(crate) fn digest_to_run(&self) -> Digest {
        let edited = self.fate.state.answered().and_then(|answered| answered.edited.as_ref());
        edited.map_or(self.asked.digest, |edited| edited.digest)
    }

    /// The id under which the input of that call is stored.
    pub fn call_id_to_run(&self) -> CallId {
        let edited = self.fate.state.answered().and_then(|answered| answered.edited.as_ref());
        edited.map_or(self.asked.call_id, |edited| edited.call_id)
    }

    /// Whether nothing more can come of the approval. False while an approved call is unclaimed, and also
    /// after it was claimed to run: then its execution decides.
    pub fn is_finished(&self) -> bool {
        match self.fate.state {
            ApprovalState::Pending => false,
            ApprovalState::Approved(_) => {
                self.fate.claimed.as_ref().is_some_and(|claimed| claimed.execution.is_none())
            }
            ApprovalState::Denied(_) | ApprovalState::Expired { .. } | ApprovalState::Aborted { .. } => true,
        }
    }
}
