//! The memory cost of a waiting call: its future, its task and its table entry. The file's pages are SQLite's
//! own, and the same however many wait.

use sekisho_bench::memory;

use crate::world::{World, input};
use crate::{Failure, world};

/// How many calls wait.
pub(crate) const WAITING: usize = 10_000;
/// How many wait before the measurement, so that bounded caches are full.
const BEFORE: usize = 2_000;

/// Bytes per waiting call.
pub(crate) struct Held {
    pub(crate) all: f64,
    pub(crate) input: f64,
}

pub(crate) fn measure() -> Result<Held, Failure> {
    world::runtime()?.block_on(async {
        eprintln!("{WAITING} wait ...");
        let mut world = World::start().await?;
        world.crowd("before", BEFORE).await?;
        world.catch_up().await?;
        let before = memory::live();
        world.crowd("waiting", WAITING).await?;
        world.catch_up().await?;
        let all = memory::live() - before;
        let (inputs, held) = memory::held(|| (0..WAITING).map(|_| input()).collect::<Vec<_>>());
        drop(inputs);
        Ok(Held { all: all as f64 / WAITING as f64, input: held as f64 / WAITING as f64 })
    })
}
