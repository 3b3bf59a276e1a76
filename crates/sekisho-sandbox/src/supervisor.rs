//! The process outside the sandbox that watches over it.

use std::fs::{self, File};
use std::io::Write;
use std::os::fd::{AsFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, ExitCode};

use nix::sys::signal::{SigSet, Signal};
use nix::sys::signalfd::{SfdFlags, SignalFd};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::pipe::{PipeFlags, pipe_with};
use rustix::process::{
    Pid, PidfdFlags, WaitOptions, geteuid, getpid, pidfd_open, set_child_subreaper, waitpid,
};

use crate::descendants::{self, Reach};
use crate::failure::{FAILED, Failure};
use crate::init;
use crate::inner_process::become_program;
use crate::kept_names::KeptNames;
use crate::namespaces::{make_devices_read_only, separate_children, separate_mounts};
use crate::plan::{Control, HelperPlan, Isolation};
use crate::planned_dir::PlannedDir;
use crate::raw_calls;
use crate::report::{self, Report, ReportWriter, Told};
use crate::standard_streams::refuse_directories;
use crate::stream_devices;
use crate::temporary_dir::TemporaryDir;

/// Runs the program and kills everything that it leaves behind.
pub(crate) fn run(plan: &HelperPlan) -> Result<ExitCode, Failure> {
    let number = match plan.control {
        Some(Control::Descriptor(number)) => Some(number),
        Some(Control::Stdin) | None => None,
    };
    raw_calls::close_inherited(number.as_slice()).map_err(Failure::of("inherited descriptors"))?;
    refuse_directories()?;
    let mut parent = plan.control.map(open_control).transpose()?;
    let temporary = plan.temporary_dir().as_ref().map(TemporaryDir::open).transpose()?;
    let names = KeptNames::open(plan)?;
    let report = match start(plan).and_then(|started| watch(started, parent.as_ref())) {
        // What a program that did not run cannot have made is somebody else's.
        Ok((report, has_started)) => {
            let changed = has_started.then(|| names.rename_new()).flatten();
            changed.map_or(report, Report::Killed)
        }
        Err(failure) => Report::Failed(failure.to_string()),
    };
    if let Some(parent) = &mut parent {
        // Before the removal, which may take longer than the program had. If the parent is gone, nobody wants to know.
        let _ = parent.write_all(report.line().as_bytes());
    }
    if let Some(temporary) = temporary {
        temporary.remove();
    }
    if parent.is_some() {
        return Ok(ExitCode::SUCCESS);
    }
    match report {
        Report::Exited(code) => Ok(ExitCode::from(u8::try_from(code).unwrap_or(FAILED))),
        Report::Signalled(signal) => Ok(ExitCode::from(u8::try_from(128 + signal).unwrap_or(FAILED))),
        Report::Failed(why) | Report::Killed(why) => Err(Failure::new(why)),
    }
}

fn open_control(control: Control) -> Result<File, Failure> {
    let number: RawFd = match control {
        Control::Stdin => 0,
        Control::Descriptor(number) => number,
    };
    let own = raw_calls::adopt(number).and_then(|fd| {
        let copy = fd.try_clone();
        // The original stays open for the first process of a namespace.
        std::mem::forget(fd);
        copy
    });
    own.map(File::from).map_err(Failure::of("control descriptor"))
}

/// The child that is, or leads to, the program.
struct Started {
    child: Pid,
    signals: SignalFd,
    reports: OwnedFd,
    most_processes: Option<usize>,
    reach: Reach,
    /// Whether the child is the program itself, and not a process that reports about it.
    is_program: bool,
}

fn start(plan: &HelperPlan) -> Result<Started, Failure> {
    set_child_subreaper(Some(getpid())).map_err(Failure::of("subreaper"))?;
    let (reports, writer) = pipe_with(PipeFlags::CLOEXEC).map_err(Failure::of("pipe"))?;
    let writer = ReportWriter::new(writer);
    // Terminals send these to all processes of the foreground, the program included.
    let blocked: SigSet =
        [Signal::SIGINT, Signal::SIGQUIT, Signal::SIGTERM, Signal::SIGHUP].into_iter().collect();
    blocked.thread_block().map_err(Failure::of("signals"))?;
    let signals = SignalFd::with_flags(&blocked, SfdFlags::SFD_CLOEXEC).map_err(Failure::of("signals"))?;
    if plan.isolation == Isolation::Namespaces {
        separate_children()?;
    }
    let reach = match plan.isolation {
        Isolation::None if !plan.degraded => descendants::confine()?,
        _ => Reach::Searched,
    };
    let child = raw_calls::fork().map_err(Failure::of("fork"))?;
    if let Some(child) = child {
        // The kernel does not limit the number of processes of user 0, so they are counted.
        let most_processes = plan.processes.filter(|_| geteuid().is_root());
        let most_processes = most_processes.and_then(|most| usize::try_from(most).ok());
        let is_program = plan.isolation == Isolation::None;
        return Ok(Started { child, signals, reports, most_processes, reach, is_program });
    }
    drop((signals, reports));
    // If memory runs out, the program ends before others do. In the sandbox this file cannot be written.
    let _ = fs::write("/proc/self/oom_score_adj", "1000");
    let code = run_child(plan, writer);
    // Nothing of the supervisor's may run in the child.
    std::process::exit(code)
}

fn run_child(plan: &HelperPlan, mut writer: ReportWriter) -> i32 {
    let failure = match &plan.isolation {
        Isolation::None if plan.no_links => Failure::new("links cannot be ignored without namespaces"),
        Isolation::None => become_program(plan, &mut writer),
        Isolation::Bubblewrap(_) => become_bubblewrap(plan, &writer),
        Isolation::Namespaces => {
            let ended = init::run_in_namespaces(plan, writer);
            return i32::from(ended != ExitCode::SUCCESS) * i32::from(FAILED);
        }
    };
    writer.fail(&failure);
    i32::from(FAILED)
}

