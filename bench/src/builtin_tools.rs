//! Calls of the agent's own tools, which other engines do not support: their input is read for paths and
//! hosts.

use std::hint::black_box;
use std::time::{Duration, Instant};

use sekisho_policy::{Call, Fact, FactQuery, JudgeContext, Policy, judge, required_facts};
use serde_json::json;

use crate::alloc_counter::allocations;
use crate::engines::{Failure, load};
use crate::table::{Table, format_number};
use crate::workload::Workload;

/// Judges a few common calls under 1 000 rules and prints the cost of each.
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
    let columns = ["call", "ns", "allocations", "decision"];
    let mut table =
        Table::new("the agent's own tools, 1 000 rules (best of many)", columns.map(String::from));
    for (what, call) in calls {
        let call = call.in_directory("/home/me/project");
        let context = judge_context(&policy, &call);
        let verdict = judge(&policy, &call, &context);
        let allocated = allocations(|| drop(black_box(judge(&policy, black_box(&call), &context))));
        let ns = best(|| drop(black_box(judge(&policy, black_box(&call), &context))));
        table.row([what.into(), format_number(ns), allocated.to_string(), verdict.decision.to_string()]);
    }
    table.print();
    Ok(())
}

/// A workspace without links that lead outside.
fn judge_context(policy: &Policy, call: &Call) -> JudgeContext {
    let mut context = JudgeContext::at(jiff::Timestamp::UNIX_EPOCH);
    context.root = Some("/home/me/project".into());
    context.home = Some("/home/me".into());
    for query in required_facts(policy, call) {
        if let FactQuery::Resolve(path) = &query {
            let fact = Fact::Resolved(path.clone());
            context.facts.insert(query, fact);
        }
    }
    context
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
