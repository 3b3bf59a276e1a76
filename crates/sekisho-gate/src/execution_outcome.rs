//! How an execution ended.

use jiff::Timestamp;

/// How an execution ended.
#[derive(Clone, Debug, PartialEq)]
pub struct ExecutionOutcome {
    /// When.
    pub at: Timestamp,
    /// Whether it failed.
    pub is_error: bool,
    /// What it gave.
    pub output: Option<String>,
    /// How long it took.
    pub duration_ms: Option<i64>,
}
