//! Verifies a whole audit log, page by page.

use std::time::Instant;

use sekisho_bench::ledger_throughput::Failure;
use sekisho_bench::table::format_number;
use sekisho_gate::audit::{AuditLog, ChainError, Verifier};
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
    let config = fixtures::audit_config();
    let all = runtime.block_on(store.count())?;
    let mut verifier = Verifier::new(&config.keys, runtime.block_on(store.cuts())?, &[]).map_err(failure)?;
    let (before, start) = (resident()?, Instant::now());
    let (mut tenth, mut most) = (None, before);
    let mut after = None;
    loop {
        let rows = runtime.block_on(store.rows(after, PAGE))?;
        rows.iter().try_for_each(|row| verifier.row(row)).map_err(failure)?;
        most = most.max(resident()?);
        if tenth.is_none() && verifier.rows() * 10 >= all {
            tenth = Some(most);
        }
        let Some(last) = rows.last() else { break };
        after = Some((last.writer, last.seq));
    }
    let took = start.elapsed().as_secs_f64();
    let report = verifier.finish().map_err(failure)?;
    if report.rows != all {
        return Err(format!("{} rows were verified, but the log has {all}", report.rows).into());
    }
    let pace = all as f64 / took;
    let (tenth, most) = ((tenth.unwrap_or(most) - before) as f64, (most - before) as f64);
    println!("\nverifying {} rows took {took:.1} s", format_number(all as f64));
    println!(
        "  memory grew by {} KB after a tenth of the rows, by {} KB after all",
        format_number(tenth),
        format_number(most)
    );
    target(&format!("{} rows/s, at least {}", format_number(pace), format_number(PACE)), pace >= PACE);
    // A page more or less is due to the allocator.
    target("constant memory: at most 8 MB between a tenth and all", most - tenth <= 8192.0);
    Ok(())
}

fn failure(error: ChainError) -> Failure {
    error.to_string().into()
}

/// Resident memory of this process, in kilobytes.
fn resident() -> Result<u64, Failure> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("no VmRSS")?;
    Ok(line.trim().trim_end_matches("kB").trim().parse()?)
}
