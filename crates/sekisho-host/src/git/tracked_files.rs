//! Files that the index names.
//!
//! Some commands print the contents of tracked files, wherever they are, so those commands need an approval
//! if any of these files is protected. And `git grep` opens tracked files without checking the directories
//! on the way: if one of those has become a link, the file is outside of the work tree.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, openat, statat};

use super::index::{self, Directories, LARGEST_INDEX};
use crate::bounded_git_read;

/// The most directories, and the most selected files, that are checked.
const MOST_DIRECTORIES: usize = 50_000;
const MOST_FILES: usize = 50_000;
/// The cost of selecting from an index, for each byte of it: every path is compared with the protected paths.
const WALK: usize = 2;

/// The files that a repository's index names.
#[derive(Debug)]
pub(super) struct TrackedFiles {
    pub(super) tree: PathBuf,
    /// The directories of the index and of the files it shares.
    pub(super) directories: Vec<Directories>,
    /// The paths of those index files.
    pub(super) indexes: Vec<PathBuf>,
    /// The length of object names, in bytes.
    pub(super) hash: usize,
}

/// Files that were selected from an index.
pub(crate) struct SelectedFiles {
    pub(crate) paths: Vec<String>,
    /// How many were considered.
    pub(crate) chosen: usize,
}

impl TrackedFiles {
    /// The selected files below a directory of the work tree, by their paths from there; if `changed`, only
    /// those that differ from the index. `None` if that cannot be determined. Bytes read are subtracted from
    /// `left`.
    pub(super) fn below(
        &self,
        directory: &Path,
        changed: bool,
        is_chosen: &dyn Fn(&str) -> bool,
        left: &mut usize,
    ) -> Option<SelectedFiles> {
        let mut above = directory.strip_prefix(&self.tree).ok()?.as_os_str().as_bytes().to_owned();
        if !above.is_empty() {
            above.push(b'/');
        }
        let mut found = SelectedFiles { paths: Vec::new(), chosen: 0 };
        let written = self.written();
        // An entry of a split index may replace one of the shared index; its times are then meaningless.
        let is_split = self.indexes.len() > 1;
        for name in &self.indexes {
            let content = bounded_git_read::read(name, LARGEST_INDEX).ok()?.unwrap_or_default();
            *left = left.checked_sub(content.len() * WALK)?;
            index::entries(&content, self.hash, |entry, path| {
                if entry.is_sparse_directory() {
                    return None;
                }
                let Some(below) = path.strip_prefix(above.as_slice()) else { return Some(()) };
                let text = String::from_utf8_lossy(below);
                if text.is_empty() || !is_chosen(&text) {
                    return Some(());
                }
                found.chosen += 1;
                // For a file that is gone or unreachable, git shows everything it contained.
                let file = || self.tree.join(OsStr::from_bytes(path)).symlink_metadata();
                let differs = || file().map_or(true, |file| entry.may_differ(&file, written));
                if !changed || is_split || differs() || self.is_behind_link(path) {
                    found.paths.push(text.into_owned());
                }
                (found.chosen <= MOST_FILES).then_some(())
            })?;
        }
        Some(found)
    }

    /// When the oldest of the index files was written: seconds and nanoseconds.
    fn written(&self) -> (i64, i64) {
        let times = self.indexes.iter().filter_map(|name| name.symlink_metadata().ok());
        times.map(|file| (file.mtime(), file.mtime_nsec())).min().unwrap_or_default()
    }

    /// Whether a directory on the way to a file is a link.
    fn is_behind_link(&self, path: &[u8]) -> bool {
        let is_link = |end: usize| {
            let directory = self.tree.join(OsStr::from_bytes(path.get(..end).unwrap_or_default()));
            directory.symlink_metadata().is_ok_and(|found| found.is_symlink())
        };
        memchr::memchr_iter(b'/', path).any(is_link)
    }

    /// How many bytes [`lies_behind_link`](Self::lies_behind_link) has to check.
    pub(super) fn size_of_directories(&self) -> usize {
        self.directories.iter().map(Directories::size).sum()
    }

    /// Whether a file that the index names is behind a link. `None` if that cannot be determined.
    pub(super) fn lies_behind_link(&self) -> Option<bool> {
        let tree = openat(CWD, &self.tree, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()).ok()?;
        let mut count = 0;
        for directories in &self.directories {
            // They are sorted: the part shared with the previous one was already checked.
            let mut last: &[u8] = &[];
            for directory in directories.all()? {
                let common = directory.iter().zip(last).take_while(|(one, other)| one == other).count();
                let known = |end: usize| end <= common && last.get(end).is_none_or(|byte| *byte == b'/');
                for end in ends_of_parts(directory).filter(|end| !known(*end)) {
                    count += 1;
                    if count > MOST_DIRECTORIES {
                        return None;
                    }
                    let part = directory.get(..end).unwrap_or_default();
                    let found = statat(&tree, part, AtFlags::SYMLINK_NOFOLLOW);
                    if found.is_ok_and(|found| FileType::from_raw_mode(found.st_mode).is_symlink()) {
                        return Some(true);
                    }
                }
                last = directory;
            }
        }
        Some(false)
    }
}

/// Where each part of a path ends.
fn ends_of_parts(path: &[u8]) -> impl Iterator<Item = usize> {
    memchr::memchr_iter(b'/', path).chain((!path.is_empty()).then_some(path.len()))
}

