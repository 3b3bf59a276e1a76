//! The file of a Unix socket: for its owner only, and locked while it is in use.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::Mode;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType};
use tokio::net::UnixListener;

use super::listen_backlog;

/// The file of a socket. Dropping it removes the file.
#[derive(Debug)]
pub struct SocketFile {
    path: PathBuf,
    /// Identifies the file, so that a file that replaced it is not removed.
    inode: (u64, u64),
    /// Locked while the socket is in use.
    _lock: File,
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        let is_ours = std::fs::symlink_metadata(&self.path).is_ok_and(|file| inode(&file) == self.inode);
        if is_ours && let Err(error) = std::fs::remove_file(&self.path) {
            tracing::warn!(%error, path = %self.path.display(), "could not remove the socket file");
        }
    }
}

fn inode(file: &std::fs::Metadata) -> (u64, u64) {
    (file.dev(), file.ino())
}

/// Binds and listens on a socket at a path.
pub(super) fn bind(path: &Path) -> Result<(UnixListener, SocketFile), String> {
    let describe =
        |what: &'static str| move |error: io::Error| format!("{}: {what}: {error}", path.display());
    directory(path)?;
    let lock = lock(path)?;
    remove_stale_socket(path)?;
    let listener = listen(path).map_err(describe("cannot create the socket"))?;
    let file = std::fs::symlink_metadata(path).map_err(describe("cannot read the socket file"))?;
    let file = SocketFile { path: path.to_owned(), inode: inode(&file), _lock: lock };
    std::fs::set_permissions(path, PermissionsExt::from_mode(0o600))
        .map_err(describe("cannot restrict the permissions of the socket"))?;
    Ok((listener, file))
}

/// Creates the directory for the owner alone, or checks that nobody else can write to it.
fn directory(path: &Path) -> Result<(), String> {
    let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) else {
        return Err(format!("{}: the path of the socket needs a directory", path.display()));
    };
    let shown = folder.display();
    let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(|error| format!("{shown}: cannot create the socket's directory: {error}"))?;
    let found = folder.metadata().map_err(|error| format!("{shown}: {error}"))?;
    if found.mode() & 0o022 != 0 {
        let mode = found.mode() & 0o7777;
        return Err(format!(
            "{shown}: others can write to the socket's directory (mode {mode:o}) and could put their own socket in its \
             place; use a directory with mode 700"
        ));
    }
    Ok(())
}

/// Marks the socket as in use until the file is dropped.
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

/// Removes the socket of an earlier server. Fails if the file is not a socket, or if a server is listening on
/// it.
fn remove_stale_socket(path: &Path) -> Result<(), String> {
    let shown = path.display();
    match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(format!("{shown}: {error}")),
        Ok(file) if !file.file_type().is_socket() => {
            Err(format!("{shown}: the file exists and is not a socket; remove it, or use another path"))
        }
        Ok(_) => match std::os::unix::net::UnixStream::connect(path) {
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => std::fs::remove_file(path)
                .map_err(|error| format!("{shown}: cannot replace the old socket: {error}")),
            Err(error) => Err(format!("{shown}: cannot find out whether the socket is in use: {error}")),
            Ok(_) => Err(in_use(path)),
        },
    }
}

fn listen(path: &Path) -> io::Result<UnixListener> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = rustix::net::socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    // Where the system supports it, the file has this mode from the start; elsewhere it is set right after.
    let _ = rustix::fs::fchmod(&socket, Mode::from_raw_mode(0o600));
    rustix::net::bind(&socket, &SocketAddrUnix::new(path)?)?;
    listen_backlog::listen(&socket)?;
    UnixListener::from_std(socket.into())
}
