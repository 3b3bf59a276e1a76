//! The checkpoint between AI agents and the tools they call.

mod agents;
mod built_in_tools;
mod cli;
mod client;
mod commands;
mod demo;
mod exit;
mod failure;
mod input_fields;
mod secret_masks;
mod settings;
mod spawn;
mod terminal;

fn main() -> std::process::ExitCode {
    cli::run().into()
}
