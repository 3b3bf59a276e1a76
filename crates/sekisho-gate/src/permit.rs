//! Proof that one exact call may run once.
//!
//! Only the gate makes a [`Permit`], after the ledger has stored the decision. It holds the exact call
//! it permits, cannot be copied, and is consumed by running:
//!
//! ```
//! fn run(permit: sekisho_gate::Permit) -> sekisho_gate::Receipt {
//!     let (_call, receipt) = permit.spend();
//!     receipt
//! }
//! ```
//!
//! It cannot be used twice,
//!
//! ```compile_fail,E0382
//! fn run(permit: sekisho_gate::Permit) -> sekisho_gate::Receipt {
//!     let (_call, receipt) = permit.spend();
//!     let (_again, _) = permit.spend();
//!     receipt
//! }
//! ```
//!
//! it cannot be cloned,
//!
//! ```compile_fail,E0599
//! fn run(permit: sekisho_gate::Permit) -> sekisho_gate::Receipt {
//!     let (_call, receipt) = permit.clone().spend();
//!     receipt
//! }
//! ```
//!
//! it cannot be made elsewhere,
//!
//! ```compile_fail,E0451
//! fn forge(call: sekisho_policy::Call, permit: sekisho_gate::Permit) -> sekisho_gate::Permit {
//!     sekisho_gate::Permit { call, ..permit }
//! }
//! ```
//!
//! ```compile_fail,E0624
//! fn forge(
//!     call: sekisho_policy::Call,
//!     digest: sekisho_gate::Digest,
//!     execution: sekisho_gate::ExecutionId,
//!     facts: sekisho_policy::Facts,
//! ) -> sekisho_gate::Permit {
//!     sekisho_gate::Permit::new(call, digest, execution, None, facts)
//! }
//! ```
//!
//! and it cannot be changed:
//!
//! ```compile_fail,E0616
//! fn swap(mut permit: sekisho_gate::Permit, other: sekisho_policy::Call) -> sekisho_gate::Permit {
//!     permit.call = other;
//!     permit
//! }
//! ```

use sekisho_policy::{Call, Facts};

use crate::ids::{ApprovalId, ExecutionId};
use sekisho_policy::Digest;

/// Proof that one exact call may run once. The [module](self) shows what the compiler enforces.
#[must_use = "a permit that is not spent lets nothing run"]
#[derive(Debug)]
pub struct Permit {
    call: Call,
    digest: Digest,
    execution: ExecutionId,
    approval: Option<ApprovalId>,
    facts: Facts,
    edited: bool,
}

impl Permit {
    /// Called only by the pipeline, after the ledger has stored the decision.
    pub(crate) fn new(
        call: Call,
        digest: Digest,
        execution: ExecutionId,
        approval: Option<ApprovalId>,
        facts: Facts,
    ) -> Permit {
        Permit { call, digest, execution, approval, facts, edited: false }
    }

    /// Marks the input as changed by a human.
    pub(crate) fn edited(self, edited: bool) -> Permit {
        Permit { edited, ..self }
    }

    /// Whether a human changed the input.
    pub fn is_edited(&self) -> bool {
        self.edited
    }

    /// The call, with the input it may run with.
    pub fn call(&self) -> &Call {
        &self.call
    }

    /// The digest of that call.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// The id of the execution in the ledger.
    pub fn execution(&self) -> ExecutionId {
        self.execution
    }

    /// The approval that allowed it, if any.
    pub fn approval(&self) -> Option<ApprovalId> {
        self.approval
    }

    /// What was known about the call's files when it was judged.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// Consumes the permit. Returns the call to run and a receipt for reporting its outcome.
    pub fn spend(self) -> (Call, Receipt) {
        (self.call, Receipt { execution: self.execution })
    }
}

/// Proof that a permit was spent. Report the outcome of the call with it, once.
#[must_use = "an execution whose end is not reported stays unknown"]
#[derive(Debug)]
pub struct Receipt {
    pub(crate) execution: ExecutionId,
}

impl Receipt {
    /// The id of the execution in the ledger.
    pub fn execution(&self) -> ExecutionId {
        self.execution
    }
}
