use std::io::{self, Write};
use std::path::Path;

use sekisho_host::{LayerFile, LayerFileState};
use sekisho_policy::{Effect, Layer, LayerKind, LayerRule, LayerTrust, shipped_layers};
use serde_json::{Value, json};

use super::rule_target::LoadedConfig;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::{self, StyledStdout, rule_on_one_line, shorten_path, style, visible};

/// List every rule: its layer, its file and line, and whether it applies
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Print as JSON
    #[arg(long)]
    json: bool,
    /// Also list the built-in rules
    #[arg(long, conflicts_with = "json")]
    all: bool,
}

const EXAMPLES: &str = "\
Examples:
  sekisho rules list
  sekisho rules list --all
  sekisho rules list --json | jq '.[].rules[] | select(.effect == \"allow\")'";

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let config = LoadedConfig::read()?;
    let layers = &config.loaded.layers.loaded;
    let shipped: Vec<Layer> = shipped(layers);
    let mut out = terminal::stdout();
    if args.json {
        let files = config.loaded.sources.iter().map(|source| file_json(source, layer_of(layers, source)));
        let all: Vec<Value> = files.chain(shipped.iter().map(shipped_json)).collect();
        serde_json::to_writer_pretty(&mut out, &all)?;
        writeln!(out)?;
    } else {
        write(&mut out, &config, &shipped, args.all)?;
    }
    let broken = config.loaded.layers.broken.iter().map(|broken| broken.error.as_str()).collect::<Vec<_>>();
    if broken.is_empty() { Ok(Exit::Ok) } else { Err(Failure::new(broken.join("\n"))) }
}

/// The built-in rules and those of presets, including those that protect sekisho's own files.
fn shipped(layers: &[Layer]) -> Vec<Layer> {
    let own = layers.iter().filter(|layer| layer.kind == LayerKind::BuiltIn).cloned();
    own.chain(shipped_layers(layers)).collect()
}

fn layer_of<'a>(layers: &'a [Layer], source: &LayerFile) -> Option<&'a Layer> {
    let same = |layer: &&Layer| layer.kind == source.kind && Path::new(&*layer.name) == source.path;
    layers.iter().find(same)
}

fn write(out: &mut StyledStdout, config: &LoadedConfig, shipped: &[Layer], all: bool) -> io::Result<()> {
    let (strong, faint) = (style::STRONG, style::FAINT);
    let at_root = config.workspace.config();
    for source in &config.loaded.sources {
        // Every directory could have a project file; only a missing one at the root is worth a line.
        if source.state == LayerFileState::Absent
            && source.kind == LayerKind::Project
            && source.path != at_root
        {
            continue;
        }
        let path = shorten_path(&source.path.to_string_lossy(), config.home());
        writeln!(
            out,
            "{strong}{}{strong:#} {path}{faint}{}{faint:#}",
            source.kind,
            state_note(&source.state)
        )?;
        for (layer, layer_rule) in layer_of(&config.loaded.layers.loaded, source).iter().flat_map(rules) {
            line(out, Some(layer_rule.line), layer, layer_rule)?;
        }
    }
    let shipped: Vec<_> = shipped.iter().flat_map(|layer| rules(&layer)).collect();
    let hidden = if all { String::new() } else { format!(" ({} rules; `--all` shows them)", shipped.len()) };
    writeln!(out, "{strong}built-in{strong:#}{faint}{hidden}{faint:#}")?;
    for (layer, layer_rule) in shipped.into_iter().filter(|_| all) {
        line(out, None, layer, layer_rule)?;
    }
    for problem in &config.loaded.problems {
        writeln!(out, "{faint}note{faint:#} {}", visible(problem))?;
    }
    Ok(())
}

fn rules<'a>(layer: &&'a Layer) -> impl Iterator<Item = (&'a Layer, &'a LayerRule)> + use<'a> {
    let layer: &'a Layer = layer;
    layer.rules.iter().map(move |layer_rule| (layer, layer_rule))
}

fn line(
    out: &mut StyledStdout,
    number: Option<u32>,
    layer: &Layer,
    layer_rule: &LayerRule,
) -> io::Result<()> {
    let faint = style::FAINT;
    let inert = !counts(layer, layer_rule);
    let colour = if inert { faint } else { style::of_effect(layer_rule.effect) };
    let number = number.map(|number| number.to_string()).unwrap_or_default();
    let text = rule_on_one_line(text(layer, layer_rule));
    let note = if inert { "  (does not apply)" } else { "" };
    writeln!(
        out,
        "  {faint}{number:>4}{faint:#}  {colour}{:<8}{colour:#}{text}{faint}{note}{faint:#}",
        layer_rule.effect.name()
    )
}

fn text<'a>(layer: &'a Layer, layer_rule: &LayerRule) -> &'a str {
    layer.text.get(layer_rule.range.0 as usize..layer_rule.range.1 as usize).unwrap_or("")
}

fn counts(layer: &Layer, layer_rule: &LayerRule) -> bool {
    layer.trust == LayerTrust::Full || layer_rule.effect != Effect::Allow
}

fn state_note(state: &LayerFileState) -> &'static str {
    match state {
        LayerFileState::Absent => " (no file)",
        LayerFileState::Active => "",
        LayerFileState::NotTrusted => " (not trusted: its allow rules do not apply; run `sekisho trust`)",
        LayerFileState::OnlyTightens => " (not at the workspace root: its allow rules do not apply)",
        LayerFileState::Broken(_) => " (does not load)",
    }
}

fn file_json(source: &LayerFile, layer: Option<&Layer>) -> Value {
    let state = match &source.state {
        LayerFileState::Absent => "absent",
        LayerFileState::Active => "counts",
        LayerFileState::NotTrusted => "not_trusted",
        LayerFileState::OnlyTightens => "only_tightens",
        LayerFileState::Broken(_) => "broken",
    };
    let mut value = json!({
        "layer": source.kind,
        "source": source.path.to_string_lossy(),
        "state": state,
        "rules": layer.map(rules_json).unwrap_or_default(),
    });
    if let (LayerFileState::Broken(error), Some(fields)) = (&source.state, value.as_object_mut()) {
        fields.insert("error".into(), json!(error));
    }
    value
}

fn shipped_json(layer: &Layer) -> Value {
    json!({ "layer": layer.kind, "source": &*layer.name, "state": "counts", "rules": rules_json(layer) })
}

fn rules_json(layer: &Layer) -> Vec<Value> {
    let rules = layer.rules.iter();
    rules
        .map(|layer_rule| {
            json!({
                "effect": layer_rule.effect,
                "line": layer_rule.line,
                "counts": counts(layer, layer_rule),
                "rule": layer_rule.rule,
            })
        })
        .collect()
}
