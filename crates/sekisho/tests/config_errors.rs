//! Every config error is one clear line with the right exit code, and never a panic.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::test_home::TestHome;

/// The text of the file, and what the message must contain.
const TEXTS: &[(&[u8], &str)] = &[
    (
        br#"{ "version": 1, "permissions": { "allow": [{ "comand": "x" }] } }"#,
        ":1:46: permissions.allow[0].comand: unknown field `comand`; did you mean `command`?",
    ),
    (
        br#"{ "version": "1" }"#,
        ":1:14: version: expected a whole number from 0 to 4294967295, found the string `1`",
    ),
    (
        br#"{ "version": 1, "permissions": { "allow": {} } }"#,
        ": permissions.allow: expected a list, found an object",
    ),
    (
        br#"{ "version": 1, "permissions": { "allow": [
  { "tool": "a", "id": "0190a5d0-0000-7000-8000-000000000000" },
  { "tool": "b", "id": "0190a5d0-0000-7000-8000-000000000000" } ] } }"#,
        ":3:3: permissions.allow[1].id: the rule at line 2 has the same id; give one of them another id, or none",
    ),
    (br#"{ "version": 2 }"#, ": version: version 2 is not known; this sekisho reads version 1"),
    (
        br#"{ "version": 1, "permissions": { "deny": [{ "tool": "read", "command": "x" }] } }"#,
        ": permissions.deny[0].command: `read` has no `command`; it needs a shell tool such as `bash`",
    ),
    (
        br#"{ "version": 1, "permissions": { "deny": [{ "tool": "" }] } }"#,
        ": permissions.deny[0].tool: the field is empty; leave it out to match anything",
    ),
    (b"{ \"version\": 1 }\n// \xff", ": line 2 is not UTF-8; save the file as UTF-8"),
    (b"", "the file is empty"),
    (b"{ \"version\": 1", "unterminated object"),
];

/// A broken managed or global file denies, a broken project file asks; the exit code is always 1.
#[track_caller]
fn check(spoil: &dyn Fn(&Path), message: &str) {
    for layer in ["managed", "global", "project"] {
        let place = TestHome::new();
        let (path, decision) = match layer {
            "managed" => (place.managed(), "deny "),
            "global" => (place.global(), "deny "),
            _ => (place.project(), "confirm "),
        };
        spoil(&path);
        let managed = place.managed();
        let output = place.run(&["check", "done", "--managed-config", managed.to_str().unwrap()]);
        assert_eq!(output.code, 1, "{message}: {}{}", output.out, output.err);
        assert!(output.out.starts_with(decision), "{message}: {}", output.out);
        assert_eq!(output.err.lines().count(), 1, "{}", output.err);
        assert!(
            output.err.starts_with("error: [PLACE]/") && output.err.contains(message),
            "{message}: {}",
            output.err
        );
        assert!(!output.err.contains("panicked"));
    }
}

#[test]
fn invalid_texts() {
    for (text, message) in TEXTS {
        check(&|path| TestHome::write(path, text), message);
    }
}

#[test]
fn a_file_of_100_mb() {
    let spoil = |path: &Path| {
        TestHome::write(path, "");
        std::fs::File::options().write(true).open(path).unwrap().set_len(100 << 20).unwrap();
    };
    check(&spoil, ": the file has 104857600 bytes, more than the 67108864 that are read; split it");
}

#[test]
fn directory_in_place_of_the_file() {
    check(&|path| std::fs::create_dir_all(path).unwrap(), ": a directory is in place of the file");
}

#[test]
fn no_permission_to_read() {
    let place = TestHome::new();
    TestHome::write(&place.global(), "{}");
    std::fs::set_permissions(place.global(), std::fs::Permissions::from_mode(0o000)).unwrap();
    if std::fs::read(place.global()).is_ok() {
        eprintln!("skipped: this user may read everything");
        return;
    }
    let spoil = |path: &Path| {
        TestHome::write(path, "{}");
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o000)).unwrap();
    };
    check(&spoil, ": no permission to read it");
}

#[test]
fn environment_names_missing_files() {
    let place = TestHome::new();
    let assert = place.command(&["check", "done"]).env("SEKISHO_CONFIG", "/nowhere/config.json").assert();
    let output = place.output(&assert);
    assert_eq!(output.code, 1);
    assert!(
        output.out.starts_with("deny ") && output.err.contains("the named config file does not exist"),
        "{}",
        output.err
    );
    let assert = place.command(&["check", "done"]).env("SEKISHO_PROJECT_ROOT", "/nowhere").assert();
    let output = place.output(&assert);
    assert_eq!((output.code, output.err.as_str()), (1, "error: /nowhere: there is no such file\n"));
}
