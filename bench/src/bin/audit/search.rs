//! Searches a long audit log for pages of 100 rows, and computes daily statistics.

use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};
use sekisho_bench::ledger_throughput::Failure;
use sekisho_bench::percentiles::Percentiles;
use sekisho_bench::table::{Table, format_duration};
use sekisho_bench::workload::SeededRng;
use sekisho_gate::audit::{AuditLog, AuditQuery};
use sekisho_store::SqliteStore;
use tokio::runtime::Runtime;

use crate::sample_lines::{AGENTS, APPROVERS, DAYS, TOOLS, agent, approver, time_after_start, tool};
use crate::target;

const DAY_S: i64 = 86_400;
/// Target for the median search by time and tool.
const TARGET: Duration = Duration::from_millis(100);

/// A kind of search: its name, how many are made, and how to make one.
type Search = (&'static str, usize, fn(&mut SeededRng) -> AuditQuery);

const SEARCHES: [Search; 7] = [
    ("hours and tool", 200, |rng| AuditQuery { tool: Some(tool(rng.below(TOOLS))), ..hours(rng) }),
    ("hours and decision", 200, |rng| AuditQuery { decision: Some("deny".into()), ..hours(rng) }),
    ("hours and agent", 200, |rng| AuditQuery { agent: Some(agent(rng.below(AGENTS))), ..hours(rng) }),
    ("hours and approver", 200, |rng| AuditQuery {
        approver: Some(approver(rng.below(APPROVERS))),
        ..hours(rng)
    }),
    ("tool and decision, ever", 200, |rng| AuditQuery {
        tool: Some(tool(rng.below(TOOLS))),
        decision: Some("deny".into()),
        ..AuditQuery::default()
    }),
    // Nothing matches: every row of the tool, or of the time range, is read.
    ("tool and a decision it never had, ever", 10, |rng| AuditQuery {
        tool: Some(tool(rng.below(TOOLS))),
        decision: Some("confirm".into()),
        kind: Some("verdict".into()),
        ..AuditQuery::default()
    }),
    ("hours and text that is nowhere", 20, |rng| AuditQuery {
        text: Some("nowhere to be found".into()),
        ..hours(rng)
    }),
];

/// Between one and twenty-four hours of the audit log.
fn hours(rng: &mut SeededRng) -> AuditQuery {
    let length = 3_600 * (1 + rng.below(24) as i64);
    let from = rng.below((DAYS * DAY_S - length) as usize) as i64;
    let at = |seconds: i64| -> Timestamp { time_after_start(0) + SignedDuration::from_secs(seconds) };
    AuditQuery { from: Some(at(from)), to: Some(at(from + length)), ..AuditQuery::default() }
}

pub(crate) fn print(runtime: &Runtime, store: &SqliteStore) -> Result<(), Failure> {
    let columns = ["search", "p50", "p99", "worst", "rows found", "searches"].map(String::from);
    let mut table = Table::new("a page of 100 rows", columns);
    let mut row = |name: &str, times: Vec<Duration>, found: f64| {
        let (count, times) = (times.len(), Percentiles::of(times));
        let [p50, p99, worst] = [0.5, 0.99, 1.0].map(|share| format_duration(times.at(share)));
        table.row([name.into(), p50, p99, worst, format!("{:.1}", found / count as f64), count.to_string()]);
        times.at(0.5)
    };
    let mut rng = SeededRng(7);
    let mut first_p50 = None;
    for (name, count, search) in SEARCHES {
        eprintln!("searching by {name} ...");
        let (mut times, mut found) = (Vec::new(), 0);
        for _ in 0..count {
            let (query, start) = (search(&mut rng), Instant::now());
            found += runtime.block_on(store.search(query))?.len();
            times.push(start.elapsed());
        }
        let p50 = row(name, times, found as f64);
        first_p50 = first_p50.or(Some(p50));
    }
    let (times, counted) = daily_stats(runtime, store)?;
    row("the statistics of one day", times, counted as f64);
    table.print();
    let p50 = first_p50.unwrap_or_default();
    target(
        &format!("{} at p50 by hours and tool, under {}", format_duration(p50), format_duration(TARGET)),
        p50 < TARGET,
    );
    Ok(())
}

/// How long the statistics of each day took, and the total number of verdicts and approvals.
fn daily_stats(runtime: &Runtime, store: &SqliteStore) -> Result<(Vec<Duration>, u64), Failure> {
    eprintln!("computing daily statistics ...");
    let (mut times, mut counted) = (Vec::new(), 0);
    for day in 0..DAYS {
        let at = |day: i64| time_after_start(0) + SignedDuration::from_secs(day * DAY_S);
        let start = Instant::now();
        let stats = runtime.block_on(store.stats(at(day), at(day + 1)))?;
        times.push(start.elapsed());
        counted += stats.hours.iter().map(|hour| hour.allowed + hour.asked + hour.denied).sum::<u64>();
    }
    Ok((times, counted))
}
