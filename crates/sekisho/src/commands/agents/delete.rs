use std::io::Write;

use serde_json::Value;

use super::agents_client::{AgentsClient, change_failed, title};
use crate::commands::server_connection::ServerArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal;

/// Delete an agent
///
/// Its runs stay in the list. Those that go on have no tools any more, and their open questions are denied.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The agent's name, its id, or the last characters of its id
    agent: String,
    /// Do not ask for confirmation
    #[arg(short, long)]
    yes: bool,
}

const EXAMPLES: &str = "\
Examples:
  sekisho agents delete reviewer
  sekisho agents delete 5d2a91c0 --yes";

pub(super) fn run(args: &Args, server: ServerArgs) -> Result<Exit, Failure> {
    let agents = AgentsClient::open(server)?;
    let agent = agents.find(&args.agent)?;
    let mut out = terminal::stdout();
    let question = format!("Delete agent {}?", title(&agent));
    if !args.yes && !terminal::prompt_yes_no(&mut out, &question, "pass `--yes`")? {
        return Err(Failure::new("not deleted"));
    }
    let path = format!("/api/agents/{}", agent.id);
    let deleted: Result<Value, _> = agents.server.block_on(agents.server.client.delete(&path));
    deleted.map_err(change_failed)?;
    writeln!(out, "deleted agent {}", title(&agent))?;
    Ok(Exit::Ok)
}
