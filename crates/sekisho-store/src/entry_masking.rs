//! Lines are masked before they get to the writer, which everybody waits for: the writer itself has no masks.
//!
//! Most requests know their lines. Those whose lines depend on what is kept find them out by reading ahead; where that was
//! wrong, or was not done, the writer undoes the request and sends it back to have the lines masked that it lacks.

use std::sync::Arc;
use std::thread;

use sekisho_gate::audit::{MaskedEntries, MaskedEntry};
use sekisho_gate::mask::Masks;
use sekisho_gate::record::AuditEntry;
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use crate::approvals::{MaskedPurge, PurgeCandidate};
use crate::transaction_error::{TransactionError, TransactionResult};

/// The masked lines of the request that is being written.
#[derive(Default)]
pub(crate) struct MaskedLines {
    masked: MaskedEntries,
    /// How many were written.
    written: usize,
    /// Lines that the request needs and that nobody masked.
    unmasked: Vec<AuditEntry>,
}

impl MaskedLines {
    pub(crate) fn new(masked: MaskedEntries) -> MaskedLines {
        MaskedLines { masked, ..MaskedLines::default() }
    }

    /// A line as it was masked. None: nobody did, and nothing of the request may be kept.
    pub(crate) fn masked(&mut self, entry: &AuditEntry) -> Option<&MaskedEntry> {
        let found = self.masked.get(self.written, entry);
        self.written += 1;
        if found.is_none() {
            self.unmasked.push(entry.clone());
        }
        found
    }

    /// The masked lines, and those that have to be masked yet.
    pub(crate) fn into_parts(self) -> (MaskedEntries, Vec<AuditEntry>) {
        (self.masked, self.unmasked)
    }
}

/// Runs something that takes a while, apart from whoever answers others. Without a runtime it gets a thread of its own.
pub(crate) fn run_off_thread(runtime: Option<&Handle>, work: impl FnOnce() + Send + 'static) {
    match runtime {
        Some(runtime) => drop(runtime.spawn_blocking(work)),
        // Where there is no thread to be had the work is dropped, and whoever waits for its answer is told so.
        None => drop(thread::Builder::new().name("ledger-masker".into()).spawn(work)),
    }
}

/// What will be left of questions whose inputs are forgotten.
pub(crate) async fn mask_purge_candidates(
    calls: Vec<PurgeCandidate>,
    masks: &Arc<Masks>,
) -> TransactionResult<Vec<MaskedPurge>> {
    let masks = Arc::clone(masks);
    let (answer, answered) = oneshot::channel();
    run_off_thread(Handle::try_current().ok().as_ref(), move || {
        let masked = calls.into_iter().map(|call| call.masked(&masks)).collect();
        // Whoever no longer waits has lost only the answer.
        let _nobody = answer.send(masked);
    });
    let broken_off =
        || Err(TransactionError::Database { what: "masking was broken off".into(), passing: true });
    answered.await.unwrap_or_else(|_| broken_off())
}
