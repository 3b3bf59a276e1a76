//! The gate on its SQLite file: durable decisions per second, the time of an approval, and the memory of a
//! waiting call.
//!
//! Compared measurements alternate in one run, and the median of the rounds counts: the machine and its disk
//! may be busy with other work.

mod held;
mod latency;
mod rows;
mod world;

use sekisho_bench::durable::Failure;
use sekisho_bench::memory;
use sekisho_bench::spread::Spread;
use sekisho_bench::table::{Table, grouped, span};

/// How often the measurements alternate.
const ROUNDS: usize = 5;

fn main() -> Result<(), Failure> {
    memory::count_every_thread();
    let rows = rows::measure()?;
    let latency = latency::measure()?;
    let held = held::measure()?;

    let mut table =
        Table::new("durable verdicts a second", ["", "median", "lowest", "highest"].map(String::from));
    for (name, rounds) in [
        (format!("sekisho, {} callers", rows::CALLERS), &rows.together),
        ("a transaction each (rusqlite)".into(), &rows.each),
    ] {
        let rounds = Spread::of(rounds.iter().copied());
        table.row([name, grouped(rounds.at(0.5)), grouped(rounds.at(0.0)), grouped(rounds.at(1.0))]);
    }
    table.print();

    let mut table = Table::new(
        "from asking over the answer to the permit",
        ["others pending", "p50", "p99", "worst"].map(String::from),
    );
    for side in [&latency.few, &latency.many] {
        let others = grouped(side.others as f64);
        table.row([others, span(side.at(0.5)), span(side.at(0.99)), span(side.at(1.0))]);
    }
    table.print();

    let mut table = Table::new(
        format!("bytes of memory for one of {} that wait", held::WAITING),
        [String::new(), "bytes".into()],
    );
    table.row(["in all".into(), grouped(held.all)]);
    table.row(["of which its call's input".into(), grouped(held.input)]);
    table.print();

    println!("\ntargets");
    let say = |what: String, met: bool| println!("  {}  {what}", if met { "met   " } else { "MISSED" });
    let median = |rounds: &[f64]| Spread::of(rounds.iter().copied()).at(0.5);
    let times = median(&rows.together) / median(&rows.each);
    say(format!("{times:.1} times the verdicts of a transaction each, at least 3"), times >= 3.0);
    let slower = latency.many.at(0.5).as_secs_f64() / latency.few.at(0.5).as_secs_f64();
    say(
        format!("{slower:.2} times as long at p50 with {} others pending, at most 1.5", latency.many.others),
        slower <= 1.5,
    );
    let beyond = held.all - held.input;
    say(format!("{beyond:.0} bytes for one that waits beyond its input, at most 2048"), beyond <= 2048.0);
    Ok(())
}
