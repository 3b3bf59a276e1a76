//! The names of programs and variables that run text, and of those that do not.

/// Programs that run text: shells, interpreters, editors, and programs with an option that takes a
/// command.
pub(super) const RUNNERS: &[&str] = &[
    "Rscript",
    "alias",
    "apt",
    "apt-get",
    "ash",
    "at",
    "autossh",
    "awk",
    "bash",
    "batch",
    "bind",
    "bun",
    "busybox",
    "compgen",
    "complete",
    "crontab",
    "csh",
    "dash",
    "deno",
    "ed",
    "entr",
    "eval",
    "ex",
    "expect",
    "fish",
    "flock",
    "ftp",
    "gawk",
    "gdb",
    "git",
    "gmake",
    "hg",
    "hyperfine",
    "ksh",
    "less",
    "lftp",
    "lua",
    "luajit",
    "m4",
    "make",
    "man",
    "mapfile",
    "mawk",
    "mksh",
    "mosh",
    "nawk",
    "nc",
    "ncat",
    "netcat",
    "node",
    "nodejs",
    "nu",
    "nvim",
    "osascript",
    "parallel",
    "perl",
    "php",
    "posh",
    "powershell",
    "pwsh",
    "python",
    "rbash",
    "readarray",
    "rpm",
    "rsync",
    "ruby",
    "runuser",
    "scp",
    "screen",
    "script",
    "sed",
    "sftp",
    "sh",
    "socat",
    "source",
    "split",
    "ssh",
    "su",
    "systemd-run",
    "tar",
    "tclsh",
    "tcsh",
    "tmux",
    "trap",
    "vi",
    "vim",
    "vimdiff",
    "watch",
    "xargs",
    "yash",
    "zip",
    "zsh",
];

/// Programs that run text only with an option or word that contains one of these.
pub(super) const WITH_OPTION: [(&str, &[&str]); WITH_OPTIONS] = [
    ("ansible", &["shell", "raw", "command", "script"]),
    ("aws", &["send-command"]),
    ("az", &["run-command"]),
    ("env", &["-S", "--split", "-iS", "-vS", "-uS", "-0S"]),
    ("mariadb", &["\\!", "system"]),
    ("mysql", &["\\!", "system"]),
    ("npm", &["-c", "--call"]),
    ("npx", &["-c", "--call"]),
    ("psql", &["\\!", "\\o", "\\g", "program", "PROGRAM"]),
    ("sqlite3", &[".s", ".sh"]),
    ("sudo", &["-s", "-i", "--shell", "--login", "-Si", "-Ss", "-is", "-nS"]),
];

/// Runners that run only the values of some options, or pass text on to another machine or program.
pub(super) const OPTION_RUNNERS: &[&str] = &[
    "apt",
    "apt-get",
    "awk",
    "expect",
    "ftp",
    "gawk",
    "git",
    "gmake",
    "hg",
    "less",
    "lftp",
    "m4",
    "make",
    "man",
    "mapfile",
    "mawk",
    "nawk",
    "nc",
    "ncat",
    "netcat",
    "readarray",
    "rpm",
    "rsync",
    "scp",
    "sed",
    "sftp",
    "socat",
    "split",
    "tar",
    "zip",
];

/// Programs that run none of their arguments and store none of them under another name.
pub(super) const PLAIN_PROGRAMS: &[&str] = &[
    "[",
    "[[",
    "aws",
    "basename",
    "cat",
    "cd",
    "chmod",
    "chown",
    "curl",
    "cut",
    "declare",
    "diff",
    "dirname",
    "echo",
    "export",
    "gcloud",
    "gh",
    "grep",
    "head",
    "http",
    "https",
    "jq",
    "kill",
    "local",
    "ls",
    "mariadb",
    "mkdir",
    "mongosh",
    "mysql",
    "mysqldump",
    "openssl",
    "pg_dump",
    "pg_restore",
    "printf",
    "psql",
    "read",
    "readonly",
    "redis-cli",
    "rm",
    "sleep",
    "sort",
    "tail",
    "test",
    "touch",
    "tr",
    "typeset",
    "unset",
    "wc",
    "wget",
    "xh",
];

/// Programs whose output does not contain their arguments.
pub(super) const SILENT_PROGRAMS: &[&str] =
    &["curl", "http", "https", "mysqldump", "pg_dump", "sshpass", "wget", "xh"];

/// Programs that give a program another name.
pub(super) const NAMING_PROGRAMS: &[&str] =
    &["alias", "cp", "enable", "hash", "install", "ln", "mount", "mv"];

/// Programs that run the program named by their arguments.
pub(super) const WRAPPERS: &[&str] = &[
    "busybox",
    "chroot",
    "chrt",
    "doas",
    "eval",
    "find",
    "firejail",
    "flock",
    "ionice",
    "ip",
    "nice",
    "nohup",
    "nsenter",
    "parallel",
    "proxychains",
    "runuser",
    "setsid",
    "stdbuf",
    "strace",
    "su",
    "taskset",
    "timeout",
    "torsocks",
    "unshare",
    "watch",
    "xargs",
];

/// Directories of installed programs.
pub(super) const PROGRAM_DIRECTORIES: &[&str] = &["/bin/", "/sbin/", "/usr/", "/opt/"];

/// Variables whose value is run, or that decide what runs.
pub(super) const VARIABLES: &[&str] =
    &["BASH_ALIASES", "PATH", "BASH_ENV", "ENV", "LESSOPEN", "LESSCLOSE", "SHELL", "PS0", "PS1", "PS4"];

pub(super) const VARIABLE_ENDS: &[&str] = &["PAGER", "EDITOR", "VISUAL", "COMMAND", "ASKPASS", "BROWSER"];

/// Words before the name of a program.
pub(super) const BEFORE_PROGRAM: &[&str] = &[
    "!", "{", "builtin", "command", "coproc", "do", "elif", "else", "env", "exec", "if", "nohup", "sudo",
    "then", "time", "until", "while",
];

/// How many programs run text only with an option.
pub(super) const WITH_OPTIONS: usize = 11;

/// Programs that run their input unless a script or `-c` is given.
pub(super) const INPUT_RUNNERS: &[&str] = &[
    "ash", "at", "bash", "batch", "csh", "dash", "fish", "ksh", "lua", "mksh", "node", "nodejs", "perl",
    "php", "posh", "python", "rbash", "ruby", "sh", "tclsh", "tcsh", "xargs", "yash", "zsh",
];

/// Programs that may run their input, pass it on to a shell or write it to a file.
pub(super) const COMMAND_READERS: &[&str] = &[
    "busybox",
    "cat",
    "chroot",
    "cpio",
    "crontab",
    "dd",
    "ed",
    "ex",
    "expect",
    "ftp",
    "gdb",
    "install",
    "lftp",
    "m4",
    "make",
    "mariadb",
    "mosh",
    "mysql",
    "nc",
    "ncat",
    "netcat",
    "nsenter",
    "nvim",
    "parallel",
    "patch",
    "psql",
    "runuser",
    "screen",
    "script",
    "sftp",
    "socat",
    "sponge",
    "sqlite3",
    "ssh",
    "su",
    "systemd-run",
    "tee",
    "telnet",
    "tmux",
    "unshare",
    "vi",
    "vim",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_order() {
        for names in [
            RUNNERS,
            INPUT_RUNNERS,
            COMMAND_READERS,
            OPTION_RUNNERS,
            PLAIN_PROGRAMS,
            SILENT_PROGRAMS,
            NAMING_PROGRAMS,
            WRAPPERS,
        ] {
            assert!(names.is_sorted(), "{names:?}");
        }
    }
}
