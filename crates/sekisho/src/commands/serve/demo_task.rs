//! Runs the demo beside a server. It ends before the server does, and its errors do not affect the server.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use sekisho_agent::AgentService;
use sekisho_host::Spools;
use sekisho_store::Store;
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;

use super::logging::ConsoleFormat;
use crate::client::ServerAddress;
use crate::commands::audit::local_operator;
use crate::demo::{self, DemoContext, DemoDirectory};
use crate::settings::{DemoMode, ServerConfig, Settings};

/// How long the demo may take to withdraw its questions.
const FAREWELL: Duration = Duration::from_secs(3);

/// How long printing the sign-in link waits for the demo's first question. Long, because a slow machine is no
/// reason to print them in the other order; a demo that fails ends the wait at once.
const OPENING: Duration = Duration::from_secs(60);

/// The directory of the demo, which must exist before the server's agents do. None if there is no demo; why is
/// printed if it was requested.
pub(super) fn open_directory(serving: &ServerConfig, voice: ConsoleFormat) -> Option<DemoDirectory> {
    if serving.demo == DemoMode::Off {
        return None;
    }
    if !serving.asks || serving.no_approvers {
        demo::print_skipped(voice, "this server asks no questions, so there is nothing to show");
        return None;
    }
    let opened = DemoDirectory::open();
    opened
        .inspect_err(|error| {
            demo::print_skipped(voice, &format!("cannot create a temporary directory: {error}"))
        })
        .ok()
}

/// What the demo of a server is made of.
pub(super) struct DemoParts<'a> {
    pub(super) settings: &'a Settings,
    pub(super) serving: &'a ServerConfig,
    pub(super) store: &'a Arc<dyn Store>,
    pub(super) agents: AgentService,
    /// Whether other servers use the same database.
    pub(super) is_shared: bool,
    pub(super) voice: ConsoleFormat,
}

/// Starts the demo if it has a directory. The returned receiver tells the server to stop, after the demo has
/// stopped. `print_link` prints the sign-in link; it is called once the first question is open, so that the
/// link is the last text on the screen.
pub(super) fn spawn_demo(
    parts: DemoParts<'_>,
    directory: Option<DemoDirectory>,
    stop: watch::Receiver<u8>,
    print_link: impl FnOnce() + Send + 'static,
) -> watch::Receiver<u8> {
    let DemoParts { settings, serving, store, agents, is_shared, voice } = parts;
    let by = local_operator::local_operator(settings);
    let Some(directory) = directory else {
        print_link();
        if !is_shared {
            tokio::spawn(async move {
                if let Err(error) = demo::remove_leftovers(&agents, by).await {
                    tracing::warn!(error, "cannot remove what an earlier demo left");
                }
            });
        }
        return stop;
    };
    let (opened, opening) = oneshot::channel::<()>();
    tokio::spawn(async move {
        // The first question is open, the demo has ended, or it takes too long.
        let _ = tokio::time::timeout(OPENING, opening).await;
        print_link();
    });
    let here = serving.local_address();
    let door = match &serving.socket {
        Some(socket) => ServerAddress::Unix(socket.clone()),
        None => ServerAddress::Tcp { host: host_of(here), port: here.port(), tls: serving.tls.is_some() },
    };
    let stage = DemoContext {
        store: Arc::clone(store),
        agents,
        directory,
        spools: Spools::at(&settings.locations.state),
        server: door,
        by,
        format: voice,
        scratch: serving.demo == DemoMode::Only,
    };
    let mut told = stop.clone();
    let playing = tokio::spawn(async move {
        match may_start(&stage, is_shared).await {
            Ok(Ok(())) => {
                let stop = async { drop(told.wait_for(|signals| *signals > 0).await) };
                demo::run_demo(&stage, Some(opened), stop).await;
            }
            Ok(Err(why)) => {
                demo::print_skipped(voice, &format!("{why}; `sekisho demo` runs it on a temporary server"))
            }
            Err(why) => demo::print_skipped(voice, &why),
        }
    });
    let (later, stopped) = watch::channel(0);
    tokio::spawn(forward_signals(playing, serving.demo == DemoMode::Only, stop, later));
    stopped
}

/// Removes what an earlier demo left, and checks whether the demo may run. On a shared database an open question can
/// belong to the demo of another server.
async fn may_start(stage: &DemoContext, is_shared: bool) -> Result<Result<(), &'static str>, String> {
    if !is_shared {
        demo::remove_leftovers(&stage.agents, stage.by.clone()).await?;
    }
    let checked = demo::check_can_run(&*stage.store, &stage.spools).await?;
    if is_shared && checked.is_ok() {
        demo::remove_leftovers(&stage.agents, stage.by.clone()).await?;
    }
    Ok(checked)
}

/// Forwards signals: the first one after the demo has ended, the second at once. If the server exists only
/// for the demo, the end of the demo counts as a signal too.
async fn forward_signals(
    mut playing: JoinHandle<()>,
    ends_with_it: bool,
    mut stop: watch::Receiver<u8>,
    later: watch::Sender<u8>,
) {
    let over = tokio::select! {
        _ = &mut playing => true,
        _ = stop.wait_for(|signals| *signals > 0) => false,
    };
    if over && !ends_with_it {
        drop(stop.wait_for(|signals| *signals > 0).await);
    } else if !over {
        tokio::select! {
            _ = tokio::time::timeout(FAREWELL, playing) => {}
            _ = stop.wait_for(|signals| *signals > 1) => {}
        }
    }
    later.send_modify(|signals| *signals = 1);
    drop(stop.wait_for(|signals| *signals > 1).await);
    later.send_modify(|signals| *signals = 2);
}

/// The address without its port, as in a URL.
fn host_of(here: SocketAddr) -> String {
    match here.ip() {
        IpAddr::V4(ip) => ip.to_string(),
        IpAddr::V6(ip) => format!("[{ip}]"),
    }
}
