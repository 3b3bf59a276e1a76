//! Settings files of agents: read whole, backed up before a change, and replaced in one step.
//!
//! The backups are in our own state directory, readable by us alone: they may contain keys, and a work tree
//! is no place for those.
//!
//! The files belong to another program, so nothing is written that was not shown first, and a change made in
//! between is not overwritten.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::error::HostError;
use crate::file_io;
use crate::hook_installation::settings_key;
use crate::lock::Lock;

/// The largest file that is read, in bytes.
const LARGEST: usize = 4 << 20;
/// The directory of the backups in the state directory.
const DIRECTORY: &str = "backups";

/// A settings file of an agent, as it was read.
#[derive(Clone, Debug)]
pub struct AgentSettingsFile {
    path: PathBuf,
    text: Option<String>,
}

impl AgentSettingsFile {
    /// Reads a settings file.
    pub fn read(path: &Path) -> Result<AgentSettingsFile, HostError> {
        Ok(AgentSettingsFile { path: path.into(), text: file_io::read(path, LARGEST)? })
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its text; `None` if there is no file.
    pub fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// Replaces the text; `None` removes the file. Returns the path of the backup of the old text.
    ///
    /// A link is followed: its target is replaced.
    pub fn replace(
        &self,
        after: Option<&str>,
        backups: &SettingsBackups,
        now: Timestamp,
    ) -> Result<Option<PathBuf>, HostError> {
        let _lock = Lock::take(&backups.state)?;
        if file_io::read(&self.path, LARGEST)? != self.text {
            return Err(HostError::file(
                &self.path,
                "the file was changed in the meantime, so nothing was written; try again",
            ));
        }
        let backup = self.text.as_deref().map(|text| backups.keep(text, now)).transpose()?;
        let target = self.path.canonicalize().unwrap_or_else(|_| self.path.clone());
        match after {
            Some(after) => file_io::replace(&target, after, 0o600, 0o700)?,
            None => std::fs::remove_file(&target).map_err(|error| HostError::io(&target, &error))?,
        }
        Ok(backup)
    }
}

/// Backups of one settings file, made before each change.
#[derive(Clone, Debug)]
pub struct SettingsBackups {
    /// The state directory. It also holds the lock that serializes writers.
    state: PathBuf,
    /// The prefix of their file names.
    name: String,
}

impl SettingsBackups {
    /// The backups of an agent's settings in a state directory.
    pub fn of(state: &Path, agent: &str, settings: &Path) -> SettingsBackups {
        SettingsBackups { state: state.into(), name: format!("{}-", settings_key(agent, settings)) }
    }

    /// All backups, oldest first.
    pub fn all(&self) -> Vec<PathBuf> {
        let entries = self.state.join(DIRECTORY).read_dir().into_iter().flatten().flatten();
        let mut all: Vec<PathBuf> = entries
            .filter(|entry| entry.file_name().to_string_lossy().starts_with(&self.name))
            .map(|entry| entry.path())
            .collect();
        all.sort();
        all
    }

    fn keep(&self, text: &str, now: Timestamp) -> Result<PathBuf, HostError> {
        let at = now.to_zoned(TimeZone::UTC).strftime("%Y%m%dT%H%M%S%.6fZ").to_string();
        let backup = self.state.join(DIRECTORY).join(format!("{}{at}", self.name));
        file_io::replace(&backup, text, 0o600, 0o700)?;
        Ok(backup)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn now() -> Timestamp {
        "2026-11-15T12:00:00Z".parse().unwrap()
    }

    fn backups(state: &Path, settings: &Path) -> SettingsBackups {
        SettingsBackups::of(state, "codex", settings)
    }

    #[test]
    fn change_makes_a_backup_keeps_the_mode_and_follows_links() {
        let directory = tempfile::tempdir().unwrap();
        let (real, link) = (directory.path().join("dotfiles.json"), directory.path().join("settings.json"));
        std::fs::write(&real, "{}\n").unwrap();
        std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&real, &link).unwrap();
        let (file, state) = (AgentSettingsFile::read(&link).unwrap(), directory.path().join("state"));
        let backups = SettingsBackups::of(&state, "codex", &link);
        let copy = file.replace(Some("{ }\n"), &backups, now()).unwrap().unwrap();
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert_eq!(std::fs::read_to_string(&real).unwrap(), "{ }\n");
        assert_eq!(std::fs::read_to_string(&copy).unwrap(), "{}\n");
        let named = copy.strip_prefix(&state).unwrap().to_str().unwrap();
        assert!(
            named.starts_with("backups/codex-") && named.ends_with("-20261115T120000.000000Z"),
            "{named}"
        );
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&real), mode(&copy), mode(copy.parent().unwrap())), (0o640, 0o600, 0o700));
        assert_eq!(backups.all(), [copy]);
        assert_eq!(SettingsBackups::of(&state, "codex", &real).all(), [] as [PathBuf; 0], "of another file");
        let entries: Vec<_> =
            directory.path().read_dir().unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(entries.len(), 3, "nothing else next to the settings: {entries:?}");
    }

    #[test]
    fn change_made_in_between_is_not_overwritten() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.json");
        let file = AgentSettingsFile::read(&path).unwrap();
        assert_eq!(file.text(), None);
        std::fs::write(&path, "theirs").unwrap();
        let error =
            file.replace(Some("ours"), &backups(directory.path(), &path), now()).unwrap_err().to_string();
        assert!(error.contains("in the meantime"), "{error}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "theirs");
    }

    #[test]
    fn new_file_is_private_and_can_be_removed() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("new/a.json");
        let file = AgentSettingsFile::read(&path).unwrap();
        assert_eq!(file.replace(Some("x"), &backups(directory.path(), &path), now()).unwrap(), None);
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        let file = AgentSettingsFile::read(&path).unwrap();
        assert!(file.replace(None, &backups(directory.path(), &path), now()).unwrap().is_some());
        assert!(!path.exists());
    }
}
