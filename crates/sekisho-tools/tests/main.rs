//! Tests of the tools, against the real sandbox. Each limit is an attack that is run.
#![cfg_attr(target_os = "linux", expect(clippy::unwrap_used, clippy::panic, reason = "tests"))]
#![expect(clippy::indexing_slicing, reason = "tests")]

#[cfg(target_os = "linux")]
mod arena;
mod files;
mod forbidden;
mod git;
#[cfg(target_os = "linux")]
mod hosts;
mod project;
#[cfg(target_os = "linux")]
mod runner;
#[cfg(target_os = "linux")]
mod sandbox;
mod seed_table_files;
#[cfg(target_os = "linux")]
mod seed_table_shell;
#[cfg(target_os = "linux")]
mod shell_exec;
#[cfg(target_os = "linux")]
mod workshop;
