use std::io::Write;

use jiff::Timestamp;
use sekisho_gate::audit::maintenance_records::record_prune;

use super::blocking_store::BlockingStore;
use super::local_operator;
use super::time_format::{TimeArg, TimeFormatter};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::Settings;
use crate::terminal;

/// Remove old records from the beginning of the audit log
///
/// sekisho signs the point up to which records were removed, so that `audit verify` still accepts the rest.
/// The pruning itself is recorded. The last record of a chain (the records of one process) always stays. The
/// file does not shrink by itself: SQLite reuses the free space, and `VACUUM` returns it.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Remove records older than this: an age such as `90d`, a day or a time
    #[arg(long, value_name = "AGE")]
    before: TimeArg,
    /// Do not ask for confirmation
    #[arg(long)]
    yes: bool,
}

const EXAMPLES: &str = "\
Examples:
  sekisho audit prune --before 365d
  sekisho audit prune --before 2026-01-01 --yes";

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let settings = Settings::load()?;
    let now = Timestamp::now();
    let before = args.before.resolve(now)?;
    let (store, _) = BlockingStore::open_for_writing(&settings)?;
    let mut out = terminal::stdout();
    let clock = TimeFormatter::of_stdout();
    let question = format!("Remove all records in {} from before {}?", store.location, clock.minute(before));
    if !args.yes
        && !terminal::prompt_yes_no(
            &mut out,
            &question,
            "check with `sekisho audit search`, then pass `--yes`",
        )?
    {
        writeln!(out, "nothing was removed")?;
        return Ok(Exit::Failure);
    }
    store.block_on_ledger(record_prune(
        store.ledger(),
        before,
        Some(local_operator::local_operator(&settings)),
        now,
    ))?;
    let rows = store.block_on_ledger(store.audit().prune(before, now))?;
    local_operator::write_checkpoint(&store, now)?;
    writeln!(out, "removed {rows} records")?;
    Ok(Exit::Ok)
}
