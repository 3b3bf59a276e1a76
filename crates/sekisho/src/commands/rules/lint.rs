use std::io::{self, Write};
use std::path::Path;

use jiff::Timestamp;
use sekisho_policy::lint::{Finding, Level, Place, lint};
use sekisho_policy::{Builtin, built_in};
use serde_json::json;

use super::target::Config;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::{self, rule, short, style, visible};

/// Find rules that allow too much, never decide, or stand there twice
///
/// Ends with 1 if a file does not load or an allow is a danger.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  sekisho rules lint
  sekisho rules lint --json | jq '.findings[] | select(.level == \"danger\")'";

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let config = Config::read()?;
    let mut layers = config.loaded.layers.loaded.clone();
    let builtin = layers.iter().filter_map(|layer| layer.settings.builtin).max().unwrap_or(Builtin::Full);
    layers.extend(built_in(builtin));
    let findings = lint(&layers, Timestamp::now());
    let broken: Vec<&str> = config.loaded.layers.broken.iter().map(|broken| broken.error.as_str()).collect();
    let mut out = terminal::stdout();
    if args.json {
        serde_json::to_writer_pretty(&mut out, &json!({ "errors": broken, "findings": findings }))?;
        writeln!(out)?;
    } else {
        for finding in &findings {
            write(&mut out, finding, config.home())?;
        }
        if findings.is_empty() && broken.is_empty() {
            writeln!(out, "nothing to say")?;
        }
    }
    if !broken.is_empty() {
        return Err(Failure::new(broken.join("\n")));
    }
    let danger = findings.iter().any(|finding| finding.level == Level::Danger);
    Ok(if danger { Exit::Failure } else { Exit::Ok })
}

/// One finding: how bad, what, the rule and its place, the way out.
pub(super) fn write(out: &mut impl Write, finding: &Finding, home: Option<&Path>) -> io::Result<()> {
    let (style, word) = match finding.level {
        Level::Danger => (style::DENY, "danger"),
        Level::Warning => (style::CONFIRM, "warning"),
        Level::Info => (style::FAINT, "info"),
    };
    writeln!(out, "{style}{word:<8}{style:#} {}", visible(&finding.message))?;
    place(out, "rule", &finding.at, home)?;
    if let Some(other) = &finding.other {
        place(out, "other", other, home)?;
    }
    let faint = style::FAINT;
    if let Some(hint) = &finding.hint {
        writeln!(out, "{faint}{:<8}{faint:#} {}", "hint", visible(hint))?;
    }
    writeln!(out)
}

fn place(out: &mut impl Write, label: &str, place: &Place, home: Option<&Path>) -> io::Result<()> {
    let faint = style::FAINT;
    let source = short(&place.source, home);
    writeln!(
        out,
        "{faint}{label:<8}{faint:#} {} {} {faint}{source}:{}{faint:#}",
        place.effect,
        rule(&place.rule),
        place.line
    )
}
