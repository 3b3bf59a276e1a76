//! Durable runs of agents: the time of a step, steps per second with many runs at once, and the memory of a
//! suspended run; beside Mastra's agent on a LibSQL file, in the same run.
//!
//! Both follow the same script: the model calls an empty tool in every reply but the last. Neither model takes time:
//! sekisho's is its scripted model, Mastra's the mock model of the AI SDK. A step is one reply with its call.

mod mastra;
mod runs_fixture;
mod steps;
mod suspended_memory;

use sekisho_bench::alloc_counter;
use sekisho_bench::ledger_throughput::Failure;
use sekisho_bench::percentiles::Percentiles;
use sekisho_bench::table::{Table, format_duration, format_number};

use crate::mastra::Mastra;
use crate::steps::Measured;

/// Replies of a run.
const REPLIES: usize = 5;
/// Runs at once for the rates.
const RUNS: usize = 1_000;
/// The same for Mastra's durable agent, which takes minutes for more.
const DURABLE_RUNS: usize = 50;
/// Runs for the times of steps, one after the other.
const ALONE: usize = 100;
/// How often the measurements alternate.
const ROUNDS: usize = 3;

fn main() -> Result<(), Failure> {
    alloc_counter::count_every_thread();
    if std::env::args().any(|argument| argument == "--memory") {
        print_memory(suspended_memory::measure()?);
        return Ok(());
    }
    Mastra::install()?;
    let mut sides = steps::sides()?;
    for round in 0..ROUNDS {
        for (side, measured) in &mut sides {
            if round < side.rounds {
                eprintln!("{}, round {} of {} ...", side.name, round + 1, side.rounds);
                measured.between.extend((side.measure)(ALONE, 1)?.between);
                let rate = (side.measure)(side.at_once, side.at_once)?.rate();
                eprintln!("  {} steps/s", format_number(rate));
                measured.rates.push(rate);
            }
        }
    }
    let memory = suspended_memory::measure()?;

    let mut table = Table::new(
        format!("from a model's reply through its call to the next request, runs of {REPLIES} replies alone"),
        ["", "p50", "p99"].map(String::from),
    );
    for (side, measured) in &sides {
        let times = Percentiles::of(measured.between.iter().copied());
        table.row([side.name.into(), format_duration(times.at(0.5)), format_duration(times.at(0.99))]);
    }
    table.print();
    let mut table = Table::new(
        "steps per second",
        ["", "runs at once", "median", "lowest", "highest"].map(String::from),
    );
    for (side, measured) in &sides {
        let rates = Percentiles::of(measured.rates.iter().copied());
        let at = |share| format_number(rates.at(share));
        table.row([side.name.into(), format_number(side.at_once as f64), at(0.5), at(0.0), at(1.0)]);
    }
    table.print();
    print_targets(&sides, memory);
    Ok(())
}

fn print_targets(sides: &[(steps::Side, Measured)], memory: f64) {
    let median = |measured: &Measured| Percentiles::of(measured.rates.iter().copied()).at(0.5);
    let (ours, theirs): (Vec<_>, Vec<_>) = sides.iter().partition(|(side, _)| side.is_own);
    println!("\ntargets");
    for (own, measured) in &ours {
        for (peer, beside) in &theirs {
            let times = median(measured) / median(beside);
            let met = if times >= 10.0 { "met   " } else { "MISSED" };
            println!("  {met}  {}: {times:.1} times the steps of {}, at least 10", own.name, peer.name);
        }
    }
    print_memory(memory);
}

fn print_memory(memory: f64) {
    let met = if memory <= 20.0 * 1024.0 { "met   " } else { "MISSED" };
    println!("  {met}  {} bytes of memory for a suspended run, at most 20 480", format_number(memory));
}
