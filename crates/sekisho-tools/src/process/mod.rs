//! Runs programs in the sandbox. The only module that starts them.
//!
//! The program gets a cleared environment with a few variables, a private temporary directory, no input,
//! no descriptors but its two output pipes, and its own session. When it ends, when time is up or when the
//! caller goes away, every process that it started is killed. Reading stops at the deadline, even while
//! some process holds a pipe open.

mod control_socket;
mod environment;
mod helper_watch;
mod host_proxy;
mod output_pump;
mod program;
mod temporary_dir;

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use tokio::process::{Child, Command};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::sandbox::{Control, HelperPlan, Sandbox};
use crate::tool_context::OutputSink;

use control_socket::ControlSocket;
pub use environment::{SEARCH_PATH, proxy_variables, search_path};
pub use helper_watch::watch_helper;
use output_pump::{Ending, OutputPump};
pub use program::{ProgramEnd, ProgramError, ProgramOutcome, ProgramRequest};
pub use temporary_dir::TemporaryDir;

/// How long the helper may take to kill everything and to empty the temporary directory before it is killed itself. It
/// gives up emptying after ten seconds.
const KILL_TIME: Duration = Duration::from_secs(15);

fn not_started(error: io::Error) -> ProgramError {
    ProgramError::NotStarted(error.to_string().to_lowercase())
}

/// Runs a program and waits until it and everything it started has ended. Dropping the future kills it.
pub async fn run(
    sandbox: &Sandbox,
    request: ProgramRequest,
    cancellation: &CancellationToken,
    sink: &dyn OutputSink,
) -> Result<ProgramOutcome, ProgramError> {
    let start = Instant::now();
    let mut plan = sandbox.plan(&request.settings, request.command.clone()).map_err(ProgramError::Sandbox)?;
    plan.working_dir = Some(request.working_dir.clone());
    plan.working_dir_id = request.working_dir_id;
    plan.control = Some(Control::Stdin);
    // The helper empties it when everything has ended, also if this process does not live to see it.
    let temporary = TemporaryDir::create().map_err(not_started)?;
    temporary.add_to(&mut plan);
    let (mut helper, control) = spawn(sandbox, &plan, &request, temporary.path())?;
    let mut pump = OutputPump::new(&mut helper, control, request.output_limit, &request.settings.network);
    let ending = pump.run(start + request.timeout, cancellation, sink).await;
    let (stdout, stderr) = pump.into_output();
    // The control socket is closed now, so the helper kills what is left and exits.
    if timeout(KILL_TIME, helper.wait()).await.is_err() {
        // The kernel then kills the first process of the sandbox.
        let _ = helper.kill().await;
    }
    let end = match ending {
        Ending::Ended(end) => ProgramEnd::Ended(end),
        Ending::TimedOut => ProgramEnd::TimedOut,
        Ending::Cancelled => ProgramEnd::Cancelled,
        Ending::Killed(why) => ProgramEnd::Killed(why),
        Ending::Failed(why) => return Err(ProgramError::NotStarted(why)),
        Ending::NoReport => return Err(ProgramError::NoReport),
    };
    Ok(ProgramOutcome { end, stdout, stderr, duration: start.elapsed(), level: sandbox.level_of(&plan) })
}

#[expect(clippy::disallowed_methods, reason = "the place that starts programs")]
fn spawn(
    sandbox: &Sandbox,
    plan: &HelperPlan,
    request: &ProgramRequest,
    temporary: &Path,
) -> Result<(Child, ControlSocket), ProgramError> {
    let (ours, theirs) = UnixStream::pair().map_err(not_started)?;
    let mut command = std::process::Command::new(sandbox.helper());
    command
        .args(plan.to_arguments())
        .env_clear()
        .envs(environment::variables(request, temporary))
        .current_dir("/")
        .process_group(0)
        .stdin(Stdio::from(OwnedFd::from(theirs)))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut command = Command::from(command);
    let helper = command.spawn().map_err(|error| {
        let why = error.to_string().to_lowercase();
        ProgramError::NotStarted(format!("`{}` cannot be started: {why}", sandbox.helper().display()))
    })?;
    // The command holds the helper's end of the socket, whose closing would otherwise not be seen.
    drop(command);
    Ok((helper, ControlSocket::new(ours).map_err(not_started)?))
}
