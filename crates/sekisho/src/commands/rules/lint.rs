use std::io::Write;

use jiff::Timestamp;
use sekisho_policy::lint::{FindingLevel, covered_calls, lint};
use sekisho_policy::shipped_layers;
use serde_json::json;

use super::lint_output;
use super::rule_target::LoadedConfig;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal;

/// Find rules that allow too much, can never take effect, or are duplicates, and say what each rule covers
///
/// Exit code 1 if a file does not load or an allow rule is dangerous.
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
    let config = LoadedConfig::read()?;
    let mut layers = config.loaded.layers.loaded.clone();
    layers.extend(shipped_layers(&config.loaded.layers.loaded));
    let findings = lint(&layers, Timestamp::now());
    let covered = covered_calls(&layers);
    let broken: Vec<&str> = config.loaded.layers.broken.iter().map(|broken| broken.error.as_str()).collect();
    let mut out = terminal::stdout();
    if args.json {
        serde_json::to_writer_pretty(
            &mut out,
            &json!({ "errors": broken, "findings": findings, "covers": covered }),
        )?;
        writeln!(out)?;
    } else {
        for finding in &findings {
            lint_output::write_finding(&mut out, finding, config.home())?;
        }
        if findings.is_empty() && broken.is_empty() {
            writeln!(out, "no findings")?;
        }
        for covered in &covered {
            lint_output::write_covered(&mut out, covered, config.home())?;
        }
    }
    if !broken.is_empty() {
        return Err(Failure::new(broken.join("\n")));
    }
    let danger = findings.iter().any(|finding| finding.level == FindingLevel::Danger);
    Ok(if danger { Exit::Failure } else { Exit::Ok })
}
