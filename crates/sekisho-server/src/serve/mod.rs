//! Accepting and serving connections.
//!
//! Time is limited where a client could waste it: for the handshake, for the head of a request (including the
//! wait for the next request on an open connection), for its body, and for reading the response. It is not
//! limited while the client waits for the server: a human may take long, and an event stream has no end.

mod client_stream;
mod connection_handle;
mod framing;
mod listen_backlog;
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

/// A socket that accepts connections.
pub enum Listener {
    /// TCP.
    Tcp(TcpListener),
    /// TLS over TCP.
    Tls(TcpListener, TlsAcceptor),
    /// A Unix socket, whose file is removed at the end.
    Unix(UnixListener, SocketFile),
}

/// How long to wait after a connection could not be accepted, most likely because too many files are open.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(50);
/// The largest head of a request, and how much of a body is buffered at a time.
const BUFFER: usize = 64 << 10;

/// Serves connections until `shutdown` resolves. Then waiting callers are released, their approvals stay open
/// for the next start, and responses in progress get a moment to finish.
pub async fn serve(
    app: App,
    listener: Listener,
    shutdown: impl Future<Output = ()> + Send,
) -> io::Result<()> {
    listener.set_backlog();
    let router = app.router();
    let limits = app.settings().limits.clone();
    let slots = Arc::new(Semaphore::new(limits.connections));
    let (all_closed, open) = watch::channel(());
    tokio::pin!(shutdown);
    loop {
        // Connections beyond the limit wait in the system's queue. A connection that sends no request is
        // closed before long.
        let slot = tokio::select! {
            () = &mut shutdown => break,
            slot = Arc::clone(&slots).acquire_owned() => slot.map_err(io::Error::other)?,
        };
        let accepted = tokio::select! {
            () = &mut shutdown => break,
            accepted = listener.accept() => accepted,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) if is_peer_error(&error) => continue,
            Err(error) => {
                tracing::warn!(%error, "could not accept a connection");
                tokio::time::sleep(ACCEPT_RETRY_DELAY).await;
                continue;
            }
        };
        let handle = ConnectionHandle::new(open.clone());
        let connection = Connection { app: app.clone(), router: router.clone(), peer, slot, handle };
        tokio::spawn(connection.run(stream));
    }
    drop(listener);
    drop(open);
    app.shut_down();
    // Resolves when the last connection has dropped its receiver.
    if tokio::time::timeout(limits.shutdown_grace, all_closed.closed()).await.is_err() {
        tracing::warn!("some connections were still open after the shutdown grace period");
    }
    Ok(())
}

/// Whether the peer caused the error, which says nothing about the next connection.
fn is_peer_error(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted};
    [ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted].contains(&error.kind())
}

type Accepting = Pin<Box<dyn Future<Output = io::Result<Box<dyn Stream>>> + Send>>;

trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

impl Listener {
    /// Binds a Unix socket that only its owner may use, in a directory where nobody else can replace it. The
    /// file of an earlier server is replaced; that of a running server is not.
    pub fn unix(path: &std::path::Path) -> Result<Listener, String> {
        let (listener, file) = unix_socket::bind(path)?;
        Ok(Listener::Unix(listener, file))
    }

    /// Listening again with another backlog changes it, no matter who created the listener.
    fn set_backlog(&self) {
        let listened = match self {
            Listener::Tcp(listener) | Listener::Tls(listener, _) => listen_backlog::listen(listener),
            Listener::Unix(listener, _) => listen_backlog::listen(listener),
        };
        if let Err(error) = listened {
            tracing::debug!(%error, "could not change the listen backlog");
        }
    }

    async fn accept(&self) -> io::Result<(Accepting, Peer)> {
        match self {
            Listener::Tcp(listener) => {
                let (stream, address) = listener.accept().await?;
                // Responses are small and a caller waits for each. A connection that is already closed is
                // noticed later.
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
    slot: OwnedSemaphorePermit,
    handle: ConnectionHandle,
}

impl Connection {
    async fn run(self, accepting: Accepting) {
        let Connection { app, router, peer, slot, handle } = self;
        let _held = app.inner.metrics.connections.hold();
        let (head, write_timeout) = (app.settings().limits.head_timeout, app.settings().limits.body_timeout);
        let Ok(Ok(stream)) = tokio::time::timeout(head, accepting).await else { return };
        let closer = handle.clone();
        let upgraded = UpgradedFlag::default();
        let upgrading = upgraded.clone();
        let service = hyper::service::service_fn(move |request: hyper::Request<hyper::body::Incoming>| {
            let mut request: Request = request.map(axum::body::Body::new);
            request.extensions_mut().insert(peer);
            request.extensions_mut().insert(handle.clone());
            let (responding, upgrading) = (router.clone().oneshot(request), upgrading.clone());
            async move {
                let response = responding.await?;
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
            .serve_connection(TokioIo::new(ClientStream::new(stream, write_timeout, slot, upgraded)), service)
            .with_upgrades();
        tokio::pin!(connection);
        let ended = tokio::select! {
            ended = &mut connection => ended,
            () = closer.closed() => Ok(()),
            () = app.shutdown_started() => {
                connection.as_mut().graceful_shutdown();
                tokio::select! {
                    ended = &mut connection => ended,
                    () = closer.closed() => Ok(()),
                }
            }
        };
        if let Err(error) = ended {
            tracing::debug!(%error, "a connection ended");
        }
    }
}
