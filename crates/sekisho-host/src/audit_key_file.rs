//! The file with the keys of the record.
//!
//! Whoever can read it can forge the record; whoever loses it cannot verify it. So it lies outside the database, for its
//! owner's eyes only, is made once, never overwritten, and only ever replaced whole by the same keys and one more. What
//! the text in it means is not known here.

use std::fs::{File, Metadata, OpenOptions, Permissions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use rustix::io::Errno;

use crate::error::{HostError, plain};
use crate::file_io;
use crate::lock::Lock;

/// Thousands of keys; nobody rotates that often.
const LARGEST: u64 = 1 << 20;

/// The key file of a state directory.
#[derive(Clone, Debug)]
pub struct AuditKeyFile {
    state: PathBuf,
    path: PathBuf,
}

impl AuditKeyFile {
    /// The key file in a state directory; it may not be there yet.
    pub fn at(state: &Path) -> AuditKeyFile {
        AuditKeyFile { state: state.to_path_buf(), path: state.join("audit.key") }
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What it says; `None` where there is none. A link, or a file that others can read, is refused.
    pub fn read(&self) -> Result<Option<String>, HostError> {
        let Some((file, metadata)) = self.open()? else { return Ok(None) };
        self.look_at(&metadata)?;
        let mut text = String::new();
        file.take(LARGEST)
            .read_to_string(&mut text)
            .map_err(|error| HostError::file(&self.path, plain(&error)))?;
        Ok(Some(text))
    }

    /// What it says. Where there is none it is made, of 32 random bytes put into words by `first`; of two processes that
    /// do so at once, both get what one of them made.
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
        self.read()?.ok_or_else(|| HostError::file(&self.path, "it vanished while it was made; try again"))
    }

    /// Replaces what it says, as `next` makes it out of the old text and 32 random bytes; whole or not at all, one
    /// process at a time. Gives the new text.
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
                let fault = "it is a link, and a key is never read through one; put the file itself there";
                return Err(HostError::file(&self.path, fault));
            }
            Err(error) => return Err(HostError::io(&self.path, &error)),
        };
        let metadata = file.metadata().map_err(|error| HostError::io(&self.path, &error))?;
        if metadata.is_file() {
            Ok(Some((file, metadata)))
        } else {
            Err(HostError::file(&self.path, "it is not a regular file"))
        }
    }

    fn look_at(&self, metadata: &Metadata) -> Result<(), HostError> {
        let me = rustix::process::geteuid().as_raw();
        if metadata.uid() != me && metadata.uid() != 0 {
            return Err(HostError::file(&self.path, "it belongs to somebody else, so it proves nothing"));
        }
        if metadata.mode() & 0o077 != 0 {
            let fault = "others can read it, so it proves little; `chmod 600` it, then run `sekisho audit rotate-key`";
            return Err(HostError::file(&self.path, fault));
        }
        if metadata.len() > LARGEST {
            return Err(HostError::file(&self.path, "it is far too large to be a key file"));
        }
        let directory =
            self.state.metadata().map_err(|error| HostError::io(&self.state, &error))?.permissions();
        if directory.mode() & 0o022 != 0 {
            let fault = "others can write here, so the key in it could be anybody's; `chmod 700` it";
            return Err(HostError::file(&self.state, fault));
        }
        Ok(())
    }

    /// The text in a file beside the real one, on the disk and for the owner only.
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

    /// The name itself is on the disk once the directory is.
    fn sync_directory(&self) -> Result<(), HostError> {
        let synced = File::open(&self.state).and_then(|directory| directory.sync_all());
        synced.map_err(|error| HostError::io(&self.state, &error))
    }
}

fn random(path: &Path) -> Result<[u8; 32], HostError> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes)
        .map_err(|error| HostError::file(path, format!("the system has no random bytes for it: {error}")))?;
    Ok(bytes)
}
