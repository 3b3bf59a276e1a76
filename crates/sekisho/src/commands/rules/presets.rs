use std::io::Write;

use sekisho_policy::{Effect, active_presets, preset_summaries};
use serde_json::json;

use super::rule_target::LoadedConfig;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal;

/// Show the presets: what each allows or denies, what it trusts, and whether it is on
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Switch a preset on in a config file: { \"version\": 1, \"presets\": [\"dev\"] }

Examples:
  sekisho rules presets
  sekisho rules presets --json | jq '.[].name'";

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let config = LoadedConfig::read()?;
    let active = active_presets(&config.loaded.layers.loaded);
    let mut out = terminal::stdout();
    let summaries = preset_summaries();
    if args.json {
        let all: Vec<_> = summaries
            .iter()
            .map(|summary| {
                let rules: Vec<_> =
                    summary.rules.iter().map(|(effect, about)| json!({ "effect": effect, "about": about })).collect();
                json!({
                    "name": summary.name,
                    "on": active.contains(&summary.preset),
                    "effect": summary.effect,
                    "trusts": summary.trusts,
                    "rules": rules,
                })
            })
            .collect();
        serde_json::to_writer_pretty(&mut out, &all)?;
        writeln!(out)?;
        return Ok(Exit::Ok);
    }
    for summary in &summaries {
        let state = if active.contains(&summary.preset) { "on" } else { "off" };
        writeln!(out, "{} ({state})", summary.name)?;
        writeln!(out, "  {}", summary.effect)?;
        writeln!(out, "  trusts {}", summary.trusts)?;
        for effect in [Effect::Allow, Effect::Deny] {
            let about: Vec<&str> =
                summary.rules.iter().filter(|(found, _)| *found == effect).map(|(_, about)| about.as_str()).collect();
            if !about.is_empty() {
                writeln!(out, "  {effect}: {}", about.join(", "))?;
            }
        }
    }
    Ok(Exit::Ok)
}
