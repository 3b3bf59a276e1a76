//! The demo: a scripted agent makes four calls, and the terminal shows what each answer does. One call only
//! reads and runs without a question; a new user answers the others.
//!
//! It uses the server's API with a token of its own; only the end of the token's id is special. It runs only
//! where no other agent has ever asked, and ends as soon as one does. It runs none of the calls; it only
//! changes one file of its own.

mod demo_agent;
mod demo_directory;
mod demo_token;
mod messages;
mod other_callers;
mod script;
#[cfg(test)]
mod tests;

use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use sekisho_gate::answer::Actor;
use sekisho_host::Spools;
use sekisho_store::Store;
use tokio::sync::{mpsc, oneshot};

use crate::client::{Client, ServerAddress};
use crate::commands::serve::ConsoleFormat;
use crate::terminal::{style, wrap_after_label};
use demo_agent::DemoAgent;
use demo_directory::DemoDirectory;
use demo_token::DemoToken;
use messages::{DemoAnswer, DemoEvent, MessageLine, Tone, message_lines};
use script::ScriptStep;

/// The first question comes at once, each other one this long after the one before, so that users see them
/// arrive in order.
const APART: Duration = Duration::from_millis(400);

/// What the demo runs with.
pub(crate) struct DemoContext {
    /// The server's store.
    pub(crate) store: Arc<dyn Store>,
    /// The hooks' spools.
    pub(crate) spools: Spools,
    /// The server's address.
    pub(crate) server: ServerAddress,
    /// Who started the demo, for the audit log.
    pub(crate) by: Option<Actor>,
    pub(crate) format: ConsoleFormat,
    /// Everything is removed afterwards, so no rules stay, and `approvals watch` does not know the server.
    pub(crate) scratch: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DemoOutcome {
    /// Everything was answered, or a person stopped the run.
    Finished,
    /// Another agent is asking.
    SteppedAside,
    /// A signal stopped it.
    Stopped,
    Failed,
}

/// Whether the demo may run here; the inner error says why not.
pub(crate) async fn check_can_run(
    store: &dyn Store,
    spools: &Spools,
) -> Result<Result<(), &'static str>, String> {
    if other_callers::others_have_asked(store, spools).await? {
        return Ok(Err("other agents have used this server, and the demo does not mix with real questions"));
    }
    Ok(match other_callers::demo_questions_open(store).await? {
        true => Err("another demo already has open questions on this server"),
        false => Ok(()),
    })
}

/// Runs the demo until it ends or is stopped. `opened` is dropped when every step has opened its question or
/// was decided without one.
pub(crate) async fn run_demo(
    stage: &DemoContext,
    opened: Option<oneshot::Sender<()>>,
    stop: impl Future<Output = ()>,
) -> DemoOutcome {
    let played = async {
        let workshop =
            Arc::new(DemoDirectory::open().map_err(|error| format!("cannot create a directory: {error}"))?);
        let pass = DemoToken::create(&*stage.store, stage.by.clone()).await?;
        let ended = ask(stage, &pass, workshop, opened, stop).await;
        pass.revoke(&*stage.store, stage.by.clone()).await?;
        Ok(ended)
    };
    played.await.unwrap_or_else(|why| {
        say(stage.format, &DemoEvent::Failed(why));
        DemoOutcome::Failed
    })
}

/// Prints that the demo does not run, and why.
pub(crate) fn print_skipped(voice: ConsoleFormat, why: &str) {
    say(voice, &DemoEvent::Skipped(why.to_owned()));
}

/// Prints that the demo uses a temporary server, and why.
pub(crate) fn print_scratch_server(voice: ConsoleFormat, why: &str, place: &Path) {
    say(voice, &DemoEvent::Scratch { why: why.to_owned(), place: place.to_string_lossy().into_owned() });
}

async fn ask(
    stage: &DemoContext,
    pass: &DemoToken,
    workshop: Arc<DemoDirectory>,
    mut opened: Option<oneshot::Sender<()>>,
    stop: impl Future<Output = ()>,
) -> DemoOutcome {
    let (tell, mut events) = mpsc::channel(64);
    say(stage.format, &DemoEvent::Begins { terminal: !stage.scratch });
    let client = Client::new(stage.server.clone(), Some(pass.secret.clone()));
    let caller = DemoAgent::new(client, workshop, tell);
    let mut scenes = tokio::task::JoinSet::new();
    let mut before = None;
    for scene in ScriptStep::ALL {
        let (is_open, opened) = oneshot::channel();
        let (caller, before) = (caller.clone(), before.replace(opened));
        scenes.spawn(async move {
            if let Some(before) = before {
                // Nothing is ever sent: the channel closes when the question before is open or needs none.
                let _ends: Result<(), _> = before.await;
                tokio::time::sleep(APART).await;
            }
            caller.run_step(scene, is_open).await;
        });
    }
    let others = other_callers::wait_for_others(&*stage.store, &stage.spools);
    tokio::pin!(others, stop);
    let (mut playing, mut started) = (ScriptStep::ALL.len(), 0);
    let ended = loop {
        tokio::select! {
            Some(event) = events.recv() => {
                say(stage.format, &event);
                match event {
                    DemoEvent::Failed(_) => break DemoOutcome::Failed,
                    DemoEvent::Answered { answer: DemoAnswer::No { stops: true, .. }, .. } => break DemoOutcome::Finished,
                    DemoEvent::QuestionOpened { .. } | DemoEvent::Decided { .. } => started += 1,
                    _ => {}
                }
                if started == ScriptStep::ALL.len() {
                    drop(opened.take());
                }
            }
            Some(_) = scenes.join_next() => {
                playing -= 1;
                if playing == 0 {
                    break DemoOutcome::Finished;
                }
            }
            asked = &mut others => {
                say(stage.format, &asked.map_or_else(DemoEvent::Failed, |()| DemoEvent::SteppedAside));
                break DemoOutcome::SteppedAside;
            }
            () = &mut stop => break DemoOutcome::Stopped,
        }
    };
    // Print events that arrived in the last moment; later ones only report the withdrawal.
    while let Ok(event) = events.try_recv() {
        say(stage.format, &event);
    }
    caller.withdraw().await;
    scenes.shutdown().await;
    if ended == DemoOutcome::Finished {
        say(stage.format, &DemoEvent::Finished);
    }
    ended
}

fn say(voice: ConsoleFormat, event: &DemoEvent) {
    for line in message_lines(event) {
        match voice {
            ConsoleFormat::Text => write(&line),
            ConsoleFormat::Json => tracing::info!(step = line.label, "demo: {}", line.text),
        }
    }
}

fn write(line: &MessageLine) {
    let style = match line.tone {
        Tone::Plain => style::FAINT,
        Tone::Asks => style::CONFIRM,
        Tone::Yes => style::ALLOW,
        Tone::No => style::DENY,
    };
    // The demo continues even if nobody can read its output.
    let text = wrap_after_label(&line.text, 10);
    let _ = writeln!(anstream::stderr(), "{style}{:<9}{style:#} {text}", line.label);
}
