use std::io::Write;

use jiff::Timestamp;
use sekisho_gate::audit::maintenance_records::record_purge;

use super::blocking_store::BlockingStore;
use super::local_operator;
use super::time_format::{TimeArg, TimeFormatter};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::Settings;
use crate::terminal;

/// Delete the raw inputs of calls that ended long ago
///
/// The audit log contains only masked text and is not changed. Raw inputs are stored beside it for open
/// questions and for testing rules on past calls; they may contain secrets.
///
/// What runs of agents said and did is deleted too, if they ended before that time and no other run or
/// pipeline needs it any more. A purged run keeps its status.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Delete inputs of calls that ended before this: an age such as `7d`, a day or a time
    #[arg(long, value_name = "AGE")]
    before: TimeArg,
    /// Do not ask for confirmation
    #[arg(long)]
    yes: bool,
}

const EXAMPLES: &str = "\
Examples:
  sekisho audit purge --before 7d
  sekisho audit purge --before 1h --yes";

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let settings = Settings::load()?;
    let now = Timestamp::now();
    let before = args.before.resolve(now)?;
    let (store, _) = BlockingStore::open_for_writing(&settings)?;
    let mut out = terminal::stdout();
    let question = format!(
        "Delete the raw inputs of calls and the messages of runs that ended before {}?",
        TimeFormatter::of_stdout().minute(before)
    );
    if !args.yes && !terminal::prompt_yes_no(&mut out, &question, "pass `--yes`")? {
        writeln!(out, "nothing was deleted")?;
        return Ok(Exit::Failure);
    }
    store.block_on_ledger(record_purge(
        store.ledger(),
        before,
        None,
        Some(local_operator::local_operator(&settings)),
        now,
    ))?;
    let inputs = store.block_on_ledger(store.audit().purge(before))?;
    local_operator::write_checkpoint(&store, now)?;
    writeln!(out, "deleted {inputs} raw inputs")?;
    Ok(Exit::Ok)
}
