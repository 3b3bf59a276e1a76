//! Writes files beneath open directory handles.
//!
//! Usually a path is checked as text and later opened as text, and somebody can exchange a directory between the
//! two. This module avoids that: a path is only split into names, and every name is resolved from an open handle.
//! No symbolic link is followed, and `..` never reaches the kernel. A directory that somebody replaces with a link
//! in the meantime makes the write fail; it cannot redirect it.
//!
//! A file is never written in place. The new contents go to a temporary file in the same directory, which is
//! synced and renamed over the old one. So the old file stays whole if the disk is full, a reader sees either the
//! old or the new contents, and other hard links to the file, outside the directory, keep the old contents. This holds
//! for appending too: the old contents are copied, up to [`MAX_REWRITE`] bytes. `O_APPEND` would need no copy, but a
//! full disk or a crash could leave half of the addition in the file, and other hard links would change too.

mod path_components;
mod replaced_file;
mod resolve;
mod temporary_file;
mod write_error;
mod write_roots;

pub use path_components::absolute;
pub use resolve::Lookup;
pub(crate) use resolve::{directory_id, open_directory_beneath, open_without_links};
pub use write_error::{FileKind, WriteError, WriteStep};
pub use write_roots::{Location, Protection, RewriteError, WriteRoots};

/// The largest size in bytes, both before and after the change, of a file that is appended to or edited.
pub const MAX_REWRITE: u64 = 64 << 20;

/// How a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteMode {
    /// No file of this name may exist.
    Create,
    /// An existing file is replaced.
    Overwrite,
    /// The contents are added to an existing file.
    Append,
}
