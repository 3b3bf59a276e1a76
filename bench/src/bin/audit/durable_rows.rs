//! Rows per second through the store, compared with one transaction per row.

use sekisho_bench::ledger_throughput::{
    Backend, Failure, concurrent_rate, postgres, sequential_rate, sqlite,
};
use sekisho_bench::percentiles::Percentiles;
use sekisho_bench::table::{Table, format_number};
use tokio::runtime::Runtime;

use crate::target;

/// How often the measurements alternate.
const ROUNDS: usize = 5;
/// How many callers wait at once.
const CALLERS: [usize; 2] = [64, 512];

pub(crate) fn print(runtime: &Runtime) -> Result<(), Failure> {
    let directory = tempfile::tempdir()?;
    measure(runtime, sqlite(directory.path())?)?;
    match postgres(runtime)? {
        Some(backend) => measure(runtime, backend),
        None => {
            println!("\nPostgreSQL is skipped: no server is installed (initdb, postgres)");
            Ok(())
        }
    }
}

fn measure(runtime: &Runtime, mut backend: Backend) -> Result<(), Failure> {
    let mut sequential = Vec::new();
    let mut concurrent = CALLERS.map(|callers| (callers, Vec::new()));
    for round in 0..ROUNDS {
        eprintln!("{}, round {} of {ROUNDS} ...", backend.name, round + 1);
        for (callers, rounds) in &mut concurrent {
            rounds.push(runtime.block_on(concurrent_rate(&backend.ledger, *callers))?);
        }
        sequential.push(sequential_rate(&mut backend.insert_one)?);
    }
    let columns = ["", "median", "lowest", "highest", "ratio"].map(String::from);
    let mut table = Table::new(format!("durable rows per second, {}", backend.name), columns);
    let mut row = |name: String, rounds: &[f64]| {
        // Compared round by round, because the disk varies from one to the next.
        let times =
            Percentiles::of(rounds.iter().zip(&sequential).map(|(rate, sequential)| rate / sequential))
                .at(0.5);
        let rounds = Percentiles::of(rounds.iter().copied());
        let [median, lowest, highest] = [0.5, 0.0, 1.0].map(|share| format_number(rounds.at(share)));
        table.row([name, median, lowest, highest, format!("{times:.1}")]);
        times
    };
    row("one transaction per row".into(), &sequential);
    let ratios =
        concurrent.map(|(callers, rounds)| (callers, row(format!("sekisho, {callers} callers"), &rounds)));
    table.print();
    for (callers, times) in ratios {
        let what = format!(
            "{times:.1} times the rate of one transaction per row, {callers} callers, at least {}",
            backend.target
        );
        target(&what, times >= backend.target);
    }
    Ok(())
}
