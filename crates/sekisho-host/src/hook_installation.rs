//! How a hook was installed, written once at installation.
//!
//! A hook is started by an agent, in an environment that the agent may control. So the hook takes nothing
//! from it: which config counts, where its state is and how to reach the server were pinned at installation,
//! in a file of our own state directory that no agent may write. The hook's only argument is the path of that
//! file.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::error::HostError;
use crate::file_io;
use crate::hex::hex;
use crate::locations::Locations;

/// The largest file that is read, in bytes.
const LARGEST: usize = 1 << 20;
/// The version of the file format.
const VERSION: u32 = 1;

/// How a hook was installed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Installation {
    /// The version of the file format.
    pub version: u32,
    /// The name of the agent.
    pub agent: String,
    /// Whether it is for all projects of the user, or for one.
    pub reach: InstallScope,
    /// The agent's settings file that starts the hook.
    pub settings: PathBuf,
    /// The hook program.
    pub hook: PathBuf,
    /// Where sekisho's files are.
    pub locations: Locations,
    /// The server's socket; `None` if there is no server to ask.
    pub socket: Option<PathBuf>,
    /// Where stored rules would be if no server has published any.
    pub database: RuleDatabase,
    /// How many seconds the agent waits for its hook.
    pub limit_s: u32,
    /// What happens to a call of an unattended agent if nobody answers in time.
    pub unattended: UnattendedTimeout,
    /// When it was installed.
    pub installed_at: Timestamp,
}

/// The scope of an installation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InstallScope {
    /// All projects of the user.
    Global,
    /// The project at this root.
    Project(PathBuf),
}

/// Where stored rules are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RuleDatabase {
    /// In a file on this machine: if it does not exist, there are no rules.
    File(PathBuf),
    /// On a database server that others write to as well.
    Shared,
}

/// What happens if nobody answers in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UnattendedTimeout {
    /// The call is deferred, if the agent supports that: the question stays open, and the run can be resumed.
    Defer,
    /// The call is denied.
    Deny,
}

/// A short key for an agent's settings file, used in the names of our own files.
pub(crate) fn settings_key(agent: &str, settings: &Path) -> String {
    let hash = Sha256::digest(settings.as_os_str().as_encoded_bytes());
    let short = hex(hash.into_iter().take(6));
    format!("{agent}-{short}")
}

/// The file of an installation, and its content or the error.
pub type FoundInstallation = (PathBuf, Result<Installation, HostError>);

/// The installations of one user.
#[derive(Clone, Debug)]
pub struct Installations {
    directory: PathBuf,
}

impl Installations {
    /// The installations in a state directory.
    pub fn at(state: &Path) -> Installations {
        Installations { directory: state.join("hooks") }
    }

    /// The installation file for an agent's settings.
    pub fn path(&self, agent: &str, settings: &Path) -> PathBuf {
        self.directory.join(format!("{}.json", settings_key(agent, settings)))
    }

    /// Writes an installation. Returns the path to pass to the hook.
    pub fn write(&self, installation: &Installation) -> Result<PathBuf, HostError> {
        let path = self.path(&installation.agent, &installation.settings);
        let text = serde_json::to_string_pretty(installation)
            .map_err(|error| HostError::file(&path, error.to_string()))?;
        file_io::replace(&path, &format!("{text}\n"), 0o600, 0o700)?;
        Ok(path)
    }

    /// Writes a file that an agent loads, such as a plugin.
    pub fn write_companion(&self, path: &Path, text: &str) -> Result<(), HostError> {
        file_io::replace(path, text, 0o600, 0o700)
    }

    /// Removes an installation. Returns `false` if there was none.
    pub fn remove(&self, path: &Path) -> Result<bool, HostError> {
        match std::fs::remove_file(path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(HostError::io(path, &error)),
        }
    }

    /// All installations with their files; an unreadable one has its error.
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
    /// The version that is written now.
    pub const VERSION: u32 = VERSION;

    /// Reads an installation.
    pub fn read(path: &Path) -> Result<Installation, HostError> {
        let again = "install the hook again with `sekisho install`";
        let text = file_io::read(path, LARGEST)?
            .ok_or_else(|| HostError::file(path, format!("the installation file is missing; {again}")))?;
        let read: Installation = serde_json::from_str(&text)
            .map_err(|error| HostError::file(path, format!("{error}; {again}")))?;
        if read.version != VERSION {
            let fault = format!(
                "the file has version {}, and this hook supports version {VERSION}; {again}",
                read.version
            );
            return Err(HostError::file(path, fault));
        }
        Ok(read)
    }
}
