use std::io::Write;

use jiff::Timestamp;
use sekisho_gate::audit::maintenance::record_purge;

use super::blocking_store::BlockingStore;
use super::time_format::{TimeFormatter, TimeArg};
use super::local_operator;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::Settings;
use crate::terminal;

/// Forget the raw inputs of calls that ended long ago
///
/// The record itself holds masked text only and stays as it is. Raw inputs are kept beside it for questions that are
/// still open and for trying rules on the past; secrets may be in them.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Inputs of calls that ended before go: an age such as `7d`, a day or a time
    #[arg(long, value_name = "AGE")]
    before: TimeArg,
    /// Do not ask; for scripts
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
    let (book, _) = BlockingStore::open_for_writing(&settings)?;
    let mut out = terminal::stdout();
    let question =
        format!("Forget the raw inputs of calls that ended before {}?", TimeFormatter::of_stdout().minute(before));
    if !args.yes && !terminal::prompt_yes_no(&mut out, &question, "give `--yes`")? {
        writeln!(out, "nothing was forgotten")?;
        return Ok(Exit::Failure);
    }
    book.block_on_ledger(record_purge(book.ledger(), before, None, Some(local_operator::local_operator(&settings)), now))?;
    let inputs = book.block_on_ledger(book.audit().purge(before))?;
    local_operator::write_checkpoint(&book, now)?;
    writeln!(out, "{inputs} raw inputs were forgotten")?;
    Ok(Exit::Ok)
}
