//! Reads files of repositories, with a size limit.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Read as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

/// The content of a regular file, `None` if there is no file. Anything else is an error: opening a pipe could
/// block.
pub(crate) fn read(path: &Path, largest: u64) -> Result<Option<Vec<u8>>, ()> {
    let flags = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or(0);
    let file = match OpenOptions::new().read(true).custom_flags(flags).open(path) {
        Ok(file) => file,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Err(_) => return Err(()),
    };
    let metadata = file.metadata().map_err(|_| ())?;
    if !metadata.is_file() || metadata.len() > largest {
        return Err(());
    }
    let mut content = Vec::new();
    file.take(largest).read_to_end(&mut content).map_err(|_| ())?;
    Ok(Some(content))
}

/// The top of the repository around a path: the nearest directory above it that contains `.git`.
pub(crate) fn repository_top(path: &Path) -> Option<PathBuf> {
    path.ancestors()
        .find(|directory| directory.join(".git").symlink_metadata().is_ok())
        .map(Path::to_path_buf)
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn only_small_regular_files_are_read() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        std::fs::write(at("file"), "four").unwrap();
        std::os::unix::fs::symlink("loop", at("loop")).unwrap();
        assert_eq!(read(&at("file"), 4), Ok(Some(b"four".to_vec())));
        assert_eq!(read(&at("file"), 3), Err(()));
        assert_eq!(read(&at("none"), 4), Ok(None));
        assert_eq!(read(&at("loop"), 4), Err(()));
        assert_eq!(read(directory.path(), u64::MAX), Err(()));
    }
}
