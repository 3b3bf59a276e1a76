use std::io::Write;

use crate::built_in_tools::registry_without_settings;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::{self, padded};

/// List the built-in tools
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Print the definitions as JSON
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  sekisho tool list
  sekisho tool list --json | jq '.[].name'";

pub(super) fn run(args: &Args) -> Result<Exit, Failure> {
    let registry = registry_without_settings()?;
    let mut out = terminal::stdout();
    if args.json {
        serde_json::to_writer_pretty(&mut out, &registry.definitions_for(&registry.names()))?;
        writeln!(out)?;
        return Ok(Exit::Ok);
    }
    for name in registry.names() {
        let Some(tool) = registry.get(&name) else { continue };
        let description = tool.definition().description;
        let first = description.split_inclusive('.').next().unwrap_or_default();
        let category = padded(&format!("{:?}", tool.category()), 14);
        writeln!(out, "{}  {category}  {}", padded(&name, 24), terminal::wrap_on_stdout(first, 42))?;
    }
    Ok(Exit::Ok)
}
