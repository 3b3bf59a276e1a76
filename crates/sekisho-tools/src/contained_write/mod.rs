//! Writes files beneath open directory handles.
//!
//! A path is checked as text and then used as text, so that whatever happens to the directories in between
//! counts. Here a path is only split into names. Every name is resolved from an open handle, no symbolic link is
//! followed, and `..` never reaches the kernel. A directory that somebody replaces with a link in the meantime
//! makes the write fail; it cannot redirect it.
//!
//! A file is never written in place. The new contents go to a temporary file in the same directory, which is
//! synced and renamed over the old one. So the old file stays whole if the disk is full, a reader sees either the
//! old or the new contents, and a hard link keeps the contents it had outside. This holds for appending too: the
//! old contents are copied, up to [`MAX_REWRITE`] bytes. `O_APPEND` would need no copy, but a full disk or a crash
//! leaves half of the addition in the file, and other names of the file would be written through.

mod path_components;
mod replaced_file;
mod resolve;
mod temporary_file;
mod write_error;
mod write_roots;

pub use path_components::absolute;
pub use resolve::Lookup;
pub(crate) use resolve::open_directory_beneath;
pub use write_error::{FileKind, WriteError, WriteStep};
pub use write_roots::{Location, RewriteError, WriteRoots};

/// The largest file that is appended to or edited, in bytes, before and after.
pub const MAX_REWRITE: u64 = 64 << 20;

/// How a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteMode {
    /// The name must be free.
    Create,
    /// An existing file is replaced.
    Overwrite,
    /// The contents are added to an existing file.
    Append,
}
