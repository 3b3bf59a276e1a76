use std::io::Write;

use crate::exit::Exit;
use crate::failure::Failure;

/// Print the JSON Schema of the config file, or the OpenAPI document of the server
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Which schema to print
    #[arg(value_enum, default_value_t = SchemaDocument::Config)]
    what: SchemaDocument,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum SchemaDocument {
    /// The config file
    Config,
    /// The server API: every route, who may use it, its requests and responses
    Openapi,
}

const EXAMPLES: &str = "\
Examples:
  sekisho schema > sekisho.schema.json
      then write \"$schema\": \"sekisho.schema.json\" in the config
  sekisho schema openapi > openapi.json
      to generate a client, or to read";

pub(crate) fn run(args: &Args) -> Result<Exit, Failure> {
    let text = match args.what {
        SchemaDocument::Config => serde_json::to_string_pretty(&sekisho_policy::config_schema())? + "\n",
        SchemaDocument::Openapi => sekisho_server::openapi::text(),
    };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(Exit::Ok)
}
