use std::io::Write;

use sekisho_server::wire::agent::{AgentBody, AgentView};
use serde_json::json;

use super::agent_args::AgentArgs;
use super::agents_client::{AgentsClient, change_failed, title};
use crate::commands::server_connection::ServerArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal;

/// Create an agent
///
/// Needs the token of an admin. Keys of models are never given here: the server reads them from its environment
/// (`ANTHROPIC_API_KEY`, `OPENAI_API_KEY`) or from a file.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Its name, by which rules call it
    name: String,
    #[command(flatten)]
    settings: AgentArgs,
}

const EXAMPLES: &str = "\
Examples:
  sekisho agents create reviewer --provider anthropic --model claude-sonnet-4-5 --tool read --tool grep
  sekisho agents create local --provider openai --model llama3.3 --workspace ~/work/shop --tool read
  sekisho agents create writer --provider anthropic --model claude-sonnet-4-5 \\
    --tool-config 'file_write={\"allowed_dirs\":[\"doc\"]}'";

pub(super) fn run(args: Args, server: ServerArgs) -> Result<Exit, Failure> {
    let (Some(provider), Some(model)) = (args.settings.provider, &args.settings.model) else {
        return Err(Failure::usage("a new agent needs `--provider` and `--model`"));
    };
    let body = json!({ "name": args.name, "provider": provider, "model": model });
    let mut body: AgentBody = serde_json::from_value(body)?;
    args.settings.apply(&mut body);
    let tools = args.settings.tools(&[])?;
    let agents = AgentsClient::open(server)?;
    let made: AgentView =
        agents.server.block_on(agents.server.client.post("/api/agents", &body)).map_err(change_failed)?;
    let mut out = terminal::stdout();
    writeln!(out, "created agent {}", title(&made))?;
    agents.configure(&made, tools)?;
    Ok(Exit::Ok)
}
