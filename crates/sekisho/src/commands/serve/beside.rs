//! The demo beside a server: begun with it, ended before it. Whatever becomes of it, the server goes on.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use sekisho_host::Spools;
use sekisho_store::Store;
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;

use super::logs::Voice;
use crate::client::Address;
use crate::commands::audit::upkeep;
use crate::demo::{self, Stage};
use crate::settings::{Demo, Serving, Settings};

/// How long it may take to withdraw its questions.
const FAREWELL: Duration = Duration::from_secs(3);

/// How long the way in may wait for the questions of the demo.
const OPENING: Duration = Duration::from_secs(5);

/// Begins the demo if it is wanted. What comes back tells the server to stop: after the demo has. `tell_link` tells people
/// the way in; that comes after what the demo says while it begins, so that it is the last on the screen.
pub(super) fn begin(
    settings: &Settings,
    serving: &Serving,
    store: &Arc<dyn Store>,
    voice: Voice,
    stop: watch::Receiver<u8>,
    tell_link: impl FnOnce() + Send + 'static,
) -> watch::Receiver<u8> {
    if serving.demo == Demo::Off {
        tell_link();
        return stop;
    }
    if !serving.asks || serving.no_approvers {
        demo::leave_out(voice, "this server asks nobody, so there is nothing to show");
        tell_link();
        return stop;
    }
    let (opened, opening) = oneshot::channel::<()>();
    tokio::spawn(async move {
        // All questions are open, the demo has ended, or it takes too long.
        let _ = tokio::time::timeout(OPENING, opening).await;
        tell_link();
    });
    let here = serving.here();
    let door = match &serving.socket {
        Some(socket) => Address::Unix(socket.clone()),
        None => Address::Tcp { host: host_of(here), port: here.port(), tls: serving.tls.is_some() },
    };
    let stage = Stage {
        store: Arc::clone(store),
        spools: Spools::at(&settings.locations.state),
        door,
        by: Some(upkeep::by(settings)),
        voice,
        scratch: serving.demo == Demo::Only,
    };
    let mut told = stop.clone();
    let playing = tokio::spawn(async move {
        match demo::may_ask(&*stage.store, &stage.spools).await {
            Ok(Ok(())) => {
                let stop = async { drop(told.wait_for(|signals| *signals > 0).await) };
                demo::play(&stage, Some(opened), stop).await;
            }
            Ok(Err(why)) => demo::leave_out(voice, &format!("{why}; `sekisho demo` shows it elsewhere")),
            Err(why) => demo::leave_out(voice, &why),
        }
    });
    let (later, stopped) = watch::channel(0);
    tokio::spawn(hand_on(playing, serving.demo == Demo::Only, stop, later));
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
