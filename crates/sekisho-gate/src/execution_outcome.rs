//! How an execution ended.

use jiff::Timestamp;

/// How a program of a tool ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProgramExit {
    /// It exited with this code.
    Code(i32),
    /// This signal ended it.
    Signal(i32),
}

impl ProgramExit {
    /// From a stored row, which has the code or the signal.
    pub fn from_columns(code: Option<i32>, signal: Option<i32>) -> Option<ProgramExit> {
        code.map(ProgramExit::Code).or(signal.map(ProgramExit::Signal))
    }

    /// The exit code.
    pub fn code(self) -> Option<i32> {
        match self {
            ProgramExit::Code(code) => Some(code),
            ProgramExit::Signal(_) => None,
        }
    }

    /// The signal.
    pub fn signal(self) -> Option<i32> {
        match self {
            ProgramExit::Code(_) => None,
            ProgramExit::Signal(signal) => Some(signal),
        }
    }
}

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
    /// How its program ended, if it started one and saw its end.
    pub exit: Option<ProgramExit>,
}
