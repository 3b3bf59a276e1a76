//! Which paths of a git index are submodules.

/// The mode of an index entry that is a commit of another repository.
const GITLINK: u32 = 0o160_000;

/// The paths of the submodules in an index file; none in an empty one. `None` if it cannot be read.
pub(crate) fn gitlinks(index: &[u8]) -> Option<Vec<String>> {
    if index.is_empty() {
        return Some(Vec::new());
    }
    let mut rest = index.strip_prefix(b"DIRC")?;
    let version = number(&mut rest)?;
    let entries = number(&mut rest)?;
    // Version 4 compresses paths; without any submodule mode in the bytes there is nothing to read anyway.
    let marked = memchr::memmem::find(index, &GITLINK.to_be_bytes()).is_some();
    match version {
        _ if !marked => return Some(Vec::new()),
        2 | 3 => {}
        _ => return None,
    }
    // The last bytes of the file name its hash: entries name objects by 20 bytes, or by 32 in a SHA-256 repository.
    // Only one of the two lengths leads from entry to entry.
    [20, 32].into_iter().find_map(|hash| read(rest, entries, hash))
}

fn read(mut rest: &[u8], entries: u32, hash: usize) -> Option<Vec<String>> {
    let mut found = Vec::new();
    for _ in 0..entries {
        let before = rest.len();
        rest = rest.get(24..)?;
        let mode = number(&mut rest)?;
        if !matches!(mode >> 12, 0o10 | 0o12 | 0o16 | 0o4) {
            return None;
        }
        rest = rest.get(12 + hash..)?;
        let (flags, after) = rest.split_first_chunk::<2>()?;
        let flags = u16::from_be_bytes(*flags);
        rest = if flags & 0x4000 == 0 { after } else { after.get(2..)? };
        let length = memchr::memchr(0, rest)?;
        let named = usize::from(flags & 0x0fff);
        if named != 0x0fff && named != length {
            return None;
        }
        if mode == GITLINK {
            found.push(std::str::from_utf8(rest.get(..length)?).ok()?.to_owned());
        }
        rest = rest.get(length..)?;
        // Entries are filled up with one to eight zeros to a multiple of eight bytes.
        let used = before - rest.len();
        rest = rest.get(8 - used % 8..)?;
    }
    Some(found)
}

fn number(rest: &mut &[u8]) -> Option<u32> {
    let (bytes, after) = rest.split_first_chunk::<4>()?;
    *rest = after;
    Some(u32::from_be_bytes(*bytes))
}
