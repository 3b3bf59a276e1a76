//! The settings of a repository, held against the list of harmless ones.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use sekisho_policy::RepositoryProblem as Problem;

use super::config_parser::{SettingName, settings};
use super::credentials::is_credential;
use super::discovery::{GitDirKind, RepositoryPaths};
use super::harmless_settings::{HarmlessValues, harmless_values, is_false, is_one_of, is_plain_sort};
use super::scan::{LARGEST_TEXT, RepositoryScan};

/// Git follows includes this far.
const DEEPEST_INCLUDE: u8 = 10;

/// One config file, while it is read.
struct ConfigFileScan<'a> {
    path: &'a Path,
    place: &'a RepositoryPaths,
    includes: u8,
}

/// What a config told besides findings.
#[derive(Default)]
struct ConfigReading {
    /// Whether objects have names of 32 bytes, where that was said.
    sha256: Option<bool>,
    leads_back: bool,
    /// Directories of hooks.
    hooks: Vec<(PathBuf, String)>,
    /// Files to read as well.
    includes: Vec<(PathBuf, String)>,
}

impl RepositoryScan {
    /// Every config file that belongs to the repository. Returns how many bytes name an object.
    pub(super) fn scan_configs(&mut self, place: &RepositoryPaths) -> usize {
        let mut told = ConfigReading::default();
        let mut files = vec![place.common.join("config"), place.git_dir.join("config.worktree")];
        if place.kind == GitDirKind::Linked {
            files.push(place.common.join("config.worktree"));
        }
        for path in &files {
            self.scan_config(&ConfigFileScan { path, place, includes: 0 }, &mut told);
        }
        if place.kind == GitDirKind::Separate && !told.leads_back {
            self.add_finding(Problem::Redirect, &place.tree.join(".git"));
        }
        for (hooks, key) in told.hooks {
            self.scan_hooks(&hooks, Some(key));
        }
        if told.sha256 == Some(true) { 32 } else { 20 }
    }

    fn scan_config(&mut self, file: &ConfigFileScan<'_>, told: &mut ConfigReading) {
        let Ok(content) = self.read(file.path, LARGEST_TEXT) else { return };
        let read = settings(&content.unwrap_or_default(), |name, value| {
            if !is_harmless(file, &name, value, told) {
                self.add_setting_finding(Problem::Setting, file.path, Some(name.text()));
            }
            if is_credential(&name, value) {
                self.add_setting_finding(Problem::Credential, file.path, Some(name.text()));
            }
            // A git that does not know it yet refuses the repository.
            let recent: [&[u8]; 3] = [b"objectformat", b"refstorage", b"relativeworktrees"];
            if name.section == b"extensions" && recent.contains(&name.key) {
                self.add_setting_finding(Problem::Absent, file.path, Some(name.text()));
            }
        });
        if read.is_err() {
            self.add_finding(Problem::Unreadable, file.path);
        }
        for (path, key) in std::mem::take(&mut told.includes) {
            if file.includes == DEEPEST_INCLUDE {
                self.add_setting_finding(Problem::Setting, file.path, Some(key));
                continue;
            }
            self.scan_config(
                &ConfigFileScan { path: &path, place: file.place, includes: file.includes + 1 },
                told,
            );
        }
    }
}

/// Whether a setting is harmless as it stands; what has to be looked at besides is noted.
fn is_harmless(
    file: &ConfigFileScan<'_>,
    name: &SettingName<'_>,
    value: Option<&[u8]>,
    told: &mut ConfigReading,
) -> bool {
    let Some(values) = harmless_values(name) else { return false };
    let place = file.place;
    match values {
        HarmlessValues::Any => true,
        HarmlessValues::Never => false,
        HarmlessValues::False => is_false(value),
        HarmlessValues::OneOf(list) => is_one_of(value, list),
        // It counts in this file alone, and there once.
        HarmlessValues::ObjectFormat => {
            let sha256 = is_one_of(value, &["sha256"]);
            let counts = file.includes == 0 && file.path == place.common.join("config");
            (sha256 || is_one_of(value, &["sha1"])) && counts && *told.sha256.get_or_insert(sha256) == sha256
        }
        HarmlessValues::Sort => is_plain_sort(value),
        // Relative paths are taken from the top of the work tree.
        HarmlessValues::PatternFile => path_of(value, &place.tree).is_some_and(|path| {
            resolved(&path).is_some_and(|path| place.holds(&path) && is_named_for_patterns(&path))
        }),
        HarmlessValues::Hooks => match path_of(value, &place.tree) {
            Some(hooks) => {
                told.hooks.push((hooks, name.text()));
                true
            }
            None => false,
        },
        HarmlessValues::WorkTree => {
            let leads_back = path_of(value, &place.git_dir)
                .and_then(|path| path.canonicalize().ok())
                .is_some_and(|path| path == place.tree);
            told.leads_back |= leads_back && file.includes == 0 && place.kind == GitDirKind::Separate;
            // For a linked work tree git does not look at it in the config that is shared.
            let shared = place.kind == GitDirKind::Linked && file.path == place.common.join("config");
            leads_back || shared
        }
        HarmlessValues::Include => {
            let from = file.path.parent().unwrap_or(&place.tree);
            match path_of(value, from) {
                Some(path) if is_inside(&path, place) => {
                    told.includes.push((path, name.text()));
                    true
                }
                _ => false,
            }
        }
    }
}

/// The path that a value names. `None` for none at all, for one below a home directory or git's own prefix, and for one
/// with a marker before it (`:(optional)`).
fn path_of(value: Option<&[u8]>, base: &Path) -> Option<PathBuf> {
    let value = value.filter(|value| !value.is_empty() && !value.starts_with(b"~"))?;
    (!value.starts_with(b"%(") && !value.starts_with(b":")).then(|| base.join(OsStr::from_bytes(value)))
}

/// Whether a path leads to a place inside the repository, links followed.
fn is_inside(path: &Path, place: &RepositoryPaths) -> bool {
    resolved(path).is_some_and(|path| place.holds(&path))
}

/// Where a path leads. One that is not there is in the directory that it would be in.
fn resolved(path: &Path) -> Option<PathBuf> {
    match path.symlink_metadata() {
        Ok(_) => path.canonicalize().ok(),
        Err(_) => {
            let parent = path.parent().and_then(|parent| parent.canonicalize().ok());
            parent.zip(path.file_name()).map(|(parent, name)| parent.join(name))
        }
    }
}

/// Whether a file is called like those that hold patterns.
fn is_named_for_patterns(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().as_bytes();
    let parts: [&[u8]; 3] = [b"ignore", b"exclude", b"attributes"];
    parts.iter().any(|part| memchr::memmem::find(name, part).is_some())
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::path_of;

    #[test]
    fn only_plain_paths_are_followed() {
        let path = |value: &str| path_of(Some(value.as_bytes()), Path::new("/r"));
        assert_eq!(path("hooks/x"), Some(PathBuf::from("/r/hooks/x")));
        assert_eq!(path("/etc/x"), Some(PathBuf::from("/etc/x")));
        for value in ["", "~/x", "~u/x", "%(prefix)/x", ":(optional)x"] {
            assert_eq!(path(value), None, "{value}");
        }
        assert_eq!(path_of(None, Path::new("/r")), None);
    }
}
