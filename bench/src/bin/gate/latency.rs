//! How long an approval takes that is answered at once, with few and with many others pending.

use std::time::{Duration, Instant};

use crate::gate_fixture::{self, GateFixture};
use crate::{Failure, ROUNDS};

/// Approvals per sample and round.
const APPROVALS: usize = 200;

/// The times with this many others pending.
pub(crate) struct LatencySample {
    pub(crate) others: usize,
    /// Sorted.
    times: Vec<Duration>,
}

pub(crate) struct Latency {
    pub(crate) few: LatencySample,
    pub(crate) many: LatencySample,
}

impl LatencySample {
    /// The time that this share of approvals did not exceed.
    pub(crate) fn at(&self, share: f64) -> Duration {
        let last = self.times.len() - 1;
        self.times[(share * last as f64).round() as usize]
    }
}

pub(crate) fn measure() -> Result<Latency, Failure> {
    gate_fixture::runtime()?.block_on(async {
        let mut samples = Vec::new();
        for others in [1, 10_000] {
            eprintln!("opening {others} approvals ...");
            let mut fixture = GateFixture::start().await?;
            fixture.open_many("other", others).await?;
            fixture.drain_feed().await?;
            samples.push((fixture, LatencySample { others, times: Vec::new() }));
        }
        for round in 0..ROUNDS {
            eprintln!("approvals, round {} of {ROUNDS} ...", round + 1);
            for (fixture, sample) in &mut samples {
                for number in 0..APPROVALS {
                    let start = Instant::now();
                    fixture.open_and_answer(&format!("{round}-{number}")).await?;
                    sample.times.push(start.elapsed());
                }
            }
        }
        let mut samples = samples.into_iter().map(|(_, mut sample)| {
            sample.times.sort();
            sample
        });
        samples
            .next()
            .zip(samples.next())
            .map(|(few, many)| Latency { few, many })
            .ok_or_else(|| "two samples".into())
    })
}
