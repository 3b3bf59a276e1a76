//! File locks: one writer at a time, across processes.

use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::error::HostError;
use crate::file_io::make_directory;

/// How long a writer waits for another.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Held while config files or trust records are changed; released when dropped.
pub(crate) struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock of a state directory.
    pub(crate) fn take(state: &Path) -> Result<Lock, HostError> {
        make_directory(state, 0o700)?;
        let path = state.join("lock");
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .mode(0o600)
            .open(&path)
            .map_err(|error| HostError::io(&path, &error))?;
        lock_file(&file, &path, TIMEOUT)?;
        Ok(Lock { _file: file })
    }
}

/// Locks a file, with a timeout: anyone who may read a file can hold its lock.
pub(crate) fn lock_file(file: &File, path: &Path, timeout: Duration) -> Result<(), HostError> {
    let start = Instant::now();
    let mut pause = Duration::from_micros(50);
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if start.elapsed() < timeout => std::thread::sleep(pause),
            Err(TryLockError::WouldBlock) => return Err(HostError::Busy { path: path.into() }),
            Err(TryLockError::Error(error)) => return Err(HostError::io(path, &error)),
        }
        pause = (pause * 2).min(Duration::from_millis(10));
    }
}
