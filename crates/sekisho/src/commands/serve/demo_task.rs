//! The demo beside a server: begun with it, ended before it. Whatever becomes of it, the server goes on.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use sekisho_host::Spools;
use sekisho_store::Store;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::logging::ConsoleFormat;
use crate::client::ServerAddress;
use crate::commands::audit::local_operator;
use crate::demo::{self, DemoContext};
use crate::settings::{DemoMode, ServerConfig, Settings};

/// How long it may take to withdraw its questions.
const FAREWELL: Duration = Duration::from_secs(3);

/// Begins the demo if it is wanted. What comes back tells the server to stop: after the demo has.
pub(super) fn spawn_demo(
    settings: &Settings,
    serving: &ServerConfig,
    store: &Arc<dyn Store>,
    voice: ConsoleFormat,
    stop: watch::Receiver<u8>,
) -> watch::Receiver<u8> {
    if serving.demo == DemoMode::Off {
        return stop;
    }
    if !serving.asks || serving.no_approvers {
        demo::print_skipped(voice, "this server asks nobody, so there is nothing to show");
        return stop;
    }
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
                demo::run_demo(&stage, stop).await;
            }
            Ok(Err(why)) => demo::print_skipped(voice, &format!("{why}; `sekisho demo` shows it elsewhere")),
            Err(why) => demo::print_skipped(voice, &why),
        }
    });
    let (later, stopped) = watch::channel(0);
    tokio::spawn(hand_on(playing, serving.demo == DemoMode::Only, stop, later));
    stopped
}

/// Hands signals on: the first once the demo has ended, the second at once. Where the server is there for the demo only,
/// its end is a signal too.
async fn hand_on(
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

/// The address without its port, as it stands in a URL.
fn host_of(here: SocketAddr) -> String {
    match here.ip() {
        IpAddr::V4(ip) => ip.to_string(),
        IpAddr::V6(ip) => format!("[{ip}]"),
    }
}
