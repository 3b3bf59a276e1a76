//! The file of a Unix socket: its owner's only, and nobody takes it over while it is in use.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::Mode;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType};
use tokio::net::UnixListener;

use super::accept_backlog;

/// The file of a socket. Dropping it removes the file.
#[derive(Debug)]
pub struct SocketFile {
    path: PathBuf,
    /// Which file it is; another one in its place is not ours to remove.
    inode: (u64, u64),
    /// Held while the socket is in use, by whoever uses it.
    _lock: File,
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        let is_ours = std::fs::symlink_metadata(&self.path).is_ok_and(|file| inode(&file) == self.inode);
        if is_ours && let Err(error) = std::fs::remove_file(&self.path) {
            tracing::warn!(%error, path = %self.path.display(), "the socket's file could not be removed");
        }
    }
}

fn inode(file: &std::fs::Metadata) -> (u64, u64) {
    (file.dev(), file.ino())
}

/// Listens on a socket at a path.
pub(super) fn bind(path: &Path) -> Result<(UnixListener, SocketFile), String> {
    let told = |what: &'static str| move |error: io::Error| format!("{}: {what}: {error}", path.display());
    directory(path)?;
    let lock = lock(path)?;
    remove_stale_socket(path)?;
    let listener = listen(path).map_err(told("the socket cannot be made"))?;
    let file = std::fs::symlink_metadata(path).map_err(told("the socket cannot be read"))?;
    let file = SocketFile { path: path.to_owned(), inode: inode(&file), _lock: lock };
    std::fs::set_permissions(path, PermissionsExt::from_mode(0o600))
        .map_err(told("it cannot be kept from others"))?;
    Ok((listener, file))
}

/// The directory: made for the owner alone, or already such that nobody else can put files in it.
fn directory(path: &Path) -> Result<(), String> {
    let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) else {
        return Err(format!("{}: say in which directory the socket is to be", path.display()));
    };
    let shown = folder.display();
    let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(|error| format!("{shown}: the socket's directory cannot be made: {error}"))?;
    let found = folder.metadata().map_err(|error| format!("{shown}: {error}"))?;
    if found.mode() & 0o022 != 0 {
        let mode = found.mode() & 0o7777;
        return Err(format!(
            "{shown}: others can write to the socket's directory (mode {mode:o}), and could put their own socket in its \
             place; use one with mode 700"
        ));
    }
    Ok(())
}

/// Says that the socket is in use, for as long as what is given is kept.
fn lock(path: &Path) -> Result<File, String> {
    let mut name = path.as_os_str().to_owned();
    name.push(".lock");
    let shown = Path::new(&name).display();
    let file = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(&name);
    let file = file.map_err(|error| format!("{shown}: {error}"))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(in_use(path)),
        Err(TryLockError::Error(error)) => Err(format!("{shown}: {error}")),
    }
}

fn in_use(path: &Path) -> String {
    format!("{}: another server is listening there; stop it, or use another path", path.display())
}

/// Removes what an earlier server left. Nothing that is no socket, and none that somebody answers on.
fn remove_stale_socket(path: &Path) -> Result<(), String> {
    let shown = path.display();
    match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(format!("{shown}: {error}")),
        Ok(file) if !file.file_type().is_socket() => {
            Err(format!("{shown}: there is something else than a socket; remove it, or use another path"))
        }
        Ok(_) => match std::os::unix::net::UnixStream::connect(path) {
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
                std::fs::remove_file(path).map_err(|error| format!("{shown}: it cannot be replaced: {error}"))
            }
            Err(error) => Err(format!("{shown}: whether it is in use cannot be told: {error}")),
            Ok(_) => Err(in_use(path)),
        },
    }
}

fn listen(path: &Path) -> io::Result<UnixListener> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = rustix::net::socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    // Where the system knows it, the file has its mode from the start; elsewhere from right after.
    let _ = rustix::fs::fchmod(&socket, Mode::from_raw_mode(0o600));
    rustix::net::bind(&socket, &SocketAddrUnix::new(path)?)?;
    accept_backlog::listen(&socket)?;
    UnixListener::from_std(socket.into())
}
