mod key_handlers;
mod keys;
mod prompt_line;
mod server_events;
mod state_machine;
#[cfg(test)]
mod tests;
mod tty;

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use sekisho_gate::ApprovalId;
use sekisho_server::wire::approval::{AnswerBody, ApprovalView};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc::{Receiver, UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::approval_ref::short_id;
use super::approval_view::{self, state_style};
use super::approvals_client::{self, ApprovalsClient, ServerArgs};
use super::input_editor;
use super::page_layout::PageLayout;
use super::status_text::outcome_text;
use crate::client::Client;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::{self, StyledStdout, ensure_visible, style};
use keys::KeyPress;
use prompt_line::Prompt;
use state_machine::{PromptAction, PromptEvent, PromptMachine, PromptState, SendOutcome};
use tty::RawTerminal;

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

/// What is on the screen, and how to draw it.
struct WatchScreen<'a> {
    out: StyledStdout,
    tty: RawTerminal,
    inbox: &'a ApprovalsClient,
    machine: PromptMachine,
    bell: bool,
    answers: UnboundedSender<SendOutcome>,
}

/// The signals that end the watch.
struct StopSignals([Signal; 4]);

impl StopSignals {
    fn new() -> io::Result<StopSignals> {
        let kinds =
            [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup(), SignalKind::quit()];
        let [a, b, c, d] = kinds.map(signal);
        Ok(StopSignals([a?, b?, c?, d?]))
    }

    async fn come(&mut self) {
        let [a, b, c, d] = &mut self.0;
        tokio::select! { _ = a.recv() => {}, _ = b.recv() => {}, _ = c.recv() => {}, _ = d.recv() => {} }
    }
}

async fn watch(inbox: &ApprovalsClient, bell: bool) -> Result<Exit, Failure> {
    let mut ends = StopSignals::new()?;
    // Report a connection or permission error before taking over the terminal.
    approvals_client::fetch_questions(&inbox.client, true, 1).await?;
    let news = server_events::subscribe(&inbox.client);
    let (answers, answered) = unbounded_channel();
    let (tty, keys) = RawTerminal::acquire()?;
    let mut screen =
        WatchScreen { out: terminal::stdout(), tty, inbox, machine: PromptMachine::new(), bell, answers };
    let ended = tokio::select! {
        biased;
        () = ends.come() => Ok(()),
        ended = screen.ask(news, answered, keys) => ended,
    };
    screen.leave()?;
    ended.map(|()| Exit::Ok)
}

fn width() -> usize {
    terminal::width().unwrap_or(80)
}

