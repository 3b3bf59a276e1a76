//! Tests of the tools, against the real sandbox. Each limit is an attack that is run.
#![cfg_attr(target_os = "linux", expect(clippy::unwrap_used, clippy::panic, reason = "tests"))]
#![expect(clippy::indexing_slicing, reason = "tests")]

#[cfg(target_os = "linux")]
mod exchanged_workspace;
mod file_tool_contract;
mod files;
mod forbidden;
mod git;
#[cfg(target_os = "linux")]
mod hosts;
mod project;
#[cfg(target_os = "linux")]
mod run_tools;
#[cfg(target_os = "linux")]
mod runner;
#[cfg(target_os = "linux")]
mod sandbox;
#[cfg(target_os = "linux")]
mod sandbox_fixture;
#[cfg(target_os = "linux")]
mod search;
#[cfg(target_os = "linux")]
mod self_eval;
#[cfg(target_os = "linux")]
mod shell_exec;
#[cfg(target_os = "linux")]
mod shell_exec_contract;
#[cfg(target_os = "linux")]
mod skill_load;
#[cfg(target_os = "linux")]
mod web;
#[cfg(target_os = "linux")]
mod workshop;
#[cfg(target_os = "linux")]
mod write_races;
