//! The ledger in memory passes the conformance suite.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use sekisho_gate::ledger::BoxFuture;
use sekisho_testkit::MemoryLedger;
use sekisho_testkit::conformance::{self, Backend, StorePorts};

struct MemoryBackend(MemoryLedger);

impl MemoryBackend {
    fn store(&self) -> StorePorts {
        let ledger = Arc::new(self.0.clone());
        StorePorts {
            ledger: ledger.clone(),
            rules: ledger.clone(),
            tokens: ledger.clone(),
            runs: ledger.clone(),
            audit: ledger.clone(),
            inspect: ledger,
        }
    }
}

impl Backend for MemoryBackend {
    fn fresh(&self) -> BoxFuture<'_, StorePorts> {
        Box::pin(async { self.store() })
    }

    fn reopen(&self, store: StorePorts) -> BoxFuture<'_, StorePorts> {
        drop(store);
        Box::pin(async { self.store() })
    }
}

/// Yields once to other tasks.
struct YieldNow(bool);

impl Future for YieldNow {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if self.0 {
            return Poll::Ready(());
        }
        self.0 = true;
        std::thread::yield_now();
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

#[test]
fn memory_ledger_conforms() {
    conformance::run(|| Box::new(MemoryBackend(MemoryLedger::new())));
}

#[test]
fn memory_ledger_conforms_when_preempted() {
    conformance::run(|| {
        let ledger = MemoryLedger::new();
        ledger.pause_with(Arc::new(|| Box::pin(YieldNow(false))));
        Box::new(MemoryBackend(ledger))
    });
}
