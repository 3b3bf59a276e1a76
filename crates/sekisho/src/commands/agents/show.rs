use std::io::Write;

use sekisho_server::wire::agent::AgentUsageView;

use super::agents_client::AgentsClient;
use super::list::enabled_tools;
use crate::commands::audit::time_format::TimeFormatter;
use crate::commands::server_connection::ServerArgs;
use crate::commands::usage_text::usage_text;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::{self, ensure_visible_lines, padded, style, visible};

/// Show one agent: its settings, prompts and tools, and what its runs have used
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The agent's name, its id, or the last characters of its id
    agent: String,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  sekisho agents show reviewer
  sekisho agents show reviewer --json | jq .tools";

pub(super) fn run(args: &Args, server: ServerArgs) -> Result<Exit, Failure> {
    let agents = AgentsClient::open(server)?;
    let agent = agents.find(&args.agent)?;
    let used = agents.usage(&agent)?;
    let mut out = terminal::stdout();
    if args.json {
        let mut all = serde_json::to_value(&agent)?;
        if let Some(fields) = all.as_object_mut() {
            fields.insert("usage".into(), serde_json::to_value(&used)?);
        }
        serde_json::to_writer_pretty(&mut out, &all)?;
        writeln!(out)?;
        return Ok(Exit::Ok);
    }
    let settings = &agent.settings;
    let word = |value: serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let provider = word(serde_json::to_value(settings.provider)?);
    let clock = TimeFormatter::of_stdout();
    let tokens = settings.token_budget.map_or_else(|| "none".to_owned(), |most| most.to_string());
    let cost =
        settings.cost_budget_usd.as_ref().map_or_else(|| "none".to_owned(), |most| format!("{most} dollars"));
    let time = settings.time_budget_seconds.map_or_else(|| "none".to_owned(), |most| format!("{most} s"));
    let workspace = settings.workspace.as_deref().map_or("that of the server".into(), visible);
    let mut rows = vec![
        ("name", visible(&settings.name).into_owned()),
        ("id", agent.id.to_string()),
        ("model", format!("{} ({provider})", visible(&settings.model))),
        ("temperature", settings.temperature.to_string()),
        ("max tokens", settings.max_tokens.to_string()),
        ("window", format!("{} tokens", settings.context_tokens)),
        ("max iterations", settings.max_iterations.to_string()),
        ("token budget", tokens),
        ("cost budget", cost),
        ("time budget", time),
        ("mode", word(serde_json::to_value(settings.mode)?)),
        ("workspace", workspace.into_owned()),
        ("tools", enabled_tools(&agent)),
    ];
    if settings.require_tool_approval {
        rows.push(("approval", "needed for every tool call".into()));
    }
    for tool in agent.tools.iter().filter(|tool| tool.is_enabled) {
        if let Some(config) = &tool.config {
            rows.push(("", format!("{}: {}", visible(&tool.tool_name), visible(&config.to_string()))));
        }
    }
    rows.push(("used", used_by_agent(&used)));
    rows.push(("created", clock.minute(agent.created_at)));
    rows.push(("changed", clock.minute(agent.updated_at)));
    let faint = style::FAINT;
    for (label, value) in rows {
        writeln!(out, "{faint}{}{faint:#}  {value}", padded(label, 14))?;
    }
    for (label, prompt) in
        [("system prompt", &settings.system_prompt), ("user prompt", &settings.user_prompt)]
    {
        if let Some(prompt) = prompt {
            writeln!(out, "\n{faint}{label}{faint:#}\n{}", ensure_visible_lines(prompt))?;
        }
    }
    Ok(Exit::Ok)
}

fn used_by_agent(used: &AgentUsageView) -> String {
    let runs = if used.runs == 1 { "1 run".to_owned() } else { format!("{} runs", used.runs) };
    let some = used.usage.cost_usd.is_some() && used.runs_without_price > 0;
    let note =
        if some { format!(" ({} runs without a price)", used.runs_without_price) } else { String::new() };
    format!("{runs}, {}{note}", usage_text(used.replies, &used.usage))
}
