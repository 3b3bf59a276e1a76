//! Letting callers in.
//!
//! Time is bounded where a caller could waste it: for the handshake, for the head of a request (the wait for the next one
//! on an open connection included), for its body, and for taking what it is told. It is not bounded while a caller waits for us: a human may take long,
//! and a stream of events has no end.

mod accept_backlog;
mod client_stream;
mod connection_handle;
mod framing;
mod tls;
mod unix_socket;

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::http::StatusCode;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, UnixListener};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio_rustls::TlsAcceptor;
use tower::ServiceExt;

use crate::app::App;
use crate::auth::Peer;
use client_stream::{ClientStream, UpgradedFlag};

pub(crate) use connection_handle::ConnectionHandle;
pub use tls::tls_acceptor;
pub use unix_socket::SocketFile;

/// Where callers come in.
pub enum Listener {
    /// Over TCP.
    Tcp(TcpListener),
    /// Over TLS.
    Tls(TcpListener, TlsAcceptor),
    /// On a Unix socket, whose file is removed at the end.
    Unix(UnixListener, SocketFile),
}

/// How long to wait after a connection could not be accepted: too many files are open, most likely.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(50);
/// The largest head of a request, and how much of a body is held at a time.
const BUFFER: usize = 64 << 10;

/// Lets callers in until `shutdown` ends. Then nobody waits any more, their questions stay open for the next start, and
/// what is being answered is given a moment to finish.
pub async fn serve(
    app: App,
    listener: Listener,
    shutdown: impl Future<Output = ()> + Send,
) -> io::Result<()> {
    listener.set_backlog();
    let router = app.router();
    let limits = app.settings().limits.clone();
    let places = Arc::new(Semaphore::new(limits.connections));
    let (leaving, here) = watch::channel(());
    tokio::pin!(shutdown);
    loop {
        // Those who find no place wait in the system's queue. Whoever holds one without asking anything is cut before long.
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
            Err(error) if is_peer_error(&error) => continue,
            Err(error) => {
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(ACCEPT_RETRY_DELAY).await;
                continue;
            }
        };
        let seat = ConnectionHandle::new(here.clone());
        let caller = Connection { app: app.clone(), router: router.clone(), peer, place, seat };
        tokio::spawn(caller.run(stream));
    }
    drop(listener);
    drop(here);
    app.shut_down();
    // Over when the last connection has dropped its receiver.
    if tokio::time::timeout(limits.shutdown_grace, leaving.closed()).await.is_err() {
        tracing::warn!("some callers were still there when their time was up");
    }
    Ok(())
}

/// Whether a connection was lost by whoever made it, which says nothing about the next one.
fn is_peer_error(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted};
    [ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted].contains(&error.kind())
}

type Accepting = Pin<Box<dyn Future<Output = io::Result<Box<dyn Stream>>> + Send>>;

trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

impl Listener {
    /// A Unix socket at a path: for its owner only, in a directory where nobody else can put another in its place. What an
    /// earlier server left there is replaced; one that still runs is not.
    pub fn unix(path: &std::path::Path) -> Result<Listener, String> {
        let (listener, file) = unix_socket::bind(path)?;
        Ok(Listener::Unix(listener, file))
    }

    /// Listening once more with another length sets it, whoever made the listener.
    fn set_backlog(&self) {
        let listened = match self {
            Listener::Tcp(listener) | Listener::Tls(listener, _) => accept_backlog::listen(listener),
            Listener::Unix(listener, _) => accept_backlog::listen(listener),
        };
        if let Err(error) = listened {
            tracing::debug!(%error, "the queue of callers stays as long as it is");
        }
    }

    async fn accept(&self) -> io::Result<(Accepting, Peer)> {
        match self {
            Listener::Tcp(listener) => {
                let (stream, address) = listener.accept().await?;
                // Answers are small and somebody waits for each. A connection that is gone already is found out later.
                let _ = stream.set_nodelay(true);
                Ok((Box::pin(async move { Ok(Box::new(stream) as Box<dyn Stream>) }), Peer::Tcp(address)))
            }
            Listener::Tls(listener, acceptor) => {
                let (stream, address) = listener.accept().await?;
                let _ = stream.set_nodelay(true);
                let accepting = acceptor.accept(stream);
                let accepting = async move { Ok(Box::new(accepting.await?) as Box<dyn Stream>) };
                Ok((Box::pin(accepting), Peer::Tcp(address)))
            }
            Listener::Unix(listener, _) => {
                let (stream, _) = listener.accept().await?;
                let uid = stream.peer_cred()?.uid();
                Ok((Box::pin(async move { Ok(Box::new(stream) as Box<dyn Stream>) }), Peer::Unix(uid)))
            }
        }
    }
}

struct Connection {
    app: App,
    router: Router,
    peer: Peer,
    place: OwnedSemaphorePermit,
    seat: ConnectionHandle,
}

impl Connection {
    async fn run(self, accepting: Accepting) {
        let Connection { app, router, peer, place, seat } = self;
        let _held = app.inner.metrics.connections.hold();
        let (head, patience) = (app.settings().limits.head_timeout, app.settings().limits.body_timeout);
        let Ok(Ok(stream)) = tokio::time::timeout(head, accepting).await else { return };
        let taken = seat.clone();
        let upgraded = UpgradedFlag::default();
        let upgrading = upgraded.clone();
        let service = hyper::service::service_fn(move |request: hyper::Request<hyper::body::Incoming>| {
            let mut request: Request = request.map(axum::body::Body::new);
            request.extensions_mut().insert(peer);
            request.extensions_mut().insert(seat.clone());
            let (answering, upgrading) = (router.clone().oneshot(request), upgrading.clone());
            async move {
                let response = answering.await?;
                if response.status() == StatusCode::SWITCHING_PROTOCOLS {
                    upgrading.set();
                }
                Ok::<_, std::convert::Infallible>(response)
            }
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(head)
            .max_header_size(BUFFER)
            .max_buf_size(BUFFER)
            .serve_connection(TokioIo::new(ClientStream::new(stream, patience, place, upgraded)), service)
            .with_upgrades();
        tokio::pin!(connection);
        let ended = tokio::select! {
            ended = &mut connection => ended,
            () = taken.closed() => Ok(()),
            () = app.shutdown_started() => {
                connection.as_mut().graceful_shutdown();
                tokio::select! {
                    ended = &mut connection => ended,
                    () = taken.closed() => Ok(()),
                }
            }
        };
        if let Err(error) = ended {
            tracing::debug!(%error, "a connection ended");
        }
    }
}
