//! How long an approval takes that is answered at once, alone and beside many others.

use std::time::{Duration, Instant};

use crate::world::{self, World};
use crate::{Failure, ROUNDS};

/// Approvals per side and round.
const ASKED: usize = 200;

/// The times with this many others pending.
pub(crate) struct Side {
    pub(crate) others: usize,
    /// Sorted.
    times: Vec<Duration>,
}

pub(crate) struct Latency {
    pub(crate) few: Side,
    pub(crate) many: Side,
}

impl Side {
    /// The time that this share of approvals did not exceed.
    pub(crate) fn at(&self, share: f64) -> Duration {
        let last = self.times.len() - 1;
        self.times[(share * last as f64).round() as usize]
    }
}

pub(crate) fn measure() -> Result<Latency, Failure> {
    world::runtime()?.block_on(async {
        let mut sides = Vec::new();
        for others in [1, 10_000] {
            eprintln!("{others} questions are asked ...");
            let mut world = World::start().await?;
            world.crowd("other", others).await?;
            world.catch_up().await?;
            sides.push((world, Side { others, times: Vec::new() }));
        }
        for round in 0..ROUNDS {
            eprintln!("questions, round {} of {ROUNDS} ...", round + 1);
            for (world, side) in &mut sides {
                for number in 0..ASKED {
                    let start = Instant::now();
                    world.ask_and_answer(&format!("{round}-{number}")).await?;
                    side.times.push(start.elapsed());
                }
            }
        }
        let mut sides = sides.into_iter().map(|(_, mut side)| {
            side.times.sort();
            side
        });
        sides
            .next()
            .zip(sides.next())
            .map(|(few, many)| Latency { few, many })
            .ok_or_else(|| "two sides".into())
    })
}
