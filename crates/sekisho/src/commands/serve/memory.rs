//! Memory that a large call took goes back to the system.
//!
//! The allocator of glibc raises the size from which it maps memory of its own as soon as such memory is freed, up to 32 MiB;
//! after one large call most of what it took stays with the process for good. A size that is set stays what it is. It can be
//! set without unsafe code only by a variable that is there when the process starts.

/// Starts this program once more, in the same process, with the variable set. Where that fails all goes on as it is.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(clippy::disallowed_methods, reason = "what starts is this program itself, as it was started")]
pub(super) fn give_back() {
    use std::os::unix::process::CommandExt;

    /// The size from which each allocation is mapped, and given back when it is freed.
    const MAPPED: &str = "131072";
    const VARIABLE: &str = "MALLOC_MMAP_THRESHOLD_";

    if std::env::var_os(VARIABLE).is_some() {
        return;
    }
    let Ok(program) = std::env::current_exe() else { return };
    let mut arguments = std::env::args_os();
    let mut again = std::process::Command::new(program);
    if let Some(name) = arguments.next() {
        again.arg0(name);
    }
    let _goes_on = again.args(arguments).env(VARIABLE, MAPPED).exec();
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(super) fn give_back() {}
