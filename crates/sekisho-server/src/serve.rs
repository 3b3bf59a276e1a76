//! Letting callers in.

use std::future::Future;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, UnixListener};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore, watch};
use tokio_rustls::TlsAcceptor;
use tower::ServiceExt;

use crate::app::App;
use crate::auth::Peer;

/// Where callers come in.
pub enum Listener {
    /// Over TCP.
    Tcp(TcpListener),
    /// Over TLS.
    Tls(TcpListener, TlsAcceptor),
    /// On a Unix socket.
    Unix(UnixListener),
}

/// How long to wait after a connection could not be accepted: too many files are open, most likely.
const BREATHER: Duration = Duration::from_millis(50);

/// Lets callers in until `shutdown` ends. Then nobody waits any more, their questions stay open for the next start, and
/// what is being answered is given a moment to finish.
pub async fn serve(
    app: App,
    listener: Listener,
    shutdown: impl Future<Output = ()> + Send,
) -> io::Result<()> {
    let router = app.router();
    let limits = app.settings().limits.clone();
    let places = Arc::new(Semaphore::new(limits.connections));
    let (closing, closed) = watch::channel(false);
    tokio::pin!(shutdown);
    loop {
        let place = tokio::select! {
            () = &mut shutdown => break,
            place = Arc::clone(&places).acquire_owned() => place.map_err(io::Error::other)?,
        };
        let accepted = tokio::select! {
            () = &mut shutdown => break,
            accepted = listener.accept() => accepted,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(BREATHER).await;
                continue;
            }
        };
        let seat = Seat::new(place, closed.clone());
        tokio::spawn(Caller { app: app.clone(), router: router.clone(), peer, seat }.hold(stream));
    }
    app.gate().close();
    closing.send_replace(true);
    drop(closed);
    // Over when the last connection has dropped its receiver.
    if tokio::time::timeout(limits.farewell, closing.closed()).await.is_err() {
        tracing::warn!("some callers were still there when their time was up");
    }
    Ok(())
}

type Accepting = std::pin::Pin<Box<dyn Future<Output = io::Result<Box<dyn Stream>>> + Send>>;

trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

impl Listener {
    async fn accept(&self) -> io::Result<(Accepting, Peer)> {
        match self {
            Listener::Tcp(listener) => {
                let (stream, address) = listener.accept().await?;
                // Answers are small and somebody waits for each.
                stream.set_nodelay(true)?;
                Ok((Box::pin(async move { Ok(Box::new(stream) as Box<dyn Stream>) }), Peer::Tcp(address)))
            }
            Listener::Tls(listener, acceptor) => {
                let (stream, address) = listener.accept().await?;
                stream.set_nodelay(true)?;
                let accepting = acceptor.accept(stream);
                let accepting = async move { Ok(Box::new(accepting.await?) as Box<dyn Stream>) };
                Ok((Box::pin(accepting), Peer::Tcp(address)))
            }
            Listener::Unix(listener) => {
                let (stream, _) = listener.accept().await?;
                let uid = stream.peer_cred()?.uid();
                Ok((Box::pin(async move { Ok(Box::new(stream) as Box<dyn Stream>) }), Peer::Unix(uid)))
            }
        }
    }
}

/// A caller's seat. It is taken as long as anybody holds it: a connection that became a WebSocket leaves the server's own
/// loop, but not its seat, so it still counts, and is waited for when the server stops.
#[derive(Clone)]
pub(crate) struct Seat(Arc<Taken>);

struct Taken {
    _place: OwnedSemaphorePermit,
    closed: watch::Receiver<bool>,
    hang_up: Notify,
}

impl Seat {
    fn new(place: OwnedSemaphorePermit, closed: watch::Receiver<bool>) -> Seat {
        Seat(Arc::new(Taken { _place: place, closed, hang_up: Notify::new() }))
    }

    /// Ends when the server stops, or nobody is left to say so.
    pub(crate) async fn closing(&self) {
        let _ = self.0.closed.clone().wait_for(|set| *set).await;
    }

    /// Cuts the connection, whatever is being written to it.
    pub(crate) fn hang_up(&self) {
        self.0.hang_up.notify_one();
    }
}

struct Caller {
    app: App,
    router: Router,
    peer: Peer,
    seat: Seat,
}

impl Caller {
    async fn hold(self, accepting: Accepting) {
        let app = self.app.clone();
        let _held = app.inner.metrics.connections.hold();
        let head = app.settings().limits.head;
        let Ok(Ok(stream)) = tokio::time::timeout(head, accepting).await else { return };
        let (router, peer, seat) = (self.router, self.peer, self.seat.clone());
        let service = hyper::service::service_fn(move |request: hyper::Request<hyper::body::Incoming>| {
            let mut request: Request = request.map(axum::body::Body::new);
            request.extensions_mut().insert(peer);
            request.extensions_mut().insert(seat.clone());
            router.clone().oneshot(request)
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(head)
            .serve_connection(TokioIo::new(stream), service)
            .with_upgrades();
        tokio::pin!(connection);
        let ended = tokio::select! {
            ended = &mut connection => ended,
            () = self.seat.0.hang_up.notified() => Ok(()),
            () = self.seat.closing() => {
                connection.as_mut().graceful_shutdown();
                tokio::select! {
                    ended = &mut connection => ended,
                    () = self.seat.0.hang_up.notified() => Ok(()),
                }
            }
        };
        if let Err(error) = ended {
            tracing::debug!(%error, "a connection ended");
        }
    }
}
