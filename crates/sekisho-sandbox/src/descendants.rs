//! All processes that this one has started, directly or not.
//!
//! The supervisor adopts orphans, so a process that left its session or whose parent has exited is still a
//! descendant.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use landlock::{
    AccessFs, CompatLevel, Compatible, PathBeneath, PathFd, RestrictionStatus, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, WaitOptions, getpid, pidfd_open, pidfd_send_signal, wait};

use crate::failure::Failure;

/// The descendants now.
pub(crate) fn list() -> BTreeSet<i32> {
    let mut children: BTreeMap<i32, Vec<i32>> = BTreeMap::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        if let Some(parent) = parent_of(pid) {
            children.entry(parent).or_default().push(pid);
        }
    }
    let mut found = BTreeSet::new();
    let mut open = vec![getpid().as_raw_pid()];
    while let Some(pid) = open.pop() {
        for child in children.remove(&pid).unwrap_or_default() {
            if found.insert(child) {
                open.push(child);
            }
        }
    }
    found
}

fn parent_of(pid: i32) -> Option<i32> {
    let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
    // The name of a program is in parentheses and can contain anything.
    let end = stat.iter().rposition(|byte| *byte == b')')?;
    let rest = std::str::from_utf8(stat.get(end + 1..)?).ok()?;
    rest.split_whitespace().nth(1)?.parse().ok()
}

/// How processes are found to be killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Landlock lets this process signal only its descendants, so one call kills all of them at once, and none
    /// can start another one meanwhile.
    Confined,
    /// They are looked up in `/proc`.
    Searched,
}

/// Lets this process and those it starts signal only each other. The program then gets stricter rules of its
/// own, which keep it from signalling this process.
pub(crate) fn confine() -> Result<Reach, Failure> {
    let root = PathFd::new("/").map_err(Failure::of("/"))?;
    // Landlock forbids moving and linking files between directories unless a rule allows it.
    let restrict = || -> Result<RestrictionStatus, RulesetError> {
        Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessFs::Refer)?
            .scope(Scope::Signal)?
            .create()?
            .add_rule(PathBeneath::new(&root, AccessFs::Refer))?
            .restrict_self()
    };
    match restrict() {
        Ok(status) if status.ruleset == RulesetStatus::FullyEnforced => Ok(Reach::Confined),
        Ok(_) => Err(Failure::new("landlock does not confine signals")),
        Err(error) => {
            Err(Failure::new(format!("this kernel has no Landlock of Linux 6.12 or newer: {error}")))
        }
    }
}

/// Kills and reaps descendants until there are none. Most programs leave none, and then nothing is searched.
pub(crate) fn kill_all(reach: Reach) {
    while has_children() {
        match reach {
            Reach::Confined if cannot_signal_parent() => {
                let everybody = nix::unistd::Pid::from_raw(-1);
                let _ = nix::sys::signal::kill(everybody, nix::sys::signal::SIGKILL);
            }
            Reach::Confined | Reach::Searched => list().into_iter().for_each(kill),
        }
        // Something may be left: it was killed and has not ended yet, or it was started meanwhile.
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
}

/// Makes sure that the confinement holds before everybody is killed.
fn cannot_signal_parent() -> bool {
    nix::sys::signal::kill(nix::unistd::getppid(), None).is_err()
}

/// Reaps what has ended. Orphans are children too, so without children there are no descendants.
fn has_children() -> bool {
    loop {
        match wait(WaitOptions::NOHANG) {
            Ok(Some(_)) | Err(Errno::INTR) => {}
            Ok(None) => return true,
            Err(_) => return false,
        }
    }
}

/// The descriptor makes sure that the number still means the process that was found.
fn kill(pid: i32) {
    let Some(id) = Pid::from_raw(pid) else { return };
    let Ok(process) = pidfd_open(id, PidfdFlags::empty()) else { return };
    if list_contains(pid) {
        let _ = pidfd_send_signal(process, Signal::KILL);
    }
}

fn list_contains(pid: i32) -> bool {
    let own = getpid().as_raw_pid();
    let mut at = pid;
    // A process id cannot be its own ancestor; the limit ends a walk through a tree that changes meanwhile.
    for _ in 0..4096 {
        match parent_of(at) {
            Some(parent) if parent == own => return true,
            Some(parent) if parent > 0 => at = parent,
            _ => return false,
        }
    }
    false
}
