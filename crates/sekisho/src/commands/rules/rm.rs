use sekisho_host::config_rule_edit;

use super::rule_target::{LoadedConfig, RuleTarget};
use crate::exit::Exit;
use crate::failure::Failure;

/// Remove a rule from its file, keeping the file's comments and order
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The rule: FILE:LINE, `global:LINE`, `project:LINE`, or its id
    #[arg(value_name = "RULE")]
    named: String,
}

const EXAMPLES: &str = "\
Examples:
  sekisho rules rm global:12
  sekisho rules rm .sekisho/config.json:4";

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let config = LoadedConfig::read()?;
    let named = RuleTarget::find(&config, &args.named)?;
    named.change(&config, config_rule_edit::remove)?;
    Ok(Exit::Ok)
}
