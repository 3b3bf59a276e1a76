//! What a tool may do in one run: the server's config file, overridden by flags.

use std::path::PathBuf;

use sekisho_tools::{GitPermission, RequiredLevel, ToolConfig, ToolContext};

use crate::failure::Failure;
use crate::settings::{SandboxOption, Settings};

/// The flags.
#[derive(Debug, clap::Args)]
pub(super) struct ToolLimits {
    /// A directory that the tool may write to, including everything below it, instead of `doc/`; can be given
    /// several times
    #[arg(long = "write", value_name = "DIR")]
    writable: Vec<PathBuf>,
    /// A host that commands or `web_fetch` may reach, as `name` (ports 80 and 443) or `name:port`; can be given several times
    #[arg(long = "host", value_name = "NAME")]
    hosts: Vec<String>,
    /// Commands may start only this program; repeat the option for more
    #[arg(long = "allow-command", value_name = "PROGRAM")]
    commands: Vec<String>,
    /// What `git_ops` may do [default: ReadOnly]
    #[arg(long, value_name = "Disabled|ReadOnly|ReadWrite", value_parser = git_permission)]
    git_permission: Option<GitPermission>,
    /// The time limit of commands in milliseconds [default: 60000]
    #[arg(long, value_name = "NUMBER")]
    timeout_ms: Option<u64>,
    /// The time limit of web requests in seconds [default: 30]
    #[arg(long, value_name = "NUMBER")]
    http_timeout_secs: Option<u64>,
    /// Refuse pages that a site's robots.txt excludes
    #[arg(long)]
    respect_robots: bool,
    /// Run even where the kernel cannot enforce every limit
    #[arg(long)]
    degraded: bool,
}

fn git_permission(text: &str) -> Result<GitPermission, String> {
    match text {
        "Disabled" => Ok(GitPermission::Disabled),
        "ReadOnly" => Ok(GitPermission::ReadOnly),
        "ReadWrite" => Ok(GitPermission::ReadWrite),
        _ => Err("expected `Disabled`, `ReadOnly` or `ReadWrite`".into()),
    }
}

impl ToolLimits {
    /// Lets the settings of a tool count in a context.
    pub(super) fn apply(self, tool: &str, settings: &Settings, ctx: &mut ToolContext) -> Result<(), Failure> {
        fn given<T>(list: Vec<T>) -> Option<Vec<T>> {
            (!list.is_empty()).then_some(list)
        }
        let (file, sandbox) = settings.tool_config(tool)?;
        let flags = ToolConfig {
            allowed_dirs: given(self.writable),
            allowed_commands: given(self.commands),
            git_permission: self.git_permission,
            allowed_hosts: given(self.hosts),
            shell_timeout_ms: self.timeout_ms,
            http_timeout_secs: self.http_timeout_secs,
            respect_robots: self.respect_robots.then_some(true),
            ..ToolConfig::default()
        };
        flags.check(tool).map_err(|error| Failure::usage(error.to_string()))?;
        flags.merged_over(file).apply(tool, ctx).map_err(|error| Failure::usage(error.to_string()))?;
        if self.degraded || sandbox == Some(SandboxOption::Degraded) {
            ctx.required_level = RequiredLevel::Degraded;
        }
        Ok(())
    }
}
