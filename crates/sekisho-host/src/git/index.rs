//! Reads paths from a git index file: which are submodules, whether any leads out of the work tree, and which
//! directories there are.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;

/// Larger index files are not read, in bytes.
pub(super) const LARGEST_INDEX: u64 = 40 << 20;

/// The mode of an entry that is a commit of another repository.
const GITLINK: u32 = 0o160_000;

/// The mode of an entry that stands for a directory and everything tracked below it.
const SPARSE_DIRECTORY: u32 = 0o040_000;

/// The longest path, the most submodules, and the most bytes of directory names that are read.
const LONGEST_PATH: usize = 4096;
const MOST_SUBMODULES: usize = 4096;
const MOST_DIRECTORIES: usize = 4 << 20;

/// The relevant contents of an index.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Index {
    /// The paths of submodules.
    pub(super) submodules: Vec<Vec<u8>>,
    /// Whether a path leads out of the work tree. Git opens it anyway.
    pub(super) leads_out: bool,
    pub(super) directories: Directories,
}

/// The directories of the files, in the order of the index.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Directories {
    /// Their paths, each followed by a NUL. A path may occur more than once.
    paths: Vec<u8>,
    /// Where the last one begins.
    last: usize,
    /// Whether there were too many.
    more: bool,
}

impl Directories {
    /// All of them; `None` if there are too many.
    pub(super) fn all(&self) -> Option<impl Iterator<Item = &[u8]>> {
        let paths = self.paths.split(|byte| *byte == 0).filter(|path| !path.is_empty());
        (!self.more).then_some(paths)
    }

    /// How many bytes their paths have.
    pub(super) fn size(&self) -> usize {
        self.paths.len()
    }

    /// Adds the directory of a path.
    fn note(&mut self, path: &[u8]) {
        let last = self.paths.get(self.last..self.paths.len().saturating_sub(1)).unwrap_or_default();
        let Some(end) = memchr::memrchr(b'/', path) else { return };
        let directory = path.get(..end).unwrap_or_default();
        if directory == last {
            return;
        }
        if self.paths.len() + directory.len() > MOST_DIRECTORIES {
            self.more = true;
            return;
        }
        self.last = self.paths.len();
        self.paths.extend_from_slice(directory);
        self.paths.push(0);
    }
}

/// Reads an index whose object names have `hash` bytes. `None` if that is not possible.
pub(super) fn read(index: &[u8], hash: usize) -> Option<Index> {
    let mut found = Index::default();
    // Searched in the whole file at once, which is faster. In version 4 a path is not in one piece.
    let may_lead_out = index.get(7) == Some(&4) || holds_two_dots(index);
    let walked = entries(index, hash, |entry, path| {
        if entry.mode()? == GITLINK {
            // In a split index, an entry without a path replaces another and takes its path.
            if path.is_empty() || found.submodules.len() >= MOST_SUBMODULES {
                return None;
            }
            found.submodules.push(path.to_owned());
        }
        found.leads_out |= path.first() == Some(&b'/') || (may_lead_out && leads_out(path));
        found.directories.note(path);
        Some(())
    });
    walked.map(|()| found)
}

/// The fixed part of an entry: times, device and inode; mode; owner and size; object; flags.
pub(super) struct Entry<'a>(&'a [u8]);

impl Entry<'_> {
    fn mode(&self) -> Option<u32> {
        self.number(24)
    }

    fn number(&self, at: usize) -> Option<u32> {
        Some(u32::from_be_bytes(*self.0.get(at..)?.first_chunk()?))
    }

    /// Whether it stands for a directory: git looks up what was tracked below it if the directory exists.
    pub(super) fn is_sparse_directory(&self) -> bool {
        self.mode() == Some(SPARSE_DIRECTORY)
    }

    /// Whether a file may differ from the entry of an index that was written at `written`, in seconds and
    /// nanoseconds. Git considers it unchanged by times, inode and size, unless it may have changed after it
    /// was recorded.
    pub(super) fn may_differ(&self, file: &Metadata, written: (i64, i64)) -> bool {
        // Git keeps the lower half of each number.
        let lower = |number: u64| u32::try_from(number & u64::from(u32::MAX)).ok();
        let same = self.number(0) == lower(file.ctime().cast_unsigned())
            && self.number(4) == u32::try_from(file.ctime_nsec()).ok()
            && self.number(8) == lower(file.mtime().cast_unsigned())
            && self.number(12) == u32::try_from(file.mtime_nsec()).ok()
            && self.number(20) == lower(file.ino())
            && self.number(36) == lower(file.len());
        !same || (file.mtime(), file.mtime_nsec()) >= written
    }
}

