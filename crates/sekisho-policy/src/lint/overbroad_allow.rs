//! Allow rules that allow too much.

use super::finding::{Finding, FindingCode, FindingLevel};
use super::linted_rule::LintedRule;
use crate::rule::Rule;
use crate::tools::{ToolKind, by_name};

/// Programs that run any text or file they are given. Allowing one allows everything.
const INTERPRETERS: &[&str] = &[
    "awk",
    "bash",
    "bun",
    "csh",
    "dash",
    "deno",
    "ed",
    "emacs",
    "ex",
    "expect",
    "fish",
    "gawk",
    "gdb",
    "ghci",
    "java",
    "jshell",
    "julia",
    "ksh",
    "lua",
    "make",
    "mawk",
    "nawk",
    "node",
    "npx",
    "osascript",
    "perl",
    "php",
    "pnpx",
    "pwsh",
    "python",
    "python2",
    "python3",
    "R",
    "Rscript",
    "ruby",
    "sed",
    "sh",
    "sqlite3",
    "tclsh",
    "ts-node",
    "tsx",
    "uvx",
    "vi",
    "vim",
    "nvim",
    "zsh",
];

/// Programs that run the command they are given.
const WRAPPERS: &[&str] = &[
    "busybox",
    "chroot",
    "chrt",
    "command",
    "doas",
    "docker",
    "env",
    "eval",
    "exec",
    "fd",
    "find",
    "flock",
    "ionice",
    "kubectl",
    "nice",
    "nohup",
    "nsenter",
    "parallel",
    "pkexec",
    "podman",
    "runuser",
    "script",
    "setpriv",
    "setsid",
    "ssh",
    "stdbuf",
    "strace",
    "su",
    "sudo",
    "systemd-run",
    "taskset",
    "time",
    "timeout",
    "unshare",
    "watch",
    "xargs",
];

/// Whether a program runs whatever it is given, as text or as a command.
pub(crate) fn runs_anything(program: &str) -> bool {
    INTERPRETERS.contains(&program) || WRAPPERS.contains(&program)
}

/// The finding about an allow that allows too much.
pub(super) fn findings(entry: &LintedRule<'_>) -> Option<Finding> {
    let rule = entry.rule();
    let find = |level, message: String, hint: &str| {
        Some(entry.finding(level, FindingCode::TooWide, message).hint(hint))
    };
    if rule.unrestricted {
        let message = "`unrestricted` allows any shell text, even if it cannot be checked".into();
        return find(
            FindingLevel::Danger,
            message,
            "use it only in containers that contain nothing valuable",
        );
    }
    if rule.tool.is_none()
        && rule.tool_pattern.as_deref().is_some_and(|pattern| pattern.trim_matches('*').is_empty())
    {
        let whom = if rule.server.is_some() { "every tool of the server" } else { "every tool" };
        let level = if rule.server.is_some() { FindingLevel::Warning } else { FindingLevel::Danger };
        return find(level, format!("it allows {whom}"), "name the tools you mean");
    }
    if rule.tool.is_none() && rule.tool_pattern.is_none() {
        return find(
            FindingLevel::Warning,
            "it allows every tool of the server".into(),
            "name the tools you mean",
        );
    }
    if let Some(program) = program(rule) {
        return program_finding(entry, rule, program);
    }
    let kind = rule.tool.as_deref().and_then(by_name).map(|tool| tool.kind);
    if kind == Some(ToolKind::Shell) && rule.server.is_none() {
        let message = "it allows every command that can be checked".into();
        return find(FindingLevel::Danger, message, "name the commands you mean with `command`");
    }
    let anywhere =
        rule.path.as_deref().is_none_or(|path| matches!(path, "/" | "**" | "/**" | "*" | "~/" | "~/**"));
    if kind == Some(ToolKind::Write) && anywhere && rule.server.is_none() {
        return find(
            FindingLevel::Warning,
            "it allows writing anywhere".into(),
            "restrict it with `path`, such as `src/**`",
        );
    }
    None
}

/// The program that a shell rule names: the first word, if it contains no wildcard.
fn program(rule: &Rule) -> Option<&str> {
    let text = rule.command.as_deref().or(rule.command_glob.as_deref())?;
    Some(text.split_whitespace().next().unwrap_or(""))
}

fn program_finding(entry: &LintedRule<'_>, rule: &Rule, program: &str) -> Option<Finding> {
    let find = |message: String, hint: &str| {
        Some(entry.finding(FindingLevel::Danger, FindingCode::TooWide, message).hint(hint))
    };
    if rule.command.is_none() && program.contains(['*', '?']) {
        let message = format!("`{program}` matches any program");
        return find(message, "begin the glob with the program's name");
    }
    let name = program.rsplit('/').next().unwrap_or(program);
    // More words, or a glob that requires some, specify which use is meant.
    let further =
        |text: &str| text.split_whitespace().skip(1).any(|word| !word.chars().all(|c| "*?".contains(c)));
    let bare = rule.command.as_deref().is_none_or(|text| !further(text))
        && rule.command_glob.as_deref().is_none_or(|text| !further(text));
    if bare && INTERPRETERS.contains(&name) {
        return find(
            format!("`{name}` runs any program it is given as text"),
            "add the words that specify which",
        );
    }
    if bare && WRAPPERS.contains(&name) {
        return find(
            format!("`{name}` runs any command it is given"),
            "allow the commands themselves instead",
        );
    }
    None
}
