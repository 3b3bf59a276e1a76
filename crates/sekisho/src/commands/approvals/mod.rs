mod answer;
mod approval_ref;
mod approval_view;
mod approvals_client;
mod approve;
mod deny;
mod input_editor;
mod list;
mod page_layout;
mod question_title;
mod show;
mod status_text;
mod watch;

pub(in crate::commands) use approval_ref::short_id;
pub(in crate::commands) use question_title::call_line;
pub(in crate::commands) use status_text::outcome_text;
pub(in crate::commands) use watch::{
    Answering, Key, KeyPress, Prompt, PromptEvent, PromptState, QuestionScreen, ScreenInput, SendOutcome,
    subscribe,
};

use crate::exit::Exit;
use crate::failure::Failure;

/// List and answer open questions
///
/// Connects to the running server, by default through this machine's socket. Name a question by its id, or by
/// its last characters if no other question has the same ones.
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
  sekisho approvals watch                    answer questions as they arrive
  sekisho approvals list                     list open questions
  sekisho approvals show 5d2a91c0            show one question in full
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
