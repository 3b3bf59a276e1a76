//! What takes long and is done for one caller at a time, so that nobody can keep the machine busy by asking for it often.

use std::sync::Arc;

use axum::http::StatusCode;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinError;

use crate::error::ApiError;

/// The long errands, each with its one place.
#[derive(Debug)]
pub(crate) struct ExclusiveJobs {
    /// Verifying the record.
    pub(crate) audit_verification: ExclusiveJob,
    /// Trying rules on the past.
    pub(crate) rule_test: ExclusiveJob,
    /// Looking for rules worth having.
    pub(crate) rule_suggestions: ExclusiveJob,
}

/// One of them.
#[derive(Debug)]
pub(crate) struct ExclusiveJob {
    place: Arc<Semaphore>,
    what: &'static str,
}

impl Default for ExclusiveJobs {
    fn default() -> ExclusiveJobs {
        let errand = |what| ExclusiveJob { place: Arc::new(Semaphore::new(1)), what };
        ExclusiveJobs {
            audit_verification: errand("the record is being verified"),
            rule_test: errand("a rule is being tried"),
            rule_suggestions: errand("rules are being looked for"),
        }
    }
}

impl ExclusiveJob {
    /// Begins it, unless somebody else has; it lasts until the permit is dropped.
    pub(crate) fn try_start(&self) -> Result<OwnedSemaphorePermit, ApiError> {
        Arc::clone(&self.place).try_acquire_owned().map_err(|_| self.busy())
    }

    /// Begins it when it is this caller's turn.
    pub(crate) async fn start(&self) -> Result<OwnedSemaphorePermit, ApiError> {
        Arc::clone(&self.place).acquire_owned().await.map_err(|_| self.busy())
    }

    fn busy(&self) -> ApiError {
        let message = format!("{} already", self.what);
        ApiError::new(StatusCode::CONFLICT, "Busy", message).with_hint("wait until that has ended")
    }
}

/// Does what takes long, or waits for a disk, where nobody else waits for it.
pub(crate) async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, ApiError> {
    join_outcome(tokio::task::spawn_blocking(work).await)
}

/// What a task came to. Where it fell over, this falls over as well: that is caught and logged in one place, and what it
/// said is told to nobody.
pub(crate) fn join_outcome<T>(joined: Result<T, JoinError>) -> Result<T, ApiError> {
    joined.map_err(|error| match error.try_into_panic() {
        Ok(panic) => std::panic::resume_unwind(panic),
        Err(_) => ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "Internal", "it was not finished"),
    })
}
