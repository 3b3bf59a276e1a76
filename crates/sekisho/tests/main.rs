//! Tests of the real binary, each with its own home and project.
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
mod check;
mod check_batch;
mod compatibility;
mod demo;
mod file_ports;
mod help;
mod hooks;
mod import_cycles;
mod install;
mod rule_publisher;
mod rules;
mod rules_import_export;
mod sandbox_and_tools;
mod serve;
mod test_home;
mod tool_run;
mod trust;
mod workspace_rules;
