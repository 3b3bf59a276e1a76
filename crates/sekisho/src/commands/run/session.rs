//! Follows a run until it ends or the user leaves: prints what happens, asks what has to be answered, and interrupts.

use std::collections::VecDeque;
use std::io;
use std::time::{Duration, Instant};

use sekisho_gate::ApprovalId;
use sekisho_server::wire::approval::{ApprovalStatus, ApprovalView};
use sekisho_server::wire::run::{InterruptBody, RunView};
use serde_json::Value;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc::{Receiver, UnboundedReceiver, UnboundedSender, channel, unbounded_channel};
use uuid::Uuid;

use super::active_calls::ActiveCalls;
use super::ctrl_c::{CtrlC, CtrlCAction};
use super::run_output::RunOutput;
use super::run_printer::RunPrinter;
use super::run_server::RunServer;
use super::run_update::{RunFinish, RunUpdate};
use super::status_line;
use crate::client::{self, Client, ClientError, StreamUpdate};
use crate::commands::approvals::{
    self, Key, KeyPress, PromptEvent, PromptState, ScreenInput, SendOutcome, short_id,
};
use crate::failure::Failure;
use crate::terminal::ensure_visible;

/// Capacity of the event queue. When it is full, the server waits.
const ROOM: usize = 256;

/// How a session ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SessionEnd {
    /// The run has ended.
    Finished(Option<RunFinish>),
    /// The user left. `waits` says whether calls wait for an approval.
    Left { waits: bool },
}

/// What was done in the background.
enum Background {
    Question(ApprovalId, Result<Box<ApprovalView>, ClientError>),
    Note(String),
}

/// A run that is followed.
pub(super) struct Session<'a> {
    client: &'a Client,
    /// None if the server is not of this machine.
    server: Option<&'a mut RunServer>,
    run: Uuid,
    output: RunOutput,
    printer: RunPrinter,
    calls: ActiveCalls,
    ctrl_c: CtrlC,
    finish: Option<RunFinish>,
    /// Updates that came while a question was on the screen.
    held: VecDeque<RunUpdate>,
    /// The questions of which it was said, without a terminal, that they are open.
    announced: Vec<ApprovalId>,
    /// The first message is on the command line already.
    hides_message: bool,
    is_lost: bool,
    /// When something last happened.
    since: Instant,
    background: UnboundedSender<Background>,
    done: UnboundedReceiver<Background>,
}

/// The signals that a session takes.
struct Signals {
    interrupt: Signal,
    others: [Signal; 3],
}

impl Signals {
    fn new() -> io::Result<Signals> {
        let [a, b, c] = [SignalKind::terminate(), SignalKind::hangup(), SignalKind::quit()].map(signal);
        Ok(Signals { interrupt: signal(SignalKind::interrupt())?, others: [a?, b?, c?] })
    }

    /// Waits for a signal. Returns whether it is Ctrl-C.
    async fn come(&mut self) -> bool {
        let [a, b, c] = &mut self.others;
        tokio::select! {
            _ = self.interrupt.recv() => true,
            _ = a.recv() => false,
            _ = b.recv() => false,
            _ = c.recv() => false,
        }
    }
}

