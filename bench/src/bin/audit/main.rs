//! The audit log: rows made durable per second, the speed of verifying and searching a long one, and the cost
//! of masking.
//!
//! `SEKISHO_AUDIT_ROWS` is the size of the audit log. `SEKISHO_AUDIT_FILE` keeps it: an existing file is
//! measured as it is, so that one part can be measured again without filling it anew.

mod durable_rows;
mod fill;
mod lines;
mod masking;
mod search;
mod verify;

use std::path::PathBuf;

use sekisho_bench::durable::Failure;
use sekisho_store::{Options, SqliteStore};
use sekisho_testkit::fixtures;
use tokio::runtime::{Builder, Runtime};

/// Default number of rows.
const ROWS: u64 = 1_000_000;

fn main() -> Result<(), Failure> {
    let rows = std::env::var("SEKISHO_AUDIT_ROWS").map_or(Ok(ROWS), |rows| rows.parse())?;
    let kept = std::env::var_os("SEKISHO_AUDIT_FILE").map(PathBuf::from);
    let runtime = Builder::new_multi_thread().enable_all().build()?;
    masking::print()?;
    durable_rows::print(&runtime)?;
    record(&runtime, rows, kept)
}

fn record(runtime: &Runtime, rows: u64, kept: Option<PathBuf>) -> Result<(), Failure> {
    let folder = tempfile::tempdir()?;
    let path = kept.unwrap_or_else(|| folder.path().join("record.db"));
    if !path.exists() {
        fill::fill(runtime, &path, rows)?;
    }
    let store = SqliteStore::open(&path, Options::new(fixtures::seal()))?;
    verify::print(runtime, &store)?;
    search::print(runtime, &store)
}

/// Prints whether a target was met.
fn target(what: &str, met: bool) {
    println!("  {}  {what}", if met { "met   " } else { "MISSED" });
}