/// Calls `each` for every entry and its path. `None` if the file cannot be read to its end, or if `each`
/// returns `None`.
///
/// An index can have a hundred thousand entries: nothing is copied unnecessarily.
pub(super) fn entries(
    index: &[u8],
    hash: usize,
    mut each: impl FnMut(&Entry<'_>, &[u8]) -> Option<()>,
) -> Option<()> {
    if index.is_empty() {
        return Some(());
    }
    let mut rest = index.strip_prefix(b"DIRC")?;
    let version = number(&mut rest)?;
    let count = number(&mut rest)?;
    if !(2..=4).contains(&version) {
        return None;
    }
    let mut before = Vec::new();
    for _ in 0..count {
        let (fixed, after) = rest.split_at_checked(42 + hash)?;
        let entry = Entry(fixed);
        let flags = u16::from_be_bytes(*fixed.last_chunk()?);
        let extended = if flags & 0x4000 == 0 { 0 } else { 2 };
        let mut after = after.get(extended..)?;
        let stated = usize::from(flags & 0x0fff);
        if version == 4 {
            let dropped = usize::try_from(prefix_length(&mut after)?).ok()?;
            before.truncate(before.len().checked_sub(dropped)?);
            let length = memchr::memchr(0, after)?;
            before.extend_from_slice(after.get(..length)?);
            if before.len() >= LONGEST_PATH || stated != before.len().min(0x0fff) {
                return None;
            }
            each(&entry, &before)?;
            rest = after.get(length + 1..)?;
            continue;
        }
        // Git uses the length in the flags if it fits there; the path ends there for us as well.
        let length = if stated < 0x0fff { stated } else { memchr::memchr(0, after)? };
        let path = after.get(..length).filter(|path| path.len() < LONGEST_PATH)?;
        if *after.get(length)? != 0 || holds_nul(path) {
            return None;
        }
        each(&entry, path)?;
        // Entries are padded with one to eight zeros to a multiple of eight bytes.
        let used = 42 + hash + extended + length;
        rest = after.get(length + 8 - used % 8..)?;
    }
    Some(())
}

/// This runs over every path. The loop has no early exit, so that many bytes are compared at once.
fn holds_nul(path: &[u8]) -> bool {
    path.iter().fold(false, |found, byte| found | (*byte == 0))
}

/// Whether a part of a path in an index of version 2 or 3 may be `..`.
fn holds_two_dots(index: &[u8]) -> bool {
    [b"../", b"..\0"].iter().any(|end| memchr::memmem::find(index, *end).is_some())
}

/// Whether a part of a path is `..`.
fn leads_out(path: &[u8]) -> bool {
    path.split(|byte| *byte == b'/').any(|part| part == b"..")
}

/// How many bytes of the previous path are dropped: seven bits per byte, each but the last plus one.
fn prefix_length(rest: &mut &[u8]) -> Option<u64> {
    let mut length: u64 = 0;
    loop {
        let (first, after) = rest.split_first()?;
        *rest = after;
        length = length.checked_add(u64::from(first & 0x7f))?;
        if first & 0x80 == 0 {
            return Some(length);
        }
        length = length.checked_add(1)?.checked_mul(128)?;
    }
}

fn number(rest: &mut &[u8]) -> Option<u32> {
    let (bytes, after) = rest.split_first_chunk::<4>()?;
    *rest = after;
    Some(u32::from_be_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(version: u32, entries: &[(u32, &[u8])]) -> Vec<u8> {
        let mut bytes = b"DIRC".to_vec();
        bytes.extend(version.to_be_bytes());
        bytes.extend(u32::try_from(entries.len()).unwrap().to_be_bytes());
        for (mode, path) in entries {
            let start = bytes.len();
            bytes.extend([7; 24]);
            bytes.extend(mode.to_be_bytes());
            bytes.extend([7; 32]);
            let stated = if version == 4 { 5 } else { path.len() };
            bytes.extend(u16::try_from(stated).unwrap().to_be_bytes());
            if version == 4 {
                bytes.extend(path.iter());
                bytes.push(0);
            } else {
                bytes.extend(path.iter());
                let used = bytes.len() - start;
                bytes.extend(std::iter::repeat_n(0, 8 - used % 8));
            }
        }
        bytes
    }

    #[test]
    fn submodules_and_paths_that_lead_out_are_found() {
        let found =
            read(&index(2, &[(0o100_644, b"a"), (GITLINK, b"b/c"), (0o100_644, b"c..d/..e")]), 20).unwrap();
        assert_eq!((found.submodules, found.leads_out), (vec![b"b/c".to_vec()], false));
        let directories = found.directories.all().unwrap().collect::<Vec<_>>();
        assert_eq!(directories, [&b"b"[..], b"c..d"]);
        for path in [&b"../a"[..], b"/etc/passwd", b"a/../../b", b"a/.."] {
            assert!(read(&index(3, &[(0o100_644, path)]), 20).unwrap().leads_out, "{path:?}");
        }
        assert_eq!(read(b"", 20), Some(Index::default()));
    }

    #[test]
    fn number_of_directories_is_limited() {
        let name = |count: usize| format!("{count:0>4000}/x").into_bytes();
        let names: Vec<Vec<u8>> = (0..1100).map(name).collect();
        let entries: Vec<(u32, &[u8])> = names.iter().map(|name| (0o100_644, name.as_slice())).collect();
        let found = read(&index(2, &entries), 20).unwrap();
        assert!(found.directories.all().is_none());
        assert!(found.directories.paths.len() <= MOST_DIRECTORIES);
        let found = read(&index(2, &entries[..1000]), 20).unwrap();
        assert_eq!(found.directories.all().unwrap().count(), 1000);
        let mut full = Directories { paths: vec![b'a'; MOST_DIRECTORIES - 1], ..Directories::default() };
        full.note(b"b/x");
        assert!(!full.more);
    }

    #[test]
    fn version_4_prefixes_are_read() {
        // The second path keeps `dir/` of the first.
        let found = read(&index(4, &[(0o100_644, b"\0dir/a"), (GITLINK, b"\x01s")]), 20).unwrap();
        assert_eq!(found.submodules, [b"dir/s".to_vec()]);
        // No piece of the second path contains two dots.
        let apart = index(4, &[(0o100_644, b"\0ab/.x"), (0o100_644, b"\x01.")]);
        assert!(read(&apart, 20).unwrap().leads_out);
        assert_eq!(read(&index(4, &[(0o100_644, b"\x01dir/a")]), 20), None);
        assert_eq!(read(&index(4, &[(0o100_644, b"\0dir/ab")]), 20), None);
        assert_eq!(prefix_length(&mut &b"\x80\x00"[..]), Some(128));
        assert_eq!(prefix_length(&mut &b"\xff\x7f"[..]), Some(16511));
        assert_eq!(prefix_length(&mut &b"\xff"[..]), None);
    }

    #[test]
    fn extended_flags_are_skipped() {
        let mut bytes = b"DIRC".to_vec();
        bytes.extend([3_u32.to_be_bytes(), 2_u32.to_be_bytes()].concat());
        for path in [b"a", b"b"] {
            bytes.extend([7; 24]);
            bytes.extend(GITLINK.to_be_bytes());
            bytes.extend([7; 32]);
            bytes.extend([0x40, 1, 0, 0]);
            bytes.extend(path);
            bytes.extend([0; 8 - (62 + 2 + 1) % 8]);
        }
        assert_eq!(read(&bytes, 20).unwrap().submodules, [b"a".to_vec(), b"b".to_vec()]);
    }

    #[test]
    fn long_paths_end_at_a_nul() {
        let with_flags = |length: usize| {
            let mut bytes = index(2, &[(0o100_644, &vec![b'a'; length])]);
            bytes[12 + 60..12 + 62].copy_from_slice(&[0x0f, 0xff]);
            read(&bytes, 20).is_some()
        };
        assert!(with_flags(3) && with_flags(LONGEST_PATH - 1));
        assert!(!with_flags(LONGEST_PATH));
    }

    #[test]
    fn malformed_index_is_rejected() {
        let whole = index(2, &[(0o100_644, b"a"), (0o100_644, b"b")]);
        assert!(read(&whole, 20).is_some());
        assert_eq!(read(&whole[..whole.len() - 1], 20), None);
        assert_eq!(read(&index(5, &[]), 20), None);
        assert_eq!(read(b"DIRX", 20), None);
        assert_eq!(read(&index(2, &[(GITLINK, b"")]), 20), None);
        assert_eq!(read(&index(2, &[(0o100_644, b"a\0b")]), 20), None);
        assert_eq!(read(&index(2, &[(0o100_644, b"a\0b\0c")]), 20), None);
        // The flags state another length than there is.
        let mut longer = index(2, &[(0o100_644, b"abc")]);
        let flags = 12 + 60 + 1;
        for stated in [2, 4] {
            longer[flags] = stated;
            assert_eq!(read(&longer, 20), None, "{stated}");
        }
    }
}
