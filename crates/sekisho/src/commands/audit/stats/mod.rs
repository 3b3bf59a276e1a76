mod bars;
mod buckets;

pub(crate) use bars::Bytes;

use std::io::Write;

use jiff::{SignedDuration, Timestamp};
use sekisho_gate::audit::Stats;
use serde_json::json;

use super::filter::span;
use super::ledger::Book;
use super::moment::{Clock, Moment};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::Settings;
use crate::terminal::{self, Out};

/// Show a span of time in numbers: decisions, questions, answers, and the size of the record
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Not before: a time, a day, or an age; without, a day ago
    #[arg(long, value_name = "TIME")]
    from: Option<Moment>,
    /// Before: a time, a day, or an age; without, now
    #[arg(long, value_name = "TIME")]
    to: Option<Moment>,
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
    let settings = Settings::gather()?;
    let now = Timestamp::now();
    let (from, to) = span(args.from, args.to, now)?;
    let to = to.unwrap_or(now);
    let from = from.unwrap_or_else(|| to.saturating_sub(SignedDuration::from_hours(24)).unwrap_or(to));
    if from >= to {
        return Err(Failure::usage(format!("`--from` ({from:.0}) is not before now ({to:.0})")));
    }
    let book = Book::read(&settings)?;
    let stats = book.wait(book.audit().stats(from, to))?;
    let mut out = terminal::stdout();
    if args.json {
        serde_json::to_writer_pretty(&mut out, &json!({ "from": from, "to": to, "stats": stats }))?;
        writeln!(out)?;
    } else {
        draw(&mut out, &book.place, &stats, (from, to))?;
    }
    Ok(Exit::Ok)
}

fn draw(
    out: &mut Out,
    place: &str,
    stats: &Stats,
    (from, to): (Timestamp, Timestamp),
) -> Result<(), Failure> {
    let clock = Clock::of_stdout();
    let page = bars::Page { width: terminal::width().unwrap_or(80).min(120) };
    writeln!(out, "{} to {}", clock.minute(from), clock.minute(to))?;
    let buckets = buckets::of(&stats.hours, (from, to), &clock.zone());
    page.decisions(out, &buckets, &clock)?;
    page.asked(out, &stats.asked)?;
    page.commands(out, &stats.commands)?;
    page.outcomes(out, &stats.outcomes, stats.answer_ms)?;
    page.size(out, place, stats)
}
