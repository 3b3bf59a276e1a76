//! The helper of the sandbox: it forks, and the child limits itself and becomes the program. The parent stays outside
//! as the supervisor: it kills every process of the program when the program or the parent ends.
//!
//! The helper is a separate program because little may be done between fork and exec in a process that has threads;
//! this one has a single thread. It is started for every command, so it has few dependencies and starts quickly.
//!
//! [`HelperPlan`] describes what to do; it is passed as command-line arguments.

#[cfg(target_os = "linux")]
mod capabilities;
#[cfg(target_os = "linux")]
mod descendants;
#[cfg(target_os = "linux")]
mod failure;
#[cfg(target_os = "linux")]
mod file_rules;
#[cfg(target_os = "linux")]
mod file_state;
#[cfg(target_os = "linux")]
mod init;
#[cfg(target_os = "linux")]
mod inner_process;
#[cfg(target_os = "linux")]
mod kept_files;
#[cfg(target_os = "linux")]
mod kept_names;
#[cfg(target_os = "linux")]
mod mount_check;
#[cfg(target_os = "linux")]
mod mount_copies;
mod mount_table;
#[cfg(target_os = "linux")]
mod namespaces;
mod plan;
mod planned_dir;
#[cfg(target_os = "linux")]
mod raw_calls;
#[cfg(target_os = "linux")]
mod readable_paths;
#[cfg(target_os = "linux")]
mod report;
#[cfg(target_os = "linux")]
mod standard_streams;
#[cfg(target_os = "linux")]
mod stream_devices;
#[cfg(target_os = "linux")]
mod supervisor;
#[cfg(target_os = "linux")]
mod syscall_filter;
#[cfg(target_os = "linux")]
mod syscall_table;
#[cfg(target_os = "linux")]
mod temporary_dir;

use std::ffi::OsString;
use std::process::ExitCode;

pub use mount_table::Mount;
pub use plan::{Control, HelperPlan, Isolation, PROXY_PORT, PlanError};
pub use planned_dir::{DirectoryId, PlannedDir};

/// The whole program. The process must have one thread.
pub fn run(arguments: Vec<OsString>) -> ExitCode {
    if arguments.first().is_some_and(|first| first == "--version") {
        println!("sekisho-sandbox {}", env!("CARGO_PKG_VERSION"));
        return ExitCode::SUCCESS;
    }
    run_plan(arguments)
}

#[cfg(target_os = "linux")]
fn run_plan(arguments: Vec<OsString>) -> ExitCode {
    let outcome = match HelperPlan::parse(arguments) {
        Err(error) => Err(failure::Failure::new(error.to_string())),
        Ok(plan) if plan.report.is_some() => init::run_inside_bubblewrap(&plan),
        Ok(plan) => supervisor::run(&plan),
    };
    outcome.unwrap_or_else(|failure| {
        eprintln!("sekisho-sandbox: {failure}");
        ExitCode::from(failure::FAILED)
    })
}

#[cfg(not(target_os = "linux"))]
fn run_plan(_arguments: Vec<OsString>) -> ExitCode {
    eprintln!("sekisho-sandbox: the sandbox works only on Linux");
    ExitCode::from(125)
}
