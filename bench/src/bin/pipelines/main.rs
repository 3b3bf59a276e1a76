//! Pipelines of three stages per second, on one, two and three real servers that share a PostgreSQL database.
//!
//! Each stage is a durable run of a scripted model, which takes no time; the second one calls a tool. Servers, database and
//! callers are on one machine, so more servers do not mean more cores.

mod http;
mod server;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use sekisho_bench::percentiles::Percentiles;
use sekisho_bench::postgres_server::PostgresServer;
use sekisho_bench::table::Table;
use serde_json::{Value, json};

use crate::http::Caller;
use crate::server::Servers;

/// Why a measurement failed.
pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Pipelines of a round, and how many callers wait for one at once.
const PIPELINES: usize = 60;
const CALLERS: usize = 12;
/// How often each number of servers is measured.
const ROUNDS: usize = 3;

fn main() -> Result<(), Failure> {
    let mut measured = vec![Vec::new(); 3];
    for round in 0..ROUNDS {
        for (count, rates) in (1..).zip(&mut measured) {
            eprintln!("{count} servers, round {} of {ROUNDS} ...", round + 1);
            let rate = measure(count)?;
            eprintln!("  {rate:.1} pipelines/s");
            rates.push(rate);
        }
    }
    let cores = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
    let mut table = Table::new(
        format!("pipelines of three stages per second, {CALLERS} at once, {cores} cores for everything"),
        ["servers", "median", "lowest", "highest"].map(String::from),
    );
    for (count, rates) in (1..).zip(measured) {
        let rates = Percentiles::of(rates);
        let at = |share| format!("{:.1}", rates.at(share));
        table.row([count.to_string(), at(0.5), at(0.0), at(1.0)]);
    }
    table.print();
    Ok(())
}

/// Pipelines per second with this many servers and an empty database.
fn measure(count: usize) -> Result<f64, Failure> {
    let postgres = PostgresServer::start()?.ok_or("PostgreSQL is not installed")?;
    let servers = Servers::start(count, &postgres.url)?;
    let admin = servers.caller(0);
    let pipeline = define(&admin)?;
    let path = format!("/api/pipelines/{pipeline}/run?wait=true");
    // The first run of each server also loads its policy.
    for number in 0..count {
        run(&servers.caller(number), &path)?;
    }
    let (next, began) = (AtomicUsize::new(0), Instant::now());
    let results: Vec<Result<(), Failure>> = std::thread::scope(|scope| {
        let callers = (0..CALLERS).map(|number| {
            let (caller, next, path) = (servers.caller(number % count), &next, &path);
            scope.spawn(move || {
                while next.fetch_add(1, Ordering::Relaxed) < PIPELINES {
                    run(&caller, path)?;
                }
                Ok(())
            })
        });
        let callers: Vec<_> = callers.collect();
        callers.into_iter().map(|caller| caller.join().unwrap_or_else(|_| Err("a caller panicked".into()))).collect()
    });
    let took = began.elapsed();
    results.into_iter().collect::<Result<(), Failure>>()?;
    Ok(PIPELINES as f64 / took.as_secs_f64())
}

/// Runs a pipeline, and waits for its end.
fn run(caller: &Caller, path: &str) -> Result<(), Failure> {
    let run = caller.send("POST", path, &json!({}))?;
    match run["status"] == "completed" {
        true => Ok(()),
        false => Err(format!("a pipeline did not complete: {run}").into()),
    }
}

/// Creates the agents and the pipeline. Returns its id.
fn define(admin: &Caller) -> Result<String, Failure> {
    for name in ["first", "second", "third"] {
        let body = json!({ "name": name, "provider": "scripted", "model": name });
        let agent = admin.send("POST", "/api/agents", &body)?;
        let tools = json!([{ "tool_name": "todo_write", "is_enabled": true }]);
        admin.send("POST", "/api/tools/config", &json!({ "agent_id": agent["id"], "tools": tools }))?;
    }
    let stage = |agent: &str, prompt: &str| json!({ "agent": agent, "prompt": prompt });
    let stages =
        [stage("first", "go"), stage("second", "do {{previous}}"), stage("third", "tell {{previous}}")];
    let made = admin.send("POST", "/api/pipelines", &json!({ "name": "bench", "stages": stages }))?;
    Ok(made["id"].as_str().ok_or("no id")?.to_owned())
}

/// What the models say.
pub(crate) fn scripts() -> [(&'static str, Value); 3] {
    let todos = json!({ "todos": [{ "content": "measure", "status": "completed" }] });
    let call = json!({ "name": "todo_write", "input": todos });
    [
        ("first", json!([{ "text": "found" }])),
        ("second", json!([{ "calls": [call] }, { "text": "done" }])),
        ("third", json!([{ "text": "told" }])),
    ]
}
