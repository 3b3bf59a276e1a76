//! The name of an agent, from the command that starts it.

use std::ffi::{OsStr, OsString};
use std::path::Path;

/// Programs that run what their first argument names.
const LAUNCHERS: &[&str] = &[
    "bun", "bunx", "deno", "dlx", "env", "exec", "node", "npm", "npx", "pipx", "pnpm", "pnpx", "python",
    "python3", "run", "tool", "tsx", "uv", "uvx", "x", "yarn",
];

/// The name of the program, or of the package or script that a launcher runs (`npx @zed/claude@1.0` is `claude`).
pub(super) fn agent_name(program: &OsStr, arguments: &[OsString]) -> Option<String> {
    let words = std::iter::once(program).chain(arguments.iter().map(OsString::as_os_str));
    let words = words.filter_map(OsStr::to_str).filter(|word| !word.starts_with('-') && !word.contains('='));
    let mut names = words.map(last_name).filter(|name| !name.is_empty());
    let own = names.clone().next()?;
    Some(names.find(|name| !LAUNCHERS.contains(&name.as_str())).filter(|_| is_launcher(&own)).unwrap_or(own))
}

fn is_launcher(name: &str) -> bool {
    LAUNCHERS.contains(&name)
}

/// The last part of a path or of the name of a package, without version and ending.
fn last_name(word: &str) -> String {
    let name = Path::new(word).file_name().and_then(OsStr::to_str).unwrap_or_default();
    let name = name.split_once('@').map_or(name, |(name, _)| name);
    let endings = [".js", ".mjs", ".cjs", ".ts", ".py", ".sh"];
    endings.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name).to_owned()
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::agent_name;

    #[test]
    fn agent_is_named_by_its_program_or_package() {
        for (command, expected) in [
            ("gemini --acp", "gemini"),
            ("/opt/agents/codex", "codex"),
            ("npx -y @agentclientprotocol/claude-agent-acp@1.2.0 --verbose", "claude-agent-acp"),
            ("node dist/agent.mjs", "agent"),
            ("env A=b python3 agent.py", "agent"),
            ("npm exec other", "other"),
            ("sh -c true", "sh"),
        ] {
            let words: Vec<OsString> = command.split(' ').map(Into::into).collect();
            let (program, arguments) = words.split_first().unwrap();
            assert_eq!(agent_name(program, arguments).as_deref(), Some(expected), "{command}");
        }
    }
}
