use std::io::Write;

use crate::built_in_tools::{registry_without_settings, unknown_tool};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal;

/// Show a tool as a model sees it: name, description and the schema of its input
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The tool
    tool: String,
}

const EXAMPLES: &str = "\
Examples:
  sekisho tool show shell_exec";

pub(super) fn run(args: &Args) -> Result<Exit, Failure> {
    let registry = registry_without_settings()?;
    let tool = registry.get(&args.tool).ok_or_else(|| unknown_tool(&args.tool, &registry))?;
    let mut out = terminal::stdout();
    serde_json::to_writer_pretty(&mut out, &tool.definition())?;
    writeln!(out)?;
    Ok(Exit::Ok)
}
