use std::io::Write;

use jiff::Timestamp;
use sekisho_gate::audit::upkeep::note_purge;

use super::ledger::Book;
use super::moment::{Clock, Moment};
use super::upkeep;
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
    before: Moment,
    /// Do not ask; for scripts
    #[arg(long)]
    yes: bool,
}

const EXAMPLES: &str = "\
Examples:
  sekisho audit purge --before 7d
  sekisho audit purge --before 1h --yes";

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let settings = Settings::gather()?;
    let now = Timestamp::now();
    let before = args.before.resolve(now)?;
    let (book, _) = Book::write(&settings)?;
    let mut out = terminal::stdout();
    let question =
        format!("Forget the raw inputs of calls that ended before {}?", Clock::of_stdout().minute(before));
    if !args.yes && !terminal::ask(&mut out, &question, "give `--yes`")? {
        writeln!(out, "nothing was forgotten")?;
        return Ok(Exit::Failure);
    }
    book.wait(note_purge(book.ledger(), before, None, Some(upkeep::by(&settings)), now))?;
    let inputs = book.wait(book.audit().purge(before))?;
    upkeep::tie(&book, now)?;
    writeln!(out, "{inputs} raw inputs were forgotten")?;
    Ok(Exit::Ok)
}
