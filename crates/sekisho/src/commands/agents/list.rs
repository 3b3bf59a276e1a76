use std::io::Write;

use sekisho_server::wire::agent::AgentView;

use super::agents_client::AgentsClient;
use crate::commands::server_connection::{ServerArgs, short_id};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::{self, columns, padded, style, visible};

/// List all agents: id, name, model, and the tools that are enabled
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  sekisho agents list
  sekisho agents list --json | jq -r '.[].settings.name'";

pub(super) fn run(args: &Args, server: ServerArgs) -> Result<Exit, Failure> {
    let agents = AgentsClient::open(server)?.all()?;
    let mut out = terminal::stdout();
    if args.json {
        serde_json::to_writer_pretty(&mut out, &agents)?;
        writeln!(out)?;
        return Ok(Exit::Ok);
    }
    if agents.is_empty() {
        writeln!(out, "no agents yet; `sekisho agents create` creates one")?;
        return Ok(Exit::Ok);
    }
    let name = |agent: &AgentView| visible(&agent.settings.name).into_owned();
    let model = |agent: &AgentView| visible(&agent.settings.model).into_owned();
    let widest = |text: &dyn Fn(&AgentView) -> String| {
        agents.iter().map(|agent| columns(&text(agent))).max().unwrap_or(0)
    };
    let (names, models) = (widest(&name), widest(&model));
    for agent in &agents {
        let (strong, faint) = (style::STRONG, style::FAINT);
        let (id, name, model) =
            (short_id(agent.id), padded(&name(agent), names), padded(&model(agent), models));
        let line =
            format!("{strong}{id}{strong:#}  {name}  {faint}{model}{faint:#}  {}", enabled_tools(agent));
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(Exit::Ok)
}

/// The names of the tools that an agent may use.
pub(super) fn enabled_tools(agent: &AgentView) -> String {
    let enabled = agent.tools.iter().filter(|tool| tool.is_enabled);
    let names: Vec<String> = enabled.map(|tool| visible(&tool.tool_name).into_owned()).collect();
    if names.is_empty() { "no tools".into() } else { names.join(", ") }
}
