//! Attacks on other processes, and what a process inherits.

use std::fs;
use std::io;

use crate::check;

pub(crate) fn attack(words: &[&str]) -> Option<io::Result<()>> {
    let pid = |text: &str| text.parse::<i32>().unwrap_or(i32::MAX);
    Some(match words {
        ["trace", victim] => check(unsafe { libc::ptrace(libc::PTRACE_ATTACH, pid(victim), 0, 0) }),
        ["seize", victim] => check(unsafe { libc::ptrace(libc::PTRACE_SEIZE, pid(victim), 0, 0) }),
        ["trace_me"] => check(unsafe { libc::ptrace(libc::PTRACE_TRACEME, 0, 0, 0) }),
        ["read_memory", victim] => check(unsafe {
            let mut byte = 0_u8;
            let local = libc::iovec { iov_base: (&raw mut byte).cast(), iov_len: 1 };
            let remote = libc::iovec { iov_base: 0x400000 as *mut _, iov_len: 1 };
            libc::process_vm_readv(pid(victim), &local, 1, &remote, 1, 0) as i64
        }),
        ["read_environment", victim] => read_environment(victim),
        ["open_memory", victim] => fs::File::open(format!("/proc/{victim}/mem")).map(drop),
        ["open_descriptors", victim] => fs::read_link(format!("/proc/{victim}/fd/1")).map(drop),
        ["signal", victim] => check(i64::from(unsafe { libc::kill(pid(victim), libc::SIGTERM) })),
        ["queue_signal", victim] => check(unsafe {
            let mut info: libc::siginfo_t = std::mem::zeroed();
            info.si_code = -1;
            libc::syscall(libc::SYS_rt_sigqueueinfo, pid(victim), libc::SIGTERM, &raw mut info)
        }),
        ["signal_by_descriptor", victim] => signal_by_descriptor(pid(victim)),
        ["steal_descriptor", victim] => check(unsafe {
            let process = libc::syscall(libc::SYS_pidfd_open, pid(victim), 0);
            if process < 0 { process } else { libc::syscall(libc::SYS_pidfd_getfd, process, 0, 0) }
        }),
        ["hop", _mark, many] => hop(many.parse().unwrap_or(1)),
        ["descriptors"] => descriptors(),
        ["capabilities"] => capabilities(),
        ["new_privileges"] => match unsafe { libc::prctl(libc::PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) } {
            1 => Err(io::Error::other("no new privileges")),
            _ => Ok(()),
        },
        ["become_root"] => {
            check(i64::from(unsafe { libc::setuid(0) })).and_then(|()| match unsafe { libc::getuid() } {
                0 => capabilities(),
                _ => Err(io::Error::other("another user")),
            })
        }
        ["core_size"] => check(i64::from(unsafe {
            let limit = libc::rlimit { rlim_cur: 1, rlim_max: 1 };
            libc::setrlimit(libc::RLIMIT_CORE, &limit)
        })),
        ["processes", most] => processes(most.parse().unwrap_or(0)),
        _ => return disturb(words),
    })
}

