//! The library against real files in temporary directories.
#![expect(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod audit_key;
mod bounded_search;
mod config_rule_edit;
mod config_write;
mod facts;
mod file_preview;
mod git;
mod glob_option_names;
mod hooks;
mod layer_files;
mod random_read_commands;
mod server_protection;
mod spool;
mod test_machine;
mod trust;
mod watch;
