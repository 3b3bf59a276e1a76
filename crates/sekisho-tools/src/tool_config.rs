//! The settings of a tool, as config files, flags and requests give them.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::forbidden::forbidden_path;
use crate::input_fields::shown;
use crate::project_check::ProjectCheck;
use crate::sandbox::Network;
use crate::tool_context::{GitPermission, ToolContext};
use crate::web_fetch;

/// The longest time limit of a command: a day.
const MAX_SHELL_TIMEOUT_MS: u64 = 24 * 60 * 60 * 1000;
/// The longest time limit of a web request: an hour.
const MAX_HTTP_TIMEOUT_SECS: u64 = 60 * 60;

/// How many entries a list has at most. Settings are stored with every run and every sub-agent.
const MAX_ENTRIES: usize = 256;
/// The bytes of a list.
const MAX_LIST: usize = 16 << 10;
/// The longest command of a check, in bytes.
const MAX_CHECK: usize = 8192;

/// The tools, and which settings they have.
const SETTINGS: &[(&str, &[&str])] = &[
    ("create_sub_agent", &[]),
    ("done", &[]),
    ("edit", &["allowed_dirs"]),
    ("execute_sub_agent", &[]),
    ("file_write", &["allowed_dirs"]),
    ("get_sub_agent_result", &[]),
    ("git_ops", &["git_permission", "shell_timeout_ms"]),
    ("glob_search", &[]),
    ("grep", &[]),
    ("read", &[]),
    ("self_eval", &["allowed_dirs", "allowed_commands", "allowed_hosts", "shell_timeout_ms", "checks"]),
    ("shell_exec", &["allowed_dirs", "allowed_commands", "allowed_hosts", "shell_timeout_ms"]),
    ("skill_load", &["skills"]),
    ("todo_read", &[]),
    ("todo_write", &[]),
    ("tool_output_cache", &[]),
    ("tool_output_cache_grep", &[]),
    ("web_fetch", &["allowed_hosts", "http_timeout_secs", "respect_robots"]),
    ("web_search", &["http_timeout_secs"]),
];

/// The settings of a tool. What is missing keeps its default.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ToolConfig {
    /// Where files may be written, absolute or relative to the workspace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed_dirs: Option<Vec<PathBuf>>,
    /// The programs that commands may start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed_commands: Option<Vec<String>>,
    /// What `git_ops` may do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub git_permission: Option<GitPermission>,
    /// The hosts that commands or `web_fetch` may reach, as `name` or `name:port`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed_hosts: Option<Vec<String>>,
    /// The time limit of a command, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shell_timeout_ms: Option<u64>,
    /// The commands of `self_eval`, by the names of their checks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checks: Option<BTreeMap<ProjectCheck, String>>,
    /// Directories with skills, absolute: folders of skills, or directories that contain such folders.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skills: Option<Vec<PathBuf>>,
    /// The time limit of a web request, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub http_timeout_secs: Option<u64>,
    /// Whether `web_fetch` leaves out what a site's robots.txt excludes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub respect_robots: Option<bool>,
}

/// Why settings cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToolConfigError {
    /// No tool with settings has this name.
    UnknownTool(String),
    /// A setting is wrong.
    Setting {
        /// The tool.
        tool: String,
        /// The setting.
        name: &'static str,
        /// What is wrong, with the value.
        why: String,
    },
}

impl fmt::Display for ToolConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ToolConfigError::UnknownTool(tool) => {
                let known = SETTINGS.iter().filter(|(_, settings)| !settings.is_empty());
                let known: Vec<&str> = known.map(|(name, _)| *name).collect();
                write!(f, "{}: unknown tool; the tools with settings are {}", shown(tool), known.join(", "))
            }
            ToolConfigError::Setting { tool, name, why } => write!(f, "{tool}.{name}: {why}"),
        }
    }
}

impl std::error::Error for ToolConfigError {}

