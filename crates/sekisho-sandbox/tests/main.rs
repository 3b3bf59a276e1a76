//! The helper as a program: how it reports what is wrong.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "tests")]

use std::process::{Command, Output, Stdio};

#[expect(clippy::disallowed_methods, reason = "tests start programs")]
fn helper(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_sekisho-sandbox")).args(arguments).stdin(Stdio::null()).output().unwrap()
}

#[test]
fn exit_code_is_that_of_the_program() {
    assert_eq!(helper(&["--", "sh", "-c", "exit 3"]).status.code(), Some(3));
    assert_eq!(helper(&["--", "sh", "-c", "kill -9 $$"]).status.code(), Some(128 + 9));
}

/// It belongs to the mounts outside.
#[test]
fn directory_as_standard_input_is_refused() {
    #[expect(clippy::disallowed_methods, reason = "tests start programs")]
    let mut command = Command::new(env!("CARGO_BIN_EXE_sekisho-sandbox"));
    let output = command.args(["--", "true"]).stdin(std::fs::File::open("/").unwrap()).output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(125) && error.contains("standard input is a directory"), "{error}");
}

#[test]
fn failures_are_reported() {
    for (arguments, message) in [
        (&["--"][..], "the command is missing"),
        (&["--open", "--", "true"], "unknown option `--open`"),
        (&["--", "no-such-program"], "`no-such-program` cannot be started"),
        (&["--write", "/no/such", "--", "true"], "directory `/no/such`"),
        (&["--temporary", "/no/such", "--", "true"], "temporary directory"),
        (&["--dir", "/no/such", "--", "true"], "working directory"),
    ] {
        let output = helper(arguments);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(125), "{arguments:?}: {error}");
        assert!(error.starts_with("sekisho-sandbox: ") && error.contains(message), "{arguments:?}: {error}");
    }
}
