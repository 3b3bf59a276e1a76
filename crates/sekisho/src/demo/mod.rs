//! The demo: a make-believe agent that asks a newcomer four things and shows in the terminal what each answer does.
//!
//! It asks over the server's own door with a token of its own, so that nothing about it is special but the end of its
//! token's id. It asks only where nobody else ever has, and goes as soon as somebody does. Nothing it asks about is run; one
//! file of its own is changed.

mod demo_agent;
mod other_callers;
mod demo_token;
mod script;
#[cfg(test)]
mod tests;
mod messages;
mod demo_directory;

use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use sekisho_gate::answer::Actor;
use sekisho_host::Spools;
use sekisho_store::Store;
use tokio::sync::{mpsc, oneshot};

use crate::client::{ServerAddress, Client};
use crate::commands::serve::ConsoleFormat;
use crate::terminal::style;
use demo_agent::DemoAgent;
use demo_token::DemoToken;
use script::ScriptStep;
use messages::{DemoAnswer, DemoEvent, MessageLine, Tone, message_lines};
use demo_directory::DemoDirectory;

/// The first question comes at once, each other a little after the one before: one sees them arrive, in their order.
const APART: Duration = Duration::from_millis(400);

/// Where the demo is played.
pub(crate) struct DemoContext {
    /// The record of the server.
    pub(crate) store: Arc<dyn Store>,
    /// What hooks wrote beside it.
    pub(crate) spools: Spools,
    /// The door of the server.
    pub(crate) server: ServerAddress,
    /// Who lets it play, for the record.
    pub(crate) by: Option<Actor>,
    /// How it speaks.
    pub(crate) format: ConsoleFormat,
    /// Everything is removed afterwards: nothing stays, and the terminal's inbox does not know of it.
    pub(crate) scratch: bool,
}

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DemoOutcome {
    /// Everything was answered, or a person stopped it.
    Finished,
    /// Others ask here.
    SteppedAside,
    /// It was told to stop.
    Stopped,
    /// It could not go on.
    Failed,
}

/// Whether the demo may ask somewhere, and if not why.
pub(crate) async fn check_can_run(store: &dyn Store, spools: &Spools) -> Result<Result<(), &'static str>, String> {
    if other_callers::others_have_asked(store, spools).await? {
        return Ok(Err("others have asked here before, and it has no place in a real inbox"));
    }
    Ok(match other_callers::demo_questions_open(store).await? {
        true => Err("questions of the demo are open here already"),
        false => Ok(()),
    })
}

/// Plays it, until it is over or told to stop.
pub(crate) async fn run_demo(stage: &DemoContext, stop: impl Future<Output = ()>) -> DemoOutcome {
    let played = async {
        let workshop =
            Arc::new(DemoDirectory::open().map_err(|error| format!("no directory of its own: {error}"))?);
        let pass = DemoToken::create(&*stage.store, stage.by.clone()).await?;
        let ended = ask(stage, &pass, workshop, stop).await;
        pass.revoke(&*stage.store, stage.by.clone()).await?;
        Ok(ended)
    };
    played.await.unwrap_or_else(|why| {
        say(stage.format, &DemoEvent::Failed(why));
        DemoOutcome::Failed
    })
}

/// Says that it is left out, and why.
pub(crate) fn print_skipped(voice: ConsoleFormat, why: &str) {
    say(voice, &DemoEvent::Skipped(why.to_owned()));
}

/// Says that it has a server of its own, and why.
pub(crate) fn print_scratch_server(voice: ConsoleFormat, why: &str, place: &Path) {
    say(voice, &DemoEvent::Scratch { why: why.to_owned(), place: place.to_string_lossy().into_owned() });
}

async fn ask(stage: &DemoContext, pass: &DemoToken, workshop: Arc<DemoDirectory>, stop: impl Future<Output = ()>) -> DemoOutcome {
    let (tell, mut told) = mpsc::channel(64);
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
                // It is sent by nobody: it ends when the question before is open, or needs none.
                let _ends: Result<(), _> = before.await;
                tokio::time::sleep(APART).await;
            }
            caller.run_step(scene, is_open).await;
        });
    }
    let others = other_callers::wait_for_others(&*stage.store, &stage.spools);
    tokio::pin!(others, stop);
    let (mut playing, mut kept) = (ScriptStep::ALL.len(), false);
    let ended = loop {
        tokio::select! {
            Some(happened) = told.recv() => {
                say(stage.format, &happened);
                match happened {
                    DemoEvent::Failed(_) => break DemoOutcome::Failed,
                    DemoEvent::Answered { answer: DemoAnswer::No { stops: true, .. }, .. } => break DemoOutcome::Finished,
                    DemoEvent::Remembered { .. } => kept = true,
                    _ => {}
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
    // What was told in the last moment is said all the same; what is told from here on is about being withdrawn.
    while let Ok(happened) = told.try_recv() {
        kept |= matches!(happened, DemoEvent::Remembered { .. });
        say(stage.format, &happened);
    }
    caller.withdraw().await;
    scenes.shutdown().await;
    if ended == DemoOutcome::Finished {
        say(stage.format, &DemoEvent::Finished { kept: kept && !stage.scratch });
    }
    ended
}

fn say(voice: ConsoleFormat, happened: &DemoEvent) {
    for line in message_lines(happened) {
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
    // If nobody can read it, it is asked all the same.
    let _ = writeln!(anstream::stderr(), "{style}{:<9}{style:#} {}", line.label, line.text);
}
