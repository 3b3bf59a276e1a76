mod follow;
mod keys;
mod machine;
mod pressing;
mod prompt;
#[cfg(test)]
mod tests;
mod tty;

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use sekisho_gate::ApprovalId;
use sekisho_server::wire::approval::{AnswerBody, Question};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc::{Receiver, UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::editing;
use super::id::short_id;
use super::inbox::{self, Inbox, Server};
use super::layout::View;
use super::page::{self, state_style};
use super::words::ended;
use crate::client::Client;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::{self, Out, said, style};
use keys::Press;
use machine::{Answered, Effect, Happening, Machine, State};
use prompt::Prompt;
use tty::Tty;

/// Be asked here, as questions come, and answer with single keys
///
/// Each question is shown whole. Keys count only once it has been on the screen for a moment, and Enter alone decides
/// nothing. A question that is answered elsewhere, or expires, is withdrawn.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Ring the terminal's bell when a question comes
    #[arg(long)]
    bell: bool,
}

const EXAMPLES: &str = "\
Keys:
  a  approve; what is dangerous takes A, then Enter
  d  deny, with a reason for the agent if you like
  e  edit the input in $VISUAL or $EDITOR first
  r  remember the answer: choose a rule and where it applies, then a or d
  i  show the whole input    s  put aside    ?  help    q  quit

Examples:
  sekisho approvals watch
  sekisho approvals watch --bell
  SEKISHO_URL=https://gate.example SEKISHO_TOKEN=sks_… sekisho approvals watch";

/// What the keys do, for `?`.
const HELP: &[&str] = &[
    "a  approve it, once. What is dangerous takes A, then Enter",
    "d  deny it; a reason is told to the agent",
    "e  edit the input first; what changes is shown before anything is sent",
    "r  remember the answer: choose a rule and where it applies, then a or d",
    "i  show the whole input as JSON",
    "s  put it aside; it still waits for an answer",
    "q  quit; whatever waits goes on waiting",
];

pub(crate) fn run(args: &Args, server: Server) -> Result<Exit, Failure> {
    if !io::stdout().is_terminal() {
        return Err(Failure::new(
            "`watch` asks on a terminal, and standard output is none; `sekisho approvals list --json` is for programs",
        ));
    }
    let inbox = Inbox::open(server)?;
    inbox.block_on(watch(&inbox, args.bell))
}

/// What is on the screen, and what is drawn on it.
struct Screen<'a> {
    out: Out,
    tty: Tty,
    inbox: &'a Inbox,
    machine: Machine,
    bell: bool,
    answers: UnboundedSender<Answered>,
}

/// What ends the watch from outside.
struct Ends([Signal; 4]);

impl Ends {
    fn new() -> io::Result<Ends> {
        let kinds =
            [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup(), SignalKind::quit()];
        let [a, b, c, d] = kinds.map(signal);
        Ok(Ends([a?, b?, c?, d?]))
    }

    async fn come(&mut self) {
        let [a, b, c, d] = &mut self.0;
        tokio::select! { _ = a.recv() => {}, _ = b.recv() => {}, _ = c.recv() => {}, _ = d.recv() => {} }
    }
}

