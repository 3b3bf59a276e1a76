//! Which credential a call was let through for, so that nobody else tells how it ended.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use sekisho_gate::ExecutionId;
use sekisho_policy::Call;

/// How many are remembered.
const REMEMBERED: usize = 16_384;

/// Calls that were let through lately, by this server.
#[derive(Debug, Default)]
pub(crate) struct Runs(Mutex<VecDeque<Run>>);

#[derive(Debug)]
struct Run {
    execution: ExecutionId,
    credential: String,
    run_id: Option<String>,
    call_id: Option<String>,
}

impl Runs {
    fn runs(&self) -> MutexGuard<'_, VecDeque<Run>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers who a call was let through for.
    pub(crate) fn add(&self, execution: ExecutionId, credential: &str, call: &Call) {
        let mut runs = self.runs();
        if runs.len() >= REMEMBERED {
            runs.pop_front();
        }
        let (run_id, call_id) = (call.run_id.clone(), call.call_id.clone());
        runs.push_back(Run { execution, credential: credential.to_owned(), run_id, call_id });
    }

    /// Whether a call was let through for a credential.
    pub(crate) fn are_of(&self, execution: ExecutionId, credential: &str) -> bool {
        self.runs().iter().rev().any(|run| run.execution == execution && run.credential == credential)
    }

    /// The run of a call that a credential names by its own id.
    pub(crate) fn of(&self, credential: &str, call: &Call) -> Option<ExecutionId> {
        call.call_id.as_ref()?;
        let same = |run: &&Run| {
            run.credential == credential && run.run_id == call.run_id && run.call_id == call.call_id
        };
        self.runs().iter().rev().find(same).map(|run| run.execution)
    }
}
