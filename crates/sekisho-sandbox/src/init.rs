//! The first process of a process namespace.
//!
//! It starts the program, reaps everything, and reports how the program ended. When it exits, the kernel
//! kills whatever is left in the namespace.

use std::io::IoSlice;
use std::mem::MaybeUninit;
use std::net::{Ipv4Addr, TcpListener};
use std::os::fd::{AsFd, BorrowedFd};
use std::process::ExitCode;

use rustix::io::Errno;
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
use rustix::process::{Signal, WaitOptions, set_parent_process_death_signal, wait};

use crate::failure::{FAILED, Failure};
use crate::inner_process::become_program;
use crate::namespaces;
use crate::plan::{Control, HelperPlan, PROXY_PORT};
use crate::raw_calls;
use crate::report::{Report, ReportWriter};

/// Runs in the second copy of the helper, the one that bubblewrap starts.
pub(crate) fn run_inside_bubblewrap(plan: &HelperPlan) -> Result<ExitCode, Failure> {
    let report = plan.report.unwrap_or_default();
    let control = match plan.control {
        Some(Control::Descriptor(number)) => number,
        Some(Control::Stdin) | None => 0,
    };
    raw_calls::close_inherited(&[report, control]).map_err(Failure::of("inherited descriptors"))?;
    let pipe = raw_calls::adopt(report).map_err(Failure::of("report descriptor"))?;
    rustix::io::fcntl_setfd(&pipe, rustix::io::FdFlags::CLOEXEC).map_err(Failure::of("report descriptor"))?;
    Ok(supervise(plan, ReportWriter::new(pipe)))
}

/// Runs in the first child process, in the namespaces that the helper itself created.
pub(crate) fn run_in_namespaces(plan: &HelperPlan, mut report: ReportWriter) -> ExitCode {
    let prepared = set_parent_process_death_signal(Some(Signal::KILL))
        .map_err(Failure::of("death signal"))
        .and_then(|()| namespaces::isolate(plan));
    match prepared {
        Ok(()) => supervise(plan, report),
        Err(failure) => {
            report.fail(&failure);
            ExitCode::from(FAILED)
        }
    }
}

fn supervise(plan: &HelperPlan, mut report: ReportWriter) -> ExitCode {
    let forked = hand_over_proxy(plan).and_then(|()| raw_calls::fork().map_err(Failure::of("fork")));
    let program = match forked {
        Err(failure) => {
            report.fail(&failure);
            return ExitCode::from(FAILED);
        }
        Ok(None) => {
            let failure = become_program(plan, &mut report);
            report.fail(&failure);
            return ExitCode::from(FAILED);
        }
        Ok(Some(program)) => program,
    };
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((ended, status))) if ended == program => {
                report.write(&Report::of(status));
                return ExitCode::SUCCESS;
            }
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => {
                report.fail(&Failure::of("wait")(error));
                return ExitCode::from(FAILED);
            }
        }
    }
}

/// Listens on the proxy's port inside this network namespace and passes the socket to the parent, which
/// accepts connections outside the sandbox.
fn hand_over_proxy(plan: &HelperPlan) -> Result<(), Failure> {
    if !plan.proxy {
        return Ok(());
    }
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, PROXY_PORT)).map_err(Failure::of("proxy port"))?;
    let stdin = std::io::stdin();
    match plan.control {
        None => Err(Failure::new("internal error: a proxy was requested without a control socket")),
        Some(Control::Stdin) => send(stdin.as_fd(), listener.as_fd()),
        Some(Control::Descriptor(number)) => {
            let control = raw_calls::adopt(number).map_err(Failure::of("control descriptor"))?;
            send(control.as_fd(), listener.as_fd())
        }
    }
}

fn send(control: BorrowedFd<'_>, listener: BorrowedFd<'_>) -> Result<(), Failure> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    let descriptors = [listener];
    ancillary.push(SendAncillaryMessage::ScmRights(&descriptors));
    sendmsg(control, &[IoSlice::new(b"proxy\n")], &mut ancillary, SendFlags::empty())
        .map(drop)
        .map_err(Failure::of("proxy port"))
}
