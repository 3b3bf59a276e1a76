//! Writes outside the writable directory, by every system call that could.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use crate::sandbox_fixture::{Arena, arenas};

/// Each works without the sandbox.
const WRITES: &[&[&str]] = &[
    &["write", "O/file"],
    &["append", "O/file"],
    &["read_write", "O/file"],
    &["truncating_open", "O/file"],
    &["truncate", "O/file"],
    &["read_only_truncate", "O/file"],
    &["create", "O/new"],
    &["create_by_openat2", "O/new"],
    &["create", "I/../outside/new"],
    &["reopen_path_descriptor", "O/file"],
    &["temporary_file", "O/empty"],
    &["rename", "I/file", "O/new"],
    &["rename", "I/file", "O/file"],
    &["rename", "O/file", "I/new"],
    &["rename", "O/file", "O/new"],
    &["exchange", "I/file", "O/file"],
    &["hard_link", "I/file", "O/new"],
    &["hard_link", "O/file", "I/new"],
    &["symlink", "/etc/passwd", "O/new"],
    &["write_through_symlink", "O/file", "I/link"],
    &["unlink", "O/file"],
    &["mkdir", "O/new"],
    &["rmdir", "O/empty"],
    &["fifo", "O/new"],
    &["memory_file", "write", "O/file"],
];

fn state(arena: &Arena) -> Vec<(String, Vec<u8>)> {
    let mut found: Vec<(String, Vec<u8>)> = fs::read_dir(arena.outside())
        .unwrap()
        .map(|entry| entry.unwrap())
        .map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap_or_default()))
        .collect();
    found.sort();
    found
}

#[test]
fn nothing_outside_is_written() {
    for arena in arenas() {
        for attack in WRITES {
            arena.reset();
            assert_eq!(arena.attack_freely(attack), "done", "{attack:?} is not an attack");
            arena.reset();
            let before = state(&arena);
            let said = arena.attack(attack);
            assert!(said.starts_with("denied"), "{}, {attack:?}: {said}", arena.name());
            assert_eq!(state(&arena), before, "{}, {attack:?}", arena.name());
        }
    }
}

#[test]
fn writable_directory_is_writable() {
    for arena in arenas() {
        // The filter cannot see the mode of that one, so programs are told that it does not exist.
        for attack in WRITES.iter().filter(|attack| attack[0] != "create_by_openat2") {
            let inside: Vec<String> =
                attack.iter().map(|word| word.replace("O/", "I/").replace("/../outside", "")).collect();
            let inside: Vec<&str> = inside.iter().map(String::as_str).collect();
            arena.reset();
            assert_eq!(arena.attack(&inside), "done", "{}, {inside:?}", arena.name());
        }
    }
}

/// Another user could run such a program outside, with the rights of whoever started the sandbox.
#[test]
fn no_program_gets_the_rights_of_its_owner() {
    let mut calls = vec!["fchmod", "fchmodat", "fchmodat2", "openat", "unnamed", "mknodat"];
    if cfg!(target_arch = "x86_64") {
        calls.extend(["chmod", "open", "creat", "mknod"]);
    }
    for arena in arenas() {
        for call in &calls {
            let file = if call.contains("chmod") { "I/file" } else { "I/new" };
            for mode in ["4755", "2755", "6755", "4000"] {
                arena.reset();
                let said = arena.attack(&["set_id", call, mode, file]);
                assert!(said.contains("Operation not permitted"), "{}, {call} {mode}: {said}", arena.name());
            }
            arena.reset();
            assert_eq!(arena.attack(&["set_id", call, "1755", file]), "done", "{}, {call}", arena.name());
        }
        arena.reset();
        let output = arena.bash(
            "cp /bin/cat a; chmod 4755 a; chmod u+s a; chmod g+s a; install -m 6755 /bin/cat b; \
            mkdir c; chmod 2775 c; chmod 750 a; stat -c %a a",
        );
        assert_eq!(String::from_utf8_lossy(&output.stdout), "750\n", "{}: {output:?}", arena.name());
        for entry in fs::read_dir(arena.inside()).unwrap() {
            let entry = entry.unwrap();
            let mode = entry.metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o6000, 0, "{}: {:?}", arena.name(), entry.file_name());
        }
    }
}

#[test]
fn devices_cannot_be_made() {
    for arena in arenas() {
        for file in ["I/device", "O/device"] {
            let said = arena.attack(&["device", file]);
            assert!(said.starts_with("denied"), "{}: {said}", arena.name());
        }
    }
}

#[test]
fn own_memory_is_not_a_way_around() {
    for arena in arenas() {
        let said = arena.attack(&["own_memory"]);
        assert!(said.starts_with("denied"), "{}: {said}", arena.name());
    }
}

/// Landlock has no rights for these; a read-only mount stops them. If this fails for plain Landlock, it has
/// become better, and the documentation is out of date.
#[test]
fn only_namespaces_protect_metadata() {
    for arena in arenas() {
        for attack in [&["chmod", "O/file"][..], &["times", "O/file"], &["attribute", "O/file"]] {
            let said = arena.attack(attack);
            match arena.is_isolated() {
                true => assert!(said.starts_with("denied"), "{}, {attack:?}: {said}", arena.name()),
                false => assert!(!said.contains("Read-only"), "{}, {attack:?}: {said}", arena.name()),
            }
        }
        let said = arena.attack(&["chown", "O/file"]);
        assert!(said.starts_with("denied"), "{}: {said}", arena.name());
    }
}

/// A lease blocks everybody who opens the file for writing, the gate with its own files included.
#[test]
fn files_outside_cannot_be_leased() {
    for arena in arenas() {
        assert_eq!(arena.attack_freely(&["lease", "O/file"]), "done", "it is not an attack");
        for file in ["O/file", "I/file"] {
            let said = arena.attack(&["lease", file]);
            assert!(said.contains("Operation not permitted"), "{}: {said}", arena.name());
        }
    }
}

#[test]
fn system_files_are_not_written() {
    for arena in arenas() {
        for file in [
            "/etc/passwd",
            "/proc/sys/kernel/core_pattern",
            "/sys/kernel/uevent_helper",
            "/dev/mem",
            "/dev/kmsg",
        ] {
            let said = arena.attack(&["write", file]);
            assert!(said.starts_with("denied"), "{}, {file}: {said}", arena.name());
        }
    }
}
