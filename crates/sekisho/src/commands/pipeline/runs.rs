use std::io::Write;

use sekisho_server::wire::pipeline::PipelineRunView;

use super::pipelines_client::PipelinesClient;
use crate::commands::audit::time_format::TimeFormatter;
use crate::commands::runs::run_view::status_name;
use crate::commands::server_connection::{ServerArgs, short_id};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::{self, columns, padded, style, visible};

/// List runs of pipelines that go on or wait for approvals, newest first
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
  sekisho pipeline runs
  sekisho pipeline runs --all -n 10
  sekisho pipeline runs --all --json | jq -r 'select(.status == \"failed\") | .id'";

pub(super) fn run(args: &Args, server: ServerArgs) -> Result<Exit, Failure> {
    let runs = PipelinesClient::open(server)?.runs(!args.all, args.limit as usize)?;
    let mut out = terminal::stdout();
    if args.json {
        for run in runs {
            serde_json::to_writer(&mut out, &run)?;
            writeln!(out)?;
        }
        return Ok(Exit::Ok);
    }
    if runs.is_empty() {
        let none =
            if args.all { "no pipeline runs yet" } else { "no pipeline runs go on; `--all` lists all" };
        writeln!(out, "{none}")?;
        return Ok(Exit::Ok);
    }
    let name = |run: &PipelineRunView| visible(&run.name).into_owned();
    let names = runs.iter().map(|run| columns(&name(run))).max().unwrap_or(0);
    let clock = TimeFormatter::of_stdout();
    for run in &runs {
        let (strong, faint) = (style::STRONG, style::FAINT);
        let (status, colour) = status_name(run.status);
        let begun = run.stages.iter().filter(|stage| stage.status.is_some()).count();
        writeln!(
            out,
            "{strong}{}{strong:#}  {colour}{}{colour:#}  {}  {faint}{}{faint:#}  stage {begun} of {}",
            short_id(run.id),
            padded(status, 9),
            padded(&name(run), names),
            clock.minute(run.created_at),
            run.stages.len(),
        )?;
    }
    Ok(Exit::Ok)
}
