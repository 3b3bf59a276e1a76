//! The gate on its SQLite file: durable decisions per second, the time of an approval, and the memory of a
//! waiting call.
//!
//! Compared measurements alternate in one run, and the median of the rounds counts: the machine and its disk
//! may be busy with other work.

mod gate_fixture;
mod latency;
mod throughput;
mod waiting_memory;

use sekisho_bench::alloc_counter;
use sekisho_bench::ledger_throughput::Failure;
use sekisho_bench::percentiles::Percentiles;
use sekisho_bench::table::{Table, format_duration, format_number};

/// How often the measurements alternate.
const ROUNDS: usize = 5;

fn main() -> Result<(), Failure> {
    alloc_counter::count_every_thread();
    let rates = throughput::measure()?;
    let latency = latency::measure()?;
    let memory = waiting_memory::measure()?;

    let mut table =
        Table::new("durable verdicts per second", ["", "median", "lowest", "highest"].map(String::from));
    for (name, rounds) in [
        (format!("sekisho, {} callers", throughput::CALLERS), &rates.concurrent),
        ("one transaction per verdict (rusqlite)".into(), &rates.sequential),
    ] {
        let rounds = Percentiles::of(rounds.iter().copied());
        table.row([
            name,
            format_number(rounds.at(0.5)),
            format_number(rounds.at(0.0)),
            format_number(rounds.at(1.0)),
        ]);
    }
    table.print();

    let mut table = Table::new(
        "from the request through the answer to the permit",
        ["others pending", "p50", "p99", "worst"].map(String::from),
    );
    for sample in [&latency.few, &latency.many] {
        let others = format_number(sample.others as f64);
        table.row([
            others,
            format_duration(sample.at(0.5)),
            format_duration(sample.at(0.99)),
            format_duration(sample.at(1.0)),
        ]);
    }
    table.print();

    let mut table = Table::new(
        format!("bytes of memory per waiting call, {} waiting", waiting_memory::WAITING),
        [String::new(), "bytes".into()],
    );
    table.row(["in all".into(), format_number(memory.all)]);
    table.row(["of which the input of the call".into(), format_number(memory.input)]);
    table.print();

    println!("\ntargets");
    let print_target =
        |what: String, met: bool| println!("  {}  {what}", if met { "met   " } else { "MISSED" });
    let median = |rounds: &[f64]| Percentiles::of(rounds.iter().copied()).at(0.5);
    let times = median(&rates.concurrent) / median(&rates.sequential);
    print_target(
        format!("{times:.1} times the rate of one transaction per verdict, at least 3"),
        times >= 3.0,
    );
    let slower = latency.many.at(0.5).as_secs_f64() / latency.few.at(0.5).as_secs_f64();
    print_target(
        format!("{slower:.2} times as long at p50 with {} others pending, at most 1.5", latency.many.others),
        slower <= 1.5,
    );
    let beyond = memory.all - memory.input;
    print_target(
        format!("{beyond:.0} bytes per waiting call beyond its input, at most 2048"),
        beyond <= 2048.0,
    );
    Ok(())
}
