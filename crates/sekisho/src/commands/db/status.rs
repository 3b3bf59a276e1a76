use std::io::Write;

use jiff::Timestamp;
use sekisho_store::Version;
use serde_json::json;

use crate::commands::audit::blocking_store::{BlockingStore, postgres_schema_version};
use crate::commands::audit::stats::ByteSize;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::{Database, Settings};
use crate::terminal::{self, shorten_path, style};

/// Show where the database is, its version and size, and what it contains
///
/// Changes nothing: tables of an older version stay as they are.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  sekisho db status
  sekisho db status --json | jq .pending";

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let settings = Settings::load()?;
    let mut out = terminal::stdout();
    let (whole, place, version, missing) = look(&settings)?;
    let Some(version) = version else {
        if args.json {
            serde_json::to_writer_pretty(&mut out, &json!({ "place": whole, "exists": false }))?;
            writeln!(out)?;
        } else {
            writeln!(out, "{place} ({missing})")?;
        }
        return Ok(Exit::Ok);
    };
    if version.found < version.known {
        return Err(Failure::new(format!(
            "database `{whole}` has version {}, and this sekisho needs {}; run `sekisho db migrate`",
            version.found, version.known
        )));
    }
    let store = BlockingStore::open_for_reading(&settings)?;
    let now = Timestamp::now();
    let stats = store.block_on_ledger(store.audit().stats(now, now))?;
    let snapshot = store.block_on_ledger(store.ledger().snapshot())?;
    let pending = snapshot.pending.len();
    if args.json {
        let value = json!({
            "place": whole, "exists": true, "version": version.found, "bytes": stats.bytes, "rows": stats.rows,
            "events": snapshot.seq, "pending": pending,
        });
        serde_json::to_writer_pretty(&mut out, &value)?;
        writeln!(out)?;
        return Ok(Exit::Ok);
    }
    let faint = style::FAINT;
    for (name, value) in [
        ("place", place),
        ("version", version.found.to_string()),
        ("size", ByteSize(stats.bytes).to_string()),
        ("rows", stats.rows.to_string()),
        ("pending", format!("{pending} questions")),
    ] {
        writeln!(out, "{faint}{name:<8}{faint:#} {value}")?;
    }
    Ok(Exit::Ok)
}

/// The full and the short name of the database, its version if it exists, and otherwise what is missing.
fn look(settings: &Settings) -> Result<(String, String, Option<Version>, &'static str), Failure> {
    match &settings.database {
        Database::Sqlite(path) => {
            let whole = path.to_string_lossy().into_owned();
            let place = shorten_path(&whole, settings.locations.home.as_deref());
            Ok((whole, place, sekisho_store::sqlite::version(path)?, "no file yet"))
        }
        Database::Postgres(address) => {
            let version = Some(postgres_schema_version(address)?).filter(|version| version.found > 0);
            Ok((address.shown.clone(), address.shown.clone(), version, "no tables yet"))
        }
    }
}
