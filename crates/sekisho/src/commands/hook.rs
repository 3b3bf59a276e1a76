use std::ffi::OsString;

use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings;
use crate::spawn;

/// Be the hook of an agent: becomes `sekisho-hook`, with the same arguments
///
/// Agents are given `sekisho-hook` itself, by `sekisho install`; this is for trying it by hand. It reads what the agent says
/// from standard input.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The agent, and what else the hook is told
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
    // Whoever reads the exit code is an agent, and to it every other one would mean that nobody minds.
    Err(Failure { exit: Exit::Denied, ..failure })
}
