use std::io::Write;

use crate::exit::Exit;
use crate::failure::Failure;

/// Print the manual page, in roff
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Print the page of this command, such as `check` or `rules add` [default: sekisho itself]
    command: Vec<String>,
}

const EXAMPLES: &str = "\
Examples:
  sekisho man | man -l -
  sekisho man rules add | man -l -";

/// `sekisho` is the complete command line.
pub(crate) fn run(args: &Args, mut sekisho: clap::Command) -> Result<Exit, Failure> {
    sekisho.build();
    let mut command = &sekisho;
    for name in &args.command {
        command = command
            .find_subcommand(name)
            .ok_or_else(|| Failure::usage(format!("unknown command `{name}`; see `sekisho --help`")))?;
    }
    let title = std::iter::once("sekisho").chain(args.command.iter().map(String::as_str));
    let title = title.collect::<Vec<_>>().join("-");
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).title(title).render(&mut page)?;
    std::io::stdout().write_all(&page)?;
    Ok(Exit::Ok)
}
