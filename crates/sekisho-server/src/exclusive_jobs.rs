//! Long jobs that run for one caller at a time, so that frequent requests cannot keep the machine busy.

use std::sync::Arc;

use axum::http::StatusCode;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinError;

use crate::error::ApiError;

/// The long jobs, each with one slot.
#[derive(Debug)]
pub(crate) struct ExclusiveJobs {
    /// Verifying the audit log.
    pub(crate) audit_verification: ExclusiveJob,
    /// Testing rules on past calls.
    pub(crate) rule_test: ExclusiveJob,
    /// Looking for rules to suggest.
    pub(crate) rule_suggestions: ExclusiveJob,
}

/// A job that runs once at a time.
#[derive(Debug)]
pub(crate) struct ExclusiveJob {
    permits: Arc<Semaphore>,
    what: &'static str,
}

impl Default for ExclusiveJobs {
    fn default() -> ExclusiveJobs {
        let job = |what| ExclusiveJob { permits: Arc::new(Semaphore::new(1)), what };
        ExclusiveJobs {
            audit_verification: job("the audit log is being verified"),
            rule_test: job("a rule is being tested"),
            rule_suggestions: job("rule suggestions are being computed"),
        }
    }
}

impl ExclusiveJob {
    /// Starts the job, or fails with 409 if it is already running. It counts as running until the permit is
    /// dropped.
    pub(crate) fn try_start(&self) -> Result<OwnedSemaphorePermit, ApiError> {
        Arc::clone(&self.permits).try_acquire_owned().map_err(|_| self.busy())
    }

    /// Waits until the job can start.
    pub(crate) async fn start(&self) -> Result<OwnedSemaphorePermit, ApiError> {
        Arc::clone(&self.permits).acquire_owned().await.map_err(|_| self.busy())
    }

    fn busy(&self) -> ApiError {
        let message = format!("{} already", self.what);
        ApiError::new(StatusCode::CONFLICT, "Busy", message).with_hint("wait until it is done")
    }
}

/// Runs slow or blocking work off the async threads.
pub(crate) async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, ApiError> {
    join_outcome(tokio::task::spawn_blocking(work).await)
}

/// The result of a task. A panic in the task panics here too: the middleware catches and logs panics, and
/// callers do not see their text.
pub(crate) fn join_outcome<T>(joined: Result<T, JoinError>) -> Result<T, ApiError> {
    joined.map_err(|error| match error.try_into_panic() {
        Ok(panic) => std::panic::resume_unwind(panic),
        Err(_) => ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "Internal", "the work was not finished"),
    })
}
