use sekisho_host::config_rule_edit;

use super::rule_args::RuleArgs;
use super::rule_target::{LoadedConfig, RuleTarget};
use crate::exit::Exit;
use crate::failure::Failure;

/// Change fields of a rule, keeping the comments and order of its file
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// The rule: FILE:LINE, `global:LINE`, `project:LINE`, or its id
    #[arg(value_name = "RULE")]
    named: String,
    /// A field to remove (repeatable)
    #[arg(long, value_name = "FIELD")]
    unset: Vec<String>,
    #[command(flatten)]
    fields: RuleArgs,
}

const EXAMPLES: &str = "\
Examples:
  sekisho rules edit global:12 --priority 10
  sekisho rules edit .sekisho/config.json:4 --command 'cargo test' --unset command_glob";

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let mut changes = args.fields.provided_fields();
    changes.extend(args.unset.iter().map(|field| (field.as_str(), None)));
    if changes.is_empty() {
        return Err(Failure::usage("nothing to change; give a field, such as `--priority 10`"));
    }
    let config = LoadedConfig::read()?;
    let named = RuleTarget::find(&config, &args.named)?;
    named.change(&config, |text, position| config_rule_edit::update(text, position, &changes))?;
    Ok(Exit::Ok)
}
