//! Which credential a call was let through for, so that nobody else tells how it ended.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use sekisho_gate::ExecutionId;

/// How many are remembered.
const REMEMBERED: usize = 16_384;

/// Calls that were let through lately, by this server.
#[derive(Debug, Default)]
pub(crate) struct Runs(Mutex<VecDeque<(ExecutionId, String)>>);

impl Runs {
    fn runs(&self) -> MutexGuard<'_, VecDeque<(ExecutionId, String)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers who a call was let through for.
    pub(crate) fn add(&self, execution: ExecutionId, credential: &str) {
        let mut runs = self.runs();
        if runs.len() >= REMEMBERED {
            runs.pop_front();
        }
        runs.push_back((execution, credential.to_owned()));
    }

    /// Whether a call was let through for a credential.
    pub(crate) fn are_of(&self, execution: ExecutionId, credential: &str) -> bool {
        self.runs().iter().rev().any(|(run, by)| *run == execution && by == credential)
    }
}
