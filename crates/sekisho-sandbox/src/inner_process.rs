//! The process that becomes the program.

use std::fs::File;
use std::os::unix::process::CommandExt;
use std::process::Command;

use nix::sys::signal::SigSet;
use rustix::process::{
    Resource, Rlimit, Signal, getrlimit, set_parent_process_death_signal, setrlimit, setsid,
};

use crate::capabilities;
use crate::failure::Failure;
use crate::file_rules;
use crate::mount_check;
use crate::plan::{Control, HelperPlan, Isolation};
use crate::planned_dir::PlannedDir;
use crate::raw_calls;
use crate::report::ReportWriter;
use crate::standard_streams;
use crate::syscall_filter;
use crate::syscall_table::FilterOptions;

/// Puts all limits on this process and becomes the program. Returns only if that fails.
pub(crate) fn become_program(plan: &HelperPlan, report: &mut ReportWriter) -> Failure {
    match prepare(plan) {
        Ok(()) => {
            report.start();
            start(plan)
        }
        Err(failure) => failure,
    }
}

fn prepare(plan: &HelperPlan) -> Result<(), Failure> {
    set_parent_process_death_signal(Some(Signal::KILL)).map_err(Failure::of("death signal"))?;
    // The supervisor has blocked some.
    SigSet::empty().thread_set_mask().map_err(Failure::of("signals"))?;
    if plan.control == Some(Control::Stdin) {
        setsid().map_err(Failure::of("session"))?;
        let null = File::open("/dev/null").map_err(Failure::of("/dev/null"))?;
        rustix::stdio::dup2_stdin(null).map_err(Failure::of("standard input"))?;
    }
    if let Some(dir) = &plan.working_dir {
        let dir = PlannedDir { path: dir.clone(), id: plan.working_dir_id };
        enter(&dir)?;
    }
    if plan.isolation != Isolation::None {
        standard_streams::reopen_files()?;
    }
    limit(Resource::Core, Some(0))?;
    limit(Resource::Nproc, plan.processes)?;
    limit(Resource::Fsize, plan.file_size)?;
    limit(Resource::As, plan.memory)?;
    raw_calls::keep_from_program().map_err(Failure::of("descriptors"))?;
    capabilities::drop_all()?;
    if plan.isolation != Isolation::None {
        mount_check::check(plan)?;
    }
    file_rules::apply(plan)?;
    let shares_processes = plan.isolation == Isolation::None;
    let options = FilterOptions { tcp: plan.proxy, shares_processes, single_process: plan.single_process };
    syscall_filter::apply(options)
}

/// Makes a directory the working directory. If it has an id, links are not followed, and no other is taken.
fn enter(dir: &PlannedDir) -> Result<(), Failure> {
    if dir.id.is_none() {
        return std::env::set_current_dir(&dir.path).map_err(Failure::of("working directory"));
    }
    rustix::process::fchdir(dir.open()?).map_err(Failure::of("working directory"))
}

/// Lowers a limit. A lower one stays.
fn limit(resource: Resource, value: Option<u64>) -> Result<(), Failure> {
    let Some(value) = value else { return Ok(()) };
    let now = getrlimit(resource);
    let value = now.maximum.map_or(value, |maximum| maximum.min(value));
    let new = Rlimit { current: Some(value), maximum: Some(value) };
    setrlimit(resource, new).map_err(Failure::of("resource limit"))
}

#[expect(clippy::disallowed_methods, reason = "the helper becomes the program")]
fn start(plan: &HelperPlan) -> Failure {
    let Some((program, arguments)) = plan.command.split_first() else {
        return Failure::new("the command is missing");
    };
    let error = Command::new(program).args(arguments).exec();
    Failure::new(format!("`{}` cannot be started: {}", program.display(), error.to_string().to_lowercase()))
}
