//! The server over loopback: decisions per second, the time of an approval from request to response, and the
//! memory of a waiting call. The server is the real binary in a process of its own; callers and devices are
//! in this one.
//!
//! For comparison, the same callers and devices use a broker that keeps approvals in memory and records
//! nothing: it shows what HTTP and a WebSocket cost by themselves.

mod bench_server;
mod bodies;
mod broker;
mod decide_load;
mod devices;
mod http;
mod large;
mod large_calls;
mod questions;

use sekisho_bench::percentiles::Percentiles;
use sekisho_bench::table::{Table, format_duration, format_number};

use bench_server::{BenchServer, ServerDirectory};

/// Any error ends the run.
type Failure = Box<dyn std::error::Error + Send + Sync>;

/// How many approvals are pending, including the one that is timed, and how many devices listen.
const SCENARIOS: [(usize, usize); 4] = [(1, 1), (100, 1), (10_000, 1), (1, 200)];

fn main() -> Result<(), Failure> {
    let part = std::env::args().nth(1);
    if part.as_deref() == Some("broker") {
        return broker::run();
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    if part.as_deref() == Some("large") {
        let targets = runtime.block_on(large())?;
        println!("\ntargets");
        targets.into_iter().for_each(|(what, met)| print_target(what, met));
        return Ok(());
    }
    runtime.block_on(measure())
}

async fn measure() -> Result<(), Failure> {
    let disk = ServerDirectory::disk()?;
    println!("a file's sync on this disk: p50 {}", format_duration(disk.sync()?));
    println!("the same without a disk:    {}", ServerDirectory::memory()?.name());

    decisions().await?;

    let mut table = Table::new(
        "from the request through WebSocket and answer to the response",
        ["", "pending", "devices", "p50", "p99"].map(String::from),
    );
    let mut medians = Vec::new();
    for (name, location) in [
        ("sekisho, on disk", Some(disk)),
        ("sekisho, in memory", Some(ServerDirectory::memory()?)),
        ("broker", None),
    ] {
        for (pending, devices) in SCENARIOS {
            let server = match &location {
                Some(location) => BenchServer::sekisho(location).await?,
                None => BenchServer::broker().await?,
            };
            let times = Percentiles::of(questions::time(&server, pending, devices).await?);
            let (p50, p99) = (times.at(0.5), times.at(0.99));
            table.row([
                name.into(),
                format_number(pending as f64),
                devices.to_string(),
                format_duration(p50),
                format_duration(p99),
            ]);
            medians.push((name, pending, devices, p50));
            server.stop().await?;
        }
    }
    table.print();

    let per_caller =
        questions::memory(&BenchServer::sekisho(&ServerDirectory::memory()?).await?, 10_000).await?;
    println!(
        "\nmemory of the server per waiting caller, 10 000 waiting: {} bytes",
        format_number(per_caller)
    );

    let large = large().await?;

    let find = |name: &str, pending: usize, devices: usize| {
        medians
            .iter()
            .find(|row| (row.0, row.1, row.2) == (name, pending, devices))
            .map(|row| row.3.as_secs_f64())
    };
    let ratio = |a: Option<f64>, b: Option<f64>| a.unwrap_or(f64::NAN) / b.unwrap_or(f64::NAN);
    println!("\ntargets");
    for name in ["sekisho, on disk", "sekisho, in memory"] {
        let one = find(name, 1, 1);
        let us = one.unwrap_or(f64::NAN) * 1e6;
        print_target(format!("{name}: {us:.0} µs at p50 with one pending, at most 400"), us <= 400.0);
        let more = ratio(find(name, 10_000, 1), one);
        print_target(format!("{name}: {more:.2} times as long with 10 000 pending, at most 2"), more <= 2.0);
    }
    let broker_ratio = ratio(find("sekisho, in memory", 1, 1), find("broker", 1, 1));
    println!("  ({broker_ratio:.1} times the broker that records nothing)");
    print_target(format!("{per_caller:.0} bytes per waiting caller, at most 24 576"), per_caller <= 24_576.0);
    large.into_iter().for_each(|(what, met)| print_target(what, met));
    Ok(())
}

/// Prints whether a target was met.
fn print_target(what: String, met: bool) {
    println!("  {}  {what}", if met { "met   " } else { "MISSED" });
}

/// Measures large calls, and returns their targets and whether they were met.
async fn large() -> Result<Vec<(String, bool)>, Failure> {
    let memory = large::print().await?;
    let (handled, waiting, after) = (memory.handled, memory.waiting, memory.after);
    let p99 = large_calls::print().await?.as_secs_f64() * 1e3;
    Ok(vec![
        (
            format!("a large call takes {handled:.1} times its size while it is handled, at most 16"),
            handled <= 16.0,
        ),
        (format!("a large call takes {waiting:.1} times its size while it waits, at most 2"), waiting <= 2.0),
        (format!("a large call takes {after:.1} times its size after it ended, at most 2"), after <= 2.0),
        (format!("{p99:.1} ms at p99 to decide during 100 large calls, at most 50"), p99 <= 50.0),
    ])
}

async fn decisions() -> Result<(), Failure> {
    let mut table = Table::new(
        "decide, keep-alive",
        ["connections", "requests/s", "p50", "p99", "healthz requests/s"].map(String::from),
    );
    let server = BenchServer::sekisho(&ServerDirectory::memory()?).await?;
    for connections in [1, 16, 64] {
        let decided = decide_load::decide(&server, connections).await?;
        let plain = decide_load::health(&server, connections).await?;
        let times = Percentiles::of(decided.times);
        table.row([
            connections.to_string(),
            format_number(decided.rate),
            format_duration(times.at(0.5)),
            format_duration(times.at(0.99)),
            format_number(plain.rate),
        ]);
    }
    server.stop().await?;
    table.print();
    Ok(())
}
