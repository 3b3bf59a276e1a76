//! Searches a long audit log for pages of 100 rows, and computes daily statistics.

use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use sekisho_bench::durable::Failure;
use sekisho_bench::spread::Spread;
use sekisho_bench::table::{Table, span};
use sekisho_bench::workload::Dice;
use sekisho_gate::audit::{Audit, Query};
use sekisho_store::SqliteStore;
use tokio::runtime::Runtime;

use crate::lines::{AGENTS, APPROVERS, DAYS, TOOLS, agent, approver, moment, tool};
use crate::target;

const DAY_S: i64 = 86_400;
/// Target for the median search by time and tool.
const TARGET: Duration = Duration::from_millis(100);

/// A kind of search: its name, how many are made, and how to make one.
type Search = (&'static str, usize, fn(&mut Dice) -> Query);

const SEARCHES: [Search; 7] = [
    ("hours and tool", 200, |dice| Query { tool: Some(tool(dice.below(TOOLS))), ..hours(dice) }),
    ("hours and decision", 200, |dice| Query { decision: Some("deny".into()), ..hours(dice) }),
    ("hours and agent", 200, |dice| Query { agent: Some(agent(dice.below(AGENTS))), ..hours(dice) }),
    ("hours and approver", 200, |dice| Query {
        approver: Some(approver(dice.below(APPROVERS))),
        ..hours(dice)
    }),
    ("tool and decision, ever", 200, |dice| Query {
        tool: Some(tool(dice.below(TOOLS))),
        decision: Some("deny".into()),
        ..Query::default()
    }),
    // Nothing matches: every row of the tool, or of the time span, is read.
    ("tool and a decision it never had, ever", 10, |dice| Query {
        tool: Some(tool(dice.below(TOOLS))),
        decision: Some("confirm".into()),
        kind: Some("verdict".into()),
        ..Query::default()
    }),
    ("hours and text that is nowhere", 20, |dice| Query {
        text: Some("nowhere to be found".into()),
        ..hours(dice)
    }),
];

/// Between one and twenty-four hours of the audit log.
fn hours(dice: &mut Dice) -> Query {
    let length = 3_600 * (1 + dice.below(24) as i64);
    let from = dice.below((DAYS * DAY_S - length) as usize) as i64;
    let at = |seconds: i64| -> Timestamp { moment(0) + SignedDuration::from_secs(seconds) };
    Query { from: Some(at(from)), to: Some(at(from + length)), ..Query::default() }
}

pub(crate) fn print(runtime: &Runtime, store: &SqliteStore) -> Result<(), Failure> {
    let columns = ["search", "p50", "p99", "worst", "rows found", "searches"].map(String::from);
    let mut table = Table::new("a page of 100 rows", columns);
    let mut row = |name: &str, times: Vec<Duration>, found: f64| {
        let (count, times) = (times.len(), Spread::of(times));
        let [p50, p99, worst] = [0.5, 0.99, 1.0].map(|share| span(times.at(share)));
        table.row([name.into(), p50, p99, worst, format!("{:.1}", found / count as f64), count.to_string()]);
        times.at(0.5)
    };
    let mut dice = Dice(7);
    let mut promised = None;
    for (name, count, search) in SEARCHES {
        eprintln!("searching by {name} ...");
        let (mut times, mut found) = (Vec::new(), 0);
        for _ in 0..count {
            let (query, start) = (search(&mut dice), Instant::now());
            found += runtime.block_on(store.search(query))?.len();
            times.push(start.elapsed());
        }
        let p50 = row(name, times, found as f64);
        promised = promised.or(Some(p50));
    }
    let (times, counted) = days(runtime, store)?;
    row("the numbers of one day", times, counted as f64);
    table.print();
    let p50 = promised.unwrap_or_default();
    target(&format!("{} at p50 by hours and tool, under {}", span(p50), span(TARGET)), p50 < TARGET);
    Ok(())
}

/// How long each day took to count, and the total number of verdicts and approvals.
fn days(runtime: &Runtime, store: &SqliteStore) -> Result<(Vec<Duration>, u64), Failure> {
    eprintln!("counting days ...");
    let (mut times, mut counted) = (Vec::new(), 0);
    for day in 0..DAYS {
        let at = |day: i64| moment(0) + SignedDuration::from_secs(day * DAY_S);
        let start = Instant::now();
        let stats = runtime.block_on(store.stats(at(day), at(day + 1)))?;
        times.push(start.elapsed());
        counted += stats.hours.iter().map(|hour| hour.allowed + hour.asked + hour.denied).sum::<u64>();
    }
    Ok((times, counted))
}