impl ToolConfig {
    /// These settings, with missing ones taken from `other`.
    #[must_use]
    pub fn merged_over(self, other: ToolConfig) -> ToolConfig {
        ToolConfig {
            allowed_dirs: self.allowed_dirs.or(other.allowed_dirs),
            allowed_commands: self.allowed_commands.or(other.allowed_commands),
            git_permission: self.git_permission.or(other.git_permission),
            allowed_hosts: self.allowed_hosts.or(other.allowed_hosts),
            shell_timeout_ms: self.shell_timeout_ms.or(other.shell_timeout_ms),
            checks: self.checks.or(other.checks),
            skills: self.skills.or(other.skills),
            http_timeout_secs: self.http_timeout_secs.or(other.http_timeout_secs),
            respect_robots: self.respect_robots.or(other.respect_robots),
        }
    }

    /// The settings of a tool that say what a context says. The commands of `self_eval` are not among them: they are only
    /// ever the administrator's.
    pub fn of_context(tool: &str, ctx: &ToolContext) -> ToolConfig {
        let known =
            SETTINGS.iter().find(|(name, _)| *name == tool).map_or(&[] as &[&str], |(_, known)| known);
        let has = |name: &str| known.contains(&name);
        let hosts = match (tool == web_fetch::NAME, &ctx.network) {
            (true, _) => ctx.allowed_hosts.clone(),
            (false, Network::Off) => Some(Vec::new()),
            (false, Network::Hosts(hosts)) => Some(hosts.clone()),
        };
        let millis = u64::try_from(ctx.shell_timeout.as_millis()).unwrap_or(u64::MAX);
        ToolConfig {
            allowed_dirs: has("allowed_dirs").then(|| ctx.allowed_write_dirs.clone()),
            allowed_commands: ctx.allowed_commands.clone().filter(|_| has("allowed_commands")),
            git_permission: has("git_permission").then_some(ctx.git_permission),
            allowed_hosts: hosts.filter(|_| has("allowed_hosts")),
            shell_timeout_ms: has("shell_timeout_ms").then_some(millis),
            checks: None,
            skills: has("skills").then(|| ctx.skills.clone()),
            http_timeout_secs: has("http_timeout_secs").then_some(ctx.http_timeout.as_secs()),
            respect_robots: has("respect_robots").then_some(ctx.respect_robots),
        }
    }

    /// Checks the settings of a tool.
    pub fn check(&self, tool: &str) -> Result<(), ToolConfigError> {
        let Some((_, known)) = SETTINGS.iter().find(|(name, _)| *name == tool) else {
            return Err(ToolConfigError::UnknownTool(tool.to_owned()));
        };
        let wrong =
            |name: &'static str, why: String| ToolConfigError::Setting { tool: tool.to_owned(), name, why };
        for name in self.given() {
            if !known.contains(&name) {
                let has = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                return Err(wrong(name, format!("`{tool}` does not have this setting; it has {has}")));
            }
        }
        for (name, count, bytes) in self.list_sizes() {
            if count > MAX_ENTRIES {
                return Err(wrong(name, format!("{count} entries are more than {MAX_ENTRIES}")));
            }
            if bytes > MAX_LIST {
                return Err(wrong(
                    name,
                    format!("entries of {bytes} bytes are longer than {MAX_LIST} bytes"),
                ));
            }
        }
        for dir in self.allowed_dirs.iter().flatten() {
            check_dir(dir).map_err(|why| wrong("allowed_dirs", why))?;
        }
        for command in self.allowed_commands.iter().flatten() {
            check_command(command).map_err(|why| wrong("allowed_commands", why))?;
        }
        for host in self.allowed_hosts.iter().flatten() {
            check_host(host).map_err(|why| wrong("allowed_hosts", why))?;
        }
        for (check, command) in self.checks.iter().flatten() {
            if command.trim().is_empty() {
                return Err(wrong("checks", format!("the command of `{}` is empty", check.name())));
            }
            if command.len() > MAX_CHECK {
                let why = format!("the command of `{}` is longer than {MAX_CHECK} bytes", check.name());
                return Err(wrong("checks", why));
            }
        }
        for dir in self.skills.iter().flatten() {
            check_skill_dir(dir).map_err(|why| wrong("skills", why))?;
        }
        if let Some(millis) =
            self.shell_timeout_ms.filter(|millis| !(1..=MAX_SHELL_TIMEOUT_MS).contains(millis))
        {
            let why = format!("{millis} is not from 1 to {MAX_SHELL_TIMEOUT_MS} milliseconds");
            return Err(wrong("shell_timeout_ms", why));
        }
        if let Some(secs) = self.http_timeout_secs.filter(|secs| !(1..=MAX_HTTP_TIMEOUT_SECS).contains(secs))
        {
            let why = format!("{secs} is not from 1 to {MAX_HTTP_TIMEOUT_SECS} seconds");
            return Err(wrong("http_timeout_secs", why));
        }
        Ok(())
    }

