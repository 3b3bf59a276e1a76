//! File stamps: detect a change without reading the file.

use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Change times, length and inode; or the error.
pub(crate) type Stamp = Result<[i64; 6], ErrorKind>;

/// The stamp of a file, or of a link's target.
pub(crate) fn stamp(file: &Path) -> Stamp {
    let metadata = file.metadata().map_err(|error| error.kind())?;
    let count = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    Ok([
        metadata.mtime(),
        metadata.mtime_nsec(),
        metadata.ctime(),
        metadata.ctime_nsec(),
        count(metadata.len()),
        count(metadata.ino()),
    ])
}
