//! Whether calls can be recorded. A call that cannot be recorded may not run, so operators must learn of it.

use std::sync::atomic::{AtomicBool, Ordering};

use sekisho_gate::Gate;
use sekisho_gate::refusal::{Refusal, RefusalCode};

/// Whether the last call was recorded.
#[derive(Debug, Default)]
pub(crate) struct RecordingHealth {
    fails: AtomicBool,
}

impl RecordingHealth {
    /// Notes that a call was recorded.
    pub(crate) fn record_success(&self) {
        if self.fails.swap(false, Ordering::Relaxed) {
            tracing::info!("calls are recorded again");
        }
    }

    /// Notes a refused call. It counts as a failure only if the call could not be recorded.
    pub(crate) fn record_refusal(&self, refusal: &Refusal) {
        if refusal.code != RefusalCode::NotRecorded {
            return;
        }
        if !self.fails.swap(true, Ordering::Relaxed) {
            let why = refusal.reason.as_str();
            tracing::error!(why, "a call could not be recorded; no call may run until recording works again");
        }
    }

    /// Whether calls can be recorded. After a failure this tries a write.
    pub(crate) async fn is_healthy(&self, gate: &Gate) -> bool {
        if !self.fails.load(Ordering::Relaxed) {
            return true;
        }
        let works = gate.probe_write().await.is_ok();
        if works {
            self.record_success();
        }
        works
    }
}
