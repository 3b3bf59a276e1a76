//! Settings of a tool that may only narrow what it may do.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::project_check::ProjectCheck;
use crate::sandbox::Network;
use crate::tool_config::ToolConfig;
use crate::tool_context::{GitPermission, ToolContext};
use crate::web_fetch;

impl ToolConfig {
    /// Lets the settings count in a context, as far as they are narrower than the context is. Returns the names of
    /// the settings that are wider, whole or in part: that part does not count.
    pub fn narrow(&self, tool: &str, ctx: &mut ToolContext) -> Vec<&'static str> {
        let mut wider = Vec::new();
        let mut note = |name: &'static str, is_narrower: bool| {
            if !is_narrower {
                wider.push(name);
            }
        };
        if let Some(dirs) = &self.allowed_dirs {
            note("allowed_dirs", narrow_dirs(dirs, ctx));
        }
        if let Some(commands) = &self.allowed_commands {
            note("allowed_commands", narrow_list(&mut ctx.allowed_commands, commands));
        }
        if let Some(permission) = self.git_permission {
            note("git_permission", rank(permission) <= rank(ctx.git_permission));
            if rank(permission) < rank(ctx.git_permission) {
                ctx.git_permission = permission;
            }
        }
        if let Some(hosts) = &self.allowed_hosts {
            note("allowed_hosts", narrow_hosts(tool, hosts, ctx));
        }
        if let Some(millis) = self.shell_timeout_ms {
            note("shell_timeout_ms", shorten(&mut ctx.shell_timeout, Duration::from_millis(millis)));
        }
        if let Some(checks) = &self.checks {
            note("checks", narrow_checks(checks, ctx));
        }
        if let Some(skills) = &self.skills {
            let is_inside = |dir: &PathBuf| ctx.skills.iter().any(|listed| dir.starts_with(listed));
            let narrower: Vec<PathBuf> = skills.iter().filter(|dir| is_inside(dir)).cloned().collect();
            note("skills", narrower.len() == skills.len());
            ctx.skills = narrower;
        }
        if let Some(secs) = self.http_timeout_secs {
            note("http_timeout_secs", shorten(&mut ctx.http_timeout, Duration::from_secs(secs)));
        }
        if let Some(respect) = self.respect_robots {
            note("respect_robots", respect || !ctx.respect_robots);
            ctx.respect_robots |= respect;
        }
        wider
    }
}

fn narrow_dirs(dirs: &[PathBuf], ctx: &mut ToolContext) -> bool {
    let is_inside = |dir: &Path| {
        let path = ctx.root.join(dir);
        ctx.allowed_write_dirs.iter().any(|allowed| path.starts_with(ctx.root.join(allowed)))
    };
    let narrower: Vec<PathBuf> = dirs.iter().filter(|dir| is_inside(dir)).cloned().collect();
    let all = narrower.len() == dirs.len();
    ctx.allowed_write_dirs = narrower;
    all
}

/// None allows everything.
fn narrow_list(allowed: &mut Option<Vec<String>>, wanted: &[String]) -> bool {
    let is_allowed = |name: &&String| allowed.as_ref().is_none_or(|allowed| allowed.contains(name));
    let narrower: Vec<String> = wanted.iter().filter(is_allowed).cloned().collect();
    let all = narrower.len() == wanted.len();
    *allowed = Some(narrower);
    all
}

/// `web_fetch` has its own list of hosts. Programs reach only those that were named.
fn narrow_hosts(tool: &str, hosts: &[String], ctx: &mut ToolContext) -> bool {
    if tool == web_fetch::NAME {
        return narrow_list(&mut ctx.allowed_hosts, hosts);
    }
    let mut allowed = Some(match &ctx.network {
        Network::Off => Vec::new(),
        Network::Hosts(hosts) => hosts.clone(),
    });
    let all = narrow_list(&mut allowed, hosts);
    let allowed = allowed.unwrap_or_default();
    ctx.network = if allowed.is_empty() { Network::Off } else { Network::Hosts(allowed) };
    all
}

/// A check keeps its command, or is left to the project as before. Another command is wider.
fn narrow_checks(checks: &BTreeMap<ProjectCheck, String>, ctx: &ToolContext) -> bool {
    checks.iter().all(|(check, command)| ctx.checks.get(check) == Some(command))
}

fn shorten(limit: &mut Duration, wanted: Duration) -> bool {
    let is_shorter = wanted <= *limit;
    *limit = wanted.min(*limit);
    is_shorter
}

