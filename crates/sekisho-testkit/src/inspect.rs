//! Direct access to stored data, for the conformance suite only: the ports cannot read what the product reads
//! elsewhere.

use jiff::Timestamp;
use sekisho_gate::ledger::{BoxFuture, ExecutionOutcome};
use sekisho_gate::record::AuditEntry;
use sekisho_gate::{ApprovalId, CallId, Digest, ExecutionId};
use serde_json::Value;

/// What a backend shows to the suite.
pub trait Inspect: Send + Sync {
    /// The audit log, oldest entry first.
    fn entries(&self) -> BoxFuture<'_, Vec<AuditEntry>>;

    /// The stored calls, in order of their ids.
    fn calls(&self) -> BoxFuture<'_, Vec<CallRow>>;

    /// The executions, in order of their ids.
    fn executions(&self) -> BoxFuture<'_, Vec<ExecutionRow>>;
}

/// A call as stored.
#[derive(Clone, Debug, PartialEq)]
pub struct CallRow {
    /// Its id.
    pub id: CallId,
    /// Its tool.
    pub tool: String,
    /// Its raw input.
    pub input: Value,
    /// Its digest.
    pub digest: Digest,
}

/// An execution as stored.
#[derive(Clone, Debug, PartialEq)]
pub struct ExecutionRow {
    /// Its id.
    pub id: ExecutionId,
    /// The approval that allowed it, if any.
    pub approval: Option<ApprovalId>,
    /// Its tool.
    pub tool: String,
    /// The masked input it runs with; null until a tool begins it.
    pub input: Value,
    /// When it was permitted.
    pub started_at: Timestamp,
    /// When a tool began it.
    pub began_at: Option<Timestamp>,
    /// The sandbox level of its programs.
    pub sandbox: Option<String>,
    /// How it ended; `None` while it runs.
    pub ending: Option<ExecutionOutcome>,
}

impl ExecutionRow {
    /// An execution that is permitted and has not begun.
    pub fn permitted(
        id: ExecutionId,
        tool: String,
        approval: Option<ApprovalId>,
        at: Timestamp,
    ) -> ExecutionRow {
        ExecutionRow {
            id,
            approval,
            tool,
            input: Value::Null,
            started_at: at,
            began_at: None,
            sandbox: None,
            ending: None,
        }
    }
}
