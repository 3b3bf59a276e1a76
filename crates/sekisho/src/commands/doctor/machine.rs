//! The machine: what its kernel can do, how much room there is, and what it was told.

use super::finding::Finding;

/// Landlock, by the list of the kernel's security modules; `None`: it cannot be read.
pub(super) fn landlock(modules: Option<&str>) -> Finding {
    let fix = "use a kernel of 5.13 or later with `landlock` in its `lsm=` list; without it tools that run here are confined less";
    match modules {
        Some(modules) if modules.trim().split(',').any(|name| name == "landlock") => {
            Finding::ok("sandbox", "the kernel has Landlock")
        }
        Some(_) => Finding::warning("sandbox", "the kernel has no Landlock", fix),
        None => Finding::warning(
            "sandbox",
            "whether the kernel has Landlock cannot be read (/sys/kernel/security/lsm)",
            fix,
        ),
    }
}

/// Seccomp, by what the kernel says of a process.
pub(super) fn seccomp(status: Option<&str>) -> Finding {
    match status.is_some_and(|status| status.lines().any(|line| line.starts_with("Seccomp:"))) {
        true => Finding::ok("sandbox", "the kernel has seccomp"),
        false => Finding::warning(
            "sandbox",
            "the kernel has no seccomp",
            "use a kernel with CONFIG_SECCOMP_FILTER; without it tools that run here are confined less",
        ),
    }
}

/// User namespaces: how many there may be, and whether somebody without rights may make one.
pub(super) fn namespaces(
    most: Option<&str>,
    unprivileged: Option<&str>,
    restricted: Option<&str>,
) -> Finding {
    let value = |text: Option<&str>| text.and_then(|text| text.trim().parse::<u64>().ok());
    let none = value(most).is_none_or(|most| most == 0);
    if none || value(unprivileged) == Some(0) || value(restricted) == Some(1) {
        return Finding::warning(
            "sandbox",
            "users may not make namespaces here",
            "`sysctl user.max_user_namespaces=15000`, `kernel.unprivileged_userns_clone=1` or `kernel.apparmor_restrict_unprivileged_userns=0`, whichever is there",
        );
    }
    Finding::ok("sandbox", "users may make namespaces")
}

const MIB: u64 = 1 << 20;

/// Room on the disk of the state directory.
pub(super) fn disk(free: Option<u64>) -> Finding {
    let fix = "make room: a record that cannot be written lets nothing through";
    match free.map(|bytes| bytes / MIB) {
        None => Finding::warning("disk", "how much room there is cannot be told", "see `df`"),
        Some(free) if free < 64 => {
            Finding::problem("disk", format!("{free} MiB are free where the record lies"), fix)
        }
        Some(free) if free < 1024 => {
            Finding::warning("disk", format!("{free} MiB are free where the record lies"), fix)
        }
        Some(free) => Finding::ok("disk", format!("{} GiB are free where the record lies", free / 1024)),
    }
}

/// How many files a process may have open, at most; `None`: as many as it likes.
pub(super) fn open_files(most: Option<u64>) -> Finding {
    match most {
        Some(most) if most < 1024 => Finding::warning(
            "open files",
            format!("a process may have {most} files open, and every caller is one"),
            "raise it with `ulimit -Hn`, or `LimitNOFILE=` of a service",
        ),
        Some(most) => Finding::ok("open files", format!("{most}")),
        None => Finding::ok("open files", "no limit"),
    }
}

/// What is told to a server: by its file, by variables.
pub(super) fn told(serving: Result<bool, &str>) -> Finding {
    match serving {
        Ok(true) => Finding::ok("settings", "what a server is told makes sense, and questions are on"),
        Ok(false) => Finding::warning(
            "settings",
            "questions are off (`TOOL_APPROVAL_ENABLED` is `false`): what would be asked runs",
            "set it to `true`, or unset it",
        ),
        Err(error) => Finding::problem("settings", error, "put it right: until then no server starts"),
    }
}

/// Whether the programs run as somebody who may do anything.
pub(super) fn user(me: u32) -> Finding {
    match me {
        0 => Finding::warning(
            "user",
            "this is root: whoever breaks sekisho has the machine",
            "run it as a user of its own",
        ),
        _ => Finding::ok("user", format!("user {me}")),
    }
}
