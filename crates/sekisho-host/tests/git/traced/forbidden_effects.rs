//! What an allowed git command must not have done.

use super::workspace::Workspace;
use super::strace_log::SystemCall;

/// System files that any program opens, and git's own files.
const SYSTEM: &[&str] = &[
    "/usr/",
    "/lib/",
    "/lib64/",
    "/bin/",
    "/proc/",
    "/sys/devices/system/cpu",
    "/etc/ld.so",
    "/etc/locale",
    "/etc/localtime",
    "/etc/nsswitch.conf",
    "/etc/passwd",
    "/etc/group",
    "/etc/gitconfig",
    "/etc/gitattributes",
    "/dev/null",
    "/dev/tty",
    "/dev/urandom",
];

/// Where the C library asks for user names; nothing answers in the sandbox.
const NAME_SERVICE: &str = "/var/run/nscd/socket";

/// Every violation of a command in a case's repository.
pub(super) fn offences(deeds: &[SystemCall], workspace: &Workspace, case: &str) -> Vec<String> {
    let ran = deeds.iter().any(|deed| deed.call == "execve" && deed.text.contains("/git\""));
    let silent = (!ran).then(|| "git was not seen to start: nothing is proven".to_owned());
    let deeds = deeds.iter().filter(|deed| !deed.runner);
    silent.into_iter().chain(deeds.filter_map(|deed| offence(deed, workspace, case))).collect()
}

fn offence(deed: &SystemCall, workspace: &Workspace, case: &str) -> Option<String> {
    let whole = || format!("{}({}", deed.call, deed.text);
    match deed.call.as_str() {
        "execve" | "execveat" => (!is_git(deed.path())).then(|| format!("started: {}", whole())),
        "open" | "openat" | "openat2" | "creat" => {
            let writes = ["O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC", "O_TMPFILE"];
            if deed.call == "creat" || writes.iter().any(|flag| deed.text.contains(flag)) {
                let sink = ["/dev/null", "/dev/tty"].contains(&deed.path());
                return (!sink && !is_index(deed.path())).then(|| format!("wrote: {}", whole()));
            }
            let opened = opened(&deed.text)?;
            (!may_read(opened, workspace, case)).then(|| format!("read: {}", whole()))
        }
        "connect" | "bind" | "sendto" | "sendmsg" => {
            (!deed.text.contains(NAME_SERVICE)).then(|| format!("connected: {}", whole()))
        }
        "clone" | "clone3" | "fork" | "vfork" => None,
        // The index is refreshed through a lock file, with the same content. The shared part of a split index
        // is touched, so that it is not considered unused.
        "rename" | "renameat" | "renameat2" | "unlink" | "unlinkat" | "chmod" | "fchmodat" | "utimensat"
        | "utime"
            if is_index(deed.path()) =>
        {
            None
        }
        _ => Some(format!("changed: {}", whole())),
    }
}

fn is_git(path: &str) -> bool {
    ["/usr/local/bin/git", "/usr/bin/git", "/bin/git"].contains(&path)
        || (path.starts_with("/usr/") && path.contains("/git-core/git") && !path.contains("git-sh"))
        // The shell that runs the scripts.
        || ["/usr/bin/bash", "/bin/bash"].contains(&path)
}

fn is_index(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    name == "index.lock" || name.starts_with("sharedindex.")
}

/// The file that was opened, wherever the path led: strace prints it with the descriptor.
fn opened(text: &str) -> Option<&str> {
    let (_, result) = text.rsplit_once(" = ")?;
    let (_, path) = result.split_once('<')?;
    Some(path.trim_end().strip_suffix('>').unwrap_or(path))
}

fn may_read(path: &str, workspace: &Workspace, case: &str) -> bool {
    let root = workspace.root();
    let own = format!("{}/{case}", root.display());
    let home = workspace.home();
    let below = |directory: &str| path.strip_prefix(directory).is_some_and(|rest| rest.starts_with('/'));
    SYSTEM.iter().any(|prefix| path.starts_with(prefix))
        || (below(&own) && !below(&format!("{own}/outside")))
        || path == format!("{}/.gitconfig", home.display())
        || below(&format!("{}/.config/git", home.display()))
        || path == root.to_str().unwrap()
}
