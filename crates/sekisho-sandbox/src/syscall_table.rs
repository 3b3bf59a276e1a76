//! What the filter refuses: the system calls that a program does not need and an attacker does.
//!
//! `chmod` stays possible, because builds need it, but not with the bits that give a program the rights of its owner
//! or group: other users could run it outside. `socketpair` of connected Unix sockets stays possible too: it reaches
//! nothing outside. `clone3` and `openat2` are said to be missing, because their flags and modes are behind a pointer;
//! programs then use `clone` and `openat`, which are checked.

use std::collections::BTreeMap;

use libc::c_long;

/// Which calls are refused besides those that are always refused.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FilterOptions {
    /// TCP sockets are possible.
    pub(crate) tcp: bool,
    /// Processes outside are visible, so all calls that name a process are limited to the caller.
    pub(crate) shares_processes: bool,
    /// Only threads can be started, and no processes.
    pub(crate) single_process: bool,
}

/// What happens to a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Treatment {
    /// The program is told that it may not.
    Refused,
    /// The program is told that this kernel does not have it, so that it uses something else.
    Missing,
    /// Refused if one of these rules matches.
    RefusedIf(Vec<Rule>),
}

/// Matches if all of its conditions hold.
pub(crate) type Rule = Vec<Condition>;

/// A condition on an argument. The arguments that are tested are 32 bits wide; the kernel ignores the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Condition {
    /// Its index.
    pub(crate) argument: u8,
    /// The bits that are compared.
    pub(crate) mask: u32,
    /// What they are compared with.
    pub(crate) value: u32,
    /// Whether they must be equal, or else different.
    pub(crate) equal: bool,
}

impl Condition {
    const fn is(argument: u8, value: i32) -> Condition {
        Condition { argument, mask: u32::MAX, value: value as u32, equal: true }
    }

    const fn is_not(argument: u8, value: i32) -> Condition {
        Condition { argument, mask: u32::MAX, value: value as u32, equal: false }
    }

    /// The type of a socket, without its flags.
    const fn type_is_not(argument: u8, value: i32) -> Condition {
        Condition { argument, mask: 0xf, value: value as u32, equal: false }
    }

    const fn has_none(argument: u8, bits: i32) -> Condition {
        Condition { argument, mask: bits as u32, value: 0, equal: true }
    }

    const fn has_any(argument: u8, bits: i32) -> Condition {
        Condition { argument, mask: bits as u32, value: 0, equal: false }
    }

    /// Without the lowest eight bits.
    const fn begins_with(argument: u8, value: i32) -> Condition {
        Condition { argument, mask: !0xff, value: value as u32, equal: true }
    }
}

/// Refused whatever the arguments are.
const REFUSED: &[c_long] = &[
    // Other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_process_mrelease,
    libc::SYS_kcmp,
    libc::SYS_pidfd_getfd,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    // Mounts and namespaces.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    // `open_tree_attr`, which has no name in all versions of the C library's constants.
    467,
    libc::SYS_unshare,
    libc::SYS_setns,
    // Files by handle, and notifications about other users' files.
    libc::SYS_open_by_handle_at,
    libc::SYS_name_to_handle_at,
    libc::SYS_fanotify_init,
    // Keys.
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    // The kernel and the machine.
    libc::SYS_bpf,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_syslog,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_vhangup,
    libc::SYS_nfsservctl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_modify_ldt,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_uselib,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_sysfs,
    #[cfg(target_arch = "x86_64")]
    libc::SYS__sysctl,
];

/// Refused where other processes share the memory and the queues that these name. Those that take an id need
/// no name: ids can be guessed.
const SHARED_MEMORY: &[c_long] = &[
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_semctl,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
];

/// Calls that name a process or thread, and the argument with its number. Zero is the caller.
const NAMES_A_PROCESS: &[(c_long, u8)] = &[
    (libc::SYS_prlimit64, 0),
    (libc::SYS_sched_setaffinity, 0),
    (libc::SYS_sched_setscheduler, 0),
    (libc::SYS_sched_setparam, 0),
    (libc::SYS_sched_setattr, 0),
    (libc::SYS_setpriority, 1),
    (libc::SYS_ioprio_set, 1),
    (libc::SYS_migrate_pages, 0),
    (libc::SYS_move_pages, 0),
];

/// The first processes of a process namespace: bubblewrap and the helper, which report how the program ended.
const HELPERS: [i32; 2] = [1, 2];

/// Start a process, besides `clone`. Other machines have only that.
const STARTS_A_PROCESS: &[c_long] = &[
    #[cfg(target_arch = "x86_64")]
    libc::SYS_fork,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_vfork,
];

/// Said to be missing, so that programs use something else.
const MISSING: &[c_long] = &[
    libc::SYS_clone3,
    libc::SYS_openat2,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
];

/// Set-user-ID and set-group-ID.
const RIGHTS_OF_THE_OWNER: i32 = 0o6000;

/// Calls that set the mode of a file, and the argument with the mode.
const SETS_A_MODE: &[(c_long, u8)] = &[
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_chmod, 1),
    (libc::SYS_fchmod, 1),
    (libc::SYS_fchmodat, 2),
    // `fchmodat2`, which has no name in all versions of the C library's constants.
    (452, 2),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_creat, 1),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_mknod, 1),
    (libc::SYS_mknodat, 2),
];

/// Calls that set a mode if their flags make a file: the argument with the flags. The mode comes next, and means nothing
/// without those flags.
const MAY_MAKE_A_FILE: &[(c_long, u8)] = &[
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_open, 1),
    (libc::SYS_openat, 2),
];

