//! The queue in front of the writer.

use std::sync::Arc;

use sekisho_gate::audit::{KeyRing, MaskedEntries, MaskedEntry};
use sekisho_gate::ledger::{Admission, AdmissionOutcome, BoxFuture, LedgerError};
use sekisho_gate::mask::Masks;
use sekisho_gate::record::AuditEntry;
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot};

use super::error_class::to_ledger_error;
use super::open_transaction::OpenTransaction;
use super::write_operation::WriteOperation;
use crate::entry_masking::{MaskedLines, run_off_thread};
use crate::transaction_error::{TransactionError, TransactionResult};

/// A request and where its answer goes.
pub(super) enum QueuedWrite {
    /// A call that needs no approval. These are frequent, so they are written together.
    Admit(Box<QueuedAdmission>),
    /// Any other operation.
    Other(Box<dyn QueuedOperation>),
    /// Replaces the keys of the audit log.
    Keys(Arc<KeyRing>, oneshot::Sender<()>),
}

/// Where an answer goes.
pub(super) type ReplySender<T> = oneshot::Sender<Result<T, LedgerError>>;

/// A call to admit.
pub(super) struct QueuedAdmission {
    pub(super) admission: Admission,
    /// Its masked audit entry.
    pub(super) line: MaskedEntry,
    pub(super) result: Option<TransactionResult<AdmissionOutcome>>,
    pub(super) answer: ReplySender<AdmissionOutcome>,
}

/// What the writer sees of any other request.
pub(super) trait QueuedOperation: Send {
    /// The advisory lock it needs, if other processes may touch the same data.
    fn locks(&self) -> Option<i64>;

    /// Runs the operation and stores its result. `false`: it failed, and what it wrote must be undone.
    fn run<'a>(&'a mut self, tx: &'a mut OpenTransaction<'_>) -> BoxFuture<'a, bool>;

    /// The error it failed with.
    fn fault(&self) -> Option<&TransactionError>;

    /// Sends the result, or the error if the whole transaction failed.
    fn answer(self: Box<Self>, lost: Option<&LedgerError>, place: &str);
}

/// An operation and where its answer goes.
pub(super) struct WriteRequest<S: WriteOperation> {
    pub(super) script: S,
    pub(super) masked: MaskedEntries,
    pub(super) result: Option<TransactionResult<S::Outcome>>,
    pub(super) answer: ReplySender<S::Outcome>,
    pub(super) way: WriteQueue,
}

/// How requests reach the writer.
#[derive(Clone)]
pub(super) struct WriteQueue {
    pub(super) inbox: mpsc::Sender<QueuedWrite>,
    pub(super) masks: Arc<Masks>,
    pub(super) runtime: Handle,
}

impl WriteQueue {
    /// Builds a request, which masks its entries, and sends it. Slow masking runs on another thread.
    pub(super) async fn send(
        self,
        is_quick: bool,
        order: impl FnOnce(&Masks) -> QueuedWrite + Send + 'static,
    ) {
        if is_quick {
            // If the writer is gone the request is dropped, and its caller gets an error.
            drop(self.inbox.send(order(&self.masks)).await);
        } else {
            self.send_later(order);
        }
    }

    fn send_later(self, order: impl FnOnce(&Masks) -> QueuedWrite + Send + 'static) {
        let WriteQueue { inbox, masks, runtime } = self;
        run_off_thread(Some(&runtime), move || drop(inbox.blocking_send(order(&masks))));
    }
}

impl<S: WriteOperation> WriteRequest<S> {
    /// Sends an operation to the writer once its entries are masked.
    pub(super) async fn send(
        way: WriteQueue,
        script: S,
        lines: Vec<AuditEntry>,
        answer: ReplySender<S::Outcome>,
    ) {
        let request = WriteRequest { script, masked: MaskedEntries::default(), result: None, answer, way };
        let way = request.way.clone();
        way.send(MaskedEntry::is_quick(&lines), move |masks| request.masked(lines, masks)).await;
    }

    fn masked(mut self, lines: Vec<AuditEntry>, masks: &Masks) -> QueuedWrite {
        self.masked.add(lines, masks);
        QueuedWrite::Other(Box::new(self))
    }
}

impl<S: WriteOperation> QueuedOperation for WriteRequest<S> {
    fn locks(&self) -> Option<i64> {
        self.script.locks()
    }

    fn run<'a>(&'a mut self, tx: &'a mut OpenTransaction<'_>) -> BoxFuture<'a, bool> {
        Box::pin(async move {
            tx.lines = MaskedLines::new(std::mem::take(&mut self.masked));
            let result = self.script.run(tx).await;
            let (masked, unmasked) = std::mem::take(&mut tx.lines).into_parts();
            self.masked = masked;
            let result = if unmasked.is_empty() {
                result
            } else {
                result.and(Err(TransactionError::Unmasked(unmasked)))
            };
            let went_well = result.is_ok();
            self.result = Some(result);
            went_well
        })
    }

    fn fault(&self) -> Option<&TransactionError> {
        self.result.as_ref().and_then(|result| result.as_ref().err())
    }

    fn answer(mut self: Box<Self>, lost: Option<&LedgerError>, place: &str) {
        if let (None, Some(Err(TransactionError::Unmasked(lines)))) = (lost, &mut self.result) {
            let lines = std::mem::take(lines);
            self.result = None;
            return self.way.clone().send_later(move |masks| self.masked(lines, masks));
        }
        answer(self.answer, self.result, lost, place);
    }
}

impl QueuedWrite {
    /// The advisory lock it needs, if other processes may touch the same data.
    pub(super) fn locks(&self) -> Option<i64> {
        match self {
            QueuedWrite::Other(work) => work.locks(),
            QueuedWrite::Admit(_) | QueuedWrite::Keys(..) => None,
        }
    }

    /// Sends the answer to the caller.
    pub(super) fn answer(self, lost: Option<&LedgerError>, place: &str) {
        match self {
            QueuedWrite::Admit(admitting) => answer(admitting.answer, admitting.result, lost, place),
            QueuedWrite::Other(work) => work.answer(lost, place),
            QueuedWrite::Keys(_, answer) => drop(answer.send(())),
        }
    }
}

fn answer<T>(
    whom: ReplySender<T>,
    result: Option<TransactionResult<T>>,
    lost: Option<&LedgerError>,
    place: &str,
) {
    let result = match (lost, result) {
        (Some(error), _) => Err(error.clone()),
        (None, Some(result)) => result.map_err(|fault| to_ledger_error(&fault, place)),
        (None, None) => return,
    };
    // If the caller no longer waits, only the answer is lost.
    let _nobody = whom.send(result);
}
