//! What tells one state of a file from another without reading it.

use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Times of change, length and inode; or why there are none.
pub(crate) type Stamp = Result<[i64; 6], ErrorKind>;

/// The stamp of a file, or of what a link leads to.
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
