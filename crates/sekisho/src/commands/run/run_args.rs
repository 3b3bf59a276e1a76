//! The flags of `sekisho run`.

use std::path::PathBuf;

use sekisho_server::wire::agent::ModelProvider;

use crate::commands::agents::provider;
use crate::commands::server_connection::ServerArgs;

/// Run the built-in agent in this project; it asks before it changes anything
///
/// The agent needs a model: set `ANTHROPIC_API_KEY` or `OPENAI_API_KEY`. It reads by itself; whatever the policy does not
/// allow is asked here, with the keys of `sekisho approvals watch`, and at the same time on the page and in other terminals.
/// The first answer wins. If no server is running on this machine, one runs as long as this command.
///
/// Ctrl-C interrupts the tool that runs, and the model is told. Ctrl-C twice leaves: the run is stored, and `--resume`
/// continues it, also after a crash.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    pub(super) server: ServerArgs,
    /// What the agent is to do; `-` reads it from standard input. With `--resume`, a further message
    #[arg(value_name = "MESSAGE", required_unless_present = "resume")]
    pub(super) message: Vec<String>,
    /// Continue a run, by its id or the last characters of its id
    #[arg(long, value_name = "ID", conflicts_with_all = ["agent", "provider", "model", "tools", "max_iterations", "cwd"])]
    pub(super) resume: Option<String>,
    /// The model, by the name that its provider gives it [default: claude-sonnet-4-5 or gpt-4.1, by the key that is set]
    #[arg(long, value_name = "MODEL")]
    pub(super) model: Option<String>,
    /// The interface of the model: `anthropic`, `openai` (also Ollama, vLLM, OpenRouter) or `scripted` [default: by the key that is set]
    #[arg(long, value_name = "PROVIDER", value_parser = provider)]
    pub(super) provider: Option<ModelProvider>,
    /// Use only this tool; can be given several times [default: all tools of the agent]
    #[arg(long = "tool", value_name = "NAME")]
    pub(super) tools: Vec<String>,
    /// How many replies the model may give [default: 50]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(super) max_iterations: Option<u32>,
    /// Work in the project of this directory [default: the current one]
    #[arg(long, value_name = "DIR")]
    pub(super) cwd: Option<PathBuf>,
    /// Run this agent of the server, as `sekisho agents list` shows it [default: `terminal`, which is created]
    #[arg(long, value_name = "NAME", conflicts_with_all = ["provider", "model", "max_iterations"])]
    pub(super) agent: Option<String>,
    /// Print the events of the run, one JSON object a line, and ask nothing here
    #[arg(long)]
    pub(super) json: bool,
}

const EXAMPLES: &str = "\
Examples:
  sekisho run 'Why does the build fail?'
  sekisho run 'Fix the failing test' --model claude-opus-4-1
  git diff | sekisho run -                             the message is standard input
  sekisho run 'Describe src/' --tool read --tool grep  with two tools only
  sekisho run --resume 5d2a91c0                        continue a run that you left
  sekisho run --resume 5d2a91c0 'and now the docs'     a further message
  sekisho run 'List the TODOs' --json | jq -r 'select(.type == \"text-end\").payload.text'
  SEKISHO_SCRIPTS=scripts sekisho run go --provider scripted --model build

Exit codes: 0 completed, 1 failed or stopped early, 2 aborted by a human, 3 left before its end, 64 wrong usage.";
