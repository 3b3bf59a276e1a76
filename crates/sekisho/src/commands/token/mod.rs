//! `sekisho token`: credentials, straight in the database. A running server hears of every change by its events.

mod create;
mod link;
mod list;
mod qr;
mod revoke;
mod values;

use crate::exit::Exit;
use crate::failure::Failure;

/// Make, list and revoke the credentials of agents and people
///
/// An agent asks, a viewer reads, an approver answers, an admin may do anything. Only a hash of a token is kept: its text is
/// printed once. Everything here is on the record, and a running server takes it up at once.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  sekisho token link --name browser --role admin        sign in another browser on this machine
  sekisho token link --name phone --url https://sekisho.example.com     a code to scan
  sekisho token create --name ci --role agent --agent ci-bot
  sekisho token list
  sekisho token revoke phone";

#[derive(Debug, clap::Subcommand)]
enum Command {
    Create(create::Args),
    List(list::Args),
    Revoke(revoke::Args),
    Link(link::Args),
}

pub(crate) fn run(args: Args) -> Result<Exit, Failure> {
    match args.command {
        Command::Create(args) => create::run(args),
        Command::List(args) => list::run(&args),
        Command::Revoke(args) => revoke::run(&args),
        Command::Link(args) => link::run(args),
    }
}