/// Attacks on limits, priorities and shared memory of others.
fn disturb(words: &[&str]) -> Option<io::Result<()>> {
    let pid = |text: &str| text.parse::<i32>().unwrap_or(i32::MAX);
    Some(match words {
        ["limit", victim] => check(i64::from(unsafe {
            let limit = libc::rlimit { rlim_cur: 8, rlim_max: 8 };
            libc::prlimit(pid(victim), libc::RLIMIT_NOFILE, &limit, std::ptr::null_mut())
        })),
        ["priority", victim] => {
            check(i64::from(unsafe { libc::setpriority(libc::PRIO_PROCESS, pid(victim).unsigned_abs(), 19) }))
        }
        ["group_priority"] => check(i64::from(unsafe { libc::setpriority(libc::PRIO_PGRP, 0, 19) })),
        ["user_priority"] => check(i64::from(unsafe { libc::setpriority(libc::PRIO_USER, 0, 19) })),
        // To the lowest class, for a group and for a user.
        ["group_io_priority"] => check(unsafe { libc::syscall(libc::SYS_ioprio_set, 2, 0, 3 << 13) }),
        ["user_io_priority"] => check(unsafe { libc::syscall(libc::SYS_ioprio_set, 3, 0, 3 << 13) }),
        ["affinity", victim] => check(i64::from(unsafe {
            let mut set: libc::cpu_set_t = std::mem::zeroed();
            libc::CPU_SET(0, &mut set);
            libc::sched_setaffinity(pid(victim), size_of_val(&set), &set)
        })),
        ["shared_memory", key] => check(i64::from(unsafe { libc::shmget(pid(key), 4096, 0o600) })),
        ["queue", id] => check(i64::from(unsafe {
            let mut message = [0_u8; 64];
            libc::msgrcv(pid(id), message.as_mut_ptr().cast(), 8, 0, libc::IPC_NOWAIT | libc::MSG_NOERROR)
                as i32
        })),
        ["remove_queue", id] => {
            check(i64::from(unsafe { libc::msgctl(pid(id), libc::IPC_RMID, std::ptr::null_mut()) }))
        }
        ["send_to_queue", id] => check(i64::from(unsafe {
            let message = [1_i64, 0];
            libc::msgsnd(pid(id), message.as_ptr().cast(), 8, libc::IPC_NOWAIT)
        })),
        _ => return None,
    })
}

fn read_environment(victim: &str) -> io::Result<()> {
    let bytes = fs::read(format!("/proc/{victim}/environ"))?;
    match bytes.windows(6).any(|window| window == b"SECRET") {
        true => Ok(()),
        false => Err(io::Error::other("the secret is not there")),
    }
}

fn signal_by_descriptor(victim: i32) -> io::Result<()> {
    check(unsafe {
        let process = libc::syscall(libc::SYS_pidfd_open, victim, 0);
        if process < 0 {
            process
        } else {
            libc::syscall(libc::SYS_pidfd_send_signal, process, libc::SIGTERM, 0, 0)
        }
    })
}

/// Works if a descriptor was inherited.
fn descriptors() -> io::Result<()> {
    for number in 3..1024 {
        if unsafe { libc::fcntl(number, libc::F_GETFD) } >= 0 {
            return Ok(());
        }
    }
    Err(io::Error::other("nothing is open"))
}

/// Works if any capability is left.
fn capabilities() -> io::Result<()> {
    let status = fs::read_to_string("/proc/self/status")?;
    let sets = status.lines().filter(|line| line.starts_with("CapEff") || line.starts_with("CapPrm"));
    let mut left = sets.filter(|line| !line.ends_with("0000000000000000"));
    match left.next() {
        Some(_) => Ok(()),
        None => Err(io::Error::other("no capability is left")),
    }
}

/// Works if this many processes can be started. All of them wait until this one ends.
fn processes(most: usize) -> io::Result<()> {
    for _ in 0..most {
        match unsafe { libc::fork() } {
            0 => loop {
                unsafe { libc::pause() };
            },
            number if number < 0 => return Err(io::Error::last_os_error()),
            _ => {}
        }
    }
    // Being counted takes a moment. Nothing ends this but the sandbox.
    loop {
        unsafe { libc::pause() };
    }
}

/// How often a process hops before it stays. The limit of processes does not count for root, and where the supervisor
/// reaps more slowly than they hop, all numbers of processes of the machine would be used up.
const HOPS: usize = 2_000;

/// Processes that fork, leave their session and exit at once: each is gone before it can be found.
fn hop(many: usize) -> io::Result<()> {
    for _ in 0..many {
        match unsafe { libc::fork() } {
            0 => {
                let mut hops = 0;
                while hops < HOPS {
                    match unsafe { libc::fork() } {
                        0 => {
                            hops += 1;
                            unsafe { libc::setsid() };
                        }
                        number if number > 0 => unsafe { libc::_exit(0) },
                        _ => {}
                    }
                }
                loop {
                    unsafe { libc::pause() };
                }
            }
            number if number < 0 => return Err(io::Error::last_os_error()),
            _ => {}
        }
    }
    println!("hopping");
    loop {
        unsafe { libc::pause() };
    }
}