fn rank(permission: GitPermission) -> u8 {
    match permission {
        GitPermission::Disabled => 0,
        GitPermission::ReadOnly => 1,
        GitPermission::ReadWrite => 2,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::{Value, json};

    use super::*;
    use crate::sandbox::{Isolation, Sandbox};

    fn context(tool: &str, config: Value) -> ToolContext {
        let sandbox = Sandbox::at_level(Path::new("/nonexistent"), Isolation::default());
        let mut ctx = ToolContext::new("/work", Arc::new(sandbox));
        let config: ToolConfig = serde_json::from_value(config).unwrap();
        config.apply(tool, &mut ctx).unwrap();
        ctx
    }

    /// The context after a request narrowed what is stored.
    fn check(tool: &str, stored: Value, request: Value, wider: &[&str]) -> ToolContext {
        let mut ctx = context(tool, stored);
        let request: ToolConfig = serde_json::from_value(request).unwrap();
        assert_eq!(request.narrow(tool, &mut ctx), wider);
        ctx
    }

    #[test]
    fn directories_stay_inside_those_that_are_stored() {
        let dirs = |dirs: &[&str], wider: &[&str]| {
            let stored = json!({ "allowed_dirs": ["doc", "/srv/out"] });
            let ctx = check("file_write", stored, json!({ "allowed_dirs": dirs }), wider);
            ctx.allowed_write_dirs
        };
        assert_eq!(dirs(&["doc/a", "/work/doc", "/srv/out"], &[]).len(), 3);
        assert_eq!(dirs(&["doc/a", "src"], &["allowed_dirs"]), [PathBuf::from("doc/a")]);
        assert!(dirs(&["docs"], &["allowed_dirs"]).is_empty());
        assert!(dirs(&[], &[]).is_empty());
        let usual = check("file_write", json!({}), json!({ "allowed_dirs": ["src"] }), &["allowed_dirs"]);
        assert!(usual.allowed_write_dirs.is_empty());
    }

    #[test]
    fn programs_and_hosts_are_only_taken_away() {
        let ls = json!({ "allowed_commands": ["ls"] });
        let ctx = check("shell_exec", json!({}), ls.clone(), &[]);
        assert_eq!(ctx.allowed_commands, Some(vec!["ls".to_owned()]));
        let both = json!({ "allowed_commands": ["ls", "rm"] });
        let ctx = check("shell_exec", ls, both, &["allowed_commands"]);
        assert_eq!(ctx.allowed_commands, Some(vec!["ls".to_owned()]));
        let host = json!({ "allowed_hosts": ["a.example"] });
        let ctx = check("shell_exec", json!({}), host.clone(), &["allowed_hosts"]);
        assert_eq!(ctx.network, Network::Off);
        check("shell_exec", host.clone(), host.clone(), &[]);
        // Without a list, `web_fetch` reaches every public host.
        let ctx = check("web_fetch", json!({}), host.clone(), &[]);
        assert_eq!(ctx.allowed_hosts, Some(vec!["a.example".to_owned()]));
        check("web_fetch", json!({ "allowed_hosts": ["b.example"] }), host, &["allowed_hosts"]);
    }

    #[test]
    fn other_settings_are_only_tightened() {
        let git = |permission: &str| json!({ "git_permission": permission });
        let ctx = check("git_ops", json!({}), git("ReadWrite"), &["git_permission"]);
        assert_eq!(ctx.git_permission, GitPermission::ReadOnly);
        let ctx = check("git_ops", git("ReadWrite"), git("Disabled"), &[]);
        assert_eq!(ctx.git_permission, GitPermission::Disabled);
        let millis = |millis: u64| json!({ "shell_timeout_ms": millis });
        let ctx = check("shell_exec", millis(1000), millis(5000), &["shell_timeout_ms"]);
        assert_eq!(ctx.shell_timeout, Duration::from_secs(1));
        let ctx = check("shell_exec", millis(1000), millis(10), &[]);
        assert_eq!(ctx.shell_timeout, Duration::from_millis(10));
        let robots = |respect: bool| json!({ "respect_robots": respect });
        assert!(check("web_fetch", robots(true), robots(false), &["respect_robots"]).respect_robots);
        assert!(check("web_fetch", robots(false), robots(true), &[]).respect_robots);
        let build = |command: &str| json!({ "checks": { "build": command } });
        let ctx = check("self_eval", build("make"), build("make install"), &["checks"]);
        assert_eq!(ctx.checks.values().collect::<Vec<_>>(), ["make"]);
        check("self_eval", build("make"), build("make"), &[]);
        let skills = |dir: &str| json!({ "skills": [dir] });
        assert!(check("skill_load", skills("/srv/a"), skills("/srv/b"), &["skills"]).skills.is_empty());
        check("skill_load", skills("/srv/a"), skills("/srv/a/x"), &[]);
    }
}
