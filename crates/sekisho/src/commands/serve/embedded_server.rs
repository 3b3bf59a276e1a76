//! A server inside another command. It has the settings of `sekisho serve`, prints nothing, and stops with the command.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use sekisho_server::serve::Listener;
use tokio::sync::watch;

use super::server_assembly::{self, ServerControl};
use super::{FAREWELL, listeners, memory_trim};
use crate::commands::audit::blocking_store;
use crate::commands::doctor::health_probe::{ProbeResult, probe_socket};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::{DemoMode, ListenAddress, ServerConfig, Settings};

/// How long a server may take to answer first.
const PATIENCE: Duration = Duration::from_secs(30);
/// How often it is asked.
const LOOKING: Duration = Duration::from_millis(10);

/// A server on a thread of this process. Dropping it stops the server and waits until it has stopped.
pub(crate) struct EmbeddedServer {
    pub(crate) socket: PathBuf,
    stop: watch::Sender<u8>,
    thread: Option<JoinHandle<Result<Exit, Failure>>>,
}

impl EmbeddedServer {
    /// Starts a server, and returns when it answers.
    pub(crate) fn start(settings: &Settings, mut serving: ServerConfig) -> Result<EmbeddedServer, Failure> {
        let socket = serving.socket.clone().unwrap_or_else(|| settings.locations.state.join("sekisho.sock"));
        serving.socket = Some(socket.clone());
        serving.demo = DemoMode::Off;
        let (stop, stopped) = watch::channel(0);
        let settings = settings.clone();
        let run = move || run(settings, serving, stopped);
        let thread = thread::Builder::new().name("server".into()).spawn(run)?;
        let mut server = EmbeddedServer { socket, stop, thread: Some(thread) };
        server.wait_until_ready()?;
        Ok(server)
    }

    fn wait_until_ready(&mut self) -> Result<(), Failure> {
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            if self.thread.as_ref().is_none_or(JoinHandle::is_finished) {
                return self.join().and(Err(Failure::new("the server stopped at once")));
            }
            if matches!(probe_socket(&self.socket), ProbeResult::Sekisho(_)) {
                return Ok(());
            }
            thread::sleep(LOOKING);
        }
        Err(Failure::new(format!("the server does not answer at {}", self.socket.display())))
    }

    fn join(&mut self) -> Result<(), Failure> {
        let ended = self.thread.take().map(JoinHandle::join);
        match ended {
            Some(Ok(ended)) => ended.map(drop),
            Some(Err(_)) => Err(Failure::new("the server failed")),
            None => Ok(()),
        }
    }
}

impl Drop for EmbeddedServer {
    fn drop(&mut self) {
        self.stop.send_modify(|count| *count = 1);
        // What it did is stored, whatever it says at its end.
        let _ = self.join();
    }
}

fn run(
    mut settings: Settings,
    mut serving: ServerConfig,
    stop: watch::Receiver<u8>,
) -> Result<Exit, Failure> {
    memory_trim::tune_allocator();
    listeners::raise_file_limit();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let (listeners, ready) = {
        let _within = runtime.enter();
        let listeners = bind(&mut serving)?;
        settings.locations.doors = serving.server_addresses();
        (listeners, server_assembly::Prerequisites::new(&settings, &serving)?)
    };
    let keys = blocking_store::load_or_create_keys(&settings)?;
    let control = ServerControl { voice: None, stop };
    let ended = runtime.block_on(server_assembly::run(settings, serving, ready, keys, listeners, control));
    // Ends the tools that still run. The last task drops the store, which closes the database.
    runtime.shutdown_timeout(FAREWELL);
    ended
}

/// Binds the configured addresses. If another program has the port, any other port of this machine does.
fn bind(serving: &mut ServerConfig) -> Result<Vec<Listener>, Failure> {
    listeners::bind_listeners(serving).or_else(|_| {
        serving.listen = ListenAddress(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)));
        listeners::bind_listeners(serving)
    })
}
