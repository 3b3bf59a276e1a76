use std::ffi::OsString;
use std::path::{Path, PathBuf};

use rustix::process::{Pid, Signal, kill_process};
use sekisho_tools::{Network, RequiredLevel, Sandbox, SandboxSettings};
use tokio::signal::unix::{SignalKind, signal};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings;
use crate::spawn;

/// Run a command in the sandbox
///
/// The command can read files, but write only in the directories that are given and in a temporary directory
/// of its own (`TMPDIR`). It has no network, no capabilities, and cannot reach other processes. When it ends,
/// everything that it started is killed. Of the environment it gets `PATH`, `HOME`, `LANG`, `TERM`, `USER` and
/// what `--env` names.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// A directory that the command may write, with everything below; can be given several times
    #[arg(long = "write", value_name = "DIR")]
    writable: Vec<PathBuf>,
    /// A host that the command may reach, by name; can be given several times
    #[arg(long = "host", value_name = "NAME")]
    hosts: Vec<String>,
    /// A variable of the environment to pass on; can be given several times
    #[arg(long = "env", value_name = "NAME")]
    variables: Vec<String>,
    /// Run even where the kernel cannot enforce every limit
    #[arg(long)]
    degraded: bool,
    /// The command and its arguments
    #[arg(required = true, last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

const EXAMPLES: &str = "\
Examples:
  sekisho sandbox -- ls -la
  sekisho sandbox --write target -- cargo build --offline
  sekisho sandbox --write . -- bash -c 'make && make check'

Exit codes: that of the command, 128 plus the signal that ended it, or 125 if the sandbox cannot be made.";

/// Where bubblewrap is looked for. Not in `PATH`: whoever controls that would control the sandbox.
const BUBBLEWRAP: &str = "/usr/bin/bwrap";

/// Variables that are always passed on.
const USUAL: &[&str] = &["PATH", "HOME", "LANG", "TERM", "USER"];

/// The exit code if the sandbox cannot be made.
const NOT_STARTED: u8 = 125;

/// The sandbox of this machine.
pub(crate) fn detect() -> Result<Sandbox, Failure> {
    let helper = settings::sibling_program("sekisho-sandbox")?;
    Ok(Sandbox::detect(&helper, Some(Path::new(BUBBLEWRAP))))
}

pub(crate) fn run(args: Args) -> Result<Exit, Failure> {
    let code = start(args).unwrap_or_else(|failure| {
        eprintln!("error: {}", crate::terminal::visible(&failure.message));
        i32::from(NOT_STARTED)
    });
    std::process::exit(code)
}

fn start(args: Args) -> Result<i32, Failure> {
    let sandbox = detect()?;
    let real = |dir: &PathBuf| {
        let why = |error: std::io::Error| {
            Failure::new(format!("`{}`: {}", dir.display(), error.to_string().to_lowercase()))
        };
        dir.canonicalize().map_err(why)
    };
    let temporary = tempfile::Builder::new().prefix("sekisho-").tempdir()?;
    let mut writable = args.writable.iter().map(real).collect::<Result<Vec<_>, _>>()?;
    writable.push(temporary.path().canonicalize()?);
    if !args.hosts.is_empty() {
        // Only a proxy in this process could serve them.
        return Err(Failure::new("network is not available in the sandbox here; leave out `--host`"));
    }
    let level = if args.degraded { RequiredLevel::Degraded } else { RequiredLevel::Required };
    let wanted = SandboxSettings { writable, network: Network::Off, level };
    let mut plan = sandbox.plan(&wanted, args.command).map_err(|error| Failure::new(error.to_string()))?;
    plan.working_dir = std::env::current_dir().ok();
    let names: Vec<String> = USUAL.iter().copied().map(String::from).chain(args.variables).collect();
    let mut environment = settings::passed_on(&names);
    environment.push(("TMPDIR".into(), temporary.path().into()));
    wait(sandbox.helper(), &plan.to_arguments(), &environment)
}

/// Waits for the helper. Interrupts are the command's business; a request to end is passed on.
fn wait(helper: &Path, arguments: &[OsString], environment: &[(OsString, OsString)]) -> Result<i32, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    runtime.block_on(async {
        let mut interrupts = signal(SignalKind::interrupt())?;
        let (mut ends, mut hangups) = (signal(SignalKind::terminate())?, signal(SignalKind::hangup())?);
        let mut child = spawn::start_sandbox(helper, arguments, environment).map_err(|error| {
            Failure::new(format!("`{}`: {}", helper.display(), error.to_string().to_lowercase()))
        })?;
        let id = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let mut ended = tokio::task::spawn_blocking(move || child.wait());
        loop {
            tokio::select! {
                status = &mut ended => {
                    let status = status.map_err(|error| Failure::new(error.to_string()))??;
                    return Ok(status.code().unwrap_or(i32::from(NOT_STARTED)));
                }
                _ = interrupts.recv() => {}
                _ = ends.recv() => { id.map(|id| kill_process(id, Signal::TERM)); }
                _ = hangups.recv() => { id.map(|id| kill_process(id, Signal::TERM)); }
            }
        }
    })
}
