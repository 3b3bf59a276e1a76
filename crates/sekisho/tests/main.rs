//! Tests of the real binary, each with its own home and project.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "tests"
)]

mod acp;
mod agent_runs;
mod approvals;
mod audit;
mod check;
mod check_batch;
mod compatibility;
mod config_errors;
mod demo;
mod help;
mod host_ports;
mod import_cycles;
mod install;
mod local_work;
mod pipelines;
mod project_commands;
mod rule_publisher;
mod rules;
mod rules_import_export;
mod run_command;
mod run_tools;
mod sandbox_and_tools;
mod sandbox_secrets;
mod serve;
mod shared_policy;
mod test_home;
mod tool_run;
mod trust;
mod web_tools;
mod workspace_rules;
