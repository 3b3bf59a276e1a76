//! A look behind the port, for the suite only: the port has no way to read what the product reads elsewhere.

use jiff::Timestamp;
use sekisho_gate::ledger::{BoxFuture, ExecutionOutcome};
use sekisho_gate::record::AuditEntry;
use sekisho_gate::{ApprovalId, CallId, Digest, ExecutionId};
use serde_json::Value;

/// What a backend shows to the suite.
pub trait Inspect: Send + Sync {
    /// The audit log, oldest line first.
    fn entries(&self) -> BoxFuture<'_, Vec<AuditEntry>>;

    /// The calls that were kept, in order of their ids.
    fn calls(&self) -> BoxFuture<'_, Vec<CallRow>>;

    /// The executions, in order of their ids.
    fn executions(&self) -> BoxFuture<'_, Vec<ExecutionRow>>;
}

/// A call as it was kept.
#[derive(Clone, Debug, PartialEq)]
pub struct CallRow {
    /// Its id.
    pub id: CallId,
    /// The tool.
    pub tool: String,
    /// Its raw input.
    pub input: Value,
    /// The digest.
    pub digest: Digest,
}

/// An execution as it was kept.
#[derive(Clone, Debug, PartialEq)]
pub struct ExecutionRow {
    /// Its id.
    pub id: ExecutionId,
    /// The question that let it through, if one did.
    pub approval: Option<ApprovalId>,
    /// The tool.
    pub tool: String,
    /// What it runs with: the edited input, where the answer had one.
    pub input: Value,
    /// When it was let through.
    pub started_at: Timestamp,
    /// How it ended; none while it runs.
    pub ending: Option<ExecutionOutcome>,
}
