//! Scripts that a test writes and then runs.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Writes a script that can be executed at once.
///
/// Another process does the writing. If this process had the file open for writing, a child started by
/// another thread at that moment would inherit it until its exec, and until then the system refuses to
/// execute the file.
#[expect(clippy::disallowed_methods, reason = "a library for tests; a shell writes the file")]
pub fn write_executable(path: &Path, text: &str) {
    let mut shell = Command::new("sh")
        .args(["-c", "cat > \"$0\" && chmod 755 \"$0\""])
        .arg(path)
        .stdin(Stdio::piped())
        .spawn()
        .expect("a shell starts");
    shell.stdin.take().expect("it is piped").write_all(text.as_bytes()).expect("the shell reads");
    assert!(shell.wait().expect("the shell ends").success(), "{} cannot be written", path.display());
}
