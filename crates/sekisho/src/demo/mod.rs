//! The demo: a make-believe agent makes four calls, and the terminal shows what each answer does. One only reads and runs at
//! once; a newcomer answers the others.
//!
//! It asks over the server's own door with a token of its own, so that nothing about it is special but the end of its
//! token's id. It asks only where nobody else ever has, and goes as soon as somebody does. Nothing it asks about is run; one
//! file of its own is changed.

mod caller;
mod others;
mod pass;
mod script;
#[cfg(test)]
mod tests;
mod words;
mod workshop;

use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use sekisho_gate::answer::By;
use sekisho_host::Spools;
use sekisho_store::Store;
use tokio::sync::{mpsc, oneshot};

use crate::client::{Address, Client};
use crate::commands::serve::Voice;
use crate::terminal::style;
use caller::Caller;
use pass::Pass;
use script::Scene;
use words::{Answered, Happened, Line, Tone, lines};
use workshop::Workshop;

/// The first question comes at once, each other a little after the one before: one sees them arrive, in their order.
const APART: Duration = Duration::from_millis(400);

/// Where the demo is played.
pub(crate) struct Stage {
    /// The record of the server.
    pub(crate) store: Arc<dyn Store>,
    /// What hooks wrote beside it.
    pub(crate) spools: Spools,
    /// The door of the server.
    pub(crate) door: Address,
    /// Who lets it play, for the record.
    pub(crate) by: Option<By>,
    /// How it speaks.
    pub(crate) voice: Voice,
    /// Everything is removed afterwards: nothing stays, and the terminal's inbox does not know of it.
    pub(crate) scratch: bool,
}

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// Everything was answered, or a person stopped it.
    Over,
    /// Others ask here.
    Aside,
    /// It was told to stop.
    Cut,
    /// It could not go on.
    Broke,
}

/// Whether the demo may ask somewhere, and if not why.
pub(crate) async fn may_ask(store: &dyn Store, spools: &Spools) -> Result<Result<(), &'static str>, String> {
    if others::have_asked(store, spools).await? {
        return Ok(Err("others have asked here before, and it has no place in a real inbox"));
    }
    Ok(match others::demo_is_on(store).await? {
        true => Err("questions of the demo are open here already"),
        false => Ok(()),
    })
}

/// Plays it, until it is over or told to stop. `opened` is dropped once all its questions have been put.
pub(crate) async fn play(
    stage: &Stage,
    opened: Option<oneshot::Sender<()>>,
    stop: impl Future<Output = ()>,
) -> Ended {
    let played = async {
        let workshop =
            Arc::new(Workshop::open().map_err(|error| format!("no directory of its own: {error}"))?);
        let pass = Pass::make(&*stage.store, stage.by.clone()).await?;
        let ended = ask(stage, &pass, workshop, opened, stop).await;
        pass.give_back(&*stage.store, stage.by.clone()).await?;
        Ok(ended)
    };
    played.await.unwrap_or_else(|why| {
        say(stage.voice, &Happened::Broke(why));
        Ended::Broke
    })
}

/// Says that it is left out, and why.
pub(crate) fn leave_out(voice: Voice, why: &str) {
    say(voice, &Happened::LeftOut(why.to_owned()));
}

/// Says that it has a server of its own, and why.
pub(crate) fn tell_of_scratch(voice: Voice, why: &str, place: &Path) {
    say(voice, &Happened::Scratch { why: why.to_owned(), place: place.to_string_lossy().into_owned() });
}

async fn ask(
    stage: &Stage,
    pass: &Pass,
    workshop: Arc<Workshop>,
    mut opened: Option<oneshot::Sender<()>>,
    stop: impl Future<Output = ()>,
) -> Ended {
    let (tell, mut told) = mpsc::channel(64);
    say(stage.voice, &Happened::Begins { terminal: !stage.scratch });
    let client = Client::new(stage.door.clone(), Some(pass.secret.clone()));
    let caller = Caller::new(client, workshop, tell);
    let mut scenes = tokio::task::JoinSet::new();
    let mut before = None;
    for scene in Scene::ALL {
        let (is_open, opened) = oneshot::channel();
        let (caller, before) = (caller.clone(), before.replace(opened));
        scenes.spawn(async move {
            if let Some(before) = before {
                // It is sent by nobody: it ends when the question before is open, or needs none.
                let _ends: Result<(), _> = before.await;
                tokio::time::sleep(APART).await;
            }
            caller.play(scene, is_open).await;
        });
    }
    let others = others::ask(&*stage.store, &stage.spools);
    tokio::pin!(others, stop);
    let (mut playing, mut put) = (Scene::ALL.len(), 0);
    let ended = loop {
        tokio::select! {
            Some(happened) = told.recv() => {
                say(stage.voice, &happened);
                match happened {
                    Happened::Broke(_) => break Ended::Broke,
                    Happened::Answered { answer: Answered::No { stops: true, .. }, .. } => break Ended::Over,
                    Happened::Asked { .. } | Happened::Decided { .. } => put += 1,
                    _ => {}
                }
                if put == Scene::ALL.len() {
                    drop(opened.take());
                }
            }
            Some(_) = scenes.join_next() => {
                playing -= 1;
                if playing == 0 {
                    break Ended::Over;
                }
            }
            asked = &mut others => {
                say(stage.voice, &asked.map_or_else(Happened::Broke, |()| Happened::Aside));
                break Ended::Aside;
            }
            () = &mut stop => break Ended::Cut,
        }
    };
    // What was told in the last moment is said all the same; what is told from here on is about being withdrawn.
    while let Ok(happened) = told.try_recv() {
        say(stage.voice, &happened);
    }
    caller.withdraw().await;
    scenes.shutdown().await;
    if ended == Ended::Over {
        say(stage.voice, &Happened::Over);
    }
    ended
}

fn say(voice: Voice, happened: &Happened) {
    for line in lines(happened) {
        match voice {
            Voice::Text => write(&line),
            Voice::Json => tracing::info!(step = line.label, "demo: {}", line.text),
        }
    }
}

fn write(line: &Line) {
    let style = match line.tone {
        Tone::Plain => style::FAINT,
        Tone::Asks => style::CONFIRM,
        Tone::Yes => style::ALLOW,
        Tone::No => style::DENY,
    };
    // If nobody can read it, it is asked all the same.
    let _ = writeln!(anstream::stderr(), "{style}{:<9}{style:#} {}", line.label, line.text);
}
