//! Where callers come in: a TCP port, with or without TLS, and a Unix socket beside it.

use std::io::ErrorKind;
use std::net::TcpListener;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use sekisho_server::serve::Listener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::commands::doctor::knock;
use crate::failure::Failure;
use crate::settings::{Listen, Serving, Tls};

/// The doors, bound and not yet open.
pub(super) struct Doors {
    tcp: TcpListener,
    tls: Option<TlsAcceptor>,
    unix: Option<(UnixListener, PathBuf)>,
}

/// Binds what the settings name. A port that was to be picked is written back.
pub(super) fn bind(serving: &mut Serving) -> Result<Doors, Failure> {
    let tls = serving.tls.as_ref().map(acceptor).transpose()?;
    let tcp = TcpListener::bind(serving.listen.0).map_err(|error| not_bound(serving, &error))?;
    serving.listen = Listen(tcp.local_addr()?);
    let unix = match &serving.socket {
        Some(path) => Some((socket(path)?, path.clone())),
        None => None,
    };
    Ok(Doors { tcp, tls, unix })
}

impl Doors {
    /// Hands them to the runtime, each with the file to remove when it is closed.
    pub(super) fn open(self) -> std::io::Result<Vec<(Listener, Option<PathBuf>)>> {
        self.tcp.set_nonblocking(true)?;
        let tcp = tokio::net::TcpListener::from_std(self.tcp)?;
        let tcp = match self.tls {
            Some(tls) => Listener::Tls(tcp, tls),
            None => Listener::Tcp(tcp),
        };
        let mut open = vec![(tcp, None)];
        if let Some((unix, path)) = self.unix {
            unix.set_nonblocking(true)?;
            open.push((Listener::Unix(tokio::net::UnixListener::from_std(unix)?), Some(path)));
        }
        Ok(open)
    }
}

fn not_bound(serving: &Serving, error: &std::io::Error) -> Failure {
    let listen = serving.listen;
    let way_out = match error.kind() {
        ErrorKind::AddrInUse => match knock::over_tcp(serving.here(), serving.tls.is_some()) {
            knock::Answer::Ours(_) => {
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

/// A certificate and its key, ready to speak with.
fn acceptor(tls: &Tls) -> Result<TlsAcceptor, Failure> {
    let fault = |what: &str, path: &Path, fault: String| {
        Failure::new(format!("TLS {what} `{}`: {fault}", path.display()))
    };
    let certificate = |error: String| fault("certificate", &tls.cert, error);
    let key = |error: String| fault("key", &tls.key, error);
    let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_file_iter(&tls.cert)
        .and_then(Iterator::collect)
        .map_err(|error| certificate(format!("it cannot be read: {error}; it has to be a PEM file")))?;
    if chain.is_empty() {
        return Err(certificate("there is no certificate in it; it has to be a PEM file".into()));
    }
    let secret = PrivateKeyDer::from_pem_file(&tls.key).map_err(|error| {
        key(format!("it cannot be read: {error}; it has to be a PEM file without a passphrase"))
    })?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| key(error.to_string()))?
        .with_no_client_auth()
        .with_single_cert(chain, secret)
        .map_err(|error| key(format!("it does not go with the certificate: {error}")))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// A socket that only we may use. One that nobody listens on any more is replaced.
fn socket(path: &Path) -> Result<UnixListener, Failure> {
    let failed = |what: String| Failure::new(format!("socket `{}`: {what}", path.display()));
    let io = |error: std::io::Error| {
        failed(format!("{}; give another `--socket`, or `--socket none`", error.to_string().to_lowercase()))
    };
    if let Some(directory) = path.parent() {
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(directory).map_err(io)?;
    }
    match path.symlink_metadata() {
        Ok(there) if !there.file_type().is_socket() => {
            return Err(failed("something else lies there; give another `--socket`, or remove it".into()));
        }
        Ok(_) if UnixStream::connect(path).is_ok() => {
            return Err(failed(
                "another sekisho serves there; use that one, end it, or give another `--socket` (or `none`)"
                    .into(),
            ));
        }
        Ok(_) => std::fs::remove_file(path).map_err(io)?,
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(io(error)),
    }
    // Between these two lines it has the mode of the umask; nobody is served before the server runs.
    let listener = UnixListener::bind(path).map_err(io)?;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)).map_err(io)?;
    Ok(listener)
}

/// Lets this process have as many connections as the system allows it.
pub(super) fn raise_file_limit() {
    let limit = getrlimit(Resource::Nofile);
    if limit.current < limit.maximum || limit.maximum.is_none() && limit.current.is_some() {
        // If it cannot be raised, fewer can connect at once; that is no reason not to serve.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
    }
}
