//! `sekisho token`: manages credentials directly in the database. A running server sees every change through
//! its events.

mod create;
mod link;
mod list;
mod qr;
mod revoke;
mod token_args;

use crate::exit::Exit;
use crate::failure::Failure;

/// Create, list and revoke the tokens of agents and people
///
/// Agents ask, viewers read, approvers answer, and admins may do anything. Only a hash of each token is
/// stored: its text is printed once. Every change is recorded in the audit log, and a running server applies
/// it at once.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  sekisho token link --name browser --role admin        sign in another browser on this machine
  sekisho token link --name phone --url https://sekisho.example.com     print a QR code to scan
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
