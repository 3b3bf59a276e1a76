//! One writer at a time, across processes.

use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::error::HostError;
use crate::file::make_directory;

/// How long a writer waits for another.
const PATIENCE: Duration = Duration::from_secs(5);

/// Held while config files or the record of trust are changed; let go when dropped.
pub(crate) struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the one lock of a state directory.
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
        let start = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Lock { _file: file }),
                Err(TryLockError::WouldBlock) if start.elapsed() < PATIENCE => {
                    std::thread::sleep(Duration::from_millis(20));
                }
                Err(TryLockError::WouldBlock) => return Err(HostError::Busy { path }),
                Err(TryLockError::Error(error)) => return Err(HostError::io(&path, &error)),
            }
        }
    }
}
