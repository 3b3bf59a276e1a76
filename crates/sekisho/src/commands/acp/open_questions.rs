//! The requests for permission that are not answered yet.
//!
//! A question is answered once: whoever removes it here, its decision or its cancellation, writes the response. It takes
//! up its room until the response is passed on, so an agent that reads no answers cannot ask for ever.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use super::permission_request::PermissionRequest;

/// How many requests may be open at once, and how many bytes they may have together.
pub(super) const MOST: usize = 64;
pub(super) const MOST_BYTES: usize = 16 << 20;
/// Bytes are counted in units of this.
const UNIT: usize = 1024;

/// A request for permission that is not answered yet.
struct OpenQuestion {
    /// Closed when the question is withdrawn.
    _waiting: oneshot::Sender<()>,
    removed: RemovedQuestion,
}

/// A request that is to be answered now. To be dropped once the response is passed on.
pub(super) struct RemovedQuestion {
    pub(super) request: Arc<PermissionRequest>,
    _room: [OwnedSemaphorePermit; 2],
}

pub(super) struct OpenQuestions {
    open: HashMap<u64, OpenQuestion>,
    next: u64,
    places: Arc<Semaphore>,
    units: Arc<Semaphore>,
}

impl OpenQuestions {
    pub(super) fn new() -> OpenQuestions {
        OpenQuestions {
            open: HashMap::new(),
            next: 0,
            places: Arc::new(Semaphore::new(MOST)),
            units: Arc::new(Semaphore::new(MOST_BYTES / UNIT)),
        }
    }

    /// Adds the question of a request with this many bytes. The receiver is closed when it is withdrawn. `None` if there is
    /// no room.
    pub(super) fn add(
        &mut self,
        request: &Arc<PermissionRequest>,
        bytes: usize,
    ) -> Option<(u64, oneshot::Receiver<()>)> {
        let units = u32::try_from(bytes / UNIT + 1).ok()?;
        let place = self.places.clone().try_acquire_owned().ok()?;
        let memory = self.units.clone().try_acquire_many_owned(units).ok()?;
        let (waiting, withdrawn) = oneshot::channel();
        let number = self.next;
        self.next += 1;
        let removed = RemovedQuestion { request: request.clone(), _room: [place, memory] };
        self.open.insert(number, OpenQuestion { _waiting: waiting, removed });
        Some((number, withdrawn))
    }

    pub(super) fn remove(&mut self, number: u64) -> Option<RemovedQuestion> {
        self.open.remove(&number).map(|question| question.removed)
    }

    /// Removes and withdraws some questions.
    pub(super) fn withdraw(&mut self, which: impl Fn(&PermissionRequest) -> bool) -> Vec<RemovedQuestion> {
        let withdrawn = self.open.extract_if(|_, question| which(question.removed.request.as_ref()));
        withdrawn.map(|(_, question)| question.removed).collect()
    }
}
