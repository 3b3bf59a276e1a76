//! A program to run, and what it did.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use crate::output_limit::LimitedOutput;
use crate::sandbox::{DirectoryId, SandboxError, SandboxLevel, SandboxSettings};
use crate::tool_result::ProcessEnd;

/// A program to run.
#[derive(Clone, Debug)]
pub struct ProgramRequest {
    /// The program and its arguments.
    pub command: Vec<OsString>,
    /// The directory it starts in.
    pub working_dir: PathBuf,
    /// Which directory that must be. Without it, any directory at the path is taken.
    pub working_dir_id: Option<DirectoryId>,
    /// Variables besides the usual ones.
    pub environment: Vec<(OsString, OsString)>,
    /// `HOME`, if it has one.
    pub home: Option<PathBuf>,
    /// `PATH`.
    pub search_path: OsString,
    /// What it may do.
    pub settings: SandboxSettings,
    /// How long it may run.
    pub timeout: Duration,
    /// How much of each stream is kept, in bytes.
    pub output_limit: usize,
}

/// How a program ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProgramEnd {
    /// By itself.
    Ended(ProcessEnd),
    /// It was killed when its time was up.
    TimedOut,
    /// It was killed because the caller cancelled.
    Cancelled,
    /// It had started, and ended with its sandbox. Why, in one line.
    Killed(String),
}

/// What a program did.
#[derive(Debug)]
pub struct ProgramOutcome {
    /// How it ended.
    pub end: ProgramEnd,
    /// Its standard output.
    pub stdout: LimitedOutput,
    /// Its standard error.
    pub stderr: LimitedOutput,
    /// How long it ran.
    pub duration: Duration,
    /// The sandbox it ran in.
    pub level: SandboxLevel,
}

/// Why a program did not run.
#[derive(Debug)]
pub enum ProgramError {
    /// The sandbox cannot be had.
    Sandbox(SandboxError),
    /// The sandbox or the program could not be started.
    NotStarted(String),
    /// It had started, and ended with its sandbox. Why, in one line.
    Killed(String),
    /// The helper ended without a report.
    NoReport,
}

impl fmt::Display for ProgramError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProgramError::Sandbox(error) => write!(f, "{error}"),
            ProgramError::NotStarted(why) => f.write_str(why),
            ProgramError::Killed(why) => write!(f, "the command ran and failed: {why}"),
            ProgramError::NoReport => f.write_str("the sandbox ended without saying how the program ended"),
        }
    }
}

impl std::error::Error for ProgramError {}
