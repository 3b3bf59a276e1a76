use std::io::Write;

use crate::exit::Exit;
use crate::failure::Failure;

/// Print the JSON Schema of the config file
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {}

const EXAMPLES: &str = "\
Examples:
  sekisho schema > sekisho.schema.json
      then write \"$schema\": \"sekisho.schema.json\" in the config";

pub(crate) fn run(_: &Args) -> Result<Exit, Failure> {
    let mut text = serde_json::to_string_pretty(&sekisho_policy::config_schema())?;
    text.push('\n');
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(Exit::Ok)
}
