//! What a git index file says about paths: which are submodules, and whether any leads out of the work tree.

use std::ops::ControlFlow;

/// The mode of an entry that is a commit of another repository.
const GITLINK: u32 = 0o160_000;

/// What matters of an index.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Index {
    /// The paths of submodules.
    pub(super) submodules: Vec<Vec<u8>>,
    /// A path that leads out of the work tree. Git opens it all the same.
    pub(super) leads_out: bool,
}

/// Reads an index whose objects have names of `hash` bytes. `None` if that cannot be done.
pub(super) fn read(index: &[u8], hash: usize) -> Option<Index> {
    let mut found = Index::default();
    let walked = entries(index, hash, |mode, path| {
        if mode == GITLINK {
            // In a split index an entry without a path takes the place of another, whose path it has.
            if path.is_empty() {
                return ControlFlow::Break(());
            }
            found.submodules.push(path.to_owned());
        }
        found.leads_out |= leads_out(path);
        ControlFlow::Continue(())
    });
    walked.map(|()| found)
}

/// Hands over mode and path of every entry. `None` where the file is not read to its end.
pub(super) fn entries(
    index: &[u8],
    hash: usize,
    mut each: impl FnMut(u32, &[u8]) -> ControlFlow<()>,
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
    let mut path = Vec::new();
    for _ in 0..count {
        let entry = rest;
        // Times, device and inode; the mode; owner and size; the object; flags.
        rest = rest.get(24..)?;
        let mode = number(&mut rest)?;
        rest = rest.get(12 + hash..)?;
        let (flags, after) = rest.split_first_chunk::<2>()?;
        let flags = u16::from_be_bytes(*flags);
        rest = if flags & 0x4000 == 0 { after } else { after.get(2..)? };
        if version == 4 {
            let kept = path.len().checked_sub(usize::try_from(prefix_length(&mut rest)?).ok()?)?;
            path.truncate(kept);
        } else {
            path.clear();
        }
        let length = memchr::memchr(0, rest)?;
        path.extend_from_slice(rest.get(..length)?);
        // Git goes by the length that the flags tell, if it fits there.
        let told = usize::from(flags & 0x0fff);
        if told != path.len().min(0x0fff) {
            return None;
        }
        rest = rest.get(length..)?;
        // Entries are filled up with one to eight zeros to a multiple of eight bytes; in version 4 with one.
        let used = entry.len() - rest.len();
        let zeros = if version == 4 { 1 } else { 8 - used % 8 };
        if rest.get(..zeros)?.iter().any(|byte| *byte != 0) {
            return None;
        }
        rest = rest.get(zeros..)?;
        if each(mode, &path).is_break() {
            return None;
        }
    }
    Some(())
}

/// An absolute path, or one with `..` in it.
fn leads_out(path: &[u8]) -> bool {
    path.starts_with(b"/")
        || (memchr::memmem::find(path, b"..").is_some()
            && path.split(|byte| *byte == b'/').any(|part| part == b".."))
}

/// How many bytes of the path before are dropped: seven bits a byte, each but the last with one more.
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
            let told = if version == 4 { 5 } else { path.len() };
            bytes.extend(u16::try_from(told).unwrap().to_be_bytes());
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
        assert_eq!(found, Index { submodules: vec![b"b/c".to_vec()], leads_out: false });
        for path in [&b"../a"[..], b"/etc/passwd", b"a/../../b", b"a/.."] {
            assert!(read(&index(3, &[(0o100_644, path)]), 20).unwrap().leads_out, "{path:?}");
        }
        assert_eq!(read(b"", 20), Some(Index::default()));
    }

    #[test]
    fn version_4_is_read_by_its_prefixes() {
        // The second path keeps `dir/` of the first.
        let found = read(&index(4, &[(0o100_644, b"\0dir/a"), (GITLINK, b"\x01s")]), 20).unwrap();
        assert_eq!(found.submodules, [b"dir/s".to_vec()]);
        assert_eq!(read(&index(4, &[(0o100_644, b"\x01dir/a")]), 20), None);
        assert_eq!(read(&index(4, &[(0o100_644, b"\0dir/ab")]), 20), None);
        assert_eq!(prefix_length(&mut &b"\x80\x00"[..]), Some(128));
        assert_eq!(prefix_length(&mut &b"\xff\x7f"[..]), Some(16511));
        assert_eq!(prefix_length(&mut &b"\xff"[..]), None);
    }

    #[test]
    fn what_cannot_be_read_is_unknown() {
        let whole = index(2, &[(0o100_644, b"a"), (0o100_644, b"b")]);
        assert!(read(&whole, 20).is_some());
        assert_eq!(read(&whole[..whole.len() - 1], 20), None);
        assert_eq!(read(&index(5, &[]), 20), None);
        assert_eq!(read(b"DIRX", 20), None);
        assert_eq!(read(&index(2, &[(GITLINK, b"")]), 20), None);
        let mut padded = index(2, &[(0o100_644, b"a")]);
        *padded.last_mut().unwrap() = 1;
        assert_eq!(read(&padded, 20), None);
    }
}
