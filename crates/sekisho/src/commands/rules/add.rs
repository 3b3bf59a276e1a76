use sekisho_host::config_rule_edit;
use sekisho_policy::{Effect, LayerKind, validate};

use super::rule_args::{EffectArg, RuleArgs};
use super::rule_target::LoadedConfig;
use crate::exit::Exit;
use crate::failure::Failure;

/// Add a rule to a config file, keeping its comments and order
///
/// A rule can be added to a project's file only if you trust the file as it is now, or if there is no file
/// yet. After the change, you trust the new text. If you do not trust the file, nothing is written, and you
/// see how it differs from what you last trusted.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Effect of the rule
    effect: EffectArg,
    /// Write to your own config, which applies everywhere
    #[arg(long, conflicts_with = "project")]
    global: bool,
    /// Write to the config of this project (the default)
    #[arg(long)]
    project: bool,
    #[command(flatten)]
    fields: RuleArgs,
}

const EXAMPLES: &str = "\
Examples:
  sekisho rules add allow --tool bash --command 'cargo test'
  sekisho rules add deny --global --tool bash --command rm --note 'use a trash can'
  sekisho rules add confirm --server github --tool-pattern 'delete_*' --timeout-s 300
  sekisho rules add allow --tool write --path 'src/**' --match src/main.rs --not-match Cargo.toml";

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let effect = Effect::from(args.effect);
    let rule = args.fields.rule()?;
    validate::rule(effect, &rule)
        .and_then(|()| validate::matches_something(&rule))
        .map_err(|error| Failure::usage(error.to_string()))?;
    let config = LoadedConfig::read()?;
    let (kind, path) = if args.global {
        (LayerKind::Global, config.settings.locations.global.clone())
    } else {
        (LayerKind::Project, config.workspace.config())
    };
    config.change(kind, &path, |text| config_rule_edit::add(text, effect, &rule))?;
    Ok(Exit::Ok)
}
