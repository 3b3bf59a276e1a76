//! What takes long and is done for one caller at a time, so that nobody can keep the machine busy by asking for it often.

use std::sync::Arc;

use axum::http::StatusCode;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinError;

use crate::error::Fault;

/// The long errands, each with its one place.
#[derive(Debug)]
pub(crate) struct Errands {
    /// Verifying the record.
    pub(crate) verifying: Errand,
    /// Trying rules on the past.
    pub(crate) trying: Errand,
    /// Looking for rules worth having.
    pub(crate) suggesting: Errand,
}

/// One of them.
#[derive(Debug)]
pub(crate) struct Errand {
    place: Arc<Semaphore>,
    what: &'static str,
}

impl Default for Errands {
    fn default() -> Errands {
        let errand = |what| Errand { place: Arc::new(Semaphore::new(1)), what };
        Errands {
            verifying: errand("the record is being verified"),
            trying: errand("a rule is being tried"),
            suggesting: errand("rules are being looked for"),
        }
    }
}

impl Errand {
    /// Begins it, unless somebody else has; it lasts until the permit is dropped.
    pub(crate) fn begin(&self) -> Result<OwnedSemaphorePermit, Fault> {
        Arc::clone(&self.place).try_acquire_owned().map_err(|_| self.busy())
    }

    /// Begins it when it is this caller's turn.
    pub(crate) async fn in_turn(&self) -> Result<OwnedSemaphorePermit, Fault> {
        Arc::clone(&self.place).acquire_owned().await.map_err(|_| self.busy())
    }

    fn busy(&self) -> Fault {
        let message = format!("{} already", self.what);
        Fault::new(StatusCode::CONFLICT, "Busy", message).hint("wait until that has ended")
    }
}

/// Does what takes long, or waits for a disk, where nobody else waits for it.
pub(crate) async fn aside<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Fault> {
    finished(tokio::task::spawn_blocking(work).await)
}

/// What a task came to. Where it fell over, this falls over as well: that is caught and logged in one place, and what it
/// said is told to nobody.
pub(crate) fn finished<T>(joined: Result<T, JoinError>) -> Result<T, Fault> {
    joined.map_err(|error| match error.try_into_panic() {
        Ok(panic) => std::panic::resume_unwind(panic),
        Err(_) => Fault::new(StatusCode::INTERNAL_SERVER_ERROR, "Internal", "it was not finished"),
    })
}
