use std::io::{self, Write};

use sekisho_host::config_rule_edit;
use sekisho_policy::{Effect, LayerKind, Preset, PresetSummary, active_presets, preset_summaries};
use serde_json::{Value, json};

use super::rule_target::LoadedConfig;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::{self, style};

/// Show the presets: what each allows or denies, what it trusts, and whether it is on
///
/// A preset is a list of rules that is shipped with sekisho and off until you switch it on. Its rules come after all of
/// yours, like the built-in ones.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Switch presets on in your own config, which applies everywhere
    #[arg(long, value_name = "PRESET", value_delimiter = ',', value_parser = NAMES)]
    on: Vec<String>,
    /// Switch presets off in your own config
    #[arg(long, value_name = "PRESET", value_delimiter = ',', value_parser = NAMES)]
    off: Vec<String>,
    /// Print as JSON
    #[arg(long, conflicts_with_all = ["on", "off"])]
    json: bool,
}

const NAMES: [&str; 4] = ["dev", "local-work", "network-read", "strict"];

const EXAMPLES: &str = "\
In the config of a project: { \"version\": 1, \"presets\": [\"dev\"] }

Examples:
  sekisho rules presets
  sekisho rules presets --on dev,network-read
  sekisho rules presets --off dev
  sekisho rules presets --json | jq '.[].name'";

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let config = LoadedConfig::read()?;
    if let Some(both) = args.on.iter().find(|name| args.off.contains(name)) {
        return Err(Failure::usage(format!("`{both}` is both in `--on` and in `--off`; give it once")));
    }
    if !args.on.is_empty() || !args.off.is_empty() {
        switch(&config, args)?;
        return Ok(Exit::Ok);
    }
    let active = active_presets(&config.loaded.layers.loaded);
    let mut out = terminal::stdout();
    let summaries = preset_summaries();
    if args.json {
        let all: Vec<Value> = summaries.iter().map(|summary| as_json(summary, &active)).collect();
        serde_json::to_writer_pretty(&mut out, &all)?;
        writeln!(out)?;
        return Ok(Exit::Ok);
    }
    let (strong, faint) = (style::STRONG, style::FAINT);
    for summary in &summaries {
        let state = if active.contains(&summary.preset) { "on" } else { "off" };
        writeln!(out, "{strong}{}{strong:#} {faint}({state}){faint:#}", summary.name)?;
        writeln!(out, "  {}", summary.effect)?;
        writeln!(out, "  trusts {}", summary.trusts)?;
        for effect in [Effect::Allow, Effect::Deny] {
            let about: Vec<&str> = summary
                .rules
                .iter()
                .filter(|(found, _)| *found == effect)
                .map(|(_, about)| about.as_str())
                .collect();
            if !about.is_empty() {
                writeln!(out, "  {effect}: {faint}{}{faint:#}", about.join(", "))?;
            }
        }
    }
    Ok(Exit::Ok)
}

/// Writes the changes into the config of the user.
fn switch(config: &LoadedConfig, args: &Args) -> Result<(), Failure> {
    let on = args.on.iter().map(|name| (name, true));
    let changes: Vec<(&String, bool)> = on.chain(args.off.iter().map(|name| (name, false))).collect();
    let path = config.settings.locations.global.clone();
    config.change(LayerKind::Global, &path, |text| {
        let mut changed = text.map(str::to_owned);
        for (name, on) in &changes {
            changed = Some(config_rule_edit::set_preset(changed.as_deref(), name, *on)?);
        }
        Ok(changed.unwrap_or_default())
    })?;
    Ok(())
}

fn as_json(summary: &PresetSummary, active: &[Preset]) -> Value {
    let rule = |(effect, about): &(Effect, String)| json!({ "effect": effect, "about": about });
    json!({
        "name": summary.name,
        "on": active.contains(&summary.preset),
        "effect": summary.effect,
        "trusts": summary.trusts,
        "rules": summary.rules.iter().map(rule).collect::<Vec<_>>(),
    })
}

/// One line for each preset that is off, with how to switch it on.
pub(crate) fn offer(out: &mut impl Write, off: &[PresetSummary]) -> io::Result<()> {
    if off.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "presets ask fewer questions, or deny more; `sekisho rules presets` shows them, `--on NAME` switches one on:"
    )?;
    for summary in off {
        writeln!(out, "  {:<13} {}", summary.name, summary.effect)?;
    }
    Ok(())
}
