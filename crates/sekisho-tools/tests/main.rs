//! Each limit of the tools, as an attack that is run.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

mod files;
mod forbidden;
mod git;
mod project;
mod seed_table_files;
