//! Walks the files below a directory, for the tools that search.
//!
//! Ripgrep's own walk opens ignore files wherever their names lead: a pipe makes it wait for ever, and a link lets
//! a repository choose any file, whose lines then appear in error messages. Here every directory and file is
//! opened beneath the handle of the start directory, no link is followed, and an ignore file must be a regular file
//! of limited size. What its lines mean is decided by ripgrep's library, in the same order of precedence.

mod globs;
mod ignore_rules;
mod search_start;
mod skipped;
mod task_queue;
mod walk;

pub(crate) use globs::{FileFilter, check_glob, names_hidden};
pub(crate) use search_start::{SearchStart, Started, checked_path};
pub(crate) use skipped::{ProtectedFiles, counted, walk_notes};
pub(crate) use walk::{FileVisitor, FoundEntry, Walk, WalkReport};