/// Starts bubblewrap, which starts this program again inside.
#[expect(clippy::disallowed_methods, reason = "the helper becomes bubblewrap")]
fn become_bubblewrap(plan: &HelperPlan, writer: &ReportWriter) -> Failure {
    use std::os::fd::AsRawFd;

    let Isolation::Bubblewrap(program) = &plan.isolation else {
        return Failure::new("bubblewrap is not part of the plan");
    };
    if plan.no_links {
        return Failure::new("bubblewrap cannot ignore links");
    }
    let own = match std::env::current_exe() {
        Ok(own) => own,
        Err(error) => return Failure::of("path of the helper")(error),
    };
    if let Err(error) = fcntl_setfd(writer.pipe(), FdFlags::empty()) {
        return Failure::of("report descriptor")(error);
    }
    let writable = match plan.writable.iter().map(PlannedDir::identified).collect() {
        Ok(writable) => writable,
        Err(failure) => return failure,
    };
    let separated = separate_mounts().and_then(|()| make_devices_read_only());
    if let Err(failure) = separated.and_then(|()| stream_devices::reopen()) {
        return failure;
    }
    let inner = HelperPlan { writable, report: Some(writer.pipe().as_raw_fd()), ..plan.clone() };
    let mut command = Command::new(program);
    command.args([
        "--die-with-parent",
        "--unshare-pid",
        "--unshare-ipc",
        "--unshare-net",
        "--ro-bind",
        "/",
        "/",
    ]);
    add_mounts(&mut command, &inner);
    let error = command.arg("--").arg(own).args(inner.to_arguments()).exec();
    Failure::new(format!("`{}` cannot be started: {}", program.display(), error.to_string().to_lowercase()))
}

fn add_mounts(command: &mut Command, plan: &HelperPlan) {
    command.args(["--dev", "/dev", "--proc", "/proc"]);
    // It resolves paths itself, also those of descriptors. `mount_check` looks at what came of it.
    let mut add = |kind: &str, path: &Path| {
        command.arg(kind).arg(path).arg(path);
    };
    plan.outermost_writable().iter().for_each(|dir| add("--bind", &dir.path));
    plan.pinned.iter().for_each(|path| add("--bind", path));
    plan.read_only.iter().for_each(|path| add("--ro-bind", path));
    plan.writable_in_read_only().iter().for_each(|dir| add("--bind", &dir.path));
    for path in &plan.hidden {
        match path.symlink_metadata() {
            Ok(found) if found.is_dir() => {
                command.args(["--perms", "0000", "--tmpfs"]).arg(path).arg("--remount-ro").arg(path);
            }
            Ok(_) => {
                command.args(["--ro-bind", "/dev/null"]).arg(path);
            }
            // What does not exist cannot be read, also if it is created later.
            Err(_) => {}
        }
    }
}

/// How often the processes of user 0 are counted.
const COUNTING: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };

/// Waits until the program ends, the parent closes the control socket, or somebody ends the helper. Returns how it ended,
/// and whether it had started.
fn watch(started: Started, parent: Option<&File>) -> Result<(Report, bool), Failure> {
    let Started { child, signals, reports, most_processes, reach, is_program } = started;
    let process = pidfd_open(child, PidfdFlags::empty()).map_err(Failure::of("pidfd"))?;
    let interruption = loop {
        let mut events = vec![
            PollFd::new(&process, PollFlags::IN),
            PollFd::from_borrowed_fd(signals.as_fd(), PollFlags::IN),
        ];
        events.extend(parent.map(|parent| PollFd::new(parent, PollFlags::IN)));
        let timeout = most_processes.is_some().then_some(&COUNTING);
        match poll(&mut events, timeout) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => break Some(format!("poll: {error}")),
        }
        let mut ready = events.iter().map(|event| !event.revents().is_empty());
        if ready.next() == Some(true) {
            break None;
        }
        if ready.next() == Some(true) && is_deadly(&signals) {
            break Some("the sandbox was ended".into());
        }
        if ready.next() == Some(true) {
            break Some("aborted".into());
        }
        if most_processes.is_some_and(|most| descendants::list().len() > most) {
            break Some("the program started too many processes".into());
        }
    };
    let status = match &interruption {
        None => waitpid(Some(child), WaitOptions::empty()).ok().flatten(),
        Some(_) => None,
    };
    descendants::kill_all(reach);
    let told = report::read(reports);
    let status = status.filter(|_| is_program).map(|(_, status)| Report::of(status));
    let has_started = told.has_started;
    Ok((ending(told, interruption, status), has_started))
}

/// What is reported, so that a program that has run is never said not to have started.
fn ending(told: Told, interruption: Option<String>, status: Option<Report>) -> Report {
    let Told { report, has_started } = told;
    let killed = |why: String| if has_started { Report::Killed(why) } else { Report::Failed(why) };
    match (interruption, report.or(status)) {
        (Some(why), _) => killed(why),
        (None, Some(report)) => report,
        (None, None) if has_started => killed("something ended the sandbox while the program ran".into()),
        (None, None) => Report::Failed("the namespaces could not be made".into()),
    }
}

/// Whether a signal that arrived ends the sandbox. Interrupts from a terminal are the program's business.
fn is_deadly(signals: &SignalFd) -> bool {
    let Ok(Some(signal)) = signals.read_signal() else { return false };
    let number = i32::try_from(signal.ssi_signo).unwrap_or_default();
    number == libc::SIGTERM || number == libc::SIGHUP
}