#[cfg(test)]
mod tests {
    use std::fs::Metadata;
    use std::os::unix::fs::MetadataExt;
    use std::time::SystemTime;

    use super::{MOST_DIRECTORIES, TrackedFiles, WALK, ends_of_parts};
    use crate::git::index;

    #[test]
    fn parts_end_at_slashes() {
        let ends = |path: &str| ends_of_parts(path.as_bytes()).collect::<Vec<_>>();
        assert_eq!(ends("a/bc/d"), [1, 4, 6]);
        assert_eq!(ends("a"), [1]);
        assert!(ends("").is_empty());
    }

    /// An index of version 2 whose entries are files.
    fn index(paths: &[&str]) -> Vec<u8> {
        let mut bytes = [b"DIRC".as_slice(), &2_u32.to_be_bytes()].concat();
        bytes.extend(u32::try_from(paths.len()).unwrap().to_be_bytes());
        for path in paths {
            bytes.extend([[0; 24].as_slice(), &0o100_644_u32.to_be_bytes(), &[0; 32]].concat());
            bytes.extend(u16::try_from(path.len()).unwrap().to_be_bytes());
            bytes.extend(path.bytes());
            bytes.extend(std::iter::repeat_n(0, 8 - (62 + path.len()) % 8));
        }
        bytes
    }

    /// An index with one entry that agrees with a file.
    fn index_of_unchanged(path: &str, file: &Metadata) -> Vec<u8> {
        let mut bytes = index(&[path]);
        for (at, number) in [
            (0, file.ctime()),
            (4, file.ctime_nsec()),
            (8, file.mtime()),
            (12, file.mtime_nsec()),
            (20, file.ino().cast_signed()),
            (36, file.len().cast_signed()),
        ] {
            let lower = u32::try_from(number & i64::from(u32::MAX)).unwrap();
            bytes[12 + at..12 + at + 4].copy_from_slice(&lower.to_be_bytes());
        }
        bytes
    }

    #[test]
    fn unchanged_file_is_left_out_unless_the_index_is_split() {
        let directory = tempfile::tempdir().unwrap();
        let tree = directory.path().to_owned();
        std::fs::create_dir(tree.join("d")).unwrap();
        let file = std::fs::File::create(tree.join("d/f")).unwrap();
        file.set_modified(SystemTime::UNIX_EPOCH).unwrap();
        let content = index_of_unchanged("d/f", &file.metadata().unwrap());
        std::fs::write(tree.join("index"), &content).unwrap();
        std::fs::write(tree.join("shared"), "").unwrap();
        let select = |names: &[&str], changed: bool, is_chosen: bool| {
            let indexes = names.iter().map(|name| tree.join(name)).collect();
            let directories = vec![index::read(&content, 20).unwrap().directories];
            let tracked = TrackedFiles { tree: tree.clone(), directories, indexes, hash: 20 };
            assert_eq!(tracked.size_of_directories(), "d/".len());
            let mut left = 1000;
            let found = tracked.below(&tree, changed, &|_| is_chosen, &mut left).unwrap();
            assert_eq!(left, 1000 - content.len() * WALK);
            (found.paths.join(" "), found.chosen)
        };
        assert_eq!(select(&["index"], true, true), (String::new(), 1));
        assert_eq!(select(&["index"], false, true), ("d/f".into(), 1));
        assert_eq!(select(&["index", "shared"], true, true), ("d/f".into(), 1));
        assert_eq!(select(&["index"], false, false), (String::new(), 0));
    }

    #[test]
    fn links_on_the_way_to_a_tracked_file_are_found() {
        let directory = tempfile::tempdir().unwrap();
        let tree = directory.path().to_owned();
        std::fs::create_dir_all(tree.join("ab/c")).unwrap();
        std::os::unix::fs::symlink("ab", tree.join("a")).unwrap();
        std::os::unix::fs::symlink("c", tree.join("ab/d")).unwrap();
        let behind = |paths: &[&str]| {
            let directories = vec![index::read(&index(paths), 20).unwrap().directories];
            TrackedFiles { tree: tree.clone(), directories, indexes: Vec::new(), hash: 20 }.lies_behind_link()
        };
        assert_eq!(behind(&["a", "ab/c/x", "ab/d", "top"]), Some(false));
        assert_eq!(behind(&["a/x"]), Some(true));
        // A shared prefix of letters does not make it the same directory.
        assert_eq!(behind(&["ab/c/x", "a/x"]), Some(true));
        assert_eq!(behind(&["ab/c/x", "ab/d/x"]), Some(true));
        assert_eq!(behind(&["ab/c/x", "ab/c/y/x", "a/c/x"]), Some(true));
        // The previous directory differs in every byte of a part.
        assert_eq!(behind(&["b/c/x", "a/x"]), Some(true));
        let many = |count: usize| (0..count).map(|at| format!("{at}/x")).collect::<Vec<_>>();
        let behind_many = |count: usize| behind(&many(count).iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(behind_many(MOST_DIRECTORIES), Some(false));
        assert_eq!(behind_many(MOST_DIRECTORIES + 1), None);
        let gone =
            TrackedFiles { tree: tree.join("gone"), directories: Vec::new(), indexes: Vec::new(), hash: 20 };
        assert_eq!(gone.lies_behind_link(), None);
    }
}
