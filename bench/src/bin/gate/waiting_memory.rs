//! The memory cost of a waiting call: its future, its task and its table entry. The file's pages are SQLite's
//! own, and independent of the number of waiting calls.

use sekisho_bench::alloc_counter;

use crate::gate_fixture::{GateFixture, input};
use crate::{Failure, gate_fixture};

/// How many calls wait.
pub(crate) const WAITING: usize = 10_000;
/// How many calls wait before the measurement, so that bounded caches are full.
const BEFORE: usize = 2_000;

/// Bytes per waiting call.
pub(crate) struct WaitingMemory {
    pub(crate) all: f64,
    pub(crate) input: f64,
}

pub(crate) fn measure() -> Result<WaitingMemory, Failure> {
    gate_fixture::runtime()?.block_on(async {
        eprintln!("{WAITING} calls wait ...");
        let mut fixture = GateFixture::start().await?;
        fixture.open_many("before", BEFORE).await?;
        fixture.drain_feed().await?;
        let before = alloc_counter::live();
        fixture.open_many("waiting", WAITING).await?;
        fixture.drain_feed().await?;
        let all = alloc_counter::live() - before;
        let (inputs, input) = alloc_counter::bytes_held(|| (0..WAITING).map(|_| input()).collect::<Vec<_>>());
        drop(inputs);
        Ok(WaitingMemory { all: all as f64 / WAITING as f64, input: input as f64 / WAITING as f64 })
    })
}
