//! Rows per second through the store, compared with one transaction per row.

use sekisho_bench::durable::{Backend, Failure, one_by_one, postgres, sqlite, together};
use sekisho_bench::spread::Spread;
use sekisho_bench::table::{Table, grouped};
use tokio::runtime::Runtime;

use crate::target;

/// How often the measurements alternate.
const ROUNDS: usize = 5;
/// How many callers wait at once.
const CALLERS: [usize; 2] = [64, 512];

pub(crate) fn print(runtime: &Runtime) -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    measure(runtime, sqlite(folder.path())?)?;
    match postgres(runtime)? {
        Some(backend) => measure(runtime, backend),
        None => {
            println!("\nPostgreSQL is left out: no server is installed (initdb, postgres)");
            Ok(())
        }
    }
}

fn measure(runtime: &Runtime, mut backend: Backend) -> Result<(), Failure> {
    let mut each = Vec::new();
    let mut many = CALLERS.map(|callers| (callers, Vec::new()));
    for round in 0..ROUNDS {
        eprintln!("{}, round {} of {ROUNDS} ...", backend.name, round + 1);
        for (callers, rounds) in &mut many {
            rounds.push(runtime.block_on(together(&backend.ledger, *callers))?);
        }
        each.push(one_by_one(&mut backend.each)?);
    }
    let columns = ["", "median", "lowest", "highest", "times as many"].map(String::from);
    let mut table = Table::new(format!("durable rows a second, {}", backend.name), columns);
    let mut row = |name: String, rounds: &[f64]| {
        // Compared round by round, because the disk varies from one to the next.
        let times = Spread::of(rounds.iter().zip(&each).map(|(many, each)| many / each)).at(0.5);
        let rounds = Spread::of(rounds.iter().copied());
        let [median, lowest, highest] = [0.5, 0.0, 1.0].map(|share| grouped(rounds.at(share)));
        table.row([name, median, lowest, highest, format!("{times:.1}")]);
        times
    };
    row("a transaction each".into(), &each);
    let many = many.map(|(callers, rounds)| (callers, row(format!("sekisho, {callers} callers"), &rounds)));
    table.print();
    for (callers, times) in many {
        let what =
            format!("{times:.1} times a transaction each, {callers} callers, at least {}", backend.target);
        target(&what, times >= backend.target);
    }
    Ok(())
}
