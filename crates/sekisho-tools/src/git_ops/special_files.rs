//! FIFOs and devices where git expects files.
//!
//! Git opens its files without looking at them, and a FIFO that nobody writes to makes it wait until its time is up. Only
//! the files that git reads first are looked at: the git directory (see `repository_paths`), what its config includes,
//! and the directories from the top of the work tree to the project. One deeper in the work tree still makes git wait.

use std::fs;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

/// What git reads in a directory of the work tree.
const READ_IN_WORK_TREE: [&str; 4] = [".gitattributes", ".gitignore", ".gitmodules", ".mailmap"];

/// Whether a kind of file could make git wait, or never end.
pub(super) fn makes_git_wait(kind: fs::FileType) -> bool {
    kind.is_fifo() || kind.is_char_device() || kind.is_block_device()
}

/// Whether a path leads to such a file, perhaps through links. `/dev/null` is none.
pub(super) fn is_special(path: &Path) -> bool {
    let is_meant = || path.canonicalize().is_ok_and(|real| real != Path::new("/dev/null"));
    fs::metadata(path).is_ok_and(|found| makes_git_wait(found.file_type())) && is_meant()
}

/// The first such file that git would read from the top of the work tree down to the project.
pub(super) fn in_work_tree(work_tree: &Path, project: &Path) -> Option<PathBuf> {
    let directories = project.ancestors().take_while(|directory| directory.starts_with(work_tree));
    let mut files = directories.flat_map(|directory| READ_IN_WORK_TREE.map(|name| directory.join(name)));
    files.find(|file| is_special(file))
}
