//! Binds the listeners: a TCP port with or without TLS, and a Unix socket.

use std::io::ErrorKind;
use std::net::TcpListener;
use std::path::Path;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use sekisho_server::serve::{Listener, tls_acceptor};

use crate::commands::doctor::health_probe;
use crate::failure::Failure;
use crate::settings::{ListenAddress, ServerConfig, TlsFiles};

/// Binds the configured addresses. No connection is accepted yet. If the port was 0, the chosen port is
/// written back to `serving`. Needs a runtime.
pub(super) fn bind_listeners(serving: &mut ServerConfig) -> Result<Vec<Listener>, Failure> {
    let tls = serving.tls.as_ref().map(certificate).transpose()?;
    let tcp = TcpListener::bind(serving.listen.0).map_err(|error| not_bound(serving, &error))?;
    serving.listen = ListenAddress(tcp.local_addr()?);
    tcp.set_nonblocking(true)?;
    let tcp = tokio::net::TcpListener::from_std(tcp)?;
    let mut listeners = vec![match tls {
        Some(tls) => Listener::Tls(tcp, tls),
        None => Listener::Tcp(tcp),
    }];
    if let Some(path) = &serving.socket {
        let way_out = "choose another `--socket`, or `--socket none`";
        let socket = Listener::unix(path).map_err(|error| Failure::new(format!("{error} ({way_out})")))?;
        listeners.push(socket);
    }
    Ok(listeners)
}

fn certificate(files: &TlsFiles) -> Result<tokio_rustls::TlsAcceptor, Failure> {
    let read = |what: &str, path: &Path| {
        std::fs::read(path).map_err(|error| {
            let error = error.to_string().to_lowercase();
            Failure::new(format!("TLS: cannot read the {what} `{}`: {error}", path.display()))
        })
    };
    let (cert, key) = (read("certificate", &files.cert)?, read("key", &files.key)?);
    tls_acceptor(&cert, &key).map_err(|error| {
        let (cert, key) = (files.cert.display(), files.key.display());
        Failure::new(format!("TLS: {error} (certificate `{cert}`, key `{key}`)"))
    })
}

fn not_bound(serving: &ServerConfig, error: &std::io::Error) -> Failure {
    let listen = serving.listen;
    let way_out = match error.kind() {
        ErrorKind::AddrInUse => match health_probe::probe_tcp(serving.local_address(), serving.tls.is_some())
        {
            health_probe::ProbeResult::Sekisho(_) => {
                "another sekisho is running there; use it, stop it, or choose another `--listen`"
            }
            _ => {
                "another program listens there; stop it, or choose another `--listen` (port 0 picks a free port)"
            }
        },
        ErrorKind::PermissionDenied => {
            "ports below 1024 need special privileges; choose a higher port with `--listen`"
        }
        ErrorKind::AddrNotAvailable => "this machine does not have that address; choose another `--listen`",
        _ => "choose another `--listen`",
    };
    Failure::new(format!("cannot listen on `{listen}`: {}; {way_out}", error.to_string().to_lowercase()))
}

/// Raises the limit of open files to the maximum, so that more connections are possible.
pub(super) fn raise_file_limit() {
    let limit = getrlimit(Resource::Nofile);
    if limit.current < limit.maximum || limit.maximum.is_none() && limit.current.is_some() {
        // If it cannot be raised, fewer clients can connect at once. The server still works.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
    }
}
