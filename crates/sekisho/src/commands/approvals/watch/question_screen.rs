//! Questions on a terminal: shows one at a time and sends the answers. `approvals watch` and `run` use it.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Instant;

use jiff::Timestamp;
use sekisho_gate::ApprovalId;
use sekisho_server::wire::approval::{AnswerBody, ApprovalView};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::keys::KeyPress;
use super::prompt_line::Prompt;
use super::state_machine::{PromptAction, PromptEvent, PromptMachine, PromptState, SendOutcome};
use super::tty::RawTerminal;
use crate::client::Client;
use crate::commands::approvals::approval_ref::short_id;
use crate::commands::approvals::approval_view::{self, state_style};
use crate::commands::approvals::approvals_client;
use crate::commands::approvals::input_editor;
use crate::commands::approvals::page_layout::PageLayout;
use crate::commands::approvals::status_text::outcome_text;
use crate::failure::Failure;
use crate::terminal::{self, StyledStdout, ensure_visible, style};

/// Who answers, and how.
pub(in crate::commands) struct Answering {
    pub(in crate::commands) client: Client,
    /// The user's editor.
    pub(in crate::commands) editor: Option<String>,
    /// The directory shown as `~`.
    pub(in crate::commands) home: Option<PathBuf>,
    /// Whether a new question rings the bell.
    pub(in crate::commands) bell: bool,
    /// The key help, for `?`.
    pub(in crate::commands) help: &'static [&'static str],
}

/// What is on the screen, and how to draw it.
pub(in crate::commands) struct QuestionScreen {
    pub(in crate::commands) out: StyledStdout,
    tty: RawTerminal,
    answering: Answering,
    pub(in crate::commands) machine: PromptMachine,
    answers: UnboundedSender<SendOutcome>,
}

/// What a screen tells its loop.
pub(in crate::commands) struct ScreenInput {
    /// Key presses. Closed when the terminal is gone.
    pub(in crate::commands) keys: UnboundedReceiver<KeyPress>,
    /// The results of answers that were sent.
    pub(in crate::commands) answered: UnboundedReceiver<SendOutcome>,
}

/// The width of the screen in columns.
fn width() -> usize {
    terminal::width().unwrap_or(80)
}

impl QuestionScreen {
    /// Takes over the terminal.
    pub(in crate::commands) fn acquire(
        answering: Answering,
    ) -> Result<(QuestionScreen, ScreenInput), Failure> {
        let (answers, answered) = unbounded_channel();
        let (tty, keys) = RawTerminal::acquire()?;
        let (out, machine) = (terminal::stdout(), PromptMachine::new());
        let screen = QuestionScreen { out, tty, answering, machine, answers };
        Ok((screen, ScreenInput { keys, answered }))
    }

    /// Handles an event and all events that follow from it. Returns whether to continue.
    pub(in crate::commands) fn take(&mut self, happening: PromptEvent) -> Result<bool, Failure> {
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
                for line in self.answering.help {
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
            (PromptAction::Ring, _) if self.answering.bell => self.tty.ring(),
            (PromptAction::DiscardInput, _) => self.tty.discard_input(),
            (PromptAction::Send(id, answer), _) => self.send(id, *answer),
            _ => {}
        }
        self.out.flush()?;
        Ok(None)
    }

    fn view(&self) -> PageLayout {
        PageLayout { width: Some(width()), home: self.answering.home.clone() }
    }

    /// Everything is on the screen. Discards what was typed before.
    fn drawn(&mut self) -> Result<Option<PromptEvent>, Failure> {
        writeln!(self.out)?;
        self.out.flush()?;
        self.tty.discard_input();
        Ok(Some(PromptEvent::Drawn(Instant::now())))
    }

    /// Draws the prompt line. While no question is shown, it is `idle`.
    pub(in crate::commands) fn prompt(&mut self, idle: Option<Prompt>) -> Result<(), Failure> {
        let prompt = match (&self.machine.state, idle) {
            // The editor uses the screen.
            (PromptState::Editing, _) => return Ok(()),
            (PromptState::Idle, Some(idle)) => idle,
            _ => Prompt::of(&self.machine, Timestamp::now()),
        };
        Ok(prompt.draw(&mut self.out, width())?)
    }

    /// Clears the prompt line, so that something else can be written.
    pub(in crate::commands) fn wipe(&mut self) -> io::Result<()> {
        Prompt::wipe(&mut self.out, width())
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
        let editor = self.answering.editor.clone();
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
        let (client, answers) = (self.answering.client.clone(), self.answers.clone());
        tokio::spawn(async move {
            // The receiver is gone if the user has quit.
            let _ = answers.send(sent(&client, id, &answer).await);
        });
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
