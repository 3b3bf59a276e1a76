//! `sekisho demo`: runs the demo on a temporary server.

use super::serve::{self, ConsoleFormat};
use crate::demo;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::Settings;

/// Try sekisho: a demo agent works, and the terminal shows what each of your answers does
///
/// The agent needs no key: a script plays the model. It reads and changes files in a temporary directory, and
/// runs a command in the sandbox if you approve it. The demo has a temporary server of its own, prints a link
/// to it, and removes everything at the end. Ctrl-C ends the demo.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {}

const EXAMPLES: &str = "\
Examples:
  sekisho demo               open the link that it prints, and answer in the browser
  sekisho serve --demo       the same, on your own server, if no agent has used it yet";

pub(crate) fn run(_: &Args) -> Result<Exit, Failure> {
    let directory = tempfile::Builder::new().prefix("sekisho-demo-server-").tempdir()?;
    let place = directory.path().canonicalize()?;
    demo::print_scratch_server(ConsoleFormat::Text, &place);
    let (settings, serving) = Settings::load()?.for_scratch_server(&place)?;
    let ended = serve::run_server(settings, serving);
    // The server has closed all its files by now.
    directory.close()?;
    ended
}
