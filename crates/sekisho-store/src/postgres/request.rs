//! What waits for the writer.

use std::sync::Arc;

use sekisho_gate::audit::{Keys, MaskedEntries, MaskedEntry};
use sekisho_gate::ledger::{Admission, Admitted, Later, LedgerError};
use sekisho_gate::mask::Masks;
use sekisho_gate::record::Entry;
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot};

use super::fault::told;
use super::page::Page;
use super::script::Script;
use crate::fault::{Fault, Scripted};
use crate::masking::{Lines, apart};

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
    /// Its line, masked.
    pub(super) line: MaskedEntry,
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
    pub(super) masked: MaskedEntries,
    pub(super) result: Option<Scripted<S::Given>>,
    pub(super) answer: Answer<S::Given>,
    pub(super) way: Way,
}

/// How requests get to the writer.
#[derive(Clone)]
pub(super) struct Way {
    pub(super) inbox: mpsc::Sender<Order>,
    pub(super) masks: Arc<Masks>,
    pub(super) runtime: Handle,
}

impl Way {
    /// Makes an order, which masks its lines, and sends it. What takes long is done on another thread.
    pub(super) async fn send(self, is_quick: bool, order: impl FnOnce(&Masks) -> Order + Send + 'static) {
        if is_quick {
            // Where nobody is left to read it the order is dropped, and whoever waits is told so.
            drop(self.inbox.send(order(&self.masks)).await);
        } else {
            self.send_later(order);
        }
    }

    fn send_later(self, order: impl FnOnce(&Masks) -> Order + Send + 'static) {
        let Way { inbox, masks, runtime } = self;
        apart(Some(&runtime), move || drop(inbox.blocking_send(order(&masks))));
    }
}

impl<S: Script> Request<S> {
    /// Sends a script to the writer once its lines are masked.
    pub(super) async fn send(way: Way, script: S, lines: Vec<Entry>, answer: Answer<S::Given>) {
        let request = Request { script, masked: MaskedEntries::default(), result: None, answer, way };
        let way = request.way.clone();
        way.send(MaskedEntry::is_quick(&lines), move |masks| request.masked(lines, masks)).await;
    }

    fn masked(mut self, lines: Vec<Entry>, masks: &Masks) -> Order {
        self.masked.add(lines, masks);
        Order::Other(Box::new(self))
    }
}

impl<S: Script> Work for Request<S> {
    fn locks(&self) -> Option<i64> {
        self.script.locks()
    }

    fn run<'a>(&'a mut self, page: &'a mut Page<'_>) -> Later<'a, bool> {
        Box::pin(async move {
            page.lines = Lines::new(std::mem::take(&mut self.masked));
            let result = self.script.run(page).await;
            let (masked, unmasked) = std::mem::take(&mut page.lines).into_parts();
            self.masked = masked;
            let result =
                if unmasked.is_empty() { result } else { result.and(Err(Fault::Unmasked(unmasked))) };
            let went_well = result.is_ok();
            self.result = Some(result);
            went_well
        })
    }

    fn fault(&self) -> Option<&Fault> {
        self.result.as_ref().and_then(|result| result.as_ref().err())
    }

    fn answer(mut self: Box<Self>, lost: Option<&LedgerError>, place: &str) {
        if let (None, Some(Err(Fault::Unmasked(lines)))) = (lost, &mut self.result) {
            let lines = std::mem::take(lines);
            self.result = None;
            return self.way.clone().send_later(move |masks| self.masked(lines, masks));
        }
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