impl<'a> Session<'a> {
    pub(super) fn new(
        client: &'a Client,
        server: Option<&'a mut RunServer>,
        run: Uuid,
        output: RunOutput,
        width: Option<usize>,
    ) -> Session<'a> {
        let (background, done) = unbounded_channel();
        Session {
            client,
            server,
            run,
            output,
            printer: RunPrinter::new(width),
            calls: ActiveCalls::default(),
            ctrl_c: CtrlC::default(),
            finish: None,
            held: VecDeque::new(),
            announced: Vec::new(),
            hides_message: false,
            is_lost: false,
            since: Instant::now(),
            background,
            done,
        }
    }

    /// Does not print the first message of the run.
    pub(super) fn hide_message(&mut self) {
        self.hides_message = true;
    }

    /// Prints lines before anything happens, or after the end.
    pub(super) fn note(&mut self, lines: &[String]) -> Result<(), Failure> {
        self.wipe()?;
        let pieces = self.printer.note(lines);
        self.output.write_note(&pieces)
    }

    /// Follows the run. `input` has the keys of the terminal, if there is one.
    pub(super) async fn follow(&mut self, input: Option<ScreenInput>) -> Result<SessionEnd, Failure> {
        let mut signals = Signals::new()?;
        let (sender, mut updates) = channel(ROOM);
        let path = format!("/api/runs/{}/events", self.run);
        let following = tokio::spawn(client::follow_events(self.client.clone(), path, sender));
        let mut news = approvals::subscribe(self.client);
        let ended = self.go_on(&mut signals, &mut updates, &mut news, input).await;
        following.abort();
        self.wipe()?;
        ended
    }

    async fn go_on(
        &mut self,
        signals: &mut Signals,
        updates: &mut Receiver<StreamUpdate>,
        news: &mut Receiver<Result<PromptEvent, Failure>>,
        input: Option<ScreenInput>,
    ) -> Result<SessionEnd, Failure> {
        let (mut keys, mut answers) = input.map(|input| (input.keys, input.answered)).unzip();
        let mut tick = tokio::time::interval(Duration::from_secs(1));
        loop {
            self.print_held()?;
            self.draw_status()?;
            // What happened comes first: a key pressed on a question that has ended decides nothing.
            let goes_on = tokio::select! {
                biased;
                update = updates.recv() => match update {
                    Some(update) => match self.stream_update(update)? {
                        true => true,
                        false => return self.finished(),
                    },
                    None => return self.finished(),
                },
                Some(told) = news.recv() => self.question_news(told?)?,
                Some(done) = self.done.recv() => self.background_done(done)?,
                Some(answered) = next(&mut answers) => self.answered(answered)?,
                is_ctrl_c = signals.come() => is_ctrl_c && self.pressed_ctrl_c()?,
                press = next(&mut keys) => match press {
                    Some(press) => self.pressed(press)?,
                    // The terminal is gone.
                    None => false,
                },
                _ = tick.tick() => true,
            };
            if !goes_on {
                return Ok(SessionEnd::Left { waits: self.calls.waiting() > 0 });
            }
        }
    }

    fn finished(&mut self) -> Result<SessionEnd, Failure> {
        // Also what a question on the screen held back: nobody can answer it any more.
        while let Some(update) = self.held.pop_front() {
            self.print(&update)?;
        }
        Ok(SessionEnd::Finished(self.finish.take()))
    }

    /// Handles a piece of the stream. Returns false at its end.
    fn stream_update(&mut self, update: StreamUpdate) -> Result<bool, Failure> {
        match update {
            StreamUpdate::Connected => {
                if std::mem::replace(&mut self.is_lost, false) {
                    self.faint("connected again")?;
                }
            }
            StreamUpdate::Event { data, .. } => self.event(&data)?,
            StreamUpdate::Disconnected { why, .. } => {
                if !std::mem::replace(&mut self.is_lost, true) {
                    self.faint(&format!("{why}; the run is stored, connecting again"))?;
                }
                if let Some(server) = &mut self.server {
                    server.replace_lost();
                }
            }
            StreamUpdate::Refused(error) => return Err(error.into()),
            StreamUpdate::Done => return Ok(false),
        }
        Ok(true)
    }

    fn event(&mut self, data: &Value) -> Result<(), Failure> {
        self.output.write_event(data)?;
        let Some(update) = RunUpdate::parse(data) else { return Ok(()) };
        self.since = Instant::now();
        self.calls.apply(&update);
        match &update {
            RunUpdate::Asked { approval, .. } => self.fetch(*approval),
            RunUpdate::Finish(finish) => self.finish = Some(finish.clone()),
            RunUpdate::UserMessage(_) if std::mem::replace(&mut self.hides_message, false) => return Ok(()),
            _ => {}
        }
        self.held.push_back(update);
        Ok(())
    }

    /// Prints what happened, unless a question is on the screen.
    fn print_held(&mut self) -> Result<(), Failure> {
        let is_busy = self.output.screen().is_some_and(|screen| screen.machine.state != PromptState::Idle);
        if is_busy {
            return Ok(());
        }
        while let Some(update) = self.held.pop_front() {
            self.print(&update)?;
        }
        Ok(())
    }

    fn print(&mut self, update: &RunUpdate) -> Result<(), Failure> {
        self.wipe()?;
        let pieces = self.printer.print(update);
        self.output.write(&pieces)
    }

    fn faint(&mut self, text: &str) -> Result<(), Failure> {
        self.wipe()?;
        let pieces = self.printer.faint(text);
        self.output.write_note(&pieces)
    }

    /// Clears the status line. In the middle of a text there is none.
    fn wipe(&mut self) -> Result<(), Failure> {
        let is_in_text = self.printer.is_in_text();
        match self.output.screen().filter(|_| !is_in_text) {
            Some(screen) => Ok(screen.wipe()?),
            None => Ok(()),
        }
    }

    fn draw_status(&mut self) -> Result<(), Failure> {
        let is_in_text = self.printer.is_in_text();
        let (calls, since) = (&self.calls, self.since);
        let Some(screen) = self.output.screen() else { return Ok(()) };
        if is_in_text && screen.machine.state == PromptState::Idle {
            return Ok(());
        }
        let (_, skipped) = screen.machine.others();
        screen.prompt(Some(status_line::status(calls, skipped, since.elapsed())))
    }

    /// Fetches a question that a call waits for.
    fn fetch(&self, approval: ApprovalId) {
        let (client, background) = (self.client.clone(), self.background.clone());
        tokio::spawn(async move {
            let found = client.get(&format!("/api/approvals/{approval}")).await;
            // The session has ended if nobody listens.
            let _ = background.send(Background::Question(approval, found.map(Box::new)));
        });
    }

    fn background_done(&mut self, done: Background) -> Result<bool, Failure> {
        match done {
            Background::Question(id, Ok(question)) if question.state != ApprovalStatus::Pending => {
                self.question_ended(id, Some(question))
            }
            Background::Question(_, Ok(question)) => self.ask(question),
            Background::Question(id, Err(error)) => {
                let id = short_id(id);
                self.faint(&format!(
                    "question {id} cannot be read: {error}; answer it with `sekisho approvals`"
                ))?;
                Ok(true)
            }
            Background::Note(text) => self.faint(&text).map(|()| true),
        }
    }

    /// Shows a question, or says where it can be answered.
    fn ask(&mut self, question: Box<ApprovalView>) -> Result<bool, Failure> {
        if self.output.screen().is_some() {
            // The card of the call comes before its question.
            self.print_held()?;
            return self.screen_event(PromptEvent::QuestionOpened(question));
        }
        if self.announced.contains(&question.id) {
            return Ok(true);
        }
        self.announced.push(question.id);
        let (id, message) = (short_id(question.id), question.shown.message.replace('\n', " "));
        let message = ensure_visible(&message);
        self.faint(&format!(
            "waits for an approval: {message} (on the page, or `sekisho approvals approve {id}`)"
        ))?;
        Ok(true)
    }

    /// News about questions. Only those of this run count.
    fn question_news(&mut self, event: PromptEvent) -> Result<bool, Failure> {
        match event {
            // The connection is new, and an end may have been missed. The list may be older than what the run told.
            PromptEvent::OpenQuestions(_) => {
                self.calls.waits().for_each(|approval| self.fetch(approval));
                Ok(true)
            }
            PromptEvent::QuestionEnded(id, now) if self.calls.waits_for(id) => self.question_ended(id, now),
            // The stream of the run has the questions, and says when the connection breaks.
            _ => Ok(true),
        }
    }

    fn question_ended(&mut self, id: ApprovalId, now: Option<Box<ApprovalView>>) -> Result<bool, Failure> {
        self.calls.answered(id);
        self.since = Instant::now();
        if let Some(screen) = self.output.screen() {
            return match screen.machine.knows(id) {
                true => self.screen_event(PromptEvent::QuestionEnded(id, now)),
                false => Ok(true),
            };
        }
        // Only if it was said that the question is open.
        if let Some(question) = now.filter(|_| self.announced.contains(&id)) {
            let outcome = approvals::outcome_text(&question);
            self.faint(&format!("{} {outcome}", short_id(id)))?;
        }
        Ok(true)
    }

    /// Our own answer was sent.
    fn answered(&mut self, answered: SendOutcome) -> Result<bool, Failure> {
        let mut call = None;
        if let SendOutcome::Taken(taken) = &answered {
            call = self.calls.waiting_for(taken.approval.id);
            self.calls.answered(taken.approval.id);
            self.since = Instant::now();
        }
        let goes_on = self.screen_event(PromptEvent::Answered(answered))?;
        let is_idle = self.output.screen().is_some_and(|screen| screen.machine.state == PromptState::Idle);
        if let Some(call) = call.filter(|_| is_idle) {
            self.printer.continue_card(call);
        }
        Ok(goes_on)
    }

    /// Lets the screen handle an event. Returns whether to go on.
    fn screen_event(&mut self, event: PromptEvent) -> Result<bool, Failure> {
        let pieces = if self.printer.is_in_text() { self.printer.end_line() } else { Vec::new() };
        self.output.write(&pieces)?;
        let Some(screen) = self.output.screen() else { return Ok(true) };
        let had_question = screen.machine.state != PromptState::Idle;
        let goes_on = screen.take(event)?;
        if had_question || screen.machine.state != PromptState::Idle {
            self.printer.interrupt();
        }
        Ok(goes_on)
    }

    fn pressed(&mut self, press: KeyPress) -> Result<bool, Failure> {
        if press.key == Key::Interrupt {
            return self.pressed_ctrl_c();
        }
        // Nothing is asked while the model writes.
        if self.printer.is_in_text() {
            return Ok(true);
        }
        self.screen_event(PromptEvent::Pressed(press))
    }

    /// Returns whether to go on.
    fn pressed_ctrl_c(&mut self) -> Result<bool, Failure> {
        let running = self.calls.running();
        match self.ctrl_c.press(Instant::now(), running.is_some()) {
            CtrlCAction::Leave => return Ok(false),
            CtrlCAction::Explain => self.faint("press Ctrl-C again to leave; the run stays")?,
            CtrlCAction::InterruptTools => {
                let tools = running.unwrap_or_default();
                self.faint(&format!("interrupting {tools}; press Ctrl-C again to leave"))?;
                self.interrupt_tools();
            }
        }
        Ok(true)
    }

    fn interrupt_tools(&self) {
        let (client, background) = (self.client.clone(), self.background.clone());
        let path = format!("/api/runs/{}/interrupt", self.run);
        tokio::spawn(async move {
            if let Err(error) = client.post::<RunView>(&path, &InterruptBody {}).await {
                let _ = background.send(Background::Note(format!("not interrupted: {error}")));
            }
        });
    }

    /// Prints the last lines, and gives the terminal back.
    pub(super) fn end(mut self, lines: &[String]) -> Result<(), Failure> {
        if !lines.is_empty() {
            self.note(lines)?;
        }
        Ok(())
    }
}

/// The next item. Without a receiver, none ever comes.
async fn next<T>(receiver: &mut Option<UnboundedReceiver<T>>) -> Option<T> {
    match receiver {
        Some(receiver) => receiver.recv().await,
        None => std::future::pending().await,
    }
}
