//! What waits for the writer.

use std::sync::Arc;

use sekisho_gate::audit::Keys;
use sekisho_gate::ledger::{Admission, Admitted, Later, LedgerError};
use tokio::sync::oneshot;

use super::fault::told;
use super::page::Page;
use super::scripts::Script;
use crate::fault::{Fault, Scripted};

/// A request with somebody who waits for its answer.
pub(super) enum Order {
    /// A call that needs no question. There are many of these, so they are written together.
    Admit(Box<Admitting>),
    /// Anything else.
    Other(Box<dyn Work>),
    /// Other keys for the log.
    Keys(Arc<Keys>, oneshot::Sender<()>),
}

/// Whoever waits.
pub(super) type Answer<T> = oneshot::Sender<Result<T, LedgerError>>;

/// A call to be admitted.
pub(super) struct Admitting {
    pub(super) admission: Admission,
    pub(super) result: Option<Scripted<Admitted>>,
    pub(super) answer: Answer<Admitted>,
}

/// What the writer sees of any other request.
pub(super) trait Work: Send {
    /// What it will touch that others may want as well.
    fn locks(&self) -> Option<i64>;

    /// Runs the script and keeps what it gave. `false`: it failed, and what it wrote must be undone.
    fn run<'a>(&'a mut self, page: &'a mut Page<'_>) -> Later<'a, bool>;

    /// The fault it failed with.
    fn fault(&self) -> Option<&Fault>;

    /// Answers: with what the script gave, unless the transaction came to nothing.
    fn answer(self: Box<Self>, lost: Option<&LedgerError>, place: &str);
}

/// A script and whoever waits for it.
pub(super) struct Request<S: Script> {
    pub(super) script: S,
    pub(super) result: Option<Scripted<S::Given>>,
    pub(super) answer: Answer<S::Given>,
}

impl<S: Script> Work for Request<S> {
    fn locks(&self) -> Option<i64> {
        self.script.locks()
    }

    fn run<'a>(&'a mut self, page: &'a mut Page<'_>) -> Later<'a, bool> {
        Box::pin(async move {
            let result = self.script.run(page).await;
            let went_well = result.is_ok();
            self.result = Some(result);
            went_well
        })
    }

    fn fault(&self) -> Option<&Fault> {
        self.result.as_ref().and_then(|result| result.as_ref().err())
    }

    fn answer(self: Box<Self>, lost: Option<&LedgerError>, place: &str) {
        answer(self.answer, self.result, lost, place);
    }
}

impl Order {
    /// What it will touch that others may want as well.
    pub(super) fn locks(&self) -> Option<i64> {
        match self {
            Order::Other(work) => work.locks(),
            Order::Admit(_) | Order::Keys(..) => None,
        }
    }

    /// Answers whoever waits.
    pub(super) fn answer(self, lost: Option<&LedgerError>, place: &str) {
        match self {
            Order::Admit(admitting) => answer(admitting.answer, admitting.result, lost, place),
            Order::Other(work) => work.answer(lost, place),
            Order::Keys(_, answer) => drop(answer.send(())),
        }
    }
}

fn answer<T>(whom: Answer<T>, result: Option<Scripted<T>>, lost: Option<&LedgerError>, place: &str) {
    let result = match (lost, result) {
        (Some(error), _) => Err(error.clone()),
        (None, Some(result)) => result.map_err(|fault| told(&fault, place)),
        (None, None) => return,
    };
    // Whoever no longer waits has lost only the answer.
    let _nobody = whom.send(result);
}
