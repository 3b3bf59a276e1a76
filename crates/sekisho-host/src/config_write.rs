//! Rewrites a config file: under a lock, atomically, and never through a symlink.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use sekisho_policy::{Layer, LayerKind, MAX_CONFIG_BYTES};

use crate::diff::diff;
use crate::error::HostError;
use crate::file_io;
use crate::locations::Locations;
use crate::lock::Lock;
use crate::trust::TrustStore;

/// The result of a change.
#[derive(Clone, Debug)]
pub struct ChangedConfig {
    /// The file.
    pub path: PathBuf,
    /// Its text before; empty if there was no file.
    pub before: String,
    /// Its text now.
    pub after: String,
}

/// Changes a config file with `edit`, which gets the text that was read under the lock.
///
/// A project file is written only if it is the one a human trusted, or does not exist; the new text is then
/// trusted as well. Otherwise an allow that somebody planted would become trusted with the change. A result
/// that does not load is not written.
pub fn change_config(
    locations: &Locations,
    kind: LayerKind,
    path: &Path,
    by: &str,
    now: Timestamp,
    edit: impl FnOnce(Option<&str>) -> Result<String, HostError>,
) -> Result<ChangedConfig, HostError> {
    let lock = Lock::take(&locations.state)?;
    let trust = TrustStore::at(&locations.state);
    let in_project = kind == LayerKind::Project;
    if in_project {
        refuse_links(path)?;
    }
    let before = file_io::read(path, MAX_CONFIG_BYTES)?;
    let name = path.to_string_lossy();
    if let Some(text) = &before {
        Layer::parse(kind, &name, text)?;
        if in_project {
            let records = trust.records()?;
            if !records.covers(path, text) {
                let last = trust.last(&records, path).unwrap_or_default();
                return Err(HostError::NotTrusted { path: path.into(), diff: diff(&last, text) });
            }
        }
    }
    let after = edit(before.as_deref())?;
    if before.as_deref() == Some(&*after) {
        return Ok(ChangedConfig { path: path.into(), before: after.clone(), after });
    }
    Layer::parse(kind, &name, &after)?;
    let (mode, directory_mode) = if in_project { (0o644, 0o755) } else { (0o600, 0o700) };
    // A user's own config may be a link into their dotfiles: its target is written.
    let target = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    file_io::replace(&target, &after, mode, directory_mode)?;
    if in_project {
        // If this fails, the file is merely untrusted.
        trust.record(&lock, path, &after, by, now)?;
    }
    Ok(ChangedConfig { path: path.into(), before: before.unwrap_or_default(), after })
}

/// Rejects links: a link in place of `.sekisho` or the file could direct a project's rule into another file.
fn refuse_links(path: &Path) -> Result<(), HostError> {
    for step in path.ancestors().take(2) {
        if step.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink()) {
            return Err(HostError::file(
                step,
                "this is a link, and project files are not written through links",
            ));
        }
    }
    Ok(())
}
