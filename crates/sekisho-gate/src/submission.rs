//! How far a call came: what the gate says to whoever submits one.

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
#[expect(clippy::large_enum_variant, reason = "one lives at a time, and is taken apart at once")]
pub enum Submission {
    /// It may run, once.
    Permit(Permit),
    /// A human is asked. The question stays open across restarts; [`Gate::redeem`](crate::Gate::redeem) takes its answer.
    Pending(ApprovalId),
    /// A permit was given out for it before. The ledger knows how that execution ended, if anybody said so.
    Spent(ExecutionId),
}

/// What a remote caller is told: its call may run.
#[derive(Clone, Debug, PartialEq)]
pub struct AllowedCall {
    /// The call, with the input it may run with.
    pub call: Call,
    /// The input, where a human changed it.
    pub updated_input: Option<Value>,
    /// The execution's row in the ledger.
    pub execution: ExecutionId,
    /// The question that let it through, if one did.
    pub approval: Option<ApprovalId>,
}

impl AllowedCall {
    /// The same answer once more.
    pub(crate) fn replayed(approval: &Approval, call: Call, execution: ExecutionId) -> AllowedCall {
        let answered =
            approval.fate.state.answered().filter(|answered| answered.answer.behavior == Behavior::Allow);
        let updated_input = answered.and_then(|answered| answered.answer.updated_input.clone());
        AllowedCall { call, updated_input, execution, approval: Some(approval.id) }
    }

    /// What a permit says, which spends it.
    pub(crate) fn from_permit(permit: Permit, edited: bool) -> AllowedCall {
        let approval = permit.approval();
        let (call, receipt) = permit.spend();
        let updated_input = edited.then(|| call.input.clone());
        AllowedCall { call, updated_input, execution: receipt.execution(), approval }
    }
}

/// How far a remote caller came that does not wait.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "one lives at a time, and is taken apart at once")]
pub enum RemoteSubmission {
    /// Its call may run.
    Allowed(AllowedCall),
    /// Humans are asked; asking again under the same key comes by for the answer.
    Pending(ApprovalId),
}

/// The same for every caller, inside the gate.
pub(crate) enum Progress {
    Permit {
        permit: Permit,
        /// A human changed the input.
        edited: bool,
    },
    /// A remote caller reads its answer again.
    Replayed(AllowedCall),
    /// The durable key was spent on this execution.
    Spent(ExecutionId),
    /// The question is open.
    Pending(ApprovalId, Waiter),
}
