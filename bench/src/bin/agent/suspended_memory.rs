//! The memory of a run that waits for an approval: its task, its state and its settings. Its messages are only in the
//! store.

use std::time::Duration;

use sekisho_bench::alloc_counter;
use sekisho_bench::ledger_throughput::Failure;

use crate::runs_fixture::{Place, RunsFixture, runtime};

/// How many runs wait.
const WAITING: usize = 2_000;
/// How many wait before, so that bounded caches are full.
const BEFORE: usize = 1_000;

/// Bytes of a suspended run.
pub(crate) fn measure() -> Result<f64, Failure> {
    runtime()?.block_on(async {
        eprintln!("{WAITING} runs are suspended ...");
        let fixture = RunsFixture::start(Place::File(tempfile::tempdir()?)).await?;
        suspend(&fixture, BEFORE, BEFORE).await?;
        let before = alloc_counter::live();
        suspend(&fixture, WAITING, BEFORE + WAITING).await?;
        Ok((alloc_counter::live() - before) as f64 / WAITING as f64)
    })
}

/// Starts runs, and returns when this many in all are suspended.
async fn suspend(fixture: &RunsFixture, more: usize, all: usize) -> Result<(), Failure> {
    fixture.start_runs(more, "asked").await?;
    while fixture.gate.ledger().pending(None, usize::MAX).await?.len() < all {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    // The approval is stored before the step that says so.
    tokio::time::sleep(Duration::from_secs(2)).await;
    Ok(())
}
