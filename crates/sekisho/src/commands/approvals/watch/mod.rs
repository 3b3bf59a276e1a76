mod key_handlers;
mod keys;
mod prompt_line;
mod question_screen;
mod server_events;
mod state_machine;
mod stop_signals;
#[cfg(test)]
mod tests;
mod tty;

use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use tokio::sync::mpsc::Receiver;

use super::approvals_client::{self, ApprovalsClient, ServerArgs};
use crate::exit::Exit;
use crate::failure::Failure;

pub(in crate::commands) use keys::{Key, KeyPress};
pub(in crate::commands) use prompt_line::Prompt;
pub(in crate::commands) use question_screen::{Answering, QuestionScreen, ScreenInput};
pub(in crate::commands) use server_events::subscribe;
pub(in crate::commands) use state_machine::{PromptEvent, PromptState, SendOutcome};
use stop_signals::StopSignals;

/// Answer questions as they arrive, with single keys
///
/// Each question is shown in full. Keys are ignored until a question has been on the screen for a moment, so
/// that you cannot answer by accident. Enter alone never answers. A question that is answered elsewhere or
/// expires disappears from the screen.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Ring the terminal bell when a question arrives
    #[arg(long)]
    bell: bool,
}

const EXAMPLES: &str = "\
Keys:
  a  approve; a dangerous call needs A, then Enter
  d  deny, with an optional reason for the agent
  e  edit the input in $VISUAL or $EDITOR first
  r  remember the answer: choose a rule and where it applies, then a or d
  i  show the complete input    s  skip    ?  help    q  quit

Examples:
  sekisho approvals watch
  sekisho approvals watch --bell
  SEKISHO_URL=https://gate.example SEKISHO_TOKEN=sks_… sekisho approvals watch";

/// The key help, for `?`.
const HELP: &[&str] = &[
    "a  approve the call, once; a dangerous call needs A, then Enter",
    "d  deny the call; the agent receives the reason",
    "e  edit the input first; the change is shown before anything is sent",
    "r  remember the answer: choose a rule and where it applies, then a or d",
    "i  show the complete input as JSON",
    "s  skip the question; it stays open",
    "q  quit; open questions stay open",
];

pub(crate) fn run(args: &Args, server: ServerArgs) -> Result<Exit, Failure> {
    if !io::stdout().is_terminal() {
        return Err(Failure::new(
            "`watch` needs a terminal, and standard output is not one; use `sekisho approvals list --json` in scripts",
        ));
    }
    let inbox = ApprovalsClient::open(server)?;
    inbox.block_on(watch(&inbox, args.bell))
}

async fn watch(inbox: &ApprovalsClient, bell: bool) -> Result<Exit, Failure> {
    let mut ends = StopSignals::new()?;
    // Report a connection or permission error before taking over the terminal.
    approvals_client::fetch_questions(&inbox.client, true, 1).await?;
    let news = subscribe(&inbox.client);
    let answering = Answering {
        client: inbox.client.clone(),
        editor: inbox.editor.clone(),
        home: inbox.settings.locations.home.clone(),
        bell,
        help: HELP,
    };
    let (mut screen, input) = QuestionScreen::acquire(answering)?;
    let ended = tokio::select! {
        biased;
        () = ends.come() => Ok(()),
        ended = ask(&mut screen, news, input) => ended,
    };
    leave(screen)?;
    ended.map(|()| Exit::Ok)
}

/// Shows questions and handles events until the user quits.
async fn ask(
    screen: &mut QuestionScreen,
    mut news: Receiver<Result<PromptEvent, Failure>>,
    mut input: ScreenInput,
) -> Result<(), Failure> {
    let mut tick = tokio::time::interval(Duration::from_secs(1));
    loop {
        screen.prompt(None)?;
        // Server events come first: a key pressed on a question that has ended decides nothing.
        let happening = tokio::select! {
            biased;
            told = news.recv() => told.transpose()?,
            answered = input.answered.recv() => answered.map(PromptEvent::Answered),
            press = input.keys.recv() => press.map(PromptEvent::Pressed),
            _ = tick.tick() => continue,
        };
        let Some(happening) = happening else { return Ok(()) };
        if !screen.take(happening)? {
            return Ok(());
        }
    }
}

fn leave(mut screen: QuestionScreen) -> Result<(), Failure> {
    screen.wipe()?;
    let (more, aside) = screen.machine.others();
    let waiting = more + aside + usize::from(screen.machine.current().is_some());
    if waiting > 0 {
        let (noun, verb) = if waiting == 1 { ("question", "is") } else { ("questions", "are") };
        writeln!(screen.out, "{waiting} {noun} {verb} still open")?;
    }
    Ok(screen.out.flush()?)
}
