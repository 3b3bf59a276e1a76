//! Settings of other programs: read whole, kept beside before they are changed, and replaced in one step.
//!
//! They belong to somebody else, so nothing is written that was not first shown, and nothing is written over what came in
//! between.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::error::HostError;
use crate::file;
use crate::lock::Lock;

/// The longest file that is read.
const LARGEST: usize = 4 << 20;
/// What a copy is called after the file's own name.
const KEPT: &str = ".sekisho-backup-";

/// A settings file of another program as it was read.
#[derive(Clone, Debug)]
pub struct Foreign {
    path: PathBuf,
    text: Option<String>,
}

impl Foreign {
    /// Reads one.
    pub fn read(path: &Path) -> Result<Foreign, HostError> {
        Ok(Foreign { path: path.into(), text: file::read(path, LARGEST)? })
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
    /// A link is followed: what it leads to is replaced. `state` holds the lock that keeps two of us apart.
    pub fn replace(
        &self,
        after: Option<&str>,
        state: &Path,
        now: Timestamp,
    ) -> Result<Option<PathBuf>, HostError> {
        let _lock = Lock::take(state)?;
        if file::read(&self.path, LARGEST)? != self.text {
            return Err(HostError::file(
                &self.path,
                "somebody changed the file in the meantime, so nothing was written; try again",
            ));
        }
        let kept = self.keep(now)?;
        let written = self.path.canonicalize().unwrap_or_else(|_| self.path.clone());
        match after {
            Some(after) => file::replace(&written, after, 0o600, 0o700)?,
            None => std::fs::remove_file(&written).map_err(|error| HostError::io(&written, &error))?,
        }
        Ok(kept)
    }

    /// Copies of it that were made before earlier changes, the oldest first.
    pub fn kept(&self) -> Vec<PathBuf> {
        let (Some(directory), Some(name)) = (self.path.parent(), self.path.file_name()) else {
            return Vec::new();
        };
        let begins = format!("{}{KEPT}", name.to_string_lossy());
        let entries = directory.read_dir().into_iter().flatten().flatten();
        let mut kept: Vec<PathBuf> = entries
            .filter(|entry| entry.file_name().to_string_lossy().starts_with(&begins))
            .map(|entry| entry.path())
            .collect();
        kept.sort();
        kept
    }

    /// Copies what was read beside the file, with the mode it has: there may be secrets in it.
    fn keep(&self, now: Timestamp) -> Result<Option<PathBuf>, HostError> {
        use std::os::unix::fs::PermissionsExt;
        let Some(text) = &self.text else { return Ok(None) };
        let mode = self.path.metadata().map_or(0o600, |metadata| metadata.permissions().mode() & 0o777);
        let at = now.to_zoned(TimeZone::UTC).strftime("%Y%m%dT%H%M%S%.6fZ").to_string();
        let name = self.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let copy = self.path.with_file_name(format!("{name}{KEPT}{at}"));
        file::replace(&copy, text, mode, 0o700)?;
        Ok(Some(copy))
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    fn now() -> Timestamp {
        "2026-11-15T12:00:00Z".parse().unwrap()
    }

    #[test]
    fn a_change_keeps_what_was_there_and_its_mode_and_follows_links() {
        let place = tempfile::tempdir().unwrap();
        let (real, link) = (place.path().join("dotfiles.json"), place.path().join("settings.json"));
        std::fs::write(&real, "{}\n").unwrap();
        std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&real, &link).unwrap();
        let file = Foreign::read(&link).unwrap();
        let copy = file.replace(Some("{ }\n"), &place.path().join("state"), now()).unwrap().unwrap();
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert_eq!(std::fs::read_to_string(&real).unwrap(), "{ }\n");
        assert_eq!(std::fs::read_to_string(&copy).unwrap(), "{}\n");
        assert_eq!(copy.file_name().unwrap(), "settings.json.sekisho-backup-20261115T120000.000000Z");
        for file in [&real, &copy] {
            assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o640, "{}", file.display());
        }
        assert_eq!(Foreign::read(&link).unwrap().kept(), [copy]);
    }

    #[test]
    fn what_came_in_between_is_not_written_over() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("a.json");
        let file = Foreign::read(&path).unwrap();
        assert_eq!(file.text(), None);
        std::fs::write(&path, "theirs").unwrap();
        let error = file.replace(Some("ours"), place.path(), now()).unwrap_err().to_string();
        assert!(error.contains("in the meantime"), "{error}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "theirs");
    }

    #[test]
    fn a_new_file_is_ours_alone_and_can_be_taken_away() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("new/a.json");
        let file = Foreign::read(&path).unwrap();
        assert_eq!(file.replace(Some("x"), place.path(), now()).unwrap(), None);
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        let file = Foreign::read(&path).unwrap();
        assert!(file.replace(None, place.path(), now()).unwrap().is_some());
        assert!(!path.exists());
    }
}
