//! Where an agent's hook is, or would be.

use std::path::{Path, PathBuf};

use sekisho_adapters::Agent;
use sekisho_host::{SettingsBackups, AgentSettingsFile, Installation, Installations, InstallScope};

use crate::agents::{self, HookEntry, HookSettings, hook_settings};
use crate::failure::Failure;
use crate::settings::{AgentHomes, Settings};

/// For whom.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct InstallScopeArgs {
    /// For every project: in your own settings of the agent; this is the default
    #[arg(long, conflicts_with = "project")]
    global: bool,
    /// For the project you are in: in its personal settings, where the agent has such
    #[arg(long)]
    project: bool,
}

/// Where an agent's hook is, or would be.
pub(crate) struct InstallTarget {
    pub(crate) agent: Agent,
    pub(crate) reach: InstallScope,
    pub(crate) wiring: &'static dyn HookSettings,
    /// The agent's settings.
    pub(crate) file: AgentSettingsFile,
    /// Copies of them from before our changes.
    pub(crate) copies: SettingsBackups,
    pub(crate) installations: Installations,
    /// The file that says how the hook was installed.
    pub(crate) installation: PathBuf,
}

impl InstallTarget {
    pub(crate) fn find(settings: &Settings, agent: Agent, which: &InstallScopeArgs) -> Result<InstallTarget, Failure> {
        let homes = AgentHomes::load(settings.locations.home.as_deref())?;
        let reach = match which.project {
            true => InstallScope::Project(settings.workspace(None)?.root),
            false => InstallScope::Global,
        };
        let wiring = hook_settings(agent);
        let file = AgentSettingsFile::read(&wiring.settings_path(&homes, &reach)?)?;
        let installations = Installations::at(&settings.locations.state);
        let installation = installations.path(agent.name(), file.path());
        let copies = SettingsBackups::of(&settings.locations.state, agent.name(), file.path());
        Ok(InstallTarget { agent, reach, wiring, file, copies, installations, installation })
    }

    /// The agent has no settings of one's own in a project: others may get this file as well.
    pub(crate) fn is_shared(&self) -> bool {
        self.reach != InstallScope::Global && self.agent != Agent::ClaudeCode
    }

    /// The file of ours that the agent loads, where it starts no program.
    pub(crate) fn plugin(&self, entry: &HookEntry) -> Option<(PathBuf, String)> {
        (self.agent == Agent::OpenCode).then(|| agents::opencode_plugin(entry))
    }
}

impl HookEntry {
    /// What an installation wants the agent's settings to say.
    pub(crate) fn of(installation: &Installation, file: &Path) -> HookEntry {
        HookEntry {
            hook: installation.hook.clone(),
            installation: file.into(),
            limit_s: installation.limit_s,
            settings: installation.settings.clone(),
        }
    }
}

/// How the settings of an agent stand to an installation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum InstallStatus {
    /// They call the hook as it was installed.
    InPlace,
    /// They call it otherwise; with what would have to change.
    Changed(String),
    /// They do not call it.
    Missing,
    /// They cannot be read; why.
    Unreadable(String),
}

impl InstallStatus {
    pub(crate) fn of(wiring: &dyn HookSettings, entry: &HookEntry) -> InstallStatus {
        let path = &entry.settings;
        let text = match AgentSettingsFile::read(path) {
            Ok(file) => file.text().unwrap_or_default().to_owned(),
            Err(error) => return InstallStatus::Unreadable(error.to_string()),
        };
        match (wiring.installed_hooks(&text, &entry.installation), wiring.add(&text, entry)) {
            (Err(fault), _) | (_, Err(fault)) => InstallStatus::Unreadable(fault.with_path(path)),
            (Ok(wired), _) if wired.is_empty() => InstallStatus::Missing,
            (_, Ok(after)) if after == text => InstallStatus::InPlace,
            (_, Ok(after)) => InstallStatus::Changed(sekisho_host::diff(&text, &after)),
        }
    }

    /// In one word.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            InstallStatus::InPlace => "in place",
            InstallStatus::Changed(_) => "changed",
            InstallStatus::Missing => "missing",
            InstallStatus::Unreadable(_) => "unreadable",
        }
    }
}
