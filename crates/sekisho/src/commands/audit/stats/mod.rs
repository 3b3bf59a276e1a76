mod bar_charts;
mod buckets;

pub(crate) use bar_charts::ByteSize;

use std::io::Write;

use jiff::{SignedDuration, Timestamp};
use sekisho_gate::audit::Stats;
use serde_json::json;

use super::blocking_store::BlockingStore;
use super::filter::time_range;
use super::time_format::{TimeArg, TimeFormatter};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::Settings;
use crate::terminal::{self, StyledStdout};

/// Show statistics of a time range: decisions, questions, answers, and the size of the audit log
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Not before this time: a time, a day, or an age [default: a day ago]
    #[arg(long, value_name = "TIME")]
    from: Option<TimeArg>,
    /// Before this time: a time, a day, or an age [default: now]
    #[arg(long, value_name = "TIME")]
    to: Option<TimeArg>,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  sekisho audit stats
  sekisho audit stats --from 30d
  sekisho audit stats --from 2026-11-01 --to 2026-12-01 --json | jq .asked";

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let settings = Settings::load()?;
    let now = Timestamp::now();
    let (from, to) = time_range(args.from, args.to, now)?;
    let to = to.unwrap_or(now);
    let from = from.unwrap_or_else(|| to.saturating_sub(SignedDuration::from_hours(24)).unwrap_or(to));
    if from >= to {
        return Err(Failure::usage(format!("`--from` ({from:.0}) is not before now ({to:.0})")));
    }
    let store = BlockingStore::open_for_reading(&settings)?;
    let stats = store.block_on_ledger(store.audit().stats(from, to))?;
    let mut out = terminal::stdout();
    if args.json {
        serde_json::to_writer_pretty(&mut out, &json!({ "from": from, "to": to, "stats": stats }))?;
        writeln!(out)?;
    } else {
        draw(&mut out, &store.location, &stats, (from, to))?;
    }
    Ok(Exit::Ok)
}

fn draw(
    out: &mut StyledStdout,
    place: &str,
    stats: &Stats,
    (from, to): (Timestamp, Timestamp),
) -> Result<(), Failure> {
    let clock = TimeFormatter::of_stdout();
    let page = bar_charts::BarCharts { width: terminal::width().unwrap_or(80).min(120) };
    writeln!(out, "{} to {}", clock.minute(from), clock.minute(to))?;
    let buckets = buckets::bucketize(&stats.hours, (from, to), &clock.zone());
    page.decisions(out, &buckets, &clock)?;
    page.most_asked_tools(out, &stats.asked)?;
    page.commands(out, &stats.commands)?;
    page.outcomes(out, &stats.outcomes, stats.answer_ms)?;
    page.size(out, place, stats)
}
