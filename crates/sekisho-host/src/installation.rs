//! How a hook was installed, written down once by whoever installed it.
//!
//! A hook is started by an agent, in an environment the agent may have made. So it takes nothing from there: which config
//! counts, where its state lies and which door leads to the server were pinned when it was installed, in a file of our own
//! state that no agent may write. The one argument it gets is the path of that file.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::error::HostError;
use crate::file_io;
use crate::locations::Locations;

/// The longest file that is read.
const LARGEST: usize = 1 << 20;
/// The form of the file.
const VERSION: u32 = 1;

/// How a hook was installed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Installation {
    /// The form of the file.
    pub version: u32,
    /// The agent, by its name.
    pub agent: String,
    /// For every project of the user, or for one.
    pub reach: InstallScope,
    /// The settings of the agent that start the hook.
    pub settings: PathBuf,
    /// The hook itself.
    pub hook: PathBuf,
    /// Where the files lie that count.
    pub locations: Locations,
    /// The server's socket; none: there is no server to ask.
    pub socket: Option<PathBuf>,
    /// Where kept rules would be if no server has published any.
    pub database: RuleDatabase,
    /// How many seconds the agent waits for its hook.
    pub limit_s: u32,
    /// What happens to a call of an agent that nobody sits in front of, when nobody has answered in time.
    pub unattended: UnattendedTimeout,
    /// When.
    pub installed_at: Timestamp,
}

/// For whom a hook is installed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InstallScope {
    /// Every project of the user.
    Global,
    /// The project at this root.
    Project(PathBuf),
}

/// Where kept rules are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleDatabase {
    /// In a file of this machine: while it is not there, nobody has made any.
    File(PathBuf),
    /// On a server that others write to as well.
    Shared,
}

/// What happens when nobody has answered in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnattendedTimeout {
    /// The call is put off, where the agent knows that: the question stays, and the run can be resumed.
    Defer,
    /// The call is turned back.
    Deny,
}

/// A short name for the settings of an agent, for files of ours that belong to them.
pub(crate) fn settings_key(agent: &str, settings: &Path) -> String {
    let hash = Sha256::digest(settings.as_os_str().as_encoded_bytes());
    let short: String = hash.iter().take(6).map(|byte| format!("{byte:02x}")).collect();
    format!("{agent}-{short}")
}

/// The file of an installation, and what it says or why it cannot be read.
pub type FoundInstallation = (PathBuf, Result<Installation, HostError>);

/// The installations of one user.
#[derive(Clone, Debug)]
pub struct Installations {
    directory: PathBuf,
}

impl Installations {
    /// Those of a state directory.
    pub fn at(state: &Path) -> Installations {
        Installations { directory: state.join("hooks") }
    }

    /// The file for an agent's settings.
    pub fn path(&self, agent: &str, settings: &Path) -> PathBuf {
        self.directory.join(format!("{}.json", settings_key(agent, settings)))
    }

    /// Writes one down; gives the path to hand to the hook.
    pub fn write(&self, installation: &Installation) -> Result<PathBuf, HostError> {
        let path = self.path(&installation.agent, &installation.settings);
        let text = serde_json::to_string_pretty(installation)
            .map_err(|error| HostError::file(&path, error.to_string()))?;
        file_io::replace(&path, &format!("{text}\n"), 0o600, 0o700)?;
        Ok(path)
    }

    /// Writes a file that an agent loads beside what it belongs to.
    pub fn write_companion(&self, path: &Path, text: &str) -> Result<(), HostError> {
        file_io::replace(path, text, 0o600, 0o700)
    }

    /// Forgets one. `false`: there was none.
    pub fn remove(&self, path: &Path) -> Result<bool, HostError> {
        match std::fs::remove_file(path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(HostError::io(path, &error)),
        }
    }

    /// Every one there is, with its file; one that cannot be read says why.
    pub fn all(&self) -> Result<Vec<FoundInstallation>, HostError> {
        let entries = match self.directory.read_dir() {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(HostError::io(&self.directory, &error)),
        };
        let mut paths = Vec::new();
        for entry in entries {
            let path = entry.map_err(|error| HostError::io(&self.directory, &error))?.path();
            if path.extension().is_some_and(|ending| ending == "json") {
                paths.push(path);
            }
        }
        paths.sort();
        Ok(paths.into_iter().map(|path| (path.clone(), Installation::read(&path))).collect())
    }
}

impl Installation {
    /// The form that is written now.
    pub const VERSION: u32 = VERSION;

    /// Reads one.
    pub fn read(path: &Path) -> Result<Installation, HostError> {
        let again = "install the hook again with `sekisho install`";
        let text = file_io::read(path, LARGEST)?
            .ok_or_else(|| HostError::file(path, format!("the installation is gone; {again}")))?;
        let read: Installation = serde_json::from_str(&text)
            .map_err(|error| HostError::file(path, format!("{error}; {again}")))?;
        if read.version != VERSION {
            let fault = format!("it is of form {}, and this hook knows {VERSION}; {again}", read.version);
            return Err(HostError::file(path, fault));
        }
        Ok(read)
    }
}
