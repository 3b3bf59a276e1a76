//! Calls of the agent's own tools, which other engines do not support: their input is read for paths and
//! hosts.

use std::hint::black_box;
use std::time::{Duration, Instant};

use sekisho_policy::{Call, Fact, Need, Policy, Surroundings, judge, needs};
use serde_json::json;

use crate::engines::{Failure, load};
use crate::memory::allocations;
use crate::table::{Table, grouped};
use crate::workload::Workload;

/// Judges a few everyday calls under 1 000 rules and prints the cost of each.
pub fn print() -> Result<(), Failure> {
    let policy = load(&Workload::new(1_000).config())?;
    let read = json!({ "file_path": "/home/me/project/src/main.rs" });
    let calls = [
        ("a plan is written", Call::new("TodoWrite", json!({ "todos": [] }))),
        ("a file of the workspace is read", Call::new("Read", read.clone())),
        ("a file of the workspace is written", Call::new("Write", read)),
        ("a page is fetched", Call::new("WebFetch", json!({ "url": "https://example.com/a" }))),
        ("a command is run", Call::new("Bash", json!({ "command": "rg -n main src | head" }))),
    ];
    let columns = ["everyday call", "ns", "allocations", "decision"];
    let mut table =
        Table::new("the agent's own tools, 1 000 rules (best of many)", columns.map(String::from));
    for (what, call) in calls {
        let call = call.in_directory("/home/me/project");
        let around = around(&policy, &call);
        let verdict = judge(&policy, &call, &around);
        let made = allocations(|| drop(black_box(judge(&policy, black_box(&call), &around))));
        let ns = best(|| drop(black_box(judge(&policy, black_box(&call), &around))));
        table.row([what.into(), grouped(ns), made.to_string(), verdict.decision.to_string()]);
    }
    table.print();
    Ok(())
}

/// A workspace without links that lead outside.
fn around(policy: &Policy, call: &Call) -> Surroundings {
    let mut around = Surroundings::at(jiff::Timestamp::UNIX_EPOCH);
    around.root = Some("/home/me/project".into());
    around.home = Some("/home/me".into());
    for need in needs(policy, call) {
        if let Need::Resolve(path) = &need {
            let fact = Fact::Resolved(path.clone());
            around.facts.insert(need, fact);
        }
    }
    around
}

fn best(work: impl Fn()) -> f64 {
    let pass = || {
        let start = Instant::now();
        for _ in 0..1_000 {
            work();
        }
        start.elapsed()
    };
    let best = (0..100).map(|_| pass()).min().unwrap_or(Duration::ZERO);
    best.as_nanos() as f64 / 1_000.0
}
