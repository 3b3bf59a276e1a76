//! Settings of other programs: read whole, copied before they are changed, and replaced in one step.
//!
//! The copies lie in our own state, for us alone: there may be keys in them, and a work tree is no place for those.
//!
//! They belong to somebody else, so nothing is written that was not first shown, and nothing is written over what came in
//! between.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::error::HostError;
use crate::file_io;
use crate::installation::settings_key;
use crate::lock::Lock;

/// The longest file that is read.
const LARGEST: usize = 4 << 20;
/// Where copies lie in the state.
const DIRECTORY: &str = "backups";

/// A settings file of another program as it was read.
#[derive(Clone, Debug)]
pub struct AgentSettingsFile {
    path: PathBuf,
    text: Option<String>,
}

impl AgentSettingsFile {
    /// Reads one.
    pub fn read(path: &Path) -> Result<AgentSettingsFile, HostError> {
        Ok(AgentSettingsFile { path: path.into(), text: file_io::read(path, LARGEST)? })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What it says; `None`: there is no file.
    pub fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// Puts another text in its place; `None` takes the file away. Gives the copy of what was there.
    ///
    /// A link is followed: what it leads to is replaced.
    pub fn replace(
        &self,
        after: Option<&str>,
        copies: &SettingsBackups,
        now: Timestamp,
    ) -> Result<Option<PathBuf>, HostError> {
        let _lock = Lock::take(&copies.state)?;
        if file_io::read(&self.path, LARGEST)? != self.text {
            return Err(HostError::file(
                &self.path,
                "somebody changed the file in the meantime, so nothing was written; try again",
            ));
        }
        let kept = self.text.as_deref().map(|text| copies.keep(text, now)).transpose()?;
        let written = self.path.canonicalize().unwrap_or_else(|_| self.path.clone());
        match after {
            Some(after) => file_io::replace(&written, after, 0o600, 0o700)?,
            None => std::fs::remove_file(&written).map_err(|error| HostError::io(&written, &error))?,
        }
        Ok(kept)
    }
}

/// Copies of the settings of one agent, made before each change.
#[derive(Clone, Debug)]
pub struct SettingsBackups {
    /// It holds the lock that keeps two of us apart as well.
    state: PathBuf,
    /// What all of them begin with.
    name: String,
}

impl SettingsBackups {
    /// Those of an agent's settings in a state directory.
    pub fn of(state: &Path, agent: &str, settings: &Path) -> SettingsBackups {
        SettingsBackups { state: state.into(), name: format!("{}-", settings_key(agent, settings)) }
    }

    /// All there are, the oldest first.
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
        let copy = self.state.join(DIRECTORY).join(format!("{}{at}", self.name));
        file_io::replace(&copy, text, 0o600, 0o700)?;
        Ok(copy)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn now() -> Timestamp {
        "2026-11-15T12:00:00Z".parse().unwrap()
    }

    fn copies(state: &Path, settings: &Path) -> SettingsBackups {
        SettingsBackups::of(state, "codex", settings)
    }

    #[test]
    fn a_change_keeps_what_was_there_and_its_mode_and_follows_links() {
        let place = tempfile::tempdir().unwrap();
        let (real, link) = (place.path().join("dotfiles.json"), place.path().join("settings.json"));
        std::fs::write(&real, "{}\n").unwrap();
        std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&real, &link).unwrap();
        let (file, state) = (AgentSettingsFile::read(&link).unwrap(), place.path().join("state"));
        let copies = SettingsBackups::of(&state, "codex", &link);
        let copy = file.replace(Some("{ }\n"), &copies, now()).unwrap().unwrap();
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
        assert_eq!(copies.all(), [copy]);
        assert_eq!(SettingsBackups::of(&state, "codex", &real).all(), [] as [PathBuf; 0], "of another file");
        let beside: Vec<_> =
            place.path().read_dir().unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(beside.len(), 3, "nothing else beside the settings: {beside:?}");
    }

    #[test]
    fn what_came_in_between_is_not_written_over() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("a.json");
        let file = AgentSettingsFile::read(&path).unwrap();
        assert_eq!(file.text(), None);
        std::fs::write(&path, "theirs").unwrap();
        let error = file.replace(Some("ours"), &copies(place.path(), &path), now()).unwrap_err().to_string();
        assert!(error.contains("in the meantime"), "{error}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "theirs");
    }

    #[test]
    fn a_new_file_is_ours_alone_and_can_be_taken_away() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("new/a.json");
        let file = AgentSettingsFile::read(&path).unwrap();
        assert_eq!(file.replace(Some("x"), &copies(place.path(), &path), now()).unwrap(), None);
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        let file = AgentSettingsFile::read(&path).unwrap();
        assert!(file.replace(None, &copies(place.path(), &path), now()).unwrap().is_some());
        assert!(!path.exists());
    }
}
