//! Verdicts per second, each durable before its caller continues.

use sekisho_bench::durable::{one_by_one, sqlite, together};

use crate::{Failure, ROUNDS, world};

/// How many callers wait at once.
pub(crate) const CALLERS: usize = 64;

/// Verdicts per second in each round.
pub(crate) struct Rows {
    pub(crate) together: Vec<f64>,
    pub(crate) each: Vec<f64>,
}

pub(crate) fn measure() -> Result<Rows, Failure> {
    let runtime = world::runtime()?;
    let folder = tempfile::tempdir()?;
    let mut backend = sqlite(folder.path())?;
    let mut rows = Rows { together: Vec::new(), each: Vec::new() };
    for round in 0..ROUNDS {
        eprintln!("verdicts, round {} of {ROUNDS} ...", round + 1);
        rows.together.push(runtime.block_on(together(&backend.ledger, CALLERS))?);
        rows.each.push(one_by_one(&mut backend.each)?);
    }
    Ok(rows)
}
