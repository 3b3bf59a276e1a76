//! The result of a tool.

use std::time::Duration;

use sekisho_gate::ledger::ProgramExit;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::sandbox::SandboxLevel;

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProcessEnd {
    /// It exited with this code.
    Exited(i32),
    /// This signal ended it.
    Signalled(i32),
}

impl From<ProcessEnd> for ProgramExit {
    fn from(end: ProcessEnd) -> ProgramExit {
        match end {
            ProcessEnd::Exited(code) => ProgramExit::Code(code),
            ProcessEnd::Signalled(signal) => ProgramExit::Signal(signal),
        }
    }
}

/// The result of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolResult {
    /// What the model reads: JSON text, or the sentence of an error.
    pub content: String,
    /// Whether the tool failed. A command that exits with an error code is not a failure of the tool.
    pub is_error: bool,
    /// Whether the result ends the run of the agent that asked for it.
    pub is_final: bool,
    /// The run of a sub-agent whose end the agent waits for. That end is then the result.
    pub awaits: Option<Uuid>,
    /// How the tool's program ended, if it started one and saw its end.
    pub exit: Option<ProcessEnd>,
    /// How long it ran. [`ToolRunner`](crate::ToolRunner) sets it.
    pub duration: Duration,
    /// The sandbox of the tool's program, if it started one.
    pub sandbox: Option<SandboxLevel>,
}

impl ToolResult {
    /// A result.
    pub fn ok(content: impl Into<String>) -> ToolResult {
        ToolResult {
            content: content.into(),
            is_error: false,
            is_final: false,
            awaits: None,
            exit: None,
            duration: Duration::ZERO,
            sandbox: None,
        }
    }

    /// A failure.
    pub fn error(message: impl Into<String>) -> ToolResult {
        ToolResult { is_error: true, ..ToolResult::ok(message) }
    }

    /// A result that is still to come: the end of a sub-agent's run.
    pub fn awaiting(run: Uuid, content: impl Into<String>) -> ToolResult {
        ToolResult { awaits: Some(run), ..ToolResult::ok(content) }
    }

    /// A result that ends the run of the agent.
    pub fn last(content: impl Into<String>) -> ToolResult {
        ToolResult { is_final: true, ..ToolResult::ok(content) }
    }

    /// Adds how the program ended and where it ran.
    #[must_use]
    pub fn of_process(mut self, exit: Option<ProcessEnd>, sandbox: SandboxLevel) -> ToolResult {
        self.exit = exit;
        self.sandbox = Some(sandbox);
        self
    }
}
