//! Starts the agent and passes lines between it and the editor.
//!
//! Each direction is a task of its own, so that neither waits for the other.

use std::ffi::{OsStr, OsString};
use std::process::ChildStdout;
use std::sync::Arc;
use std::time::Duration;

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep_until, timeout};

use super::agent_process::{AgentProcess, received_signals};
use super::approver::Approver;
use super::editor_lines::pass_to_agent;
use super::envelope::text_of;
use super::lines::{self, Line};
use super::notes::{flush_notes, has_own_stderr};
use super::proxy::{Ended, Lines, Proxy, next_line};
use crate::failure::Failure;
use crate::spawn;

/// How long an agent has to end by itself once the editor is gone.
const GRACE: Duration = Duration::from_secs(10);
/// How long to wait for more of the agent's output, and for reports to the server, once the agent has ended.
const LAST_WORDS: Duration = Duration::from_secs(2);
/// How many bytes of output are passed on after the agent has ended: more comes from a process that it left behind.
const MOST_LAST_WORDS: usize = 64 << 20;
/// The agent must not be able to answer its own questions.
const NOT_PASSED_ON: &[&str] = &["SEKISHO_TOKEN"];

/// Starts the agent and runs until it has ended. Returns its exit code.
pub(super) async fn run(approver: Approver, program: &OsStr, arguments: &[OsString]) -> Result<i32, Failure> {
    let (mut signals, mut children) = (received_signals()?, signal(SignalKind::child())?);
    let mut child =
        spawn::start_agent(program, arguments, NOT_PASSED_ON, has_own_stderr()).map_err(|error| {
            let why = error.to_string().to_lowercase();
            Failure::new(format!("`{}` cannot be started: {why}", program.display()))
        })?;
    let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(Failure::new("the agent has no pipes"));
    };
    let mut agent = AgentProcess::new(child);
    let (proxy, reporter) = Proxy::new(approver, lines::write_lines(stdin).0);
    let (exited, has_exited) = watch::channel(false);
    let mut ends = start_passing(&proxy, stdout, has_exited);
    let mut written = false;
    let code = loop {
        let ended = tokio::select! {
            Some(signal) = signals.recv() => {
                agent.pass_on(signal);
                continue;
            }
            _ = children.recv() => match agent.exit_code()? {
                Some(code) => break code,
                None => continue,
            },
            () = agent.send_when_due() => continue,
            Some(ended) = ends.recv() => ended,
        };
        if ended == Ended::Closed {
            proxy.editor_gone();
            agent.end_after(GRACE);
            continue;
        }
        written |= matches!(ended, Ended::Written | Ended::EditorGone);
        proxy.close();
        let at_once = matches!(ended, Ended::TooLong | Ended::EditorGone);
        agent.end_after(if at_once { Duration::ZERO } else { GRACE });
    };
    proxy.close();
    exited.send_replace(true);
    if !written {
        tokio::select! {
            () = all_written(&mut ends, proxy.is_editor_gone()) => {}
            _ = signals.recv() => {}
        }
    }
    proxy.end_reports();
    let _ = timeout(LAST_WORDS, reporter).await;
    let _ = timeout(LAST_WORDS, flush_notes()).await;
    // An agent that is no longer read may end by a signal before its line is found to be too long.
    Ok(if proxy.was_line_too_long() { 1 } else { code })
}

/// Starts both directions. The channel tells what has ended.
fn start_passing(
    proxy: &Arc<Proxy>,
    from_agent: ChildStdout,
    has_exited: watch::Receiver<bool>,
) -> mpsc::Receiver<Ended> {
    let (sender, ends) = mpsc::channel(8);
    let (to_editor, written) = lines::write_lines(std::io::stdout());
    let passing = pass_to_agent(proxy.clone(), lines::read_lines(std::io::stdin()));
    tokio::spawn(tell(sender.clone(), passing));
    let passing = pass_to_editor(proxy.clone(), lines::read_lines(from_agent), to_editor, has_exited);
    tokio::spawn(tell(sender.clone(), passing));
    let writing = async move {
        match written.await {
            Ok(Ok(())) => Ended::Written,
            _ => Ended::EditorGone,
        }
    };
    tokio::spawn(tell(sender.clone(), writing));
    // Lines may wait for an agent that reads nothing, and then the end of our input is not read either.
    for closed in [lines::until_closed(std::io::stdin()), lines::until_unread(std::io::stdout())] {
        let closing = async move {
            let _ = closed.await;
            Ended::Closed
        };
        tokio::spawn(tell(sender.clone(), closing));
    }
    ends
}

/// Waits until the agent has ended.
async fn exit(has_exited: &mut watch::Receiver<bool>) {
    let _ = has_exited.wait_for(|exited| *exited).await;
}

/// When to stop reading after the agent has ended: after a while without a line, and in any case some time later. A process
/// that it left behind may hold its output open, and write to it.
async fn last_words(ended: Option<Instant>) {
    match ended {
        Some(ended) => sleep_until((Instant::now() + LAST_WORDS).min(ended + GRACE)).await,
        None => std::future::pending().await,
    }
}

async fn tell(sender: mpsc::Sender<Ended>, what: impl Future<Output = Ended>) {
    // Nobody listens any more once the agent has ended.
    let _ = sender.send(what.await).await;
}

/// An editor may take its time to read what the agent said last, unless it closed its side.
async fn all_written(ends: &mut mpsc::Receiver<Ended>, mut is_gone: bool) {
    loop {
        let next = if is_gone { timeout(GRACE, ends.recv()).await } else { Ok(ends.recv().await) };
        match next {
            Ok(Some(Ended::Closed)) => is_gone = true,
            Ok(Some(Ended::Written | Ended::EditorGone) | None) | Err(_) => return,
            Ok(Some(_)) => {}
        }
    }
}

async fn pass_to_editor(
    proxy: Arc<Proxy>,
    mut lines: Lines,
    to_editor: mpsc::Sender<Line>,
    mut has_exited: watch::Receiver<bool>,
) -> Ended {
    let mut left = MOST_LAST_WORDS;
    let mut ended = None;
    loop {
        let line = tokio::select! {
            biased;
            () = last_words(ended.filter(|ended: &Instant| ended.elapsed() >= GRACE)) => return Ended::Direction,
            line = next_line(&mut lines, "the agent") => line,
            () = exit(&mut has_exited), if ended.is_none() => {
                ended = Some(Instant::now());
                continue;
            }
            () = last_words(ended) => return Ended::Direction,
        };
        let line = match line {
            Ok(line) => line,
            Err(ended) => {
                // Before the channel to the editor is closed, which ends the wait for what is written.
                proxy.passing_ended(ended);
                return ended;
            }
        };
        if ended.is_some() {
            match left.checked_sub(line.bytes.len()) {
                Some(rest) => left = rest,
                None => return Ended::Direction,
            }
        }
        if proxy.handle_agent(&text_of(&line.bytes)).await {
            continue;
        }
        if to_editor.send(line).await.is_err() {
            return Ended::Direction;
        }
    }
}
