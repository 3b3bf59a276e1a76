//! Where agents keep their settings, and which of their variables switch hooks off.

use std::path::{Path, PathBuf};

use super::variable_of;
use crate::failure::Failure;

/// The config directories of the agents.
#[derive(Clone, Debug)]
pub(crate) struct AgentHomes {
    pub(crate) claude: PathBuf,
    /// Claude Code's managed settings.
    pub(crate) claude_managed: PathBuf,
    pub(crate) codex: PathBuf,
    /// Codex's managed requirements.
    pub(crate) codex_managed: PathBuf,
    pub(crate) gemini: PathBuf,
    /// Gemini CLI's managed settings.
    pub(crate) gemini_managed: PathBuf,
    pub(crate) opencode: PathBuf,
    /// The variables set here that make an agent skip hooks.
    pub(crate) switches_set: Vec<String>,
}

/// Variables that make agents skip hooks.
const SWITCHES: [&str; 3] = ["CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE", "OPENCODE_PURE"];

impl AgentHomes {
    /// Reads the environment.
    pub(crate) fn load(home: Option<&Path>) -> Result<AgentHomes, Failure> {
        let named =
            |variable: &str| variable_of(variable).map(PathBuf::from).filter(|path| path.is_absolute());
        let home = home.ok_or_else(|| Failure::new("cannot find the agents' settings: `HOME` is not set"))?;
        // Codex resolves a directory from `CODEX_HOME`, but not the default one.
        let codex = named("CODEX_HOME").map(|named| named.canonicalize().unwrap_or(named));
        let gemini = named("GEMINI_CLI_HOME").unwrap_or_else(|| home.into()).join(".gemini");
        let config = named("XDG_CONFIG_HOME").unwrap_or_else(|| home.join(".config"));
        let is_set = |name: &str| variable_of(name).is_some_and(|value| value != "0" && value != "false");
        Ok(AgentHomes {
            claude: named("CLAUDE_CONFIG_DIR").unwrap_or_else(|| home.join(".claude")),
            claude_managed: "/etc/claude-code/managed-settings.json".into(),
            codex: codex.unwrap_or_else(|| home.join(".codex")),
            codex_managed: "/etc/codex/requirements.toml".into(),
            gemini,
            gemini_managed: "/etc/gemini-cli/settings.json".into(),
            opencode: config.join("opencode"),
            switches_set: SWITCHES.into_iter().filter(|name| is_set(name)).map(str::to_owned).collect(),
        })
    }

    /// The variables of `of` that are set.
    pub(crate) fn switches(&self, of: &[&str]) -> Vec<&str> {
        self.switches_set.iter().map(String::as_str).filter(|name| of.contains(name)).collect()
    }
}
