//! Runs scripts where they can do no harm, and records what they do.

use std::process::{Command, Stdio};

use super::strace_log::{SystemCallLog, read};
use super::workspace::Workspace;

/// Whether the copies of workspace and home are writable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Files {
    Writable,
    ReadOnly,
}

/// Namespaces without network, a read-only root, a copy of the workspace, no privileges.
pub(crate) struct Sandbox<'a> {
    pub(crate) workspace: &'a Workspace,
    pub(crate) files: Files,
}

impl Sandbox<'_> {
    /// Runs each script in a separate bash.
    pub(crate) fn run(&self, scripts: &[String]) -> SystemCallLog {
        let out = self.workspace.base.join("out");
        let list: String = scripts.iter().flat_map(|script| [script.as_str(), "\0"]).collect();
        std::fs::write(out.join("scripts"), list).unwrap();
        let mut command = namespaces();
        let files = if self.files == Files::ReadOnly { "read-only" } else { "writable" };
        command.args(["bash", "--norc", "--noprofile", "-c", include_str!("sandbox.sh"), "sandbox.sh"]);
        let output = command.arg(&self.workspace.base).arg(files).stdin(Stdio::null()).output().unwrap();
        assert!(
            output.status.success(),
            "the sandbox failed ({}): {}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        );
        let trace = std::fs::read(out.join("trace")).expect("strace wrote a trace");
        read(&String::from_utf8_lossy(&trace), scripts.len())
    }
}

/// `unshare` with the privileges available here. Without any, nothing can be proven, which is an error.
fn namespaces() -> Command {
    for (tool, package) in [("strace", "strace"), ("unshare", "util-linux"), ("setpriv", "util-linux")] {
        let found = Command::new(tool).arg("--version").output();
        assert!(
            found.is_ok_and(|output| output.status.success()),
            "`{tool}` is needed to trace what bash runs: install it (`apt-get install {package}`)"
        );
    }
    let spaces = ["--mount", "--net", "--pid", "--ipc", "--uts", "--fork", "--kill-child"];
    for user in [&[][..], &["--user", "--map-root-user"][..]] {
        let mut probe = Command::new("unshare");
        probe.args(user).args(spaces).args(["mount", "-t", "proc", "proc", "/proc"]);
        if probe.output().is_ok_and(|output| output.status.success()) {
            let mut command = Command::new("timeout");
            command.args(["-s", "KILL", "3600", "unshare"]).args(user).args(spaces);
            return command;
        }
    }
    panic!(
        "no namespaces here, so nothing can be run safely: run as root (in a container: with CAP_SYS_ADMIN and \
         CAP_SYS_PTRACE), or let users make them (`sysctl kernel.unprivileged_userns_clone=1`, and on Ubuntu \
         `sysctl kernel.apparmor_restrict_unprivileged_userns=0`)"
    )
}
