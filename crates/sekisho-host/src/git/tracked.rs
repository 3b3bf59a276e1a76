//! Files that git reads behind a symbolic link.
//!
//! `git grep` opens the files that the index names without a look at the directories on the way. Where one of them is a
//! link by now, that is a file outside of the work tree.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::ops::ControlFlow;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::index::entries;
use super::look::{Kind, LARGEST_INDEX, Look};

/// More directories are not looked at.
const MOST_DIRECTORIES: usize = 50_000;

/// Whether the index of a directory's repository names a file behind a link. `None` where that cannot be told.
pub(crate) fn reads_through_link(directory: &Path) -> Option<bool> {
    let directory = directory.canonicalize().ok()?;
    let mut look = Look::default();
    let found = directory.ancestors().find_map(|level| {
        let place = look.place_at(level);
        (place.is_some() || !look.findings.is_empty()).then_some(place)
    });
    let Some(place) = found else { return Some(false) };
    let place = place?;
    let hash = look.at_configs(&place);
    let shared = look.at_links(&place);
    let mut directories = Directories { tree: &place.tree, known: HashSet::new(), link: false };
    for name in std::iter::once(place.git_dir.join("index")).chain(shared) {
        let content = look.read(&name, LARGEST_INDEX).ok()?.unwrap_or_default();
        let walked = entries(&content, hash, |_, path| directories.pass(&mut look, path));
        if directories.link {
            return Some(true);
        }
        walked?;
    }
    Some(false)
}

/// The directories of a work tree that were looked at.
struct Directories<'a> {
    tree: &'a Path,
    known: HashSet<Vec<u8>>,
    link: bool,
}

impl Directories<'_> {
    /// Looks at every directory on the way to a path.
    fn pass(&mut self, look: &mut Look, path: &[u8]) -> ControlFlow<()> {
        let mut end = path.len();
        while let Some(slash) = path.get(..end).and_then(|path| memchr::memrchr(b'/', path)) {
            let directory = path.get(..slash).unwrap_or_default();
            // What is above one that is known is known as well.
            if self.known.contains(directory) {
                break;
            }
            self.known.insert(directory.to_owned());
            self.link |= look.kind(&self.tree.join(OsStr::from_bytes(directory))).0 == Kind::Link;
            if self.link || self.known.len() > MOST_DIRECTORIES {
                return ControlFlow::Break(());
            }
            end = slash;
        }
        ControlFlow::Continue(())
    }
}
