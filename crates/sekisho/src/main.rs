//! The checkpoint between AI agents and the tools they call.
#![forbid(unsafe_code)]

mod cli;
mod commands;
mod exit;
mod failure;
mod settings;
mod terminal;

fn main() -> std::process::ExitCode {
    cli::run().into()
}