impl WatchScreen<'_> {
    /// Shows questions and handles events until the user quits.
    async fn ask(
        &mut self,
        mut news: Receiver<Result<PromptEvent, Failure>>,
        mut answered: UnboundedReceiver<SendOutcome>,
        mut keys: UnboundedReceiver<KeyPress>,
    ) -> Result<(), Failure> {
        let mut tick = tokio::time::interval(Duration::from_secs(1));
        loop {
            self.prompt()?;
            // Server events come first: a key pressed on a question that has ended decides nothing.
            let happening = tokio::select! {
                biased;
                told = news.recv() => told.transpose()?,
                answered = answered.recv() => answered.map(PromptEvent::Answered),
                press = keys.recv() => press.map(PromptEvent::Pressed),
                _ = tick.tick() => continue,
            };
            let Some(happening) = happening else { return Ok(()) };
            if !self.take(happening)? {
                return Ok(());
            }
        }
    }

    /// Handles an event and all events that follow from it. Returns whether to continue.
    fn take(&mut self, happening: PromptEvent) -> Result<bool, Failure> {
        let mut open = vec![happening];
        while let Some(happening) = open.pop() {
            for effect in self.machine.handle(happening) {
                if matches!(effect, PromptAction::Quit) {
                    return Ok(false);
                }
                open.extend(self.perform(effect)?);
            }
        }
        Ok(true)
    }

    /// Performs an action. Returns the event that it causes, if any.
    fn perform(&mut self, effect: PromptAction) -> Result<Option<PromptEvent>, Failure> {
        Prompt::wipe(&mut self.out, width())?;
        let view = self.view();
        let current = self.machine.current().cloned();
        match (effect, current) {
            (PromptAction::Draw, Some(question)) => {
                self.rule()?;
                approval_view::write_question(&mut self.out, &question, &view, None)?;
                return self.drawn();
            }
            (PromptAction::DrawEdit, Some(question)) => {
                self.rule()?;
                self.edit_shown(&question)?;
                return self.drawn();
            }
            (PromptAction::DrawInput, Some(question)) => {
                approval_view::write_input(&mut self.out, &question, &view)?
            }
            (PromptAction::DrawProposals, Some(question)) => {
                approval_view::write_proposals(&mut self.out, &question, &view)?
            }
            (PromptAction::Edit(text), Some(question)) => return self.edit(&question, text).map(Some),
            (PromptAction::DrawHelp, _) => {
                for line in HELP {
                    writeln!(self.out, "  {line}")?;
                }
            }
            (PromptAction::Print(text), _) => {
                let faint = style::FAINT;
                for line in terminal::wrap::wrap_words(&ensure_visible(&text), width()) {
                    writeln!(self.out, "{faint}{line}{faint:#}")?;
                }
            }
            (PromptAction::PrintOutcome(question), _) => self.ended(&question)?,
            (PromptAction::PrintAnswerResponse(taken), _) => {
                approval_view::write_answer_response(&mut self.out, &taken)?
            }
            (PromptAction::Ring, _) if self.bell => self.tty.ring(),
            (PromptAction::DiscardInput, _) => self.tty.discard_input(),
            (PromptAction::Send(id, answer), _) => self.send(id, *answer),
            _ => {}
        }
        self.out.flush()?;
        Ok(None)
    }

    fn view(&self) -> PageLayout {
        PageLayout { width: Some(width()), home: self.inbox.settings.locations.home.clone() }
    }

    /// Everything is on the screen. Discards what was typed before.
    fn drawn(&mut self) -> Result<Option<PromptEvent>, Failure> {
        writeln!(self.out)?;
        self.out.flush()?;
        self.tty.discard_input();
        Ok(Some(PromptEvent::Drawn(Instant::now())))
    }

    fn prompt(&mut self) -> Result<(), Failure> {
        // The editor uses the screen.
        if self.machine.state != PromptState::Editing {
            Prompt::of(&self.machine, Timestamp::now()).draw(&mut self.out, width())?;
        }
        Ok(())
    }

    fn rule(&mut self) -> io::Result<()> {
        let faint = style::FAINT;
        writeln!(self.out, "{faint}{}{faint:#}", "─".repeat(width().saturating_sub(1)))
    }

    fn ended(&mut self, question: &ApprovalView) -> io::Result<()> {
        let colour = state_style(question.state);
        let line = format!("{} {}", short_id(question.id), outcome_text(question));
        for (index, line) in terminal::wrap::wrap_words(&line, width()).into_iter().enumerate() {
            match index {
                0 => writeln!(self.out, "{colour}{line}{colour:#}")?,
                _ => writeln!(self.out, "{line}")?,
            }
        }
        Ok(())
    }

    fn edit(&mut self, question: &ApprovalView, text: Option<String>) -> Result<PromptEvent, Failure> {
        self.out.flush()?;
        let input = self.machine.draft.input.clone().unwrap_or_else(|| question.input.clone());
        let text = text.unwrap_or_else(|| input_editor::pretty(&input));
        let editor = self.inbox.editor.clone();
        let edit = self
            .tty
            .with_normal_mode(|| input_editor::edit_text(&text, &question.input, editor.as_deref()))?;
        Ok(PromptEvent::Edited(edit.map_err(|failure| failure.message)))
    }

    fn edit_shown(&mut self, question: &ApprovalView) -> io::Result<()> {
        let Some(input) = &self.machine.draft.input else { return Ok(()) };
        let strong = style::STRONG;
        writeln!(self.out, "{strong}Edited input{strong:#}  (judged again when it is sent)")?;
        writeln!(self.out)?;
        terminal::diff(&mut self.out, &input_editor::input_diff(&question.input, input))
    }

    fn send(&self, id: ApprovalId, answer: AnswerBody) {
        let (client, answers) = (self.inbox.client.clone(), self.answers.clone());
        tokio::spawn(async move {
            // The receiver is gone if the user has quit.
            let _ = answers.send(sent(&client, id, &answer).await);
        });
    }

    fn leave(mut self) -> Result<(), Failure> {
        Prompt::wipe(&mut self.out, width())?;
        let (more, aside) = self.machine.others();
        let waiting = more + aside + usize::from(self.machine.current().is_some());
        if waiting > 0 {
            let (noun, verb) = if waiting == 1 { ("question", "is") } else { ("questions", "are") };
            writeln!(self.out, "{waiting} {noun} {verb} still open")?;
        }
        Ok(self.out.flush()?)
    }
}

async fn sent(client: &Client, id: ApprovalId, answer: &AnswerBody) -> SendOutcome {
    match approvals_client::answer(client, id, answer).await {
        Ok(taken) => SendOutcome::Taken(Box::new(taken)),
        Err(error) if error.is_too_late() => {
            match client.get::<ApprovalView>(&format!("/api/approvals/{id}")).await {
                Ok(now) => SendOutcome::TooLate(Box::new(now)),
                Err(_) => SendOutcome::Failed(error.to_string()),
            }
        }
        Err(error) => SendOutcome::Failed(format!("not sent: {error}")),
    }
}
