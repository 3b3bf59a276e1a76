//! Whether calls can be recorded. Without a record nothing is let through, and whoever looks after the server has to hear of it.

use std::sync::atomic::{AtomicBool, Ordering};

use sekisho_gate::Gate;
use sekisho_gate::refusal::{Refusal, RefusalCode};

/// How the last call fared.
#[derive(Debug, Default)]
pub(crate) struct RecordingHealth {
    fails: AtomicBool,
}

impl RecordingHealth {
    /// A call was recorded.
    pub(crate) fn record_success(&self) {
        if self.fails.swap(false, Ordering::Relaxed) {
            tracing::info!("calls are recorded again");
        }
    }

    /// A call was refused, perhaps since it could not be recorded.
    pub(crate) fn record_refusal(&self, refusal: &Refusal) {
        if refusal.code != RefusalCode::NotRecorded {
            return;
        }
        if !self.fails.swap(true, Ordering::Relaxed) {
            let why = refusal.reason.as_str();
            tracing::error!(why, "a call could not be recorded; none is let through until calls can be");
        }
    }

    /// Whether calls can be recorded: after a failure that is tried.
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
