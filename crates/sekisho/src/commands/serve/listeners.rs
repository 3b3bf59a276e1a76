//! Where callers come in: a TCP port, with or without TLS, and a Unix socket beside it.

use std::io::ErrorKind;
use std::net::TcpListener;
use std::path::Path;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use sekisho_server::serve::{Listener, tls_acceptor};

use crate::commands::doctor::health_probe;
use crate::failure::Failure;
use crate::settings::{ListenAddress, ServerConfig, TlsFiles};

/// Binds what the settings name; nobody is let in yet. A port that was to be picked is written back. Needs a runtime.
pub(super) fn bind_listeners(serving: &mut ServerConfig) -> Result<Vec<Listener>, Failure> {
    let tls = serving.tls.as_ref().map(certificate).transpose()?;
    let tcp = TcpListener::bind(serving.listen.0).map_err(|error| not_bound(serving, &error))?;
    serving.listen = ListenAddress(tcp.local_addr()?);
    tcp.set_nonblocking(true)?;
    let tcp = tokio::net::TcpListener::from_std(tcp)?;
    let mut doors = vec![match tls {
        Some(tls) => Listener::Tls(tcp, tls),
        None => Listener::Tcp(tcp),
    }];
    if let Some(path) = &serving.socket {
        let way_out = "give another `--socket`, or `--socket none`";
        let socket = Listener::unix(path).map_err(|error| Failure::new(format!("{error} ({way_out})")))?;
        doors.push(socket);
    }
    Ok(doors)
}

fn certificate(files: &TlsFiles) -> Result<tokio_rustls::TlsAcceptor, Failure> {
    let read = |what: &str, path: &Path| {
        std::fs::read(path).map_err(|error| {
            let error = error.to_string().to_lowercase();
            Failure::new(format!("TLS: the {what} `{}` cannot be read: {error}", path.display()))
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
        ErrorKind::AddrInUse => match health_probe::probe_tcp(serving.local_address(), serving.tls.is_some()) {
            health_probe::ProbeResult::Sekisho(_) => {
                "another sekisho serves there; use that one, end it, or give another `--listen`"
            }
            _ => {
                "another program listens there; end it, or give another `--listen` (port 0 picks a free one)"
            }
        },
        ErrorKind::PermissionDenied => "ports below 1024 need more rights; give a higher one with `--listen`",
        ErrorKind::AddrNotAvailable => {
            "this machine has no such address; give one that it has with `--listen`"
        }
        _ => "give another `--listen`",
    };
    Failure::new(format!("`{listen}` cannot be listened on: {}: {way_out}", error.to_string().to_lowercase()))
}

/// Lets this process have as many connections as the system allows it.
pub(super) fn raise_file_limit() {
    let limit = getrlimit(Resource::Nofile);
    if limit.current < limit.maximum || limit.maximum.is_none() && limit.current.is_some() {
        // If it cannot be raised, fewer can connect at once; that is no reason not to serve.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
    }
}
