//! What an allowed script must not do.

use super::strace_log::SystemCall;
use super::workspace::Workspace;

/// Something a script did that was not judged.
#[derive(Debug, PartialEq)]
pub(crate) enum Violation {
    /// A program that is not a judged part.
    Started {
        /// The program that started it.
        by: String,
        /// The system call.
        call: String,
    },
    /// A file opened for writing.
    Wrote(String),
    /// A change to a file, a process or the system by another system call.
    Changed(String),
    /// A connection.
    Connected(String),
    /// A file with a secret of the user was opened.
    Secret(String),
    /// Bash was not seen to start, so nothing is proven.
    NotTraced,
}

/// System directories. The same name elsewhere is another program.
const SYSTEM: &[&str] =
    &["/usr/local/sbin/", "/usr/local/bin/", "/usr/sbin/", "/usr/bin/", "/sbin/", "/bin/"];

/// Files that may be opened for writing, because they keep nothing. GNU programs open `/dev/full` in place of
/// a closed standard descriptor.
const SINKS: &[&str] = &["/dev/null", "/dev/tty", "/dev/full"];

/// Where the C library looks up user names; nothing answers in the sandbox.
const NAME_SERVICE: &str = "/var/run/nscd/socket";

/// All violations of a script.
pub(crate) fn violations(deeds: &[SystemCall], judged: &[String], workspace: &Workspace) -> Vec<Violation> {
    let mut found = Vec::new();
    let traced =
        deeds.iter().any(|deed| deed.runner && deed.call == "execve" && deed.text.contains("/bash\""));
    if !traced {
        found.push(Violation::NotTraced);
    }
    for deed in deeds {
        let offence = if deed.runner { None } else { offence(deed, judged, workspace) };
        found.extend(offence);
    }
    found
}

fn offence(deed: &SystemCall, judged: &[String], workspace: &Workspace) -> Option<Violation> {
    let whole = || format!("{}({}", deed.call, deed.text);
    match deed.call.as_str() {
        "execve" | "execveat" => (!may_start(deed.path(), judged) && !is_interpreter(deed, judged))
            .then(|| Violation::Started { by: deed.by.clone(), call: whole() }),
        "open" | "openat" | "openat2" | "creat" => {
            let path = deed.path();
            let writes = deed.call == "creat"
                || ["O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC", "O_TMPFILE"]
                    .iter()
                    .any(|flag| deed.text.contains(flag));
            if writes && !SINKS.contains(&path) && !is_own_scratch(deed, judged) {
                return Some(Violation::Wrote(whole()));
            }
            // Wherever the link to it is: strace shows the file that was opened.
            let keys = format!("{}/.ssh/", workspace.home());
            (deed.text.contains(&keys) && !deed.text.contains("= -1")).then(|| Violation::Secret(whole()))
        }
        // The kernel answers on this socket, nobody else: `ss` asks it for sockets.
        "bind" | "sendto" | "sendmsg"
            if deed.text.contains("AF_NETLINK") || deed.text.contains("nlmsg_len=") =>
        {
            None
        }
        // Python finds out whether there is IPv6 by binding a socket that nothing can reach.
        "bind" if deed.text.contains("htons(0)") && deed.text.contains("\"::1\"") => None,
        "connect" | "bind" | "sendto" | "sendmsg" => {
            (!deed.text.contains(NAME_SERVICE)).then(|| Violation::Connected(whole()))
        }
        // It kills the command it runs when the time is up.
        "kill" if judged.iter().any(|judged| judged == "timeout") => None,
        "clone" | "clone3" | "fork" | "vfork" => None,
        _ if is_own_scratch(deed, judged) => None,
        _ => Some(Violation::Changed(whole())),
    }
}

fn may_start(path: &str, judged: &[String]) -> bool {
    let judged = |name: &str| judged.iter().any(|judged| judged == name);
    let in_system = SYSTEM.iter().find_map(|directory| path.strip_prefix(directory));
    match in_system {
        Some(name) if judged(name) => true,
        // Without a command, xargs runs this program, which is harmless with any word.
        Some("echo") if judged("xargs") => true,
        // Git starts itself again for some subcommands.
        _ => judged("git") && path.contains("/git-core/git") && !path.contains("/git-core/git-sh"),
    }
}

/// A script in a system directory that begins with `#!/usr/bin/env node`: `env` looks the interpreter up.
fn is_interpreter(deed: &SystemCall, judged: &[String]) -> bool {
    let starts = |judged: &String| {
        SYSTEM.iter().any(|directory| deed.text.contains(&format!(", [\"node\", \"{directory}{judged}\", ")))
    };
    let in_system = SYSTEM.iter().any(|directory| deed.path() == format!("{directory}node"));
    in_system && judged.iter().any(starts)
}

/// `git status` and `git diff` refresh the index through a lock file; they write what is already there.
/// `sort` keeps what does not fit in memory in a new temporary file, which it removes.
fn is_own_scratch(deed: &SystemCall, judged: &[String]) -> bool {
    let judged = |name: &str| judged.iter().any(|judged| judged == name);
    let path = deed.path();
    (path.ends_with(".git/index.lock") && judged("git")) || (path.starts_with("/tmp/sort") && judged("sort"))
}
