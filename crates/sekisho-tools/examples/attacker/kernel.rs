//! System calls that lead out of a sandbox, or into the kernel.

use std::io;

use crate::check;

fn call(number: i64, arguments: [i64; 5]) -> io::Result<()> {
    let [a, b, c, d, e] = arguments;
    check(unsafe { libc::syscall(number, a, b, c, d, e) })
}

pub(crate) fn attack(words: &[&str]) -> Option<io::Result<()>> {
    let [name] = words else { return None };
    let name = (*name, c"x".as_ptr() as i64);
    let zero = [0; 5];
    Some(match name {
        ("io_uring", _) => call(libc::SYS_io_uring_setup, [1, [0_u8; 120].as_ptr() as i64, 0, 0, 0]),
        ("unshare_user", _) => call(libc::SYS_unshare, [i64::from(libc::CLONE_NEWUSER), 0, 0, 0, 0]),
        ("unshare_network", _) => call(libc::SYS_unshare, [i64::from(libc::CLONE_NEWNET), 0, 0, 0, 0]),
        ("clone_user", _) => clone(libc::CLONE_NEWUSER),
        ("clone_network", _) => clone(libc::CLONE_NEWNET),
        ("clone3", _) => call(libc::SYS_clone3, [[0_u64; 11].as_ptr() as i64, 88, 0, 0, 0]),
        ("setns", _) => enter_namespace(),
        ("mount", x) => call(libc::SYS_mount, [x, c"/".as_ptr() as i64, c"tmpfs".as_ptr() as i64, 0, 0]),
        ("unmount", _) => call(libc::SYS_umount2, [c"/proc".as_ptr() as i64, 2, 0, 0, 0]),
        ("fsopen", _) => call(libc::SYS_fsopen, [c"tmpfs".as_ptr() as i64, 0, 0, 0, 0]),
        ("open_tree", _) => {
            call(libc::SYS_open_tree, [i64::from(libc::AT_FDCWD), c"/".as_ptr() as i64, 1, 0, 0])
        }
        ("pivot_root", _) => {
            call(libc::SYS_pivot_root, [c".".as_ptr() as i64, c".".as_ptr() as i64, 0, 0, 0])
        }
        ("chroot", _) => call(libc::SYS_chroot, [c"/".as_ptr() as i64, 0, 0, 0, 0]),
        ("keyctl", _) => call(libc::SYS_keyctl, zero),
        ("add_key", x) => call(libc::SYS_add_key, [c"user".as_ptr() as i64, x, x, 1, -3]),
        ("request_key", x) => call(libc::SYS_request_key, [c"user".as_ptr() as i64, x, 0, 0, 0]),
        ("bpf", _) => call(libc::SYS_bpf, [0, [0_u8; 128].as_ptr() as i64, 128, 0, 0]),
        ("userfaultfd", _) => call(libc::SYS_userfaultfd, [1, 0, 0, 0, 0]),
        ("open_by_handle", _) => call(libc::SYS_open_by_handle_at, [0, [0_u8; 32].as_ptr() as i64, 0, 0, 0]),
        ("perf_event", _) => call(libc::SYS_perf_event_open, [[0_u8; 128].as_ptr() as i64, 0, -1, -1, 0]),
        ("kexec", _) => call(libc::SYS_kexec_load, zero),
        ("module", _) => call(libc::SYS_init_module, [0, 0, c"".as_ptr() as i64, 0, 0]),
        ("swapoff", x) => call(libc::SYS_swapoff, [x, 0, 0, 0, 0]),
        ("accounting", x) => call(libc::SYS_acct, [x, 0, 0, 0, 0]),
        ("kernel_log", _) => call(libc::SYS_syslog, [10, 0, 0, 0, 0]),
        ("clock", _) => call(libc::SYS_clock_settime, [99, [0_u64; 2].as_ptr() as i64, 0, 0, 0]),
        ("fanotify", _) => call(libc::SYS_fanotify_init, zero),
        ("openat2", _) => {
            let how = [i64::from(libc::O_CREAT | libc::O_WRONLY), 0o4755, 0];
            let path = c"openat2".as_ptr() as i64;
            call(libc::SYS_openat2, [i64::from(libc::AT_FDCWD), path, how.as_ptr() as i64, 24, 0])
        }
        ("exclusive_terminal", _) => call(libc::SYS_ioctl, [0, 0x540c, 0, 0, 0]),
        ("line_discipline", _) => call(libc::SYS_ioctl, [0, 0x5423, [2_i32; 1].as_ptr() as i64, 0, 0]),
        ("stopped_output", _) => call(libc::SYS_ioctl, [0, 0x540a, 0, 0, 0]),
        ("keyboard_mode", _) => call(libc::SYS_ioctl, [0, 0x4b45, 4, 0, 0]),
        ("console_switching", _) => call(libc::SYS_ioctl, [0, 0x5606, 1, 0, 0]),
        ("type_into_terminal", x) => call(libc::SYS_ioctl, [0, libc::TIOCSTI as i64, x, 0, 0]),
        ("type_with_high_bits", x) => call(libc::SYS_ioctl, [0, libc::TIOCSTI as i64 | 1 << 40, x, 0, 0]),
        ("x32", _) => call(0x4000_0000 | libc::SYS_getpid, zero),
        ("i386", _) => i386(),
        _ => return None,
    })
}

fn clone(flag: i32) -> io::Result<()> {
    let pid = unsafe { libc::syscall(libc::SYS_clone, i64::from(flag | libc::SIGCHLD), 0, 0, 0, 0) };
    if pid == 0 {
        unsafe { libc::_exit(0) };
    }
    check(pid)
}

fn enter_namespace() -> io::Result<()> {
    use std::os::fd::AsRawFd;

    let namespace = std::fs::File::open("/proc/self/ns/user")?;
    call(libc::SYS_setns, [i64::from(namespace.as_raw_fd()), 0, 0, 0, 0])
}

/// The same kernel by the numbers of 32-bit programs: 20 is `getpid`.
#[cfg(target_arch = "x86_64")]
fn i386() -> io::Result<()> {
    let result: i64;
    unsafe {
        std::arch::asm!("int 0x80", inlateout("rax") 20_i64 => result, out("r8") _, out("r9") _, out("r10") _, out("r11") _);
    }
    check(result)
}

#[cfg(not(target_arch = "x86_64"))]
fn i386() -> io::Result<()> {
    Err(io::Error::other("this machine has no 32-bit calls"))
}
