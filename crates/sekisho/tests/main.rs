//! The real binary, each time with a home and a project of its own.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "tests"
)]

mod approvals;
mod audit;
mod bad_input;
mod check_batch;
mod rules_import_export;
mod check;
mod import_cycles;
mod compatibility;
mod demo;
mod help;
mod hooks;
mod workspace_rules;
mod install;
mod test_home;
mod file_ports;
mod rule_publisher;
mod rules;
mod serve;
mod trust;
