//! The requests for permission that are not answered yet.
//!
//! A question is answered once: whoever removes it here, its decision or its cancellation, writes the response. It takes
//! up its room until the response is passed on, so an agent that reads no answers cannot ask for ever.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

use super::call_fields::{CallFields, CallUpdate};
use super::permission_request::PermissionRequest;
use super::shell_directories::ShellDirectories;

/// How many requests may be open at once, and how many bytes they may have together.
pub(super) const MOST: usize = 64;
pub(super) const MOST_BYTES: usize = 16 << 20;
/// Bytes are counted in units of this.
const UNIT: usize = 1024;

/// A request for permission that is not answered yet.
struct OpenQuestion {
    /// Closed when the question is withdrawn.
    _waiting: oneshot::Sender<()>,
    /// What was said about the call when it was asked about, and the room that this takes.
    asked: Option<(CallFields, OwnedSemaphorePermit)>,
    /// Where the shell may be besides if the call is allowed.
    leads_to: ShellDirectories,
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
        let leads_to = ShellDirectories::default();
        self.open.insert(number, OpenQuestion { _waiting: waiting, asked: None, leads_to, removed });
        Some((number, withdrawn))
    }

    /// Where the shell of a session may be besides if calls are allowed that others of its questions are about.
    pub(super) fn beside<'q>(
        &'q self,
        number: u64,
        session: &'q str,
    ) -> impl Iterator<Item = &'q ShellDirectories> {
        let is_other = move |(other, question): &(&u64, &OpenQuestion)| {
            **other != number && question.removed.request.session == session
        };
        self.open.iter().filter(is_other).map(|(_, question)| &question.leads_to)
    }

    /// Keeps what a question is about. `false` if there is no room.
    pub(super) fn set_asked(&mut self, number: u64, asked: CallFields) -> bool {
        let units = u32::try_from(asked.size() / UNIT + 1).ok();
        let room = units.and_then(|units| self.units.clone().try_acquire_many_owned(units).ok());
        let (Some(question), Some(room)) = (self.open.get_mut(&number), room) else { return false };
        question.asked = Some((asked, room));
        true
    }

    /// Keeps where a question may lead the shell.
    pub(super) fn set_leads_to(&mut self, number: u64, leads_to: ShellDirectories) {
        if let Some(question) = self.open.get_mut(&number) {
            question.leads_to = leads_to;
        }
    }

    /// Removes and withdraws the questions about a call that has ended, or is another now. Returns also where the shell may be
    /// besides if it has ended: nobody knows whether it was run.
    pub(super) fn withdraw_changed(
        &mut self,
        update: &CallUpdate<'_>,
    ) -> (Vec<RemovedQuestion>, ShellDirectories) {
        let mut leads_to = ShellDirectories::default();
        let withdrawn = self.open.extract_if(|_, question| {
            let request = &question.removed.request;
            let is_same =
                || question.asked.as_ref().is_some_and(|(asked, _)| !asked.differs_from(&update.fields));
            request.session == update.session
                && request.call == update.call
                && (update.ended.is_some() || !is_same())
        });
        let removed = withdrawn.map(|(_, question)| {
            if update.ended.is_some() {
                leads_to.include(&question.leads_to);
            }
            question.removed
        });
        (removed.collect(), leads_to)
    }

    pub(super) fn is_open(&self, number: u64) -> bool {
        self.open.contains_key(&number)
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
