//! Runs the demo beside a server. It ends before the server does, and its errors do not affect the server.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use sekisho_host::Spools;
use sekisho_store::Store;
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;

use super::logging::ConsoleFormat;
use crate::client::ServerAddress;
use crate::commands::audit::local_operator;
use crate::demo::{self, DemoContext};
use crate::settings::{DemoMode, ServerConfig, Settings};

/// How long the demo may take to withdraw its questions.
const FAREWELL: Duration = Duration::from_secs(3);

/// How long printing the sign-in link waits for the demo's questions.
const OPENING: Duration = Duration::from_secs(5);

/// Starts the demo if it is requested. The returned receiver tells the server to stop, after the demo has
/// stopped. `print_link` prints the sign-in link; it is called after the demo's first messages, so that the
/// link is the last text on the screen.
pub(super) fn spawn_demo(
    settings: &Settings,
    serving: &ServerConfig,
    store: &Arc<dyn Store>,
    voice: ConsoleFormat,
    stop: watch::Receiver<u8>,
    print_link: impl FnOnce() + Send + 'static,
) -> watch::Receiver<u8> {
    if serving.demo == DemoMode::Off {
        print_link();
        return stop;
    }
    if !serving.asks || serving.no_approvers {
        demo::print_skipped(voice, "this server asks no questions, so there is nothing to show");
        print_link();
        return stop;
    }
    let (opened, opening) = oneshot::channel::<()>();
    tokio::spawn(async move {
        // All questions are open, the demo has ended, or it takes too long.
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
        spools: Spools::at(&settings.locations.state),
        server: door,
        by: Some(local_operator::local_operator(settings)),
        format: voice,
        scratch: serving.demo == DemoMode::Only,
    };
    let mut told = stop.clone();
    let playing = tokio::spawn(async move {
        match demo::check_can_run(&*stage.store, &stage.spools).await {
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
