use std::io::Write;
use std::path::PathBuf;

use sekisho_adapters::foreign_rules::{self, ExportedRule};
use sekisho_host::config_rule_edit::one_line;
use sekisho_policy::{Effect, Layer, LayerKind, LayerTrust, Rule};
use serde_json::{Value, json};

use super::rule_target::LoadedConfig;
use super::transfer_report::{self, TransferEntry};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::{self, shorten_path, style};

/// Export the rules of the config files in another agent's format
///
/// An allow rule is left out if it would allow more in that agent than here; a deny or confirm rule is left
/// out if it would stop less. Standard error lists every rule and what it became. Exit code 1 if a deny or a
/// confirm could not be exported.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The agent: claude-code
    #[arg(value_name = "AGENT", value_parser = ["claude-code"])]
    agent: String,
    /// Only the rules of this layer
    #[arg(long, value_name = "LAYER", value_parser = ["managed", "global", "project"])]
    layer: Option<String>,
    /// Write to a new file instead of standard output
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print the report as JSON, including the permissions
    #[arg(long, conflicts_with = "output")]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  sekisho rules export claude-code
  sekisho rules export claude-code --layer project --output permissions.json
  sekisho rules export claude-code --json | jq '.rules[] | select(.lost)'";

/// A rule and its position.
struct SourcedRule {
    at: String,
    effect: Effect,
    rule: Rule,
}

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let config = LoadedConfig::read()?;
    if let Some(broken) = config.loaded.layers.broken.first() {
        return Err(Failure::new(broken.error.clone()));
    }
    let layers = config.loaded.layers.loaded.iter();
    let wanted = |layer: &&Layer| {
        layer.kind != LayerKind::BuiltIn && args.layer.as_deref().is_none_or(|name| name == layer.kind.name())
    };
    let placed: Vec<SourcedRule> = layers.filter(wanted).flat_map(|layer| placed(layer, &config)).collect();
    let rules: Vec<(Effect, Rule)> = placed.iter().map(|one| (one.effect, one.rule.clone())).collect();
    let exported = foreign_rules::export(&rules);
    let permissions = permissions(&exported);
    let lost = exported.iter().any(ExportedRule::loses_restriction);
    let exit = if lost { Exit::Failure } else { Exit::Ok };
    if args.json {
        let mut out = terminal::stdout();
        let rules: Vec<Value> =
            exported.iter().enumerate().map(|(at, one)| in_json(placed.get(at), one)).collect();
        serde_json::to_writer_pretty(&mut out, &json!({ "permissions": permissions, "rules": rules }))?;
        writeln!(out)?;
        return Ok(exit);
    }
    let text = serde_json::to_string_pretty(&json!({ "permissions": permissions }))?;
    match &args.output {
        None => writeln!(terminal::stdout(), "{text}")?,
        Some(path) => {
            // An existing settings file holds more than permissions, so it is not overwritten.
            let mut file =
                std::fs::OpenOptions::new().write(true).create_new(true).open(path).map_err(|error| {
                    Failure::new(format!("`{}`: {}", path.display(), error.to_string().to_lowercase()))
                })?;
            writeln!(file, "{text}")?;
        }
    }
    show(&placed, &exported)?;
    Ok(exit)
}

/// The rules of a layer that count.
fn placed(layer: &Layer, config: &LoadedConfig) -> Vec<SourcedRule> {
    let counts = |effect: Effect| layer.trust == LayerTrust::Full || effect != Effect::Allow;
    let layer_rule = layer.rules.iter().filter(|layer_rule| counts(layer_rule.effect));
    let name = shorten_path(&layer.name, config.home());
    let place = layer_rule.map(|layer_rule| SourcedRule {
        at: format!("{name}:{}", layer_rule.line),
        effect: layer_rule.effect,
        rule: layer_rule.rule.clone(),
    });
    place.collect()
}

fn permissions(exported: &[ExportedRule]) -> Value {
    let list = |name: &str| {
        let mut entries: Vec<&String> = Vec::new();
        for entry in exported.iter().filter(|one| one.list == name).flat_map(|one| &one.entries) {
            if !entries.contains(&entry) {
                entries.push(entry);
            }
        }
        json!(entries)
    };
    json!({ "allow": list("allow"), "ask": list("ask"), "deny": list("deny") })
}

fn in_json(placed: Option<&SourcedRule>, one: &ExportedRule) -> Value {
    json!({
        "at": placed.map(|placed| &placed.at),
        "effect": placed.map(|placed| placed.effect),
        "rule": placed.map(|placed| &placed.rule),
        "list": one.list,
        "entries": one.entries,
        "how": one.how.name(),
        "why": one.why,
        "lost": one.loses_restriction(),
    })
}

/// Writes the report to stderr, because stdout holds the export. Lost rules come last, where they are seen.
fn show(placed: &[SourcedRule], exported: &[ExportedRule]) -> Result<(), Failure> {
    let texts: Vec<String> = placed
        .iter()
        .map(|one| {
            format!("{} {}", one.effect, one_line(&Rule { note: None, examples: None, ..one.rule.clone() }))
        })
        .collect();
    let mut lines: Vec<TransferEntry<'_>> = exported
        .iter()
        .enumerate()
        .map(|(at, one)| TransferEntry {
            how: one.how,
            lost: one.loses_restriction(),
            at: placed.get(at).map(|one| one.at.clone()).unwrap_or_default(),
            source_text: texts.get(at).map_or("protected paths", String::as_str),
            results: match one.entries.as_slice() {
                [] => Vec::new(),
                [first, _, _, rest @ ..] if !rest.is_empty() => {
                    vec![format!("{} {first} and {} more", one.list, one.entries.len() - 1)]
                }
                entries => entries.iter().map(|entry| format!("{} {entry}", one.list)).collect(),
            },
            why: &one.why,
        })
        .collect();
    lines.sort_by_key(|line| line.lost);
    let mut out = anstream::stderr().lock();
    transfer_report::write(&mut out, &lines)?;
    let lost = lines.iter().filter(|line| line.lost).count();
    if lost > 0 {
        let red = style::DENY;
        writeln!(out, "{red}{lost} of the rules that deny or ask here cover less or nothing there{red:#}")?;
    }
    Ok(())
}
