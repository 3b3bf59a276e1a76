//! System calls that lead out of a sandbox, or into the kernel.

use crate::sandbox_fixture::arenas;

#[test]
fn dangerous_calls_are_refused() {
    for arena in arenas() {
        for attack in [
            "unshare_user",
            "unshare_network",
            "clone_user",
            "clone_network",
            "setns",
            "mount",
            "unmount",
            "fsopen",
            "open_tree",
            "pivot_root",
            "chroot",
            "keyctl",
            "add_key",
            "request_key",
            "bpf",
            "userfaultfd",
            "open_by_handle",
            "perf_event",
            "kexec",
            "module",
            "swapoff",
            "accounting",
            "kernel_log",
            "clock",
            "fanotify",
            "type_into_terminal",
            "type_with_high_bits",
            "exclusive_terminal",
            "line_discipline",
            "stopped_output",
            "keyboard_mode",
            "console_switching",
        ] {
            let said = arena.attack(&[attack]);
            assert!(said.contains("Operation not permitted"), "{}, {attack}: {said}", arena.name());
        }
    }
}

#[test]
fn calls_that_cannot_be_checked_are_missing() {
    for arena in arenas() {
        for attack in ["io_uring", "clone3", "openat2", "x32"] {
            let said = arena.attack(&[attack]);
            assert!(said.contains("not implemented"), "{}, {attack}: {said}", arena.name());
        }
    }
}

#[test]
#[cfg(target_arch = "x86_64")]
fn calls_of_32_bit_programs_end_the_program() {
    for arena in arenas() {
        let said = arena.attack(&["i386"]);
        assert!(said.contains("159"), "signal 31 ends it; {}: {said}", arena.name());
    }
}