async fn watch(inbox: &Inbox, bell: bool) -> Result<Exit, Failure> {
    let mut ends = Ends::new()?;
    // Whoever cannot get in is told before the terminal is taken.
    inbox::all(&inbox.client, true, 1).await?;
    let news = follow::begin(&inbox.client);
    let (answers, answered) = unbounded_channel();
    let (tty, keys) = Tty::take()?;
    let mut screen = Screen { out: terminal::stdout(), tty, inbox, machine: Machine::new(), bell, answers };
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

impl Screen<'_> {
    /// Asks whatever is to be asked, until it is time to go.
    async fn ask(
        &mut self,
        mut news: Receiver<Result<Happening, Failure>>,
        mut answered: UnboundedReceiver<Answered>,
        mut keys: UnboundedReceiver<Press>,
    ) -> Result<(), Failure> {
        let mut tick = tokio::time::interval(Duration::from_secs(1));
        loop {
            self.prompt()?;
            // Withdrawn before pressed: a key that meets a question which has ended decides nothing.
            let happening = tokio::select! {
                biased;
                told = news.recv() => told.transpose()?,
                answered = answered.recv() => answered.map(Happening::Answered),
                press = keys.recv() => press.map(Happening::Pressed),
                _ = tick.tick() => continue,
            };
            let Some(happening) = happening else { return Ok(()) };
            if !self.take(happening)? {
                return Ok(());
            }
        }
    }

    /// Takes what happens, and whatever comes of it; whether to go on.
    fn take(&mut self, happening: Happening) -> Result<bool, Failure> {
        let mut open = vec![happening];
        while let Some(happening) = open.pop() {
            for effect in self.machine.take(happening) {
                if matches!(effect, Effect::Quit) {
                    return Ok(false);
                }
                open.extend(self.perform(effect)?);
            }
        }
        Ok(true)
    }

    /// Does something, and gives what happens by it.
    fn perform(&mut self, effect: Effect) -> Result<Option<Happening>, Failure> {
        Prompt::wipe(&mut self.out, width())?;
        let view = self.view();
        let current = self.machine.current().cloned();
        match (effect, current) {
            (Effect::Draw, Some(question)) => {
                self.rule()?;
                page::question(&mut self.out, &question, &view, None)?;
                return self.drawn();
            }
            (Effect::DrawEdit, Some(question)) => {
                self.rule()?;
                self.edit_shown(&question)?;
                return self.drawn();
            }
            (Effect::DrawInput, Some(question)) => page::input(&mut self.out, &question, &view)?,
            (Effect::DrawProposals, Some(question)) => page::proposals(&mut self.out, &question, &view)?,
            (Effect::Edit(text), Some(question)) => return self.edit(&question, text).map(Some),
            (Effect::DrawHelp, _) => {
                for line in HELP {
                    writeln!(self.out, "  {line}")?;
                }
            }
            (Effect::Say(text), _) => {
                let faint = style::FAINT;
                for line in terminal::wrap::sentence(&said(&text), width()) {
                    writeln!(self.out, "{faint}{line}{faint:#}")?;
                }
            }
            (Effect::SayEnded(question), _) => self.ended(&question)?,
            (Effect::SayTaken(taken), _) => page::taken(&mut self.out, &taken)?,
            (Effect::Ring, _) if self.bell => self.tty.ring(),
            (Effect::Drain, _) => self.tty.drain(),
            (Effect::Send(id, answer), _) => self.send(id, *answer),
            _ => {}
        }
        self.out.flush()?;
        Ok(None)
    }

    fn view(&self) -> View {
        View { width: Some(width()), home: self.inbox.settings.locations.home.clone() }
    }

    /// Everything is on the screen now; what was typed before does not count.
    fn drawn(&mut self) -> Result<Option<Happening>, Failure> {
        writeln!(self.out)?;
        self.out.flush()?;
        self.tty.drain();
        Ok(Some(Happening::Drawn(Instant::now())))
    }

    fn prompt(&mut self) -> Result<(), Failure> {
        // The editor has the screen.
        if self.machine.state != State::Editing {
            Prompt::of(&self.machine, Timestamp::now()).draw(&mut self.out, width())?;
        }
        Ok(())
    }

    fn rule(&mut self) -> io::Result<()> {
        let faint = style::FAINT;
        writeln!(self.out, "{faint}{}{faint:#}", "─".repeat(width().saturating_sub(1)))
    }

    fn ended(&mut self, question: &Question) -> io::Result<()> {
        let colour = state_style(question.state);
        let line = format!("{} {}", short_id(question.id), ended(question));
        for (index, line) in terminal::wrap::sentence(&line, width()).into_iter().enumerate() {
            match index {
                0 => writeln!(self.out, "{colour}{line}{colour:#}")?,
                _ => writeln!(self.out, "{line}")?,
            }
        }
        Ok(())
    }

    fn edit(&mut self, question: &Question, text: Option<String>) -> Result<Happening, Failure> {
        self.out.flush()?;
        let input = self.machine.draft.input.clone().unwrap_or_else(|| question.input.clone());
        let text = text.unwrap_or_else(|| editing::pretty(&input));
        let editor = self.inbox.editor.clone();
        let edit = self.tty.lend(|| editing::edit_text(&text, &question.input, editor.as_deref()))?;
        Ok(Happening::Edited(edit.map_err(|failure| failure.message)))
    }

    fn edit_shown(&mut self, question: &Question) -> io::Result<()> {
        let Some(input) = &self.machine.draft.input else { return Ok(()) };
        let strong = style::STRONG;
        writeln!(self.out, "{strong}Edited input{strong:#}  (judged anew when it is sent)")?;
        writeln!(self.out)?;
        terminal::diff(&mut self.out, &editing::diff(&question.input, input))
    }

    fn send(&self, id: ApprovalId, answer: AnswerBody) {
        let (client, answers) = (self.inbox.client.clone(), self.answers.clone());
        tokio::spawn(async move {
            // Whoever has left does not need to know.
            let _ = answers.send(sent(&client, id, &answer).await);
        });
    }

    fn leave(mut self) -> Result<(), Failure> {
        Prompt::wipe(&mut self.out, width())?;
        let (more, aside) = self.machine.others();
        let waiting = more + aside + usize::from(self.machine.current().is_some());
        if waiting > 0 {
            let (noun, verb) = if waiting == 1 { ("question", "waits") } else { ("questions", "wait") };
            writeln!(self.out, "{waiting} {noun} still {verb}")?;
        }
        Ok(self.out.flush()?)
    }
}

async fn sent(client: &Client, id: ApprovalId, answer: &AnswerBody) -> Answered {
    match inbox::answer(client, id, answer).await {
        Ok(taken) => Answered::Taken(Box::new(taken)),
        Err(error) if error.is_too_late() => {
            match client.get::<Question>(&format!("/api/approvals/{id}")).await {
                Ok(now) => Answered::TooLate(Box::new(now)),
                Err(_) => Answered::Failed(error.to_string()),
            }
        }
        Err(error) => Answered::Failed(format!("not sent: {error}")),
    }
}
