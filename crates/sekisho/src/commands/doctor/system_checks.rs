//! Checks the machine: kernel features, disk space, limits and settings.

use sekisho_tools::SandboxLevel;

use super::diagnostic::Diagnostic;

/// Reports the sandbox level found by a trial run, and why it is not stronger.
pub(super) fn sandbox(level: SandboxLevel, why: Option<&str>) -> Diagnostic {
    let fix = "use Linux 6.12 or later with Landlock, and install `sekisho-sandbox` beside `sekisho`; without a complete sandbox, tools that start programs do not run";
    let because = why.map(|why| format!(" ({why})")).unwrap_or_default();
    match level {
        SandboxLevel::None => Diagnostic::warning("sandbox", format!("tools have no sandbox{because}"), fix),
        SandboxLevel::Partial => Diagnostic::warning(
            "sandbox",
            format!("the kernel enforces only parts of the sandbox{because}"),
            fix,
        ),
        SandboxLevel::Landlock => Diagnostic::warning(
            "sandbox",
            format!("tools run in {level}{because}"),
            "allow user namespaces; without them a program can change the permissions and times of your files outside the writable directories, and hooks and config of git inside them",
        ),
        SandboxLevel::Namespaces | SandboxLevel::Bubblewrap => {
            Diagnostic::ok("sandbox", format!("tools run in {level}{because}"))
        }
    }
}

/// Seccomp, from the kernel's status of a process.
pub(super) fn seccomp(status: Option<&str>) -> Diagnostic {
    match status.is_some_and(|status| status.lines().any(|line| line.starts_with("Seccomp:"))) {
        true => Diagnostic::ok("sandbox", "the kernel has seccomp"),
        false => Diagnostic::warning(
            "sandbox",
            "the kernel has no seccomp",
            "use a kernel with CONFIG_SECCOMP_FILTER; without it tools on this machine are sandboxed less",
        ),
    }
}

/// User namespaces: how many there may be, and whether unprivileged users may create them.
pub(super) fn namespaces(
    most: Option<&str>,
    unprivileged: Option<&str>,
    restricted: Option<&str>,
) -> Diagnostic {
    let value = |text: Option<&str>| text.and_then(|text| text.trim().parse::<u64>().ok());
    let none = value(most).is_none_or(|most| most == 0);
    if none || value(unprivileged) == Some(0) || value(restricted) == Some(1) {
        return Diagnostic::warning(
            "sandbox",
            "users may not create namespaces",
            "set with `sysctl -w` those of these that your kernel has: `user.max_user_namespaces=15000`, `kernel.unprivileged_userns_clone=1`, `kernel.apparmor_restrict_unprivileged_userns=0`",
        );
    }
    Diagnostic::ok("sandbox", "users may create namespaces")
}

const MIB: u64 = 1 << 20;

/// Free space on the disk of the state directory, in MiB.
pub(super) fn disk(free: Option<u64>) -> Diagnostic {
    let fix = "free some space: if the audit log cannot be written, every call is denied";
    match free.map(|bytes| bytes / MIB) {
        None => Diagnostic::warning("disk", "cannot read the free disk space", "see `df`"),
        Some(free) if free < 64 => {
            Diagnostic::problem("disk", format!("{free} MiB free for the audit log"), fix)
        }
        Some(free) if free < 1024 => {
            Diagnostic::warning("disk", format!("{free} MiB free for the audit log"), fix)
        }
        Some(free) => Diagnostic::ok("disk", format!("{} GiB free for the audit log", free / 1024)),
    }
}

/// The limit of open files per process; `None`: no limit.
pub(super) fn open_files(most: Option<u64>) -> Diagnostic {
    match most {
        Some(most) if most < 1024 => Diagnostic::warning(
            "open files",
            format!("a process may open only {most} files, and every connection is one"),
            "raise the limit with `ulimit -Hn`, or `LimitNOFILE=` for a service",
        ),
        Some(most) => Diagnostic::ok("open files", format!("{most}")),
        None => Diagnostic::ok("open files", "no limit"),
    }
}

/// The settings of a server, from its file and from variables.
pub(super) fn check_server_settings(serving: Result<bool, &str>) -> Diagnostic {
    match serving {
        Ok(true) => Diagnostic::ok("settings", "the server settings are valid, and questions are on"),
        Ok(false) => Diagnostic::warning(
            "settings",
            "questions are off (`TOOL_APPROVAL_ENABLED` is `false`): calls that need confirmation run",
            "set it to `true`, or unset it",
        ),
        Err(error) => Diagnostic::problem("settings", error, "fix it; until then no server starts"),
    }
}

/// Whether sekisho runs as root.
pub(super) fn check_user(me: u32) -> Diagnostic {
    match me {
        0 => Diagnostic::warning(
            "user",
            "running as root: an attacker who breaks sekisho controls the machine",
            "run sekisho as its own user",
        ),
        _ => Diagnostic::ok("user", format!("user {me}")),
    }
}
