//! Where an agent's hook is, or would be.

use std::path::{Path, PathBuf};

use sekisho_adapters::Agent;
use sekisho_host::{Copies, Foreign, Installation, Installations, Reach};

use crate::agents::{self, Entry, Wiring, wiring};
use crate::failure::Failure;
use crate::settings::{Homes, Settings};

/// For whom.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct Which {
    /// For every project: in your own settings of the agent; this is the default
    #[arg(long, conflicts_with = "project")]
    global: bool,
    /// For the project you are in: in its personal settings, where the agent has such
    #[arg(long)]
    project: bool,
}

/// Where an agent's hook is, or would be.
pub(crate) struct Site {
    pub(crate) agent: Agent,
    pub(crate) reach: Reach,
    pub(crate) wiring: &'static dyn Wiring,
    /// The agent's settings.
    pub(crate) file: Foreign,
    /// Copies of them from before our changes.
    pub(crate) copies: Copies,
    pub(crate) installations: Installations,
    /// The file that says how the hook was installed.
    pub(crate) installation: PathBuf,
}

impl Site {
    pub(crate) fn find(settings: &Settings, agent: Agent, which: &Which) -> Result<Site, Failure> {
        let homes = Homes::gather(settings.locations.home.as_deref())?;
        let reach = match which.project {
            true => Reach::Project(settings.workspace(None)?.root),
            false => Reach::Global,
        };
        let wiring = wiring(agent);
        let file = Foreign::read(&wiring.settings(&homes, &reach)?)?;
        let installations = Installations::at(&settings.locations.state);
        let installation = installations.path(agent.name(), file.path());
        let copies = Copies::of(&settings.locations.state, agent.name(), file.path());
        Ok(Site { agent, reach, wiring, file, copies, installations, installation })
    }

    /// The agent has no settings of one's own in a project: others may get this file as well.
    pub(crate) fn is_shared(&self) -> bool {
        self.reach != Reach::Global && self.agent != Agent::ClaudeCode
    }

    /// The file of ours that the agent loads, where it starts no program.
    pub(crate) fn plugin(&self, entry: &Entry) -> Option<(PathBuf, String)> {
        (self.agent == Agent::OpenCode).then(|| agents::plugin(entry))
    }
}

impl Entry {
    /// What an installation wants the agent's settings to say.
    pub(crate) fn of(installation: &Installation, file: &Path) -> Entry {
        Entry {
            hook: installation.hook.clone(),
            installation: file.into(),
            limit_s: installation.limit_s,
            settings: installation.settings.clone(),
        }
    }
}

/// How the settings of an agent stand to an installation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// They call the hook as it was installed.
    InPlace,
    /// They call it otherwise; with what would have to change.
    Changed(String),
    /// They do not call it.
    Missing,
    /// They cannot be read; why.
    Unreadable(String),
}

impl Standing {
    pub(crate) fn of(wiring: &dyn Wiring, entry: &Entry) -> Standing {
        let path = &entry.settings;
        let text = match Foreign::read(path) {
            Ok(file) => file.text().unwrap_or_default().to_owned(),
            Err(error) => return Standing::Unreadable(error.to_string()),
        };
        match (wiring.wired(&text, &entry.installation), wiring.add(&text, entry)) {
            (Err(fault), _) | (_, Err(fault)) => Standing::Unreadable(fault.of(path)),
            (Ok(wired), _) if wired.is_empty() => Standing::Missing,
            (_, Ok(after)) if after == text => Standing::InPlace,
            (_, Ok(after)) => Standing::Changed(sekisho_host::diff(&text, &after)),
        }
    }

    /// In one word.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Standing::InPlace => "in place",
            Standing::Changed(_) => "changed",
            Standing::Missing => "missing",
            Standing::Unreadable(_) => "unreadable",
        }
    }
}
