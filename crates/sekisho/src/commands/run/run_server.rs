//! The server that a run lives in: the one of this machine, or one inside this process.

use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use sekisho_host::PublishedRulesFile;

use crate::client::ServerAddress;
use crate::commands::doctor::health_probe::{ProbeResult, probe_socket};
use crate::commands::serve::EmbeddedServer;
use crate::failure::Failure;
use crate::settings::{ServerConfig, ServerOptions, Settings};
use crate::terminal::shorten_path;

/// How long a server that starts or stops may take.
const PATIENCE: Duration = Duration::from_secs(6);
const LOOKING: Duration = Duration::from_millis(100);

/// The server that a run lives in.
pub(super) struct RunServer {
    settings: Settings,
    /// The project of the run, for a server inside this process.
    root: Option<PathBuf>,
    embedded: Option<EmbeddedServer>,
    pub(super) address: ServerAddress,
}

impl RunServer {
    /// Finds the server of this machine, or starts one for this project.
    pub(super) fn open(settings: &Settings, root: Option<PathBuf>) -> Result<RunServer, Failure> {
        let start = Instant::now();
        loop {
            let mut own = settings.clone();
            let serving = own.resolve_server_config(ServerOptions::default())?;
            if let Some(socket) = running(&serving) {
                let address = ServerAddress::Unix(socket);
                return Ok(RunServer { settings: settings.clone(), root, embedded: None, address });
            }
            if !PublishedRulesFile::at(&own.locations.state).is_server_running() {
                match start_embedded(&own, serving.clone(), root.as_deref()) {
                    Ok(embedded) => {
                        let address = ServerAddress::Unix(embedded.socket.clone());
                        let settings = settings.clone();
                        return Ok(RunServer { settings, root, embedded: Some(embedded), address });
                    }
                    // Another `sekisho run` may have been faster.
                    Err(failure) if running(&serving).is_none() => return Err(failure),
                    Err(_) => continue,
                }
            }
            if start.elapsed() > PATIENCE {
                return Err(no_socket(settings));
            }
            thread::sleep(LOOKING);
        }
    }

    /// Whether the server ends with this command.
    pub(super) fn is_embedded(&self) -> bool {
        self.embedded.is_some()
    }

    /// Called when the connection was lost: if the server of this machine is gone, one starts in this process.
    pub(super) fn replace_lost(&mut self) {
        if self.embedded.is_none()
            && let Ok(RunServer { embedded: Some(embedded), .. }) =
                RunServer::open(&self.settings, self.root.clone())
        {
            self.embedded = Some(embedded);
        }
    }
}

/// The socket of the server that is running.
fn running(serving: &ServerConfig) -> Option<PathBuf> {
    let socket = serving.socket.clone()?;
    matches!(probe_socket(&socket), ProbeResult::Sekisho(_)).then_some(socket)
}

fn start_embedded(
    settings: &Settings,
    mut serving: ServerConfig,
    root: Option<&Path>,
) -> Result<EmbeddedServer, Failure> {
    serving.projects.extend(root.map(Path::to_path_buf));
    EmbeddedServer::start(settings, serving)
}

fn no_socket(settings: &Settings) -> Failure {
    let state = shorten_path(&settings.locations.state.to_string_lossy(), settings.locations.home.as_deref());
    Failure::new(format!(
        "a server of {state} is running, but its Unix socket does not answer; start it with a socket, or use `--server URL --agent NAME`"
    ))
}
