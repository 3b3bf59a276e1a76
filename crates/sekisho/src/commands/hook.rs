use std::ffi::OsString;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings;
use crate::spawn;

/// Run the agent hook: starts `sekisho-hook` with the same arguments
///
/// `sekisho install` makes agents start `sekisho-hook` directly; use this command to try the hook by hand. It
/// reads the agent's request from standard input.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The agent's name, then arguments for `sekisho-hook`
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "AGENT")]
    arguments: Vec<OsString>,
}

const EXAMPLES: &str = "\
Examples:
  sekisho hook claude-code --installation ~/.local/state/sekisho/hooks/claude-code-….json < call.json";

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let become_it =
        settings::sibling_program("sekisho-hook").map(|hook| spawn::exec_hook(&hook, &args.arguments));
    let failure = become_it.unwrap_or_else(|failure| failure);
    // Agents treat any other exit code as consent.
    Err(Failure { exit: Exit::Denied, ..failure })
}
