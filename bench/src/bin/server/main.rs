//! The server over loopback: decisions a second, how long a question takes from asking to being told, what one that waits
//! costs. The server is the real binary in a process of its own; the callers and devices are in this one.
//!
//! Beside it, with the same callers and devices, stands a broker that keeps questions in memory and records nothing: what
//! HTTP and a WebSocket cost by themselves.

mod bodies;
mod broker;
mod deciding;
mod devices;
mod heavy;
mod http;
mod large;
mod place;
mod questions;

use sekisho_bench::spread::Spread;
use sekisho_bench::table::{Table, grouped, span};

use place::{Place, Server};

/// Anything that goes wrong ends the run.
type Failure = Box<dyn std::error::Error + Send + Sync>;

/// How many are pending and how many devices listen, beside the one question that is timed.
const SCENES: [(usize, usize); 4] = [(1, 1), (100, 1), (10_000, 1), (1, 200)];

fn main() -> Result<(), Failure> {
    let part = std::env::args().nth(1);
    if part.as_deref() == Some("broker") {
        return broker::run();
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    if part.as_deref() == Some("large") {
        let targets = runtime.block_on(large())?;
        println!("\ntargets");
        targets.into_iter().for_each(|(what, met)| say(what, met));
        return Ok(());
    }
    runtime.block_on(measure())
}

async fn measure() -> Result<(), Failure> {
    let disk = Place::disk()?;
    println!("a file's sync on this disk: p50 {}", span(disk.sync()?));
    println!("the same without a disk:    {}", Place::memory()?.name());

    decisions().await?;

    let mut table = Table::new(
        "from asking over WebSocket and answer to being told",
        ["", "pending", "devices", "p50", "p99"].map(String::from),
    );
    let mut medians = Vec::new();
    for (name, place) in
        [("sekisho, on disk", Some(disk)), ("sekisho, no disk", Some(Place::memory()?)), ("broker", None)]
    {
        for (pending, devices) in SCENES {
            let server = match &place {
                Some(place) => Server::sekisho(place).await?,
                None => Server::broker().await?,
            };
            let times = Spread::of(questions::time(&server, pending, devices).await?);
            let (p50, p99) = (times.at(0.5), times.at(0.99));
            table.row([name.into(), grouped(pending as f64), devices.to_string(), span(p50), span(p99)]);
            medians.push((name, pending, devices, p50));
            server.stop().await?;
        }
    }
    table.print();

    let held = questions::memory(&Server::sekisho(&Place::memory()?).await?, 10_000).await?;
    println!("\nmemory of the server for one of 10 000 callers that wait: {} bytes", grouped(held));

    let large = large().await?;

    let find = |name: &str, pending: usize, devices: usize| {
        medians
            .iter()
            .find(|row| (row.0, row.1, row.2) == (name, pending, devices))
            .map(|row| row.3.as_secs_f64())
    };
    let ratio = |a: Option<f64>, b: Option<f64>| a.unwrap_or(f64::NAN) / b.unwrap_or(f64::NAN);
    println!("\ntargets");
    for name in ["sekisho, on disk", "sekisho, no disk"] {
        let one = find(name, 1, 1);
        let us = one.unwrap_or(f64::NAN) * 1e6;
        say(format!("{name}: {us:.0} µs at p50 with one pending, at most 400"), us <= 400.0);
        let more = ratio(find(name, 10_000, 1), one);
        say(format!("{name}: {more:.2} times as long with 10 000 pending, at most 2"), more <= 2.0);
    }
    let beside = ratio(find("sekisho, no disk", 1, 1), find("broker", 1, 1));
    println!("  ({beside:.1} times the broker that records nothing)");
    say(format!("{held:.0} bytes for a caller that waits, at most 24 576"), held <= 24_576.0);
    large.into_iter().for_each(|(what, met)| say(what, met));
    Ok(())
}

/// Says whether a target was met.
fn say(what: String, met: bool) {
    println!("  {}  {what}", if met { "met   " } else { "MISSED" });
}

/// Measures large calls, and gives their targets and whether they were met.
async fn large() -> Result<Vec<(String, bool)>, Failure> {
    let memory = large::print().await?;
    let (handled, waiting, after) = (memory.handled, memory.waiting, memory.after);
    let beside = heavy::print().await?.as_secs_f64() * 1e3;
    Ok(vec![
        (
            format!("a large call takes {handled:.1} times its size while it is handled, at most 16"),
            handled <= 16.0,
        ),
        (format!("a large call takes {waiting:.1} times its size while it waits, at most 2"), waiting <= 2.0),
        (format!("a large call takes {after:.1} times its size after it, at most 2"), after <= 2.0),
        (format!("{beside:.1} ms at p99 to decide beside 100 large bodies, at most 50"), beside <= 50.0),
    ])
}

async fn decisions() -> Result<(), Failure> {
    let mut table = Table::new(
        "decide, keep-alive",
        ["connections", "requests/s", "p50", "p99", "healthz requests/s"].map(String::from),
    );
    let server = Server::sekisho(&Place::memory()?).await?;
    for connections in [1, 16, 64] {
        let decided = deciding::decide(&server, connections).await?;
        let plain = deciding::health(&server, connections).await?;
        let times = Spread::of(decided.times);
        table.row([
            connections.to_string(),
            grouped(decided.rate),
            span(times.at(0.5)),
            span(times.at(0.99)),
            grouped(plain.rate),
        ]);
    }
    server.stop().await?;
    table.print();
    Ok(())
}
