use std::io::Write;

use sekisho_server::wire::run::RunMessage;
use serde_json::json;

use super::run_view::{end_note, status_name, write_outcome};
use super::runs_client::{RunsClient, title};
use crate::commands::server_connection::{ServerArgs, short_id};
use crate::commands::usage_text::usage_text;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::{self, StyledStdout, ensure_visible_lines, style, visible};

/// Show one run: its conversation, what it used, what it waits for, and how it ended
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The run's id, or its last characters
    id: String,
    /// Print the run and its messages as JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  sekisho runs show 5d2a91c0
  sekisho runs show 5d2a91c0 --json | jq .run.usage";

pub(super) fn run(args: &Args, server: ServerArgs) -> Result<Exit, Failure> {
    let runs = RunsClient::open(server)?;
    let run = runs.find(&args.id)?;
    let messages = runs.messages(run.id)?.messages;
    let mut out = terminal::stdout();
    if args.json {
        serde_json::to_writer_pretty(&mut out, &json!({ "run": run, "messages": messages }))?;
        writeln!(out)?;
        return Ok(Exit::Ok);
    }
    let (status, colour) = status_name(run.status);
    let (faint, note) = (style::FAINT, end_note(&run));
    let note = if note.is_empty() { note } else { format!("  {faint}{note}{faint:#}") };
    writeln!(out, "run {}  {colour}{status}{colour:#}{note}", title(&run))?;
    if let Some(parent) = run.parent_id {
        writeln!(out, "{faint}sub-agent, started by run {}{faint:#}", short_id(parent))?;
    }
    for child in run.children.iter().flatten() {
        writeln!(out, "{faint}started run {}{faint:#}", short_id(*child))?;
    }
    for message in &messages {
        write_message(&mut out, message)?;
    }
    if run.replies > 0 {
        writeln!(out, "{faint}used{faint:#}  {}", usage_text(u64::from(run.replies), &run.usage))?;
    }
    // The conversation has the output.
    let without_output = sekisho_server::wire::run::RunView { output: None, ..run };
    write_outcome(&mut out, &without_output)?;
    Ok(Exit::Ok)
}

fn write_message(out: &mut StyledStdout, message: &RunMessage) -> Result<(), Failure> {
    let (strong, faint) = (style::STRONG, style::FAINT);
    if let Some(text) = &message.text {
        writeln!(out, "{strong}{}{strong:#}  {}", visible(&message.role), ensure_visible_lines(text))?;
    }
    for call in &message.tool_calls {
        let args = call.args.to_string();
        writeln!(out, "{strong}call{strong:#}  {} {}", visible(&call.tool_name), visible(&args))?;
    }
    for result in &message.results {
        let (label, colour) = if result.is_error { ("error", style::DENY) } else { ("result", faint) };
        let content = ensure_visible_lines(&result.content);
        writeln!(out, "{colour}{label}{colour:#}  {} {content}", visible(&result.tool_name))?;
    }
    Ok(())
}
