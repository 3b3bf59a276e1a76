//! Seccomp: a filter for the table of system calls.
//!
//! The filter is a search tree over the call numbers, which keeps the number of steps per call small. That matters
//! twice: for every system call of the program, and when the filter is installed, because the kernel then runs it
//! once for every call number to find those that are always allowed.

use std::iter::once;

use libc::c_long;
use seccompiler::{BpfProgram, apply_filter, sock_filter};

use crate::failure::Failure;
use crate::syscall_table::{Condition, FilterOptions, Rule, SyscallTable, Treatment, table};

/// Applies the filter to this process.
pub(crate) fn apply(options: FilterOptions) -> Result<(), Failure> {
    apply_filter(&build(&table(options))).map_err(Failure::of("seccomp"))
}

const LOAD: u16 = (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16;
const AND: u16 = (libc::BPF_ALU | libc::BPF_AND | libc::BPF_K) as u16;
const SKIP: u16 = (libc::BPF_JMP | libc::BPF_JA) as u16;
const JUMP_EQUAL: u16 = (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16;
const JUMP_AT_LEAST: u16 = (libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K) as u16;
const RETURN: u16 = (libc::BPF_RET | libc::BPF_K) as u16;

/// Offsets of the call number, the architecture and the arguments in `seccomp_data`.
const NUMBER: u32 = 0;
const ARCHITECTURE: u32 = 4;
const ARGUMENTS: u32 = 16;

#[cfg(target_arch = "x86_64")]
const NATIVE: u32 = 0xc000_003e;
#[cfg(target_arch = "aarch64")]
const NATIVE: u32 = 0xc000_00b7;
#[cfg(target_arch = "riscv64")]
const NATIVE: u32 = 0xc000_00f3;

/// The first number of the x32 calls, which reach the same kernel functions by other numbers.
const X32: u32 = 0x4000_0000;

/// How many calls with the same treatment are tested one after the other.
const GROUP: usize = 4;

fn step(code: u16, k: u32) -> sock_filter {
    sock_filter { code, jt: 0, jf: 0, k }
}

/// A test that skips this many of the following steps.
fn test(code: u16, k: u32, skipped_if_true: usize, skipped_if_false: usize) -> sock_filter {
    let short = |skipped: usize| u8::try_from(skipped).unwrap_or(u8::MAX);
    sock_filter { code, jt: short(skipped_if_true), jf: short(skipped_if_false), k }
}

fn allow() -> sock_filter {
    step(RETURN, libc::SECCOMP_RET_ALLOW)
}

fn fail(error: i32) -> sock_filter {
    step(RETURN, libc::SECCOMP_RET_ERRNO | error.unsigned_abs())
}

fn build(table: &SyscallTable) -> BpfProgram {
    let calls: Vec<(u32, &Treatment)> = table.iter().map(|(call, how)| (number(*call), how)).collect();
    let mut groups: Vec<Vec<(u32, &Treatment)>> = Vec::new();
    for call in calls {
        let joins = |group: &&mut Vec<(u32, &Treatment)>| {
            let same = group.first().is_some_and(|(_, how)| *how == call.1);
            same && group.len() < GROUP && !matches!(call.1, Treatment::RefusedIf(_))
        };
        match groups.last_mut().filter(joins) {
            Some(group) => group.push(call),
            None => groups.push(vec![call]),
        }
    }
    let mut program = vec![
        step(LOAD, ARCHITECTURE),
        test(JUMP_EQUAL, NATIVE, 1, 0),
        step(RETURN, libc::SECCOMP_RET_KILL_PROCESS),
        step(LOAD, NUMBER),
        test(JUMP_AT_LEAST, X32, 0, 1),
        fail(libc::ENOSYS),
    ];
    program.extend(tree(&groups));
    program
}

/// Call numbers are never negative; a negative one would become a number that matches nothing.
fn number(call: c_long) -> u32 {
    u32::try_from(call).unwrap_or(u32::MAX)
}

/// The steps that find the group of a call's number. Every path through them ends in a return.
fn tree(groups: &[Vec<(u32, &Treatment)>]) -> BpfProgram {
    let (lower, upper) = groups.split_at(groups.len() / 2);
    let (first, lower) = match (lower, upper) {
        ([], []) => return vec![allow()],
        ([], [group, ..]) => return leaf(group),
        (_, [group, ..]) => (group.first().map_or(0, |(number, _)| *number), tree(lower)),
        (_, []) => return tree(lower),
    };
    let mut steps = match u8::try_from(lower.len()) {
        Ok(_) => vec![test(JUMP_AT_LEAST, first, lower.len(), 0)],
        // Too far for a test to jump.
        Err(_) => {
            vec![test(JUMP_AT_LEAST, first, 0, 1), step(SKIP, u32::try_from(lower.len()).unwrap_or(u32::MAX))]
        }
    };
    steps.extend(lower);
    steps.extend(tree(upper));
    steps
}

/// The steps for the calls of one group.
fn leaf(group: &[(u32, &Treatment)]) -> BpfProgram {
    let result = match group.first() {
        Some((_, Treatment::Refused)) => vec![fail(libc::EPERM)],
        Some((_, Treatment::Missing)) => vec![fail(libc::ENOSYS)],
        Some((_, Treatment::RefusedIf(rules))) => rules.iter().flat_map(rule).chain(once(allow())).collect(),
        None => return vec![allow()],
    };
    let tests = group.iter().enumerate().map(|(index, (number, _))| {
        // The step after the tests allows.
        test(JUMP_EQUAL, *number, group.len() - index, 0)
    });
    tests.chain(once(allow())).chain(result).collect()
}

/// Refuses the call if all conditions hold; otherwise continues with the step after these.
fn rule(conditions: &Rule) -> BpfProgram {
    let mut steps = vec![fail(libc::EPERM)];
    for Condition { argument, mask, value, equal } in conditions.iter().rev() {
        let rest = steps.len();
        let (if_equal, if_not) = if *equal { (0, rest) } else { (rest, 0) };
        let mut tests = vec![step(LOAD, ARGUMENTS + 8 * u32::from(*argument) + LOW_HALF)];
        tests.extend((*mask != u32::MAX).then(|| step(AND, *mask)));
        tests.push(test(JUMP_EQUAL, *value, if_equal, if_not));
        steps.splice(0..0, tests);
    }
    steps
}

/// Where the lower half of a 64-bit argument is.
const LOW_HALF: u32 = if cfg!(target_endian = "little") { 0 } else { 4 };

#[cfg(test)]
mod tests {
    use super::*;

    /// What a filter returns for a call.
    fn run(program: &[sock_filter], architecture: u32, number: u32, arguments: &[u32]) -> u32 {
        let (mut at, mut value) = (0, 0);
        loop {
            let step = &program[at];
            at += 1;
            match step.code {
                LOAD if step.k == NUMBER => value = number,
                LOAD if step.k == ARCHITECTURE => value = architecture,
                LOAD => value = arguments[((step.k - ARGUMENTS) / 8) as usize],
                AND => value &= step.k,
                SKIP => at += step.k as usize,
                JUMP_EQUAL => at += usize::from(if value == step.k { step.jt } else { step.jf }),
                JUMP_AT_LEAST => at += usize::from(if value >= step.k { step.jt } else { step.jf }),
                RETURN => return step.k,
                other => panic!("unknown step {other}"),
            }
        }
    }

    fn expected(table: &SyscallTable, number: u32, arguments: &[u32]) -> u32 {
        let holds = |condition: &Condition| {
            let found = arguments[usize::from(condition.argument)] & condition.mask;
            (found == condition.value) == condition.equal
        };
        let error = match table.get(&c_long::from(number)) {
            None => return libc::SECCOMP_RET_ALLOW,
            Some(Treatment::Refused) => libc::EPERM,
            Some(Treatment::Missing) => libc::ENOSYS,
            Some(Treatment::RefusedIf(rules)) if rules.iter().any(|rule| rule.iter().all(holds)) => {
                libc::EPERM
            }
            Some(Treatment::RefusedIf(_)) => return libc::SECCOMP_RET_ALLOW,
        };
        libc::SECCOMP_RET_ERRNO | error.unsigned_abs()
    }

    #[test]
    fn filter_does_what_the_table_says() {
        const VALUES: &[u32] = &[
            0,
            1,
            2,
            3,
            5,
            6,
            7,
            10,
            17,
            0o100,
            0o644,
            0o2755,
            0o4755,
            0x4b3a,
            0x540a,
            0x540d,
            0x5412,
            0x541c,
            0x10000,
            0x410000,
            0x10000000,
            0x80001,
            1024,
            u32::MAX,
        ];
        for (tcp, shares_processes, single_process) in [
            (false, false, false),
            (false, true, false),
            (true, false, false),
            (true, true, false),
            (false, false, true),
            (false, true, true),
        ] {
            let table = table(FilterOptions { tcp, shares_processes, single_process });
            let filter = build(&table);
            for number in 0..600 {
                for (first, second) in VALUES.iter().flat_map(|a| VALUES.iter().map(move |b| (*a, *b))) {
                    for (third, fourth) in
                        [(0, 0), (6, 0), (132, 0), (0o4644, 0), (0o100, 0o4755), (0, 0o4755)]
                    {
                        let arguments = [first, second, third, fourth];
                        let found = run(&filter, NATIVE, number, &arguments);
                        assert_eq!(found, expected(&table, number, &arguments), "{number} {arguments:?}");
                    }
                }
            }
            let missing = libc::SECCOMP_RET_ERRNO | libc::ENOSYS.unsigned_abs();
            assert_eq!(run(&filter, NATIVE, X32 | 39, &[0; 4]), missing);
            assert_eq!(run(&filter, 0x4000_0003, 20, &[0; 4]), libc::SECCOMP_RET_KILL_PROCESS);
            assert!(filter.len() < 400, "{} steps", filter.len());
        }
    }

    /// Each call that gives a file a mode, with the mode at its place.
    #[test]
    fn rights_of_the_owner_are_never_given() {
        let filter =
            build(&table(FilterOptions { tcp: true, shares_processes: false, single_process: false }));
        let is_allowed = |call: c_long, arguments: [u32; 4]| {
            run(&filter, NATIVE, number(call), &arguments) == libc::SECCOMP_RET_ALLOW
        };
        for bits in [0o4000, 0o2000, 0o6000] {
            let mode = 0o755 | bits;
            assert!(!is_allowed(libc::SYS_fchmod, [3, mode, 0, 0]));
            assert!(!is_allowed(libc::SYS_fchmodat, [0, 0, mode, 0]));
            assert!(!is_allowed(452, [0, 0, mode, 0]), "fchmodat2");
            assert!(!is_allowed(libc::SYS_mknodat, [0, 0, libc::S_IFREG | mode, 0]));
            for flags in [libc::O_CREAT, libc::O_CREAT | libc::O_EXCL | libc::O_WRONLY, libc::O_TMPFILE] {
                assert!(!is_allowed(libc::SYS_openat, [0, 0, flags as u32, mode]));
                assert!(is_allowed(libc::SYS_openat, [0, 0, flags as u32, 0o1755]));
            }
            // The mode means nothing there.
            assert!(is_allowed(libc::SYS_openat, [0, 0, libc::O_DIRECTORY as u32, mode]));
            #[cfg(target_arch = "x86_64")]
            for (call, arguments) in [
                (libc::SYS_chmod, [0, mode, 0, 0]),
                (libc::SYS_creat, [0, mode, 0, 0]),
                (libc::SYS_mknod, [0, mode, 0, 0]),
                (libc::SYS_open, [0, libc::O_CREAT as u32, mode, 0]),
            ] {
                assert!(!is_allowed(call, arguments), "{call}");
            }
        }
        for mode in [0o755, 0o1777, 0o600, 0] {
            assert!(is_allowed(libc::SYS_fchmod, [3, mode, 0, 0]) && is_allowed(452, [0, 0, mode, 0]));
        }
        assert!(!is_allowed(libc::SYS_openat2, [0; 4]), "its mode is in memory");
        // The bits mean nothing to others there: a directory is never run.
        assert!(is_allowed(libc::SYS_mkdirat, [0, 0, 0o2775, 0]));
    }
}
