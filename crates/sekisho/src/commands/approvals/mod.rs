mod answer;
mod approve;
mod deny;
mod input_editor;
mod approval_ref;
mod approvals_client;
mod page_layout;
mod list;
mod approval_view;
mod show;
mod watch;
mod approval_text;

use crate::exit::Exit;
use crate::failure::Failure;

/// Look at the questions that wait for an answer, and answer them
///
/// Talks to the running server, on this machine by its socket. A question is named by its id, or by the end of it, as
/// long as that means one.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(flatten)]
    server: approvals_client::ServerArgs,
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  sekisho approvals watch                    be asked here, as questions come
  sekisho approvals list                     what waits now
  sekisho approvals show 5d2a91c0            all of one question
  sekisho approvals deny 5d2a91c0 --reason 'use the staging database'";

#[derive(Debug, clap::Subcommand)]
enum Command {
    List(list::Args),
    Show(show::Args),
    Approve(approve::Args),
    Deny(deny::Args),
    Watch(watch::Args),
}

pub(crate) fn run(args: Args) -> Result<Exit, Failure> {
    match args.command {
        Command::List(list) => list::run(&list, args.server),
        Command::Show(show) => show::run(&show, args.server),
        Command::Approve(approve) => approve::run(&approve, args.server),
        Command::Deny(deny) => deny::run(&deny, args.server),
        Command::Watch(watch) => watch::run(&watch, args.server),
    }
}
