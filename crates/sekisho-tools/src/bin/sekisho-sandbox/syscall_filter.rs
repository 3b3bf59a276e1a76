//! Seccomp: the system calls that a program does not need and an attacker does.
//!
//! `chmod` stays possible, because builds need it. `socketpair` of Unix sockets stays possible too: it
//! connects to nothing outside. `clone3` is told to be missing, because its flags are behind a pointer; C
//! libraries then use `clone`, whose flags are checked.

use std::collections::BTreeMap;

use libc::c_long;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, apply_filter, sock_filter,
};

use crate::failure::Failure;

/// Which calls the filter refuses besides those that are always refused.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FilterOptions {
    /// TCP sockets are possible.
    pub(crate) tcp: bool,
    /// Processes outside are visible, so calls that name a process are limited to the caller.
    pub(crate) shares_processes: bool,
}

/// Applies the filter to this process.
pub(crate) fn apply(options: FilterOptions) -> Result<(), Failure> {
    let program = build(options).map_err(Failure::of("seccomp"))?;
    apply_filter(&program).map_err(Failure::of("seccomp"))
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

/// Refused where other processes share the memory and the queues that these name.
const SHARED_MEMORY: &[c_long] =
    &[libc::SYS_shmget, libc::SYS_shmat, libc::SYS_semget, libc::SYS_msgget, libc::SYS_mq_open];

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

/// Said to be missing, so that programs use something else.
const MISSING: &[c_long] =
    &[libc::SYS_clone3, libc::SYS_io_uring_setup, libc::SYS_io_uring_enter, libc::SYS_io_uring_register];

/// `TIOCSTI` and `TIOCLINUX`, which put characters into the input of a terminal. C libraries disagree on their
/// type, not on their value.
const TERMINAL_INPUT: [u64; 2] = [0x5412, 0x541c];

/// Flags of `clone` that make namespaces.
const NAMESPACES: &[i32] = &[
    libc::CLONE_NEWNS,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWCGROUP,
];

type Rules = BTreeMap<i64, Vec<SeccompRule>>;
type Outcome<T> = Result<T, seccompiler::Error>;

fn build(options: FilterOptions) -> Outcome<BpfProgram> {
    let mut rules: Rules = REFUSED.iter().map(|call| (*call, Vec::new())).collect();
    refuse_namespaces(&mut rules)?;
    refuse_sockets(&mut rules, options.tcp)?;
    for request in TERMINAL_INPUT {
        let conditions = vec![condition(1, SeccompCmpOp::Eq, request)?];
        rules.entry(libc::SYS_ioctl).or_default().push(SeccompRule::new(conditions)?);
    }
    // A lease on a file that can only be read blocks everybody who opens it.
    let lease = vec![condition(1, SeccompCmpOp::Eq, libc::F_SETLEASE as u64)?];
    rules.insert(libc::SYS_fcntl, vec![SeccompRule::new(lease)?]);
    // Only the priority of single processes can be set, not that of all processes of a group or a user.
    for (call, process) in [(libc::SYS_setpriority, 0), (libc::SYS_ioprio_set, 1)] {
        rules.insert(call, vec![SeccompRule::new(vec![condition(0, SeccompCmpOp::Ne, process)?])?]);
    }
    if options.shares_processes {
        rules.extend(SHARED_MEMORY.iter().map(|call| (*call, Vec::new())));
        for (call, argument) in NAMES_A_PROCESS {
            let conditions = vec![condition(*argument, SeccompCmpOp::Ne, 0)?];
            rules.entry(*call).or_default().push(SeccompRule::new(conditions)?);
        }
    }
    let refused = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    let arch = TargetArch::try_from(std::env::consts::ARCH)?;
    let filter: BpfProgram = SeccompFilter::new(rules, SeccompAction::Allow, refused, arch)?.try_into()?;
    let mut program = missing_calls();
    program.extend(filter);
    Ok(program)
}

/// The arguments of the calls here are 32 bits wide; the kernel ignores the rest.
fn condition(argument: u8, operator: SeccompCmpOp, value: u64) -> Outcome<SeccompCondition> {
    Ok(SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value)?)
}

