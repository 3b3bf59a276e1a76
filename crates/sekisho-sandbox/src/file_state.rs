//! Which file has a name, and when it was last changed.

use std::ffi::OsStr;
use std::os::fd::OwnedFd;

use rustix::fs::{AtFlags, FileType, StatxFlags, statat, statx};
use rustix::io::Errno;

/// Which file it is, and for anything but a directory also when it was last changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FileState {
    pub(crate) kind: FileType,
    /// The numbers of its device and inode. Others may get them when it is gone.
    id: (u64, u64),
    /// When it was made, where the file system knows it.
    made: Option<(i64, u32)>,
    changed: Option<(i64, i64)>,
}

impl FileState {
    /// What has a name in a directory. A link is not followed.
    pub(crate) fn at(dir: &OwnedFd, name: &OsStr) -> Result<FileState, Errno> {
        let found = statat(dir, name, AtFlags::SYMLINK_NOFOLLOW)?;
        let kind = FileType::from_raw_mode(found.st_mode);
        // Some containers refuse this call.
        let made = statx(dir, name, AtFlags::SYMLINK_NOFOLLOW, StatxFlags::BTIME).ok();
        let made = made.filter(|made| made.stx_mask & StatxFlags::BTIME.bits() != 0);
        let changed = (found.st_ctime, i64::try_from(found.st_ctime_nsec).unwrap_or_default());
        Ok(FileState {
            kind,
            id: (found.st_dev, found.st_ino),
            made: made.map(|made| (made.stx_btime.tv_sec, made.stx_btime.tv_nsec)),
            changed: (kind != FileType::Directory).then_some(changed),
        })
    }

    /// Whether it is the same file, whether or not it was changed.
    pub(crate) fn is_same_file(&self, other: &FileState) -> bool {
        (self.kind, self.id, self.made) == (other.kind, other.id, other.made)
    }
}
