//! Masks audit entries before they reach the writer. All writes wait for the writer, so it does no masking
//! itself.
//!
//! Most requests know their entries. Requests whose entries depend on stored data predict them by reading
//! first. If a prediction is wrong or missing, the writer undoes the request and sends it back to have the
//! missing entries masked.

use std::sync::Arc;
use std::thread;

use sekisho_gate::audit::{MaskedEntries, MaskedEntry};
use sekisho_gate::mask::Masks;
use sekisho_gate::record::AuditEntry;
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use crate::approvals::{MaskedPurge, PurgeCandidate};
use crate::transaction_error::{TransactionError, TransactionResult};

/// The masked entries of the request being written.
#[derive(Default)]
pub(crate) struct MaskedLines {
    masked: MaskedEntries,
    /// How many were written.
    written: usize,
    /// Entries that the request needs and that are not masked yet.
    unmasked: Vec<AuditEntry>,
}

impl MaskedLines {
    pub(crate) fn new(masked: MaskedEntries) -> MaskedLines {
        MaskedLines { masked, ..MaskedLines::default() }
    }

    /// The masked form of an entry. `None`: it was not masked, and the request must be undone.
    pub(crate) fn masked(&mut self, entry: &AuditEntry) -> Option<&MaskedEntry> {
        let found = self.masked.get(self.written, entry);
        self.written += 1;
        if found.is_none() {
            self.unmasked.push(entry.clone());
        }
        found
    }

    /// The masked entries, and those that still have to be masked.
    pub(crate) fn into_parts(self) -> (MaskedEntries, Vec<AuditEntry>) {
        (self.masked, self.unmasked)
    }
}

/// Runs slow work off the calling thread: on the runtime's blocking pool, or on a new thread without a
/// runtime.
pub(crate) fn run_off_thread(runtime: Option<&Handle>, work: impl FnOnce() + Send + 'static) {
    match runtime {
        Some(runtime) => drop(runtime.spawn_blocking(work)),
        // If no thread can be started the work is dropped, and its caller gets an error.
        None => drop(thread::Builder::new().name("ledger-masker".into()).spawn(work)),
    }
}

/// Masks the approvals of calls whose inputs are about to be purged.
pub(crate) async fn mask_purge_candidates(
    calls: Vec<PurgeCandidate>,
    masks: &Arc<Masks>,
) -> TransactionResult<Vec<MaskedPurge>> {
    let masks = Arc::clone(masks);
    let (answer, answered) = oneshot::channel();
    run_off_thread(Handle::try_current().ok().as_ref(), move || {
        let masked = calls.into_iter().map(|call| call.masked(&masks)).collect();
        // If the caller no longer waits, only the answer is lost.
        let _nobody = answer.send(masked);
    });
    let broken_off =
        || Err(TransactionError::Database { what: "masking was interrupted".into(), passing: true });
    answered.await.unwrap_or_else(|_| broken_off())
}
