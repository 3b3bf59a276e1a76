//! The cost of masking secrets in the audit log.

use std::hint::black_box;
use std::time::{Duration, Instant};

use sekisho_bench::ledger_throughput::Failure;
use sekisho_bench::table::{Table, format_duration};
use sekisho_bench::workload::SeededRng;
use sekisho_gate::mask::Masks;
use serde_json::Value;

use crate::sample_lines::SampleLines;

/// Prose with code in it, as agents read and write it.
const ORDINARY: &str = include_str!("../../../../ARCHITECTURE.md");
/// How many secrets are configured.
const SECRETS: usize = 20;
/// Rows whose bodies are masked.
const BODIES: u64 = 2_000;
/// How often each is measured; the best counts.
const PASSES: usize = 20;

pub(crate) fn print() -> Result<(), Failure> {
    let start = Instant::now();
    black_box(Masks::new([]).text("password"));
    let first = start.elapsed();
    let secrets: Vec<String> = secrets();
    let making = best(|| drop(black_box(Masks::new(secrets.clone()))));
    let bodies: Vec<Value> =
        SampleLines::new(BODIES)?.take(BODIES).into_iter().map(|record| record.entry.body).collect();
    let texts: Vec<String> = bodies.iter().map(Value::to_string).collect();
    let (ordinary, size) = (ORDINARY.len(), texts.iter().map(String::len).sum::<usize>());

    let columns = ["MB/s", "no secrets", "20 secrets"].map(String::from);
    let mut table = Table::new("masking", columns);
    let masks = [Masks::new([]), Masks::new(secrets)];
    let mut row = |name: &str, size: usize, work: &dyn Fn(&Masks)| {
        let rate = |masks| format!("{:.0}", size as f64 / 1e6 / best(|| work(masks)).as_secs_f64());
        table.row([name.to_owned()].into_iter().chain(masks.iter().map(rate)));
    };
    row("ordinary text", ordinary, &|masks| {
        black_box(masks.text(black_box(ORDINARY)));
    });
    row("bodies as text", size, &|masks| {
        texts.iter().for_each(|text| drop(black_box(masks.text(text))));
    });
    row("bodies as values, rebuilt", size, &|masks| {
        bodies.iter().for_each(|body| drop(black_box(masks.value(body))));
    });
    table.print();
    println!("  a body has {} bytes", size / bodies.len().max(1));
    println!(
        "  masks for {SECRETS} secrets are made in {}; the first use in a process takes {}",
        format_duration(making),
        format_duration(first)
    );
    Ok(())
}

fn secrets() -> Vec<String> {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/$!";
    let mut rng = SeededRng(3);
    (0..SECRETS).map(|_| (0..32).map(|_| char::from(LETTERS[rng.below(LETTERS.len())])).collect()).collect()
}

fn best(mut work: impl FnMut()) -> Duration {
    let timed = (0..PASSES).map(|_| {
        let start = Instant::now();
        work();
        start.elapsed()
    });
    timed.min().unwrap_or_default()
}
