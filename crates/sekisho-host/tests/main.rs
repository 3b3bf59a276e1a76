//! The library against real files in temporary directories.
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod audit_key;
mod bounded_search;
mod config_change;
mod config_edit;
mod facts;
mod file_preview;
mod git;
mod hooks;
mod layer_files;
mod option_globs;
mod readers;
mod self_protection;
mod spool;
mod test_machine;
mod trust;
mod watch;
