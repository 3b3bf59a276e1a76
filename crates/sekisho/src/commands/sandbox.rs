use std::ffi::OsString;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use rustix::io::{FdFlags, fcntl_setfd};
use sekisho_tools::contained_write::absolute;
use sekisho_tools::process::{TemporaryDir, proxy_variables, watch_helper};
use sekisho_tools::sandbox::Control;
use sekisho_tools::{Network, ProcessEnd, RequiredLevel, Sandbox, SandboxSettings};
use tokio::signal::unix::{SignalKind, signal};

use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::{self, Database, Settings};
use crate::spawn;

/// Run a command in the sandbox
///
/// The command can read files, but write only in the directories that `--write` names and in a temporary
/// directory of its own (`TMPDIR`). It has no network, no capabilities, and cannot reach other processes.
/// With `--host` it reaches the listed hosts, through a proxy that programs find in `HTTPS_PROXY`. When it
/// ends, everything that it started is killed. From your environment it gets only `PATH`, `HOME`, `LANG`,
/// `TERM`, `USER` and the variables named by `--env`.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// A directory that the command may write to, including everything below it; can be given several times
    #[arg(long = "write", value_name = "DIR")]
    writable: Vec<PathBuf>,
    /// A host that the command may reach, as `name` (ports 80 and 443) or `name:port`; can be given several times
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
  sekisho sandbox --write . --host api.example.org -- ./sync.sh
  sekisho sandbox --write . -- bash -c 'make && make check'

Exit codes: that of the command, 128 plus the signal that ended it, or 125 if the sandbox could not be set up.";

/// Where bubblewrap is looked for. Not in `PATH`: whoever controls that would control the sandbox.
const BUBBLEWRAP: &str = "/usr/bin/bwrap";

/// Variables that are always passed on.
const USUAL: &[&str] = &["PATH", "HOME", "LANG", "TERM", "USER"];

/// The exit code if the sandbox could not be set up.
const NOT_STARTED: u8 = 125;

/// The sandbox of this machine, in which our own secrets are hidden.
pub(crate) fn detect() -> Result<Sandbox, Failure> {
    detect_with(&Settings::load_lenient()?.0)
}

/// The sandbox of programs, which cannot read the secrets that these settings name.
pub(crate) fn detect_with(settings: &Settings) -> Result<Sandbox, Failure> {
    let helper = settings::sibling_program("sekisho-sandbox")?;
    Ok(Sandbox::detect(&helper, Some(Path::new(BUBBLEWRAP))).hiding(secrets(settings)))
}

/// What no program in the sandbox may read: the audit log with its key, the tokens, the server's config, which may
/// contain the password of a database, the private key of its certificate, and the keys of models.
fn secrets(settings: &Settings) -> Vec<PathBuf> {
    let mut secrets = vec![settings.locations.state.clone(), settings.server_config_path.clone()];
    secrets.extend(settings.tls_key());
    secrets.extend(settings::model_key_files());
    if let Database::Sqlite(file) = &settings.database {
        for ending in ["", "-wal", "-shm", "-journal"] {
            let mut name = file.clone().into_os_string();
            name.push(ending);
            secrets.push(name.into());
        }
    }
    secrets
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
    let here = std::env::current_dir()?;
    // Links are not followed: whoever made one would choose what becomes writable.
    let planned = |dir: &PathBuf| {
        let invalid = || Failure::new(format!("`{}` is not a path", dir.display()));
        Ok::<_, Failure>(absolute(&here, dir).ok_or_else(invalid)?.into())
    };
    let writable = args.writable.iter().map(planned).collect::<Result<Vec<_>, _>>()?;
    let level = if args.degraded { RequiredLevel::Degraded } else { RequiredLevel::Required };
    let network = if args.hosts.is_empty() { Network::Off } else { Network::Hosts(args.hosts) };
    let wanted = SandboxSettings { writable, network, level, ..SandboxSettings::default() };
    let mut plan = sandbox.plan(&wanted, args.command).map_err(|error| Failure::new(error.to_string()))?;
    plan.working_dir = Some(here);
    // The helper empties it, whatever ends this process.
    let temporary = TemporaryDir::create()?;
    temporary.add_to(&mut plan);
    let names: Vec<String> = USUAL.iter().copied().map(String::from).chain(args.variables).collect();
    let mut environment = settings::passed_on(&names);
    environment.push(("TMPDIR".into(), temporary.path().into()));
    if let Network::Hosts(_) = wanted.network {
        environment.extend(proxy_variables());
    }
    let (ours, theirs) = UnixStream::pair()?;
    // The helper inherits its end. This process starts nothing else.
    fcntl_setfd(&theirs, FdFlags::empty()).map_err(std::io::Error::from)?;
    plan.control = Some(Control::Descriptor(theirs.as_raw_fd()));
    wait(sandbox.helper(), &plan.to_arguments(), &environment, (ours, theirs), &wanted.network)
}

/// Waits for the command. Interrupts are its own business; a request to end is passed on.
fn wait(
    helper: &Path,
    arguments: &[OsString],
    environment: &[(OsString, OsString)],
    (ours, theirs): (UnixStream, UnixStream),
    network: &Network,
) -> Result<i32, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let ended = runtime.block_on(async {
        let mut interrupts = signal(SignalKind::interrupt())?;
        let (mut ends, mut hangups) = (signal(SignalKind::terminate())?, signal(SignalKind::hangup())?);
        let started = spawn::start_sandbox(helper, arguments, environment);
        let child = started.map_err(|error| {
            Failure::new(format!("`{}`: {}", helper.display(), error.to_string().to_lowercase()))
        })?;
        drop(theirs);
        let watching = watch_helper(ours, network);
        tokio::pin!(watching);
        let ended = loop {
            tokio::select! {
                ended = &mut watching => break ended.map_err(|error| Failure::new(error.to_string())),
                _ = interrupts.recv() => {}
                _ = ends.recv() => break Err(Failure::new("ended by a signal")),
                _ = hangups.recv() => break Err(Failure::new("ended by a signal")),
            }
        };
        Ok::<_, Failure>((child, ended))
    });
    // The socket is closed now, so the helper kills what is left and exits.
    let (mut child, ended) = ended?;
    child.wait()?;
    match ended? {
        ProcessEnd::Exited(code) => Ok(code),
        ProcessEnd::Signalled(signal) => Ok(128 + signal),
    }
}