fn refuse_namespaces(rules: &mut Rules) -> Outcome<()> {
    for flag in NAMESPACES {
        let flag = u64::from(flag.unsigned_abs());
        let conditions = vec![condition(0, SeccompCmpOp::MaskedEq(flag), flag)?];
        rules.entry(libc::SYS_clone).or_default().push(SeccompRule::new(conditions)?);
    }
    Ok(())
}

/// Without TCP no socket at all, or else TCP sockets only. Pairs of Unix sockets are always possible.
fn refuse_sockets(rules: &mut Rules, tcp: bool) -> Outcome<()> {
    /// The part of the type argument that is the type, without its flags.
    const TYPE: u64 = 0xf;
    let mut pairs = vec![SeccompRule::new(vec![condition(0, SeccompCmpOp::Ne, libc::AF_UNIX as u64)?])?];
    // A datagram socket can send to any other one, whatever it was paired with.
    let connected = [libc::SOCK_STREAM as u64, libc::SOCK_SEQPACKET as u64];
    for kind in (0..=TYPE).filter(|kind| !connected.contains(kind)) {
        pairs.push(SeccompRule::new(vec![condition(1, SeccompCmpOp::MaskedEq(TYPE), kind)?])?);
    }
    rules.insert(libc::SYS_socketpair, pairs);
    if !tcp {
        rules.insert(libc::SYS_socket, Vec::new());
        return Ok(());
    }
    let other_families = vec![
        condition(0, SeccompCmpOp::Ne, libc::AF_INET as u64)?,
        condition(0, SeccompCmpOp::Ne, libc::AF_INET6 as u64)?,
    ];
    let mut refused = vec![SeccompRule::new(other_families)?];
    for kind in (0..=TYPE).filter(|kind| *kind != libc::SOCK_STREAM as u64) {
        refused.push(SeccompRule::new(vec![condition(1, SeccompCmpOp::MaskedEq(TYPE), kind)?])?);
    }
    let other_protocols =
        vec![condition(2, SeccompCmpOp::Ne, 0)?, condition(2, SeccompCmpOp::Ne, libc::IPPROTO_TCP as u64)?];
    refused.push(SeccompRule::new(other_protocols)?);
    rules.insert(libc::SYS_socket, refused);
    Ok(())
}

/// The first number of the x32 calls, which reach the same kernel functions by other numbers.
const X32: u32 = 0x4000_0000;

/// The start of the filter: x32 calls, and those that are said to be missing.
fn missing_calls() -> BpfProgram {
    const LOAD: u16 = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
    const JUMP_EQUAL: u16 = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
    const JUMP_AT_LEAST: u16 = (libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K) as u16;
    const RETURN: u16 = (libc::BPF_RET | libc::BPF_K) as u16;
    let tests = std::iter::once((JUMP_AT_LEAST, X32))
        .chain(MISSING.iter().map(|call| (JUMP_EQUAL, u32::try_from(*call).unwrap_or(u32::MAX))));
    let tests: Vec<(u16, u32)> = tests.collect();
    let mut program = vec![sock_filter { code: LOAD, jt: 0, jf: 0, k: 0 }];
    for (index, (code, number)) in tests.iter().enumerate() {
        let after = u8::try_from(tests.len() - index - 1).unwrap_or(u8::MAX);
        // The last test skips the return if it does not match.
        program.push(sock_filter { code: *code, jt: after, jf: u8::from(after == 0), k: *number });
    }
    let missing = libc::SECCOMP_RET_ERRNO | libc::ENOSYS.unsigned_abs();
    program.push(sock_filter { code: RETURN, jt: 0, jf: 0, k: missing });
    program
}
