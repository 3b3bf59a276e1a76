//! Writes a long audit log through the store: many entries in one transaction, each masked, chained and
//! signed.

use std::path::Path;
use std::time::Instant;

use sekisho_bench::ledger_throughput::Failure;
use sekisho_bench::table::format_number;
use sekisho_gate::WriteAccess;
use sekisho_gate::audit::AuditLog;
use sekisho_gate::ledger::Ledger;
use sekisho_store::{Options, SqliteStore};
use sekisho_testkit::fixtures;
use tokio::runtime::Runtime;

use crate::sample_lines::{SampleLines, time_after_start};

/// Entries in one transaction; a checkpoint follows each.
const BATCH: u64 = 5_000;
/// How many writers the log has, one after another, each with its own chain.
const WRITERS: u64 = 8;

pub(crate) fn fill(runtime: &Runtime, path: &Path, rows: u64) -> Result<(), Failure> {
    let start = Instant::now();
    let mut lines = SampleLines::new(rows)?;
    for writer in 0..WRITERS {
        eprintln!("filling, {writer} of {WRITERS} ...");
        let store = SqliteStore::open(path, Options::new(fixtures::audit_config()))?;
        let mut left = rows * (writer + 1) / WRITERS - rows * writer / WRITERS;
        let mut batch = lines.take(left.min(BATCH));
        while !batch.is_empty() {
            left -= batch.len() as u64;
            let at = batch.last().map_or_else(|| time_after_start(0), |line| line.entry.at);
            // The next entries are made while these are written.
            let (written, next) = runtime.block_on(async {
                let making = async { lines.take(left.min(BATCH)) };
                join(store.append_records(WriteAccess::TESTS, batch), making).await
            });
            written?;
            runtime.block_on(store.checkpoint(at))?;
            batch = next;
        }
    }
    let took = start.elapsed().as_secs_f64();
    let bytes = std::fs::metadata(path)?.len() as f64;
    println!("\nan audit log of {} rows, {WRITERS} chains", format_number(rows as f64));
    println!("  filled at {} rows/s, {BATCH} in a transaction", format_number(rows as f64 / took));
    println!("  {} bytes of the file per row, all indexes included", format_number(bytes / rows as f64));
    Ok(())
}

/// The results of both futures; the first is started first.
async fn join<A, B>(first: impl Future<Output = A>, second: impl Future<Output = B>) -> (A, B) {
    let mut first = std::pin::pin!(first);
    let begun = std::future::poll_fn(|context| std::task::Poll::Ready(first.as_mut().poll(context))).await;
    let second = second.await;
    match begun {
        std::task::Poll::Ready(first) => (first, second),
        std::task::Poll::Pending => (first.await, second),
    }
}
