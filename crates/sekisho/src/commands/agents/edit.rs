use std::io::Write;

use sekisho_server::wire::agent::AgentView;

use super::agent_args::AgentArgs;
use super::agents_client::{AgentsClient, change_failed, title};
use crate::commands::server_connection::ServerArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal;

/// Change the settings or the tools of an agent
///
/// What is not given stays as it is. Tools count at once, also in runs that go on: open questions about a disabled tool
/// are denied. Other settings count for new runs.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The agent's name, its id, or the last characters of its id
    agent: String,
    /// A new name
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    #[command(flatten)]
    settings: AgentArgs,
}

const EXAMPLES: &str = "\
Examples:
  sekisho agents edit reviewer --model claude-opus-4-1 --max-iterations 10
  sekisho agents edit reviewer --tool git_ops --no-tool shell_exec
  sekisho agents edit reviewer --tool-config 'git_ops={\"git_permission\":\"ReadWrite\"}'";

pub(super) fn run(args: Args, server: ServerArgs) -> Result<Exit, Failure> {
    let agents = AgentsClient::open(server)?;
    let agent = agents.find(&args.agent)?;
    let tools = args.settings.tools(&agent.tools)?;
    let mut body = agent.settings.clone();
    body.name = args.name.unwrap_or(body.name);
    args.settings.apply(&mut body);
    let mut changed = agent.clone();
    if body != agent.settings {
        let path = format!("/api/agents/{}", agent.id);
        let stored: Result<AgentView, _> = agents.server.block_on(agents.server.client.put(&path, &body));
        changed = stored.map_err(change_failed)?;
    } else if tools.is_empty() {
        return Err(Failure::usage("nothing to change; `sekisho agents edit --help` lists the settings"));
    }
    agents.configure(&agent, tools)?;
    writeln!(terminal::stdout(), "changed agent {}", title(&changed))?;
    Ok(Exit::Ok)
}
