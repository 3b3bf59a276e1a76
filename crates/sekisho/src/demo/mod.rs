//! The demo: an agent with a scripted model works in a directory of its own, and the terminal shows what each answer
//! does. Its calls are real: they pass the gate, and what a person approves runs in the sandbox.
//!
//! It is a run of the built-in agent ([`agent_run`]). Then another caller asks over HTTP about a tool of an MCP server
//! ([`http_caller`]), which the built-in agent cannot call. Both use a token of their own; only the end of its id is
//! special. The demo runs only where no other agent has ever asked, and ends as soon as one does.

mod agent_run;
mod agent_setup;
mod answered_by;
mod demo_directory;
mod demo_token;
mod http_caller;
mod messages;
mod other_callers;
mod script;
#[cfg(test)]
mod tests;

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use sekisho_agent::AgentService;
use sekisho_gate::answer::Actor;
use sekisho_host::Spools;
use sekisho_store::Store;
use tokio::sync::{mpsc, oneshot};

use crate::client::{Client, ServerAddress};
use crate::commands::serve::ConsoleFormat;
use crate::terminal::{style, wrap_after_label};
use agent_run::{AgentRun, RunEnd};
use demo_token::DemoToken;
use http_caller::HttpCaller;
use messages::{DemoEvent, MessageLine, Tone, message_lines};

pub(crate) use demo_directory::DemoDirectory;
pub(crate) use script::{MODEL, script};

/// What the demo runs with.
pub(crate) struct DemoContext {
    /// The server's store.
    pub(crate) store: Arc<dyn Store>,
    /// The server's agents. One of their workspaces is the demo's directory.
    pub(crate) agents: AgentService,
    /// The demo's directory.
    pub(crate) directory: DemoDirectory,
    /// The hooks' spools.
    pub(crate) spools: Spools,
    /// The server's address.
    pub(crate) server: ServerAddress,
    /// Who started the demo, for the audit log.
    pub(crate) by: Actor,
    pub(crate) format: ConsoleFormat,
    /// Everything is removed afterwards, so no rules stay, and `approvals watch` does not know the server.
    pub(crate) scratch: bool,
}

/// How the demo ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DemoEnd {
    /// Everything was asked, or a person stopped the run.
    Finished,
    /// Another agent is asking, or a signal stopped it.
    CutShort,
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

/// Removes what a demo left whose process was killed: its agent, its run and its questions.
pub(crate) async fn remove_leftovers(agents: &AgentService, by: Actor) -> Result<(), String> {
    agent_setup::remove(agents, by).await
}

/// Runs the demo until it ends or is stopped. `opened` is dropped when the first question is open.
pub(crate) async fn run_demo(
    stage: &DemoContext,
    opened: Option<oneshot::Sender<()>>,
    stop: impl Future<Output = ()>,
) {
    let played = async {
        let token = DemoToken::create(&*stage.store, Some(stage.by.clone())).await?;
        let ended = play(stage, &token, opened, stop).await;
        let removed = agent_setup::remove(&stage.agents, stage.by.clone()).await;
        token.revoke(&*stage.store, Some(stage.by.clone())).await?;
        removed?;
        ended
    };
    match played.await {
        Ok(DemoEnd::Finished) => say(stage.format, &DemoEvent::Finished),
        Ok(DemoEnd::CutShort) => {}
        Err(why) => say(stage.format, &DemoEvent::Failed(why)),
    }
}

/// Prints that the demo does not run, and why.
pub(crate) fn print_skipped(voice: ConsoleFormat, why: &str) {
    say(voice, &DemoEvent::Skipped(why.to_owned()));
}

/// Prints that the demo uses a temporary server.
pub(crate) fn print_scratch_server(voice: ConsoleFormat, place: &Path) {
    say(voice, &DemoEvent::Scratch(place.to_string_lossy().into_owned()));
}

async fn play(
    stage: &DemoContext,
    token: &DemoToken,
    mut opened: Option<oneshot::Sender<()>>,
    stop: impl Future<Output = ()>,
) -> Result<DemoEnd, String> {
    let agent = agent_setup::create(&stage.agents, stage.directory.path(), stage.by.clone()).await?;
    say(stage.format, &DemoEvent::Begins { terminal: !stage.scratch });
    let (tell, mut events) = mpsc::channel(64);
    let run = AgentRun {
        service: &stage.agents,
        store: &*stage.store,
        directory: &stage.directory,
        tell: tell.clone(),
    };
    let client = Client::new(stage.server.clone(), Some(token.secret.clone()));
    let caller = HttpCaller { client, directory: stage.directory.path(), tell };
    let story = async {
        match run.run(agent, token.credential(), stage.by.clone()).await? {
            RunEnd::Done => caller.run().await.map_err(|error| error.to_string()),
            RunEnd::Stopped => Ok(()),
            RunEnd::TimeOver => {
                // A closed channel means that nobody prints events any more.
                let _ = caller.tell.send(DemoEvent::GaveUp).await;
                Ok(())
            }
        }
    };
    let others = other_callers::wait_for_others(&*stage.store, &stage.spools);
    tokio::pin!(story, others, stop);
    let ended = loop {
        tokio::select! {
            Some(event) = events.recv() => {
                say(stage.format, &event);
                if matches!(event, DemoEvent::QuestionOpened(_)) {
                    drop(opened.take());
                }
            }
            ended = &mut story => break ended.map(|()| DemoEnd::Finished),
            asked = &mut others => {
                break asked.map(|()| {
                    say(stage.format, &DemoEvent::SteppedAside);
                    DemoEnd::CutShort
                });
            }
            () = &mut stop => break Ok(DemoEnd::CutShort),
        }
    };
    if matches!(ended, Ok(DemoEnd::Finished)) {
        // Events that arrived in the last moment.
        while let Ok(event) = events.try_recv() {
            say(stage.format, &event);
        }
    } else {
        caller.withdraw().await;
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
