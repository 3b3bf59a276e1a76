//! The library against real files in temporary directories.
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod audit_key;
mod config_change;
mod self_protection;
mod config_edit;
mod facts;
mod git;
mod file_preview;
mod option_globs;
mod hooks;
mod layer_files;
mod test_machine;
mod readers;
mod bounded_search;
mod spool;
mod trust;
mod watch;
