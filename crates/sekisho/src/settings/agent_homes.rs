//! Where agents keep their own settings, and which of their switches are set.

use std::path::{Path, PathBuf};

use super::variable_of;
use crate::failure::Failure;

/// The homes of the agents.
#[derive(Clone, Debug)]
pub(crate) struct AgentHomes {
    pub(crate) claude: PathBuf,
    /// Claude Code's settings by the administrator.
    pub(crate) claude_managed: PathBuf,
    pub(crate) codex: PathBuf,
    /// What the administrator demands of Codex.
    pub(crate) codex_managed: PathBuf,
    pub(crate) gemini: PathBuf,
    /// Gemini CLI's settings by the administrator.
    pub(crate) gemini_managed: PathBuf,
    pub(crate) opencode: PathBuf,
    /// Variables that are set and by which an agent started here would leave hooks out.
    pub(crate) switches_set: Vec<String>,
}

/// Variables by which agents leave hooks out.
const SWITCHES: [&str; 3] = ["CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE", "OPENCODE_PURE"];

impl AgentHomes {
    /// Reads the environment.
    pub(crate) fn load(home: Option<&Path>) -> Result<AgentHomes, Failure> {
        let named =
            |variable: &str| variable_of(variable).map(PathBuf::from).filter(|path| path.is_absolute());
        let home =
            home.ok_or_else(|| Failure::new("`HOME` is not set, so the agents' settings cannot be found"))?;
        // Codex resolves the directory that is named, and leaves the usual one as it is.
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

    /// Those of some switches that are set.
    pub(crate) fn switches(&self, of: &[&str]) -> Vec<&str> {
        self.switches_set.iter().map(String::as_str).filter(|name| of.contains(name)).collect()
    }
}