/// The flags that make a file, with and without a name.
const MAKES_A_FILE: i32 = libc::O_CREAT | (libc::O_TMPFILE & !libc::O_DIRECTORY);

/// Requests that put characters into the input of a terminal, or leave it in a state that its user cannot easily undo.
/// C libraries disagree on their type, not on their value.
const TERMINAL_REQUESTS: [i32; 5] = [TIOCSTI, TIOCLINUX, TIOCEXCL, TIOCSETD, TCXONC];

/// These two put characters into the input.
const TIOCSTI: i32 = 0x5412;
const TIOCLINUX: i32 = 0x541c;
/// Nobody else can open it.
const TIOCEXCL: i32 = 0x540c;
/// Another line discipline, which may know no lines.
const TIOCSETD: i32 = 0x5423;
/// Stops output or input.
const TCXONC: i32 = 0x540a;

/// All requests that begin like this concern the screen, the keyboard (`KD…`) and the switching (`VT_…`) of a console.
const CONSOLE_REQUESTS: [i32; 2] = [0x4b00, 0x5600];

/// Flags of `clone` that make namespaces.
const NAMESPACES: i32 = libc::CLONE_NEWNS
    | libc::CLONE_NEWUSER
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWCGROUP;

/// `IOPRIO_WHO_PROCESS`.
const ONE_PROCESS: i32 = 1;

/// What happens to each call. Those that are not listed are allowed.
pub(crate) type SyscallTable = BTreeMap<c_long, Treatment>;

/// The table for a program.
pub(crate) fn table(options: FilterOptions) -> SyscallTable {
    let mut table: SyscallTable = REFUSED.iter().map(|call| (*call, Treatment::Refused)).collect();
    table.extend(MISSING.iter().map(|call| (*call, Treatment::Missing)));
    refuse_if(&mut table, libc::SYS_clone, vec![Condition::has_any(0, NAMESPACES)]);
    if options.single_process {
        refuse_if(&mut table, libc::SYS_clone, vec![Condition::has_none(0, libc::CLONE_THREAD)]);
        table.extend(STARTS_A_PROCESS.iter().map(|call| (*call, Treatment::Refused)));
    }
    for request in TERMINAL_REQUESTS {
        refuse_if(&mut table, libc::SYS_ioctl, vec![Condition::is(1, request)]);
    }
    for requests in CONSOLE_REQUESTS {
        refuse_if(&mut table, libc::SYS_ioctl, vec![Condition::begins_with(1, requests)]);
    }
    for (call, mode) in SETS_A_MODE {
        refuse_if(&mut table, *call, vec![Condition::has_any(*mode, RIGHTS_OF_THE_OWNER)]);
    }
    for (call, flags) in MAY_MAKE_A_FILE {
        let mode = Condition::has_any(flags + 1, RIGHTS_OF_THE_OWNER);
        refuse_if(&mut table, *call, vec![Condition::has_any(*flags, MAKES_A_FILE), mode]);
    }
    // A lease on a file that can only be read blocks everybody who opens it.
    refuse_if(&mut table, libc::SYS_fcntl, vec![Condition::is(1, libc::F_SETLEASE)]);
    // Only the priority of single processes can be set, not that of all processes of a group or a user.
    refuse_if(&mut table, libc::SYS_setpriority, vec![Condition::is_not(0, libc::PRIO_PROCESS as i32)]);
    refuse_if(&mut table, libc::SYS_ioprio_set, vec![Condition::is_not(0, ONE_PROCESS)]);
    if options.shares_processes {
        table.extend(SHARED_MEMORY.iter().map(|call| (*call, Treatment::Refused)));
    }
    for (call, argument) in NAMES_A_PROCESS {
        // A limit of processor time ends a process.
        if options.shares_processes || *call == libc::SYS_prlimit64 {
            refuse_if(&mut table, *call, vec![Condition::is_not(*argument, 0)]);
        } else {
            for helper in HELPERS {
                refuse_if(&mut table, *call, vec![Condition::is(*argument, helper)]);
            }
        }
    }
    refuse_sockets(&mut table, options.tcp);
    table
}

fn refuse_if(table: &mut SyscallTable, call: c_long, rule: Rule) {
    match table.entry(call).or_insert_with(|| Treatment::RefusedIf(Vec::new())) {
        Treatment::RefusedIf(rules) => rules.push(rule),
        Treatment::Refused | Treatment::Missing => {}
    }
}

/// Without TCP no socket at all, or else TCP sockets only. Connected pairs of Unix sockets are always possible;
/// a datagram socket can send to any other one, whatever it was paired with.
fn refuse_sockets(table: &mut SyscallTable, tcp: bool) {
    refuse_if(table, libc::SYS_socketpair, vec![Condition::is_not(0, libc::AF_UNIX)]);
    let unconnected =
        vec![Condition::type_is_not(1, libc::SOCK_STREAM), Condition::type_is_not(1, libc::SOCK_SEQPACKET)];
    refuse_if(table, libc::SYS_socketpair, unconnected);
    if !tcp {
        table.insert(libc::SYS_socket, Treatment::Refused);
        return;
    }
    for rule in [
        vec![Condition::is_not(0, libc::AF_INET), Condition::is_not(0, libc::AF_INET6)],
        vec![Condition::type_is_not(1, libc::SOCK_STREAM)],
        vec![Condition::is_not(2, 0), Condition::is_not(2, libc::IPPROTO_TCP)],
    ] {
        refuse_if(table, libc::SYS_socket, rule);
    }
}
