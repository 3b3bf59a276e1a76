//! `sekisho token`: credentials, straight in the database. A running server hears of every change by its events.

mod create;
mod link;
mod list;
mod qr;
mod revoke;

use std::str::FromStr;

use jiff::{SignedDuration, Timestamp};
use sekisho_gate::answer::Role;

use crate::commands::audit::moment;
use crate::exit::Exit;
use crate::failure::Failure;

/// Make, list and revoke the credentials of agents and people
///
/// An agent asks, a viewer reads, an approver answers, an admin may everything. Only a hash of a token is kept: its text is
/// printed once. Everything here is on the record, and a running server takes it up at once.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  sekisho token link --name phone --role approver       scan the code, and answer on the phone
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

/// A role by its name.
#[derive(Clone, Copy, Debug)]
struct Named(Role);

impl FromStr for Named {
    type Err = String;

    fn from_str(text: &str) -> Result<Named, String> {
        Role::named(text).map(Named).ok_or_else(|| "it has to be agent, viewer, approver or admin".into())
    }
}

/// How long something counts: `90m`, `12h`, `30d` or `4w`.
#[derive(Clone, Copy, Debug)]
struct For(SignedDuration);

impl FromStr for For {
    type Err = String;

    fn from_str(text: &str) -> Result<For, String> {
        let span = moment::age(text).filter(|span| !span.is_zero());
        span.map(For).ok_or_else(|| "expected a length of time such as `90m`, `12h`, `30d` or `4w`".into())
    }
}

impl For {
    /// When that is over.
    fn ends(self, now: Timestamp) -> Timestamp {
        now.saturating_add(self.0).unwrap_or(Timestamp::MAX)
    }
}

/// A name that people can tell apart and type.
#[derive(Clone, Debug)]
struct Name(String);

/// The longest name.
const LONGEST: usize = 64;

impl FromStr for Name {
    type Err = String;

    fn from_str(text: &str) -> Result<Name, String> {
        let name = text.trim();
        if name.is_empty() || name.chars().count() > LONGEST || name.chars().any(char::is_control) {
            return Err(format!("a name has 1 to {LONGEST} characters that can be seen"));
        }
        Ok(Name(name.to_owned()))
    }
}
