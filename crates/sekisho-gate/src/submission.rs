//! How far a submitted call came.

use sekisho_policy::Call;
use serde_json::Value;

use crate::answer::Behavior;
use crate::approval::Approval;
use crate::ids::{ApprovalId, ExecutionId};
use crate::permit::Permit;
use crate::waiters::Waiter;

/// How far a call of a durable run came.
#[must_use]
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "only one exists at a time, and it is matched at once")]
pub enum Submission {
    /// It may run, once.
    Permit(Permit),
    /// The call needs an approval, which stays open across restarts.
    /// [`Gate::redeem`](crate::Gate::redeem) takes its answer.
    Pending(ApprovalId),
    /// A permit was given out for it before. The ledger knows how that execution ended, if it was
    /// reported.
    Spent(ExecutionId),
}

/// A call that a remote caller may run.
#[derive(Clone, Debug, PartialEq)]
pub struct AllowedCall {
    /// The call, with the input it may run with.
    pub call: Call,
    /// The input, if a human edited it.
    pub updated_input: Option<Value>,
    /// The id of the execution in the ledger.
    pub execution: ExecutionId,
    /// The approval that allowed it, if any.
    pub approval: Option<ApprovalId>,
}

impl AllowedCall {
    /// The same answer again.
    pub(crate) fn replayed(approval: &Approval, call: Call, execution: ExecutionId) -> AllowedCall {
        let answered =
            approval.fate.state.answered().filter(|answered| answered.answer.behavior == Behavior::Allow);
        let updated_input = answered.and_then(|answered| answered.answer.updated_input.clone());
        AllowedCall { call, updated_input, execution, approval: Some(approval.id) }
    }

    /// Converts a permit and spends it.
    pub(crate) fn from_permit(permit: Permit) -> AllowedCall {
        let (approval, edited) = (permit.approval(), permit.is_edited());
        let (call, receipt) = permit.spend();
        let updated_input = edited.then(|| call.input.clone());
        AllowedCall { call, updated_input, execution: receipt.execution(), approval }
    }
}

/// How far a call of a polling remote caller came.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "only one exists at a time, and it is matched at once")]
pub enum RemoteSubmission {
    /// The call may run.
    Allowed(AllowedCall),
    /// The call needs an approval. Submitting again under the same key fetches the answer.
    Pending(ApprovalId),
}

/// How far any call came, inside the gate.
pub(crate) enum Progress {
    Permit(Permit),
    /// A remote caller reads its answer again.
    Replayed(AllowedCall),
    /// The durable key was spent on this execution.
    Spent(ExecutionId),
    /// The approval is open.
    Pending(ApprovalId, Waiter),
}