    /// The lists, how many entries they have, and how long these are together.
    fn list_sizes(&self) -> [(&'static str, usize, usize); 4] {
        fn sizes<T>(list: Option<&Vec<T>>, bytes: impl Fn(&T) -> usize) -> (usize, usize) {
            let list = list.map(Vec::as_slice).unwrap_or_default();
            (list.len(), list.iter().map(bytes).sum())
        }
        let named = |name, (count, bytes)| (name, count, bytes);
        let path = |path: &PathBuf| path.as_os_str().len();
        [
            named("allowed_dirs", sizes(self.allowed_dirs.as_ref(), path)),
            named("allowed_commands", sizes(self.allowed_commands.as_ref(), String::len)),
            named("allowed_hosts", sizes(self.allowed_hosts.as_ref(), String::len)),
            named("skills", sizes(self.skills.as_ref(), path)),
        ]
    }

    /// The names of the settings that are given.
    fn given(&self) -> impl Iterator<Item = &'static str> {
        let all = [
            ("allowed_dirs", self.allowed_dirs.is_some()),
            ("allowed_commands", self.allowed_commands.is_some()),
            ("git_permission", self.git_permission.is_some()),
            ("allowed_hosts", self.allowed_hosts.is_some()),
            ("shell_timeout_ms", self.shell_timeout_ms.is_some()),
            ("checks", self.checks.is_some()),
            ("skills", self.skills.is_some()),
            ("http_timeout_secs", self.http_timeout_secs.is_some()),
            ("respect_robots", self.respect_robots.is_some()),
        ];
        all.into_iter().filter(|(_, is_given)| *is_given).map(|(name, _)| name)
    }

    /// Checks the settings of a tool, and lets them count in a context.
    pub fn apply(self, tool: &str, ctx: &mut ToolContext) -> Result<(), ToolConfigError> {
        self.check(tool)?;
        if let Some(dirs) = self.allowed_dirs {
            ctx.allowed_write_dirs = dirs;
        }
        if self.allowed_commands.is_some() {
            ctx.allowed_commands = self.allowed_commands;
        }
        if let Some(permission) = self.git_permission {
            ctx.git_permission = permission;
        }
        if tool == web_fetch::NAME {
            ctx.allowed_hosts = self.allowed_hosts;
        } else if let Some(hosts) = self.allowed_hosts {
            ctx.network = if hosts.is_empty() { Network::Off } else { Network::Hosts(hosts) };
        }
        if let Some(millis) = self.shell_timeout_ms {
            ctx.shell_timeout = Duration::from_millis(millis);
        }
        if let Some(checks) = self.checks {
            ctx.checks = checks;
        }
        if let Some(skills) = self.skills {
            ctx.skills = skills;
        }
        if let Some(secs) = self.http_timeout_secs {
            ctx.http_timeout = Duration::from_secs(secs);
        }
        if let Some(respect) = self.respect_robots {
            ctx.respect_robots = respect;
        }
        Ok(())
    }
}

