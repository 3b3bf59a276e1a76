//! A call that the gate has permitted.
//!
//! [`PermittedCall::spend`] consumes a permit, and nothing else makes one:
//!
//! ```
//! use sekisho_gate::{Permit, Receipt};
//! use sekisho_tools::PermittedCall;
//!
//! fn start(permit: Permit) -> (PermittedCall, Receipt) {
//!     PermittedCall::spend(permit)
//! }
//! ```
//!
//! It cannot be made from a call,
//!
//! ```compile_fail,E0451
//! fn forge(call: sekisho_policy::Call, other: sekisho_tools::PermittedCall) -> sekisho_tools::PermittedCall {
//!     sekisho_tools::PermittedCall { call, ..other }
//! }
//! ```
//!
//! one permit starts one call,
//!
//! ```compile_fail,E0382
//! fn twice(permit: sekisho_gate::Permit) {
//!     let first = sekisho_tools::PermittedCall::spend(permit);
//!     let second = sekisho_tools::PermittedCall::spend(permit);
//! }
//! ```
//!
//! a call runs once,
//!
//! ```compile_fail,E0382
//! async fn again(
//!     tool: &dyn sekisho_tools::Tool,
//!     call: sekisho_tools::PermittedCall,
//!     ctx: &sekisho_tools::ToolContext,
//! ) {
//!     tool.execute(call, ctx).await;
//!     tool.execute(call, ctx).await;
//! }
//! ```
//!
//! and its input cannot be changed:
//!
//! ```compile_fail,E0616
//! fn change(mut call: sekisho_tools::PermittedCall) {
//!     call.call.input = serde_json::json!({ "command": "true" });
//! }
//! ```

use sekisho_gate::{ApprovalId, ExecutionId, Permit, Receipt};
use sekisho_policy::{Call, Facts};
use serde_json::Value;

/// A call that may run once. The [module](self) shows what the compiler enforces.
#[must_use = "a permitted call that is dropped never runs"]
#[derive(Debug)]
pub struct PermittedCall {
    call: Call,
    execution: ExecutionId,
    approval: Option<ApprovalId>,
    facts: Facts,
}

impl PermittedCall {
    /// Spends a permit. The receipt reports the outcome to the gate.
    pub fn spend(permit: Permit) -> (PermittedCall, Receipt) {
        let (execution, approval) = (permit.execution(), permit.approval());
        let facts = permit.facts().clone();
        let (call, receipt) = permit.spend();
        (PermittedCall { call, execution, approval, facts }, receipt)
    }

    /// The input it may run with.
    pub fn input(&self) -> &Value {
        &self.call.input
    }

    /// The call.
    pub fn call(&self) -> &Call {
        &self.call
    }

    /// The id of the execution in the ledger.
    pub fn execution(&self) -> ExecutionId {
        self.execution
    }

    /// The approval by a human, if the call needed one.
    pub fn approval(&self) -> Option<ApprovalId> {
        self.approval
    }

    /// What was known about the call's files when it was judged.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }
}
