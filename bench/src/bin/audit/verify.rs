//! Verifies a whole audit log, page by page.

use std::time::Instant;

use sekisho_bench::durable::Failure;
use sekisho_bench::table::grouped;
use sekisho_gate::audit::{Audit, Bad, Verifier};
use sekisho_store::SqliteStore;
use sekisho_testkit::fixtures;
use tokio::runtime::Runtime;

use crate::target;

/// Rows in memory at once; the same as on the command line.
const PAGE: usize = 4096;
/// Minimum rows per second.
const PACE: f64 = 200_000.0;

pub(crate) fn print(runtime: &Runtime, store: &SqliteStore) -> Result<(), Failure> {
    eprintln!("verifying ...");
    let seal = fixtures::seal();
    let all = runtime.block_on(store.count())?;
    let mut verifier = Verifier::new(&seal.keys, runtime.block_on(store.cuts())?, &[]).map_err(told)?;
    let (before, start) = (resident()?, Instant::now());
    let (mut tenth, mut most) = (None, before);
    let mut after = None;
    loop {
        let rows = runtime.block_on(store.rows(after, PAGE))?;
        rows.iter().try_for_each(|row| verifier.row(row)).map_err(told)?;
        most = most.max(resident()?);
        if tenth.is_none() && verifier.rows() * 10 >= all {
            tenth = Some(most);
        }
        let Some(last) = rows.last() else { break };
        after = Some((last.writer, last.seq));
    }
    let took = start.elapsed().as_secs_f64();
    let report = verifier.finish().map_err(told)?;
    if report.rows != all {
        return Err(format!("{} rows were verified, {all} are there", report.rows).into());
    }
    let pace = all as f64 / took;
    let (tenth, most) = ((tenth.unwrap_or(most) - before) as f64, (most - before) as f64);
    println!("\nverifying {} rows took {took:.1} s", grouped(all as f64));
    println!("  memory grew by {} KB up to a tenth of it, by {} KB in all", grouped(tenth), grouped(most));
    target(&format!("{} rows/s, at least {}", grouped(pace), grouped(PACE)), pace >= PACE);
    // A page more or less is due to the allocator.
    target("constant memory: at most 8 MB between a tenth and all", most - tenth <= 8192.0);
    Ok(())
}

fn told(bad: Bad) -> Failure {
    bad.to_string().into()
}

/// Resident memory of this process, in kilobytes.
fn resident() -> Result<u64, Failure> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("no VmRSS")?;
    Ok(line.trim().trim_end_matches("kB").trim().parse()?)
}
