//! Verdicts per second, each durable before its caller continues.

use sekisho_bench::ledger_throughput::{concurrent_rate, sequential_rate, sqlite};

use crate::{Failure, ROUNDS, gate_fixture};

/// How many callers wait at once.
pub(crate) const CALLERS: usize = 64;

/// Verdicts per second in each round.
pub(crate) struct Throughput {
    pub(crate) concurrent: Vec<f64>,
    pub(crate) sequential: Vec<f64>,
}

pub(crate) fn measure() -> Result<Throughput, Failure> {
    let runtime = gate_fixture::runtime()?;
    let directory = tempfile::tempdir()?;
    let mut backend = sqlite(directory.path())?;
    let mut throughput = Throughput { concurrent: Vec::new(), sequential: Vec::new() };
    for round in 0..ROUNDS {
        eprintln!("verdicts, round {} of {ROUNDS} ...", round + 1);
        throughput.concurrent.push(runtime.block_on(concurrent_rate(&backend.ledger, CALLERS))?);
        throughput.sequential.push(sequential_rate(&mut backend.insert_one)?);
    }
    Ok(throughput)
}
