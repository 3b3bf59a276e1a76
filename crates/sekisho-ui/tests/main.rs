//! The file table: as it is in this build, and as the build script makes it from various folders.
#![expect(clippy::unwrap_used, reason = "tests")]

#[path = "../build/folder.rs"]
mod folder;
#[path = "../build/kinds.rs"]
mod kinds;
#[path = "../build/source.rs"]
mod source;

mod build_script;
mod file_table;
