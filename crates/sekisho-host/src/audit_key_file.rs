//! The file with the keys that sign the audit log.
//!
//! Anyone who can read it can forge the log, and without it the log cannot be verified. So it is outside the
//! database, readable by its owner only, created once, and never overwritten in place. To add a key, a new
//! file with all old keys and the new one replaces it. This module does not interpret its text.

use std::fs::{File, Metadata, OpenOptions, Permissions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use rustix::io::Errno;

use crate::error::{HostError, plain};
use crate::file_io;
use crate::lock::Lock;

/// Enough for thousands of keys.
const LARGEST: u64 = 1 << 20;

/// The key file of a state directory.
#[derive(Clone, Debug)]
pub struct AuditKeyFile {
    state: PathBuf,
    path: PathBuf,
}

impl AuditKeyFile {
    /// The key file in a state directory; it may not exist yet.
    pub fn at(state: &Path) -> AuditKeyFile {
        AuditKeyFile { state: state.to_path_buf(), path: state.join("audit.key") }
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its text; `None` if there is no file. A link, or a file that others can read, is an error.
    pub fn read(&self) -> Result<Option<String>, HostError> {
        let Some((file, metadata)) = self.open()? else { return Ok(None) };
        self.check_permissions(&metadata)?;
        let mut text = String::new();
        file.take(LARGEST)
            .read_to_string(&mut text)
            .map_err(|error| HostError::file(&self.path, plain(&error)))?;
        Ok(Some(text))
    }

    /// Its text. If there is no file, it is created: `first` turns 32 random bytes into the text. If two
    /// processes do this at once, both get the text that one of them wrote.
    pub fn read_or_make(&self, first: impl FnOnce([u8; 32]) -> String) -> Result<String, HostError> {
        if let Some(text) = self.read()? {
            return Ok(text);
        }
        file_io::make_directory(&self.state, 0o700)?;
        let draft = self.draft(&first(random(&self.path)?))?;
        match draft.persist_noclobber(&self.path) {
            Ok(_) => self.sync_directory()?,
            Err(error) if error.error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(HostError::io(&self.path, &error.error)),
        }
        self.read()?
            .ok_or_else(|| HostError::file(&self.path, "the file vanished while it was created; try again"))
    }

    /// Replaces the text, atomically and one process at a time. `next` builds the new text from the old one
    /// and 32 random bytes. Returns the new text.
    pub fn rotate(
        &self,
        next: impl FnOnce(&str, [u8; 32]) -> Result<String, String>,
    ) -> Result<String, HostError> {
        let _lock = Lock::take(&self.state)?;
        let old = self.read()?.ok_or_else(|| HostError::file(&self.path, "there is no key to rotate yet"))?;
        let new = next(&old, random(&self.path)?).map_err(|fault| HostError::file(&self.path, fault))?;
        self.draft(&new)?.persist(&self.path).map_err(|error| HostError::io(&self.path, &error.error))?;
        self.sync_directory()?;
        Ok(new)
    }

    fn open(&self) -> Result<Option<(File, Metadata)>, HostError> {
        let flags = i32::try_from((OFlags::NONBLOCK | OFlags::NOFOLLOW).bits()).unwrap_or(0);
        let file = match OpenOptions::new().read(true).custom_flags(flags).open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) if error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) => {
                let fault =
                    "the file is a link, and keys are not read through links; put the file itself there";
                return Err(HostError::file(&self.path, fault));
            }
            Err(error) => return Err(HostError::io(&self.path, &error)),
        };
        let metadata = file.metadata().map_err(|error| HostError::io(&self.path, &error))?;
        if metadata.is_file() {
            Ok(Some((file, metadata)))
        } else {
            Err(HostError::file(&self.path, "not a regular file"))
        }
    }

    fn check_permissions(&self, metadata: &Metadata) -> Result<(), HostError> {
        let me = rustix::process::geteuid().as_raw();
        if metadata.uid() != me && metadata.uid() != 0 {
            return Err(HostError::file(
                &self.path,
                "the file belongs to another user, so it cannot be trusted",
            ));
        }
        if metadata.mode() & 0o077 != 0 {
            let fault = "others can read it; run `chmod 600` on it, then `sekisho audit rotate-key`";
            return Err(HostError::file(&self.path, fault));
        }
        if metadata.len() > LARGEST {
            return Err(HostError::file(&self.path, "the file is too large to be a key file"));
        }
        let directory =
            self.state.metadata().map_err(|error| HostError::io(&self.state, &error))?.permissions();
        if directory.mode() & 0o022 != 0 {
            let fault = "others can write to this directory and replace the key; run `chmod 700` on it";
            return Err(HostError::file(&self.state, fault));
        }
        Ok(())
    }

    /// Writes the text to a synced temporary file in the same directory, readable by the owner only.
    fn draft(&self, text: &str) -> Result<tempfile::NamedTempFile, HostError> {
        let fault = |error: std::io::Error| {
            HostError::file(&self.state, format!("cannot write here: {}", plain(&error)))
        };
        let mut draft = tempfile::Builder::new()
            .prefix(".sekisho-")
            .permissions(Permissions::from_mode(0o600))
            .tempfile_in(&self.state)
            .map_err(fault)?;
        draft.write_all(text.as_bytes()).map_err(fault)?;
        draft.as_file().sync_all().map_err(fault)?;
        Ok(draft)
    }

    /// Syncs the directory, so that the file's name is on disk.
    fn sync_directory(&self) -> Result<(), HostError> {
        let synced = File::open(&self.state).and_then(|directory| directory.sync_all());
        synced.map_err(|error| HostError::io(&self.state, &error))
    }
}

fn random(path: &Path) -> Result<[u8; 32], HostError> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| {
        HostError::file(path, format!("cannot get random bytes from the system: {error}"))
    })?;
    Ok(bytes)
}
