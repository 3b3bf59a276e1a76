//! The file table: as it is in this build, and as the build script makes it from various folders.
#![expect(clippy::unwrap_used, reason = "tests")]

#[path = "../build/content_types.rs"]
mod content_types;
#[path = "../build/dist_files.rs"]
mod dist_files;
#[path = "../build/generated_source.rs"]
mod generated_source;

mod build_script;
mod file_table;
