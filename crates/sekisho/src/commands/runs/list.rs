use std::io::Write;

use sekisho_server::wire::run::RunView;

use super::run_view::{end_note, status_name};
use super::runs_client::RunsClient;
use crate::commands::audit::time_format::TimeFormatter;
use crate::commands::server_connection::{ServerArgs, short_id};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::{self, columns, padded, style, visible};

/// List runs that go on or wait for approvals, newest first
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Also list runs that have ended
    #[arg(long)]
    all: bool,
    /// Maximum number of runs
    #[arg(short = 'n', long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
    /// Print each run as one line of JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  sekisho runs list
  sekisho runs list --all -n 10
  sekisho runs list --json | jq -r 'select(.status == \"suspended\") | .id'";

pub(super) fn run(args: &Args, server: ServerArgs) -> Result<Exit, Failure> {
    let runs = RunsClient::open(server)?.list(!args.all, args.limit as usize)?;
    let mut out = terminal::stdout();
    if args.json {
        for run in runs {
            serde_json::to_writer(&mut out, &run)?;
            writeln!(out)?;
        }
        return Ok(Exit::Ok);
    }
    if runs.is_empty() {
        writeln!(out, "{}", if args.all { "no runs yet" } else { "no runs go on; `--all` lists all runs" })?;
        return Ok(Exit::Ok);
    }
    let runs = in_tree_order(runs);
    // Runs of sub-agents stand below the run that started them.
    let name = |run: &RunView| format!("{:indent$}{}", "", visible(&run.agent_name), indent = run.depth * 2);
    let names = runs.iter().map(|run| columns(&name(run))).max().unwrap_or(0);
    let clock = TimeFormatter::of_stdout();
    for run in &runs {
        let (strong, faint) = (style::STRONG, style::FAINT);
        let (status, colour) = status_name(run.status);
        let note = match run.pending.is_empty() {
            true => end_note(run),
            false => {
                let tools: Vec<String> =
                    run.pending.iter().map(|call| visible(&call.tool_name).into_owned()).collect();
                format!("waits for {}", tools.join(", "))
            }
        };
        let line = format!(
            "{strong}{}{strong:#}  {colour}{}{colour:#}  {}  {faint}{}{faint:#}  {note}",
            short_id(run.id),
            padded(status, 9),
            padded(&name(run), names),
            clock.minute(run.created_at),
        );
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(Exit::Ok)
}

/// Each run, and behind it those that it started. A run whose parent is not listed stands where it is.
fn in_tree_order(runs: Vec<RunView>) -> Vec<RunView> {
    let is_listed = |id: Option<uuid::Uuid>| id.is_some_and(|id| runs.iter().any(|run| run.id == id));
    let mut open: Vec<&RunView> = runs.iter().filter(|run| !is_listed(run.parent_id)).rev().collect();
    let mut ordered = Vec::with_capacity(runs.len());
    while let Some(run) = open.pop() {
        // Ids of children do not tell their order, so the first started is the first listed.
        let mut children: Vec<&RunView> =
            runs.iter().filter(|other| other.parent_id == Some(run.id)).collect();
        children.sort_by_key(|child| std::cmp::Reverse(child.created_at));
        open.extend(children);
        ordered.push(run.clone());
    }
    ordered
}
