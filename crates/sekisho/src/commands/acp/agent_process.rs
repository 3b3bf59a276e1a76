//! The agent as a process of this machine: signals, and how it ends.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus};
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, waitid};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;
use tokio::time::Instant;

/// How long an agent has to end once it is asked to, before it is killed.
const KILL_AFTER: Duration = Duration::from_secs(5);

/// An agent and everything in its process group.
pub(super) struct AgentProcess {
    child: Child,
    group: Option<Pid>,
    /// The signal that comes next, and when.
    next: Option<(Instant, Signal)>,
}

impl AgentProcess {
    pub(super) fn new(child: Child) -> AgentProcess {
        let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        AgentProcess { child, group, next: None }
    }

    /// Sends a signal to the agent and to what it started. Not to be called once it has ended.
    pub(super) fn signal(&self, signal: Signal) {
        if let Some(group) = self.group {
            // It may have ended just now, or have left its group.
            let _ = kill_process_group(group, signal);
            let _ = kill_process(group, signal);
        }
    }

    /// Passes on a signal that we received. After one that asks to end, an agent that goes on is killed.
    pub(super) fn pass_on(&mut self, signal: Signal) {
        self.signal(signal);
        let asks_to_end = matches!(signal, Signal::TERM | Signal::HUP | Signal::QUIT);
        if asks_to_end && !matches!(self.next, Some((_, Signal::KILL))) {
            self.next = Some((Instant::now() + KILL_AFTER, Signal::KILL));
        }
    }

    /// Asks the agent to end unless it ends by itself within `grace`; kills it later.
    pub(super) fn end_after(&mut self, grace: Duration) {
        let at = Instant::now() + grace;
        let earlier = self.next.is_some_and(|(next, signal)| signal == Signal::KILL || next <= at);
        if !earlier {
            self.next = Some((at, Signal::TERM));
        }
    }

    /// Waits until the next signal is due, and sends it. Waits forever if there is none.
    pub(super) async fn send_when_due(&mut self) {
        let Some((at, signal)) = self.next else { return std::future::pending().await };
        tokio::time::sleep_until(at).await;
        self.signal(signal);
        self.next = Some((Instant::now() + KILL_AFTER, Signal::KILL));
    }

    /// The exit code, once it has ended: its own, or 128 plus the signal that ended it. What it left behind in its group is
    /// asked to end.
    pub(super) fn exit_code(&mut self) -> io::Result<Option<i32>> {
        let Some(agent) = self.group else { return Err(io::ErrorKind::NotFound.into()) };
        // As long as it is not reaped, no other group has its id.
        let looking = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        if waitid(WaitId::Pid(agent), looking)?.is_none() {
            return Ok(None);
        }
        let _ = kill_process_group(agent, Signal::TERM);
        let code =
            |status: ExitStatus| status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or_default());
        Ok(self.child.try_wait()?.map(code))
    }
}

/// Keeps other processes of the same user from reading our environment, which may hold a token, and from tracing us.
pub(super) fn hide_environment() {
    #[cfg(target_os = "linux")]
    {
        // An agent that runs as root can read it anyway.
        let _ = rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable);
    }
}

/// Signals to pass on to the agent.
pub(super) fn received_signals() -> io::Result<mpsc::Receiver<Signal>> {
    let (sender, receiver) = mpsc::channel(8);
    for (kind, passed_on) in [
        (SignalKind::interrupt(), Signal::INT),
        (SignalKind::terminate(), Signal::TERM),
        (SignalKind::hangup(), Signal::HUP),
        (SignalKind::quit(), Signal::QUIT),
        (SignalKind::user_defined1(), Signal::USR1),
        (SignalKind::user_defined2(), Signal::USR2),
    ] {
        let (mut signals, sender) = (signal(kind)?, sender.clone());
        tokio::spawn(async move {
            while signals.recv().await.is_some() && sender.send(passed_on).await.is_ok() {}
        });
    }
    Ok(receiver)
}
