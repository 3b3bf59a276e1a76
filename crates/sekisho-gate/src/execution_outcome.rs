//! How an execution ended.

use jiff::Timestamp;

/// How an execution ended.
#[derive(Clone, Debug, PartialEq)]
pub struct ExecutionOutcome {
    /// When it ended.
    pub at: Timestamp,
    /// Whether it failed.
    pub is_error: bool,
    /// The output of the tool, if reported.
    pub output: Option<String>,
    /// How long it took, in milliseconds.
    pub duration_ms: Option<i64>,
}
