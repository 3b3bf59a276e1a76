//! Puts limits on itself and then becomes another program.
//!
//! The arguments are a [`HelperPlan`](sekisho_tools::sandbox::HelperPlan). This process stays outside as
//! the supervisor: it kills every process of the program when the program or the parent ends.

#[cfg(target_os = "linux")]
mod capabilities;
#[cfg(target_os = "linux")]
mod descendants;
#[cfg(target_os = "linux")]
mod failure;
#[cfg(target_os = "linux")]
mod file_rules;
#[cfg(target_os = "linux")]
mod init;
#[cfg(target_os = "linux")]
mod inner_process;
#[cfg(target_os = "linux")]
mod namespaces;
#[cfg(target_os = "linux")]
mod raw_calls;
#[cfg(target_os = "linux")]
mod report;
#[cfg(target_os = "linux")]
mod supervisor;
#[cfg(target_os = "linux")]
mod syscall_filter;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    if arguments.first().is_some_and(|first| first == "--version") {
        println!("sekisho-sandbox {}", env!("CARGO_PKG_VERSION"));
        return ExitCode::SUCCESS;
    }
    run(arguments)
}

#[cfg(target_os = "linux")]
fn run(arguments: Vec<std::ffi::OsString>) -> ExitCode {
    use sekisho_tools::sandbox::HelperPlan;

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
fn run(_arguments: Vec<std::ffi::OsString>) -> ExitCode {
    eprintln!("sekisho-sandbox: the sandbox exists on Linux only");
    ExitCode::from(125)
}
