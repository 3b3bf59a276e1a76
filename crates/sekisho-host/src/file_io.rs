//! Reads files that may be anything, and replaces files so that no reader sees half of one.

use std::fs::{File, Metadata, OpenOptions, Permissions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

use rustix::fs::OFlags;
use tempfile::NamedTempFile;

use crate::error::{HostError, plain};

/// The text of a file, or `None` if there is no file.
///
/// Anything but a readable regular file with at most `largest` bytes of UTF-8 is an error. The file is opened
/// without blocking, so that a pipe in its place is rejected instead of waited on for ever.
pub(crate) fn read(path: &Path, largest: usize) -> Result<Option<String>, HostError> {
    let Some((file, metadata)) = open(path)? else { return Ok(None) };
    let too_large = |bytes: u64| {
        HostError::file(
            path,
            format!("the file has {bytes} bytes, more than the {largest} that are read; split it"),
        )
    };
    let limit = u64::try_from(largest).unwrap_or(u64::MAX);
    if metadata.len() > limit {
        return Err(too_large(metadata.len()));
    }
    let mut bytes = Vec::new();
    let read = file.take(limit + 1).read_to_end(&mut bytes).map_err(|error| HostError::io(path, &error))?;
    if read > largest {
        return Err(too_large(u64::try_from(read).unwrap_or(u64::MAX)));
    }
    String::from_utf8(bytes).map(Some).map_err(|error| {
        let valid = error.as_bytes().get(..error.utf8_error().valid_up_to()).unwrap_or_default();
        let line = valid.iter().filter(|byte| **byte == b'\n').count() + 1;
        HostError::file(path, format!("line {line} is not UTF-8; save the file as UTF-8"))
    })
}

/// Opens a regular file; `None` if nothing exists at the path.
pub(crate) fn open(path: &Path) -> Result<Option<(File, Metadata)>, HostError> {
    let flags = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or(0);
    let file = match OpenOptions::new().read(true).custom_flags(flags).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return absent(path).map(|()| None),
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            return Err(HostError::file(path, "no permission to read it"));
        }
        Err(error) => return Err(HostError::io(path, &error)),
    };
    let metadata = file.metadata().map_err(|error| HostError::io(path, &error))?;
    match metadata.file_type() {
        kind if kind.is_file() => Ok(Some((file, metadata))),
        kind if kind.is_dir() => Err(HostError::file(path, "a directory is in place of the file")),
        _ => Err(HostError::file(path, "not a regular file")),
    }
}

/// Checks that the path does not exist because a file is missing, and not because a link leads nowhere.
fn absent(path: &Path) -> Result<(), HostError> {
    for step in path.ancestors() {
        match step.symlink_metadata() {
            Ok(metadata) if metadata.is_symlink() && step.metadata().is_err() => {
                return Err(HostError::file(step, "a link that leads nowhere"));
            }
            Ok(_) => return Ok(()),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(HostError::file(path, plain(&error))),
        }
    }
    Ok(())
}

/// Replaces a file atomically; the new text is synced to disk before this returns.
///
/// An existing file keeps its mode, a new one gets `mode`. Missing directories are created with
/// `directory_mode`.
pub(crate) fn replace(path: &Path, text: &str, mode: u32, directory_mode: u32) -> Result<(), HostError> {
    let io = |error: std::io::Error| HostError::io(path, &error);
    let draft = temp_file(path, text.as_bytes(), mode, directory_mode)?;
    draft.as_file().sync_all().map_err(io)?;
    draft.persist(path).map_err(|error| io(error.error))?;
    // The rename is durable once the directory is synced.
    let parent = path.parent().unwrap_or(path);
    File::open(parent).and_then(|directory| directory.sync_all()).map_err(io)
}

/// Replaces a file atomically for readers. A power loss may lose the bytes.
pub(crate) fn replace_unsynced(
    path: &Path,
    bytes: &[u8],
    mode: u32,
    directory_mode: u32,
) -> Result<(), HostError> {
    let draft = temp_file(path, bytes, mode, directory_mode)?;
    draft.persist(path).map(drop).map_err(|error| HostError::io(path, &error.error))
}

/// A new temporary file in the directory of the file it will replace.
fn temp_file(path: &Path, bytes: &[u8], mode: u32, directory_mode: u32) -> Result<NamedTempFile, HostError> {
    let io = |error: std::io::Error| HostError::io(path, &error);
    let parent = path.parent().ok_or_else(|| HostError::file(path, "the path has no directory"))?;
    make_directory(parent, directory_mode)?;
    let mode = path.metadata().map_or(mode, |metadata| metadata.permissions().mode() & 0o7777);
    let mut draft = tempfile::Builder::new()
        .prefix(".sekisho-")
        .permissions(Permissions::from_mode(0o600))
        .tempfile_in(parent)
        .map_err(|error| HostError::file(parent, format!("cannot write here: {}", plain(&error))))?;
    draft.write_all(bytes).map_err(io)?;
    draft.as_file().set_permissions(Permissions::from_mode(mode)).map_err(io)?;
    Ok(draft)
}

/// Creates a directory and its missing parents.
pub(crate) fn make_directory(path: &Path, mode: u32) -> Result<(), HostError> {
    use std::os::unix::fs::DirBuilderExt;
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(mode)
        .create(path)
        .map_err(|error| HostError::file(path, format!("cannot create the directory: {}", plain(&error))))
}