/// Relative directories stay inside the workspace; none is a directory of the system, or contains all of them.
fn check_dir(dir: &Path) -> Result<(), String> {
    let name = || shown(&dir.to_string_lossy());
    let climbs = dir.components().any(|part| part == Component::ParentDir);
    if dir.as_os_str().is_empty() {
        return Err("a directory is empty".into());
    }
    if dir.starts_with("~") {
        return Err(format!("`{}` begins with `~`; write the whole path", name()));
    }
    if climbs {
        return Err(format!("`{}` contains `..`; name the directory itself", name()));
    }
    if dir == Path::new("/") || forbidden_path(dir).is_some() {
        return Err(format!("`{}` is a system directory, where tools never write", name()));
    }
    Ok(())
}

/// A directory of skills is named completely, whatever the workspace is.
fn check_skill_dir(dir: &Path) -> Result<(), String> {
    let climbs = dir.components().any(|part| part == Component::ParentDir);
    match dir.is_absolute() && !climbs {
        true => Ok(()),
        false => Err(format!("`{}` is not an absolute path without `..`", shown(&dir.to_string_lossy()))),
    }
}

fn check_command(command: &str) -> Result<(), String> {
    if command.trim().is_empty() {
        return Err("a program is empty".into());
    }
    match command.contains(char::is_whitespace) {
        true => Err(format!("`{}` has arguments; name the program only", shown(command))),
        false => Ok(()),
    }
}

