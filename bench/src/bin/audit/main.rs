//! The audit log: rows made durable per second, the speed of verifying and searching a long one, and the cost
//! of masking.
//!
//! `SEKISHO_AUDIT_ROWS` is the size of the audit log. `SEKISHO_AUDIT_FILE` keeps it: an existing file is
//! used as it is, so that a part can be measured again without filling a new one.

mod durable_rows;
mod fill;
mod masking;
mod sample_lines;
mod search;
mod verify;

use std::path::PathBuf;

use sekisho_bench::ledger_throughput::Failure;
use sekisho_store::{Options, SqliteStore};
use sekisho_testkit::fixtures;
use tokio::runtime::{Builder, Runtime};

/// Default number of rows.
const ROWS: u64 = 1_000_000;

fn main() -> Result<(), Failure> {
    let rows = std::env::var("SEKISHO_AUDIT_ROWS").map_or(Ok(ROWS), |rows| rows.parse())?;
    let file = std::env::var_os("SEKISHO_AUDIT_FILE").map(PathBuf::from);
    let runtime = Builder::new_multi_thread().enable_all().build()?;
    masking::print()?;
    durable_rows::print(&runtime)?;
    measure_log(&runtime, rows, file)
}

fn measure_log(runtime: &Runtime, rows: u64, file: Option<PathBuf>) -> Result<(), Failure> {
    let directory = tempfile::tempdir()?;
    let path = file.unwrap_or_else(|| directory.path().join("audit.db"));
    if !path.exists() {
        fill::fill(runtime, &path, rows)?;
    }
    let store = SqliteStore::open(&path, Options::new(fixtures::audit_config()))?;
    verify::print(runtime, &store)?;
    search::print(runtime, &store)
}

/// Prints whether a target was met.
fn target(what: &str, met: bool) {
    println!("  {}  {what}", if met { "met   " } else { "MISSED" });
}
