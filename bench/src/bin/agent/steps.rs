//! What is measured: runs on each store of sekisho, and Mastra's in both its forms.

use std::time::Duration;

use sekisho_bench::ledger_throughput::{Failure, PostgresServer};

use crate::mastra::Mastra;
use crate::runs_fixture::{Place, RunsFixture, runtime};

/// Something that runs agents.
pub(crate) struct Side {
    pub(crate) name: &'static str,
    pub(crate) is_own: bool,
    pub(crate) rounds: usize,
    /// Runs at once for the rates.
    pub(crate) at_once: usize,
    /// Measures this many runs, so many at once.
    pub(crate) measure: Box<Measure>,
}

type Measure = dyn FnMut(usize, usize) -> Result<Round, Failure>;

/// One measurement.
pub(crate) struct Round {
    pub(crate) took: Duration,
    pub(crate) steps: usize,
    /// The times between requests of the same run. Only of runs that were alone.
    pub(crate) between: Vec<Duration>,
}

impl Round {
    /// Steps per second.
    pub(crate) fn rate(&self) -> f64 {
        self.steps as f64 / self.took.as_secs_f64()
    }
}

/// All rounds of a side.
#[derive(Default)]
pub(crate) struct Measured {
    pub(crate) rates: Vec<f64>,
    pub(crate) between: Vec<Duration>,
}

/// The sides, in the order in which they alternate. Without PostgreSQL, that one is left out.
pub(crate) fn sides() -> Result<Vec<(Side, Measured)>, Failure> {
    let mut sides = vec![Side {
        name: "sekisho, SQLite",
        is_own: true,
        rounds: crate::ROUNDS,
        at_once: crate::RUNS,
        measure: Box::new(|runs, at_once| own(Place::File(tempfile::tempdir()?), runs, at_once)),
    }];
    if let Some(server) = PostgresServer::start()? {
        sides.push(Side {
            name: "sekisho, PostgreSQL",
            is_own: true,
            rounds: crate::ROUNDS,
            at_once: crate::RUNS,
            measure: Box::new(move |runs, at_once| own(Place::Server(server.url.clone()), runs, at_once)),
        });
    } else {
        eprintln!("PostgreSQL is not installed: left out");
    }
    for (mastra, name, at_once) in [
        // It stores nothing unless a run suspends.
        (Mastra::Plain, "Mastra's agent, LibSQL", crate::RUNS),
        // It stores checkpoints.
        (Mastra::Durable, "Mastra's durable agent, LibSQL", crate::DURABLE_RUNS),
    ] {
        let measure = Box::new(move |runs, at_once| mastra.measure(runs, at_once));
        sides.push(Side { name, is_own: false, rounds: crate::ROUNDS, at_once, measure });
    }
    Ok(sides.into_iter().map(|side| (side, Measured::default())).collect())
}

fn own(place: Place, runs: usize, at_once: usize) -> Result<Round, Failure> {
    runtime()?.block_on(async {
        let fixture = RunsFixture::start(place).await?;
        fixture.measure(runs, at_once).await
    })
}
