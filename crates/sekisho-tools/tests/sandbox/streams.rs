//! Files that are handed over as standard streams.

use std::fs::{self, File};
use std::io::{Seek, SeekFrom};
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
