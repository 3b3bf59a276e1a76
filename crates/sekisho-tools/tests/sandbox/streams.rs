//! Files that are handed over as standard streams.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};
use std::os::unix::fs::{PermissionsExt, chown};
use std::process::Stdio;

use crate::sandbox_fixture::{Arena, arenas, programs};

/// A file in the forbidden directory, open for reading at its third byte.
fn input(arena: &Arena) -> File {
    let path = arena.outside().join("input");
    fs::write(&path, "0123456789\n").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    chown(&path, arena.user, arena.user).unwrap();
    let mut file = File::open(path).unwrap();
    file.seek(SeekFrom::Start(2)).unwrap();
    file
}

/// Its mount outside is writable.
#[test]
fn metadata_of_a_file_given_as_input_stay() {
    for arena in arenas().into_iter().filter(Arena::is_isolated) {
        let attacker = programs().attacker.clone().into_os_string();
        for attack in ["chmod", "times", "attribute"] {
            let words = [attacker.clone(), attack.into(), "/proc/self/fd/0".into()];
            let freely =
                arena.program(&programs().attacker, &words[1..]).stdin(input(&arena)).output().unwrap();
            assert!(freely.status.success(), "{}, {attack} is not an attack: {freely:?}", arena.name());
            let file = input(&arena);
            let arguments = arena.plan(&words).to_arguments();
            let output = arena.program(&programs().helper, &arguments).stdin(file).output().unwrap();
            let said = String::from_utf8_lossy(&output.stdout).into_owned();
            assert!(said.contains("denied"), "{}, {attack}: {said} {output:?}", arena.name());
        }
    }
}

#[test]
fn file_given_as_input_is_read_from_its_position() {
    for arena in arenas() {
        let arguments = arena.plan(&["cat".into()]).to_arguments();
        let output = arena.program(&programs().helper, &arguments).stdin(input(&arena)).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), "23456789\n", "{}", arena.name());
        // A file without a name, as here-documents of shells are.
        let file = input(&arena);
        fs::remove_file(arena.outside().join("input")).unwrap();
        let output = arena.program(&programs().helper, &arguments).stdin(file).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), "23456789\n", "{}", arena.name());
        // Output goes to a file as it is.
        let there = arena.outside().join("output");
        let arguments = arena.plan(&["echo".into(), "x".into()]).to_arguments();
        let mut command = arena.program(&programs().helper, &arguments);
        let status = command.stdout(Stdio::from(File::create(&there).unwrap())).status().unwrap();
        assert!(status.success() && fs::read(there).unwrap() == b"x\n", "{}", arena.name());
    }
}

/// The attacker with a terminal, running a program.
fn with_terminal(arena: &Arena, program: &std::path::Path, arguments: &[OsString]) -> String {
    let mut words: Vec<OsString> = vec!["terminal".into(), program.into()];
    words.extend(arguments.iter().cloned());
    let output = arena.program(&programs().attacker, &words).output().unwrap();
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[test]
fn mode_and_times_of_a_terminal_stay() {
    for arena in arenas().into_iter().filter(Arena::is_isolated) {
        let attacker = programs().attacker.clone().into_os_string();
        for attack in ["chmod", "times"] {
            let words = [attacker.clone(), attack.into(), "/proc/self/fd/0".into()];
            let freely = with_terminal(&arena, &programs().attacker, &words[1..]);
            assert!(freely.starts_with("done"), "{}, {attack} is not an attack: {freely}", arena.name());
            let said = with_terminal(&arena, &programs().helper, &arena.plan(&words).to_arguments());
            assert!(
                said.contains("denied") && said.contains("mode 620"),
                "{}, {attack}: {said}",
                arena.name()
            );
        }
        // It still is a terminal, with a size and modes.
        let text = "test -t 0 && stty size <&0 && stty -echo && stty -a | grep -o -- '-echo ' && echo good";
        let plan = arena.plan(&["bash".into(), "-c".into(), text.into()]);
        let said = with_terminal(&arena, &programs().helper, &plan.to_arguments());
        assert!(said.contains("0 0\n") && said.contains("good\n"), "{}: {said}", arena.name());
    }
}

/// A FIFO, and a device where the test can make one.
#[test]
fn mode_and_times_of_a_fifo_or_device_stay() {
    for arena in arenas().into_iter().filter(Arena::is_isolated) {
        let make = |name: &str, kind: &[&str]| {
            let path = arena.outside().join(name);
            let mut words: Vec<OsString> = vec![path.clone().into()];
            words.extend(kind.iter().map(OsString::from));
            let made =
                Arena::new(None, arena.isolation.clone()).program("mknod".as_ref(), &words).output().unwrap();
            let _ = fs::set_permissions(&path, fs::Permissions::from_mode(0o644));
            let _ = chown(&path, arena.user, arena.user);
            let opened = File::options().read(true).write(true).open(&path);
            // Only root can make devices, and not everywhere.
            made.status.success().then_some(path).zip(opened.ok())
        };
        let found = [make("fifo", &["p"]), make("null", &["c", "1", "3"])];
        assert!(found[0].is_some(), "{}", arena.name());
        let attacker = programs().attacker.clone().into_os_string();
        for (path, file) in found.into_iter().flatten() {
            let again = || Stdio::from(file.try_clone().unwrap());
            for attack in ["chmod", "times"] {
                let words = [attacker.clone(), attack.into(), "/proc/self/fd/0".into()];
                let arguments = arena.plan(&words).to_arguments();
                let output = arena.program(&programs().helper, &arguments).stdin(again()).output().unwrap();
                let said = String::from_utf8_lossy(&output.stdout).into_owned();
                assert!(said.contains("denied"), "{}, {attack}, {path:?}: {output:?}", arena.name());
            }
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o644);
        }
        // A FIFO still is read and written.
        let mut file = File::options().read(true).write(true).open(arena.outside().join("fifo")).unwrap();
        file.write_all(b"in\n").unwrap();
        let arguments = arena.plan(&["head".into(), "-n1".into()]).to_arguments();
        let input = Stdio::from(file.try_clone().unwrap());
        let output = arena.program(&programs().helper, &arguments).stdin(input).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), "in\n", "{}: {output:?}", arena.name());
    }
}

/// bubblewrap mounts devices of the machine.
#[test]
fn times_of_devices_stay() {
    for arena in arenas().into_iter().filter(Arena::is_isolated) {
        for device in ["/dev/null", "/dev/zero", "/dev/tty"] {
            assert_eq!(arena.attack_freely(&["times", device]), "done", "{device}");
            let said = arena.attack(&["times", device]);
            assert!(said.contains("denied"), "{}, {device}: {said}", arena.name());
        }
        let output = arena.bash("echo x > /dev/null && head -c1 /dev/zero | wc -c");
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "1", "{}: {output:?}", arena.name());
    }
}