fn check_host(host: &str) -> Result<(), String> {
    let wrong = || format!("`{}` is not a host; write `name` or `name:port`", shown(host));
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) => (name, Some(port)),
        None => (host, None),
    };
    let is_name =
        !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_'));
    let is_port = port.is_none_or(|port| port.parse::<u16>().is_ok_and(|port| port > 0));
    (is_name && is_port).then_some(()).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn check(tool: &str, config: Value, expected: Result<(), &str>) {
        let config: ToolConfig = serde_json::from_value(config).unwrap();
        let found = config.check(tool).map_err(|error| error.to_string());
        assert_eq!(found, expected.map_err(str::to_owned));
    }

    #[test]
    fn settings_of_each_tool_are_taken() {
        check("file_write", json!({ "allowed_dirs": ["doc", "/home/x/notes"] }), Ok(()));
        check("edit", json!({ "allowed_dirs": [] }), Ok(()));
        check("read", json!({}), Ok(()));
        let none = "grep.allowed_dirs: `grep` does not have this setting; it has none";
        check("grep", json!({ "allowed_dirs": ["x"] }), Err(none));
        check(
            "web_fetch",
            json!({ "allowed_hosts": ["docs.example"], "http_timeout_secs": 5, "respect_robots": true }),
            Ok(()),
        );
        check("web_search", json!({ "http_timeout_secs": 3600 }), Ok(()));
        check("git_ops", json!({ "git_permission": "ReadWrite", "shell_timeout_ms": 1 }), Ok(()));
        check(
            "self_eval",
            json!({ "checks": { "type_check": "make types" }, "shell_timeout_ms": 1 }),
            Ok(()),
        );
        check("skill_load", json!({ "skills": ["/srv/skills"] }), Ok(()));
        check(
            "shell_exec",
            json!({ "allowed_commands": ["ls"], "allowed_hosts": ["a.example", "b.example:8443"] }),
            Ok(()),
        );
    }

    #[test]
    fn lists_are_limited() {
        let names = |count: usize| (0..count).map(|at| format!("p{at}")).collect::<Vec<_>>();
        check("shell_exec", json!({ "allowed_commands": names(256) }), Ok(()));
        let many = "shell_exec.allowed_commands: 257 entries are more than 256";
        check("shell_exec", json!({ "allowed_commands": names(257) }), Err(many));
        let long = "shell_exec.allowed_hosts: entries of 16385 bytes are longer than 16384 bytes";
        check("shell_exec", json!({ "allowed_hosts": ["h".repeat(16_384), "h"] }), Err(long));
        let command = "self_eval.checks: the command of `test` is longer than 8192 bytes";
        check("self_eval", json!({ "checks": { "test": "x".repeat(8193) } }), Err(command));
    }

    #[test]
    fn errors_name_tool_setting_and_value() {
        let cases = [
            (
                "web",
                json!({}),
                "web: unknown tool; the tools with settings are edit, file_write, git_ops, self_eval, shell_exec, skill_load, web_fetch, web_search",
            ),
            (
                "edit",
                json!({ "git_permission": "ReadOnly" }),
                "edit.git_permission: `edit` does not have this setting; it has allowed_dirs",
            ),
            (
                "edit",
                json!({ "allowed_dirs": ["../x"] }),
                "edit.allowed_dirs: `../x` contains `..`; name the directory itself",
            ),
            (
                "edit",
                json!({ "allowed_dirs": ["/usr/local"] }),
                "edit.allowed_dirs: `/usr/local` is a system directory, where tools never write",
            ),
            (
                "shell_exec",
                json!({ "allowed_dirs": ["/"] }),
                "shell_exec.allowed_dirs: `/` is a system directory, where tools never write",
            ),
            (
                "edit",
                json!({ "allowed_dirs": ["~/x"] }),
                "edit.allowed_dirs: `~/x` begins with `~`; write the whole path",
            ),
            ("edit", json!({ "allowed_dirs": [""] }), "edit.allowed_dirs: a directory is empty"),
            (
                "shell_exec",
                json!({ "allowed_commands": ["git status"] }),
                "shell_exec.allowed_commands: `git status` has arguments; name the program only",
            ),
            (
                "shell_exec",
                json!({ "allowed_hosts": ["https://a.example/"] }),
                "shell_exec.allowed_hosts: `https://a.example/` is not a host; write `name` or `name:port`",
            ),
            (
                "shell_exec",
                json!({ "allowed_hosts": ["a.example:0"] }),
                "shell_exec.allowed_hosts: `a.example:0` is not a host; write `name` or `name:port`",
            ),
            (
                "git_ops",
                json!({ "shell_timeout_ms": 0 }),
                "git_ops.shell_timeout_ms: 0 is not from 1 to 86400000 milliseconds",
            ),
        ];
        for (tool, config, message) in cases {
            check(tool, config, Err(message));
        }
        let unknown = serde_json::from_value::<ToolConfig>(json!({ "timeout": 1 })).unwrap_err();
        assert!(unknown.to_string().contains("unknown field `timeout`"), "{unknown}");
    }

    #[test]
    fn wrong_settings_of_checks_and_skills_are_named() {
        let cases = [
            (
                "self_eval",
                json!({ "checks": { "build": " " } }),
                "self_eval.checks: the command of `build` is empty",
            ),
            (
                "skill_load",
                json!({ "skills": ["skills"] }),
                "skill_load.skills: `skills` is not an absolute path without `..`",
            ),
            (
                "done",
                json!({ "allowed_dirs": [] }),
                "done.allowed_dirs: `done` does not have this setting; it has none",
            ),
            (
                "shell_exec",
                json!({ "checks": {} }),
                "shell_exec.checks: `shell_exec` does not have this setting; it has allowed_dirs, allowed_commands, allowed_hosts, shell_timeout_ms",
            ),
        ];
        for (tool, config, message) in cases {
            check(tool, config, Err(message));
        }
        let unknown =
            serde_json::from_value::<ToolConfig>(json!({ "checks": { "deploy": "x" } })).unwrap_err();
        assert!(unknown.to_string().contains("unknown variant `deploy`"), "{unknown}");
    }

    #[test]
    fn wrong_settings_of_web_tools_are_named() {
        check(
            "web_search",
            json!({ "allowed_hosts": [] }),
            Err(
                "web_search.allowed_hosts: `web_search` does not have this setting; it has http_timeout_secs",
            ),
        );
        for secs in [0, 3601] {
            let message = format!("web_fetch.http_timeout_secs: {secs} is not from 1 to 3600 seconds");
            check("web_fetch", json!({ "http_timeout_secs": secs }), Err(&message));
        }
    }
}
